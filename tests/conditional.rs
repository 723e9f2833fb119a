//! Metrics that are scored where a condition on others holds: `[[scorer]]` with `when`.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{Folder, faulty_library, faulty_program};

/// Six examples: the answer is right for those below three, which have a text that ends the faulty
/// plugin, and a number for the others; the last one has no prediction.
fn desk(rest: &str) -> Folder {
    let folder = Folder::new();
    let (mut golden, mut answers) = (String::new(), String::new());
    for n in 0..6 {
        let right = if n < 3 { "exit" } else { "none of them" };
        let _ = writeln!(golden, "{{\"id\": \"q{n}\", \"references\": [\"{right}\"]}}");
        let given = if n < 3 { "exit".to_owned() } else { format!("0.{n}") };
        if n < 5 {
            let _ = writeln!(answers, "{{\"id\": \"q{n}\", \"prediction\": \"{given}\"}}");
        }
    }
    folder.write("golden.jsonl", golden);
    folder.write("answers.jsonl", answers);
    let base = "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\n\
                [reader]\ntype = \"replay\"\npath = \"answers.jsonl\"\n";
    folder.write("desk.toml", format!("{base}{rest}"));
    folder
}

/// The summary of a column.
fn summary<'a>(report: &'a Value, column: &str) -> &'a Value {
    let mut summaries = report["evaluations"][0]["summaries"].as_array().unwrap().iter();
    summaries.find(|summary| summary["column"] == column).unwrap()
}

/// The scores of a column by example, and the reasons of those without.
fn rows(folder: &Folder, column: &str) -> Vec<(String, Option<f64>)> {
    let export = ["export", "desk", "--format", "jsonl"];
    let lines = folder.qeval(export).succeed().stdout;
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        (row["example_id"].as_str().unwrap().to_owned(), row[column].as_f64())
    };
    lines.lines().map(row).collect()
}

#[test]
fn a_plugin_is_asked_only_where_the_condition_holds() {
    for plugin in [faulty_program(), faulty_library()] {
        let rest = format!(
            "[metrics]\nanswer = [\"EM\", \"F1\"]\n\
             [[scorer]]\nmetric = \"p.n\"\nwhen = \"EM == 0 and not F1 > 0\"\n\
             [[plugin]]\nname = \"p\"\npath = \"{}\"\non_error = \"stop\"\n",
            plugin.display()
        );
        let folder = desk(&rest);
        // The right answers would end the plugin, and with it the evaluation.
        let run = ["run", "desk.toml", "--format", "json"];
        let report = folder.qeval(run).succeed().json();
        let found = summary(&report, "p_n");
        assert_eq!((&found["n"], &found["unscored"]), (&Value::from(3), &Value::from(3)));
        assert_eq!(found["when"], "EM == 0 and not F1 > 0");
        let scores = [None, None, None, Some(0.3), Some(0.4), Some(0.0)];
        let ids = (0..6).map(|n| format!("q{n}"));
        assert_eq!(rows(&folder, "p_n"), ids.zip(scores).collect::<Vec<_>>());
        let unscored = &report["evaluations"][0]["unscored"][0];
        assert_eq!(unscored["text"], "`EM == 0 and not F1 > 0` does not hold");
        assert_eq!((&unscored["n"], &unscored["reason"]), (&3.into(), &"not applicable".into()));
        let shown = folder.qeval(["report", "desk"]).succeed().stdout;
        let note =
            "p.n is scored where `EM == 0 and not F1 > 0`: it is the mean of 3 of 6 examples";
        assert!(shown.contains(note), "{shown}");
        let check = folder.qeval(["check", "desk.toml"]).succeed().stdout;
        assert!(check.contains(", where `EM == 0 and not F1 > 0`\n"), "{check}");
        folder.qeval(["verify", "desk"]).succeed();
    }
}

#[test]
fn conditions_may_look_at_metrics_with_conditions() {
    let rest = "[metrics]\nanswer = [\"EM\"]\n\
                [[scorer]]\nmetric = \"chrF\"\nwhen = \"ROUGE-L == 0 or EM == 1\"\n\
                [[scorer]]\nmetric = \"ROUGE-L\"\nwhen = \"EM == 0\"\n";
    let folder = desk(&rest.replace("chrF", "F1"));
    let report = folder.qeval(["run", "desk.toml", "--format", "json"]).succeed().json();
    assert_eq!(summary(&report, "rouge_l")["n"], 3);
    // Where EM is 1, ROUGE-L has no score, and need not have one.
    assert_eq!(summary(&report, "f1")["n"], 6);
    let ids = report["evaluations"][0]["evaluation_id"].clone();
    // Another condition is another plan, the same one in other words is not.
    let file = std::fs::read_to_string(folder.path("desk.toml")).unwrap();
    folder.write("desk.toml", file.replace("EM == 0", "(EM  ==  0.0)"));
    let again = folder.qeval(["run", "desk.toml", "--format", "json"]).succeed();
    assert_eq!(again.json()["evaluations"][0]["evaluation_id"], ids);
    folder.write("desk.toml", file.replace("EM == 0", "EM < 1"));
    let other = folder.qeval(["run", "desk.toml", "--format", "json"]).succeed().json();
    assert_ne!(other["evaluations"][0]["evaluation_id"], ids);
    // A comparison with what has no score decides nothing.
    folder.write("desk.toml", file.replace("ROUGE-L == 0 or EM == 1", "ROUGE-L == 0"));
    let report = folder.qeval(["run", "desk.toml", "--format", "json"]).succeed().json();
    assert_eq!(summary(&report, "f1")["n"], 3);
    let texts = report["evaluations"][0]["unscored"].as_array().unwrap().iter();
    let texts: Vec<&str> = texts.map(|unscored| unscored["text"].as_str().unwrap()).collect();
    assert!(texts.contains(&"`ROUGE-L == 0` looks at a metric without a score"), "{texts:?}");
}

#[test]
fn answers_may_be_scored_by_what_was_retrieved() {
    let folder = desk(
        "[corpus]\nformat = \"jsonl\"\npath = \"corpus.jsonl\"\n[retriever]\ntype = \"replay\"\n\
         path = \"run.txt\"\n[metrics]\nretrieval = [\"Recall@1\"]\nanswer = [\"EM\"]\n\
         [[scorer]]\nmetric = \"F1\"\nwhen = \"Recall@1 == 0\"\n",
    );
    let file = std::fs::read_to_string(folder.path("desk.toml")).unwrap();
    let fields = "path = \"golden.jsonl\"\nfields = { gold_passages = \"gold\" }";
    let file = file.replacen("path = \"golden.jsonl\"", fields, 1);
    folder.write("desk.toml", &file);
    let golden = std::fs::read_to_string(folder.path("golden.jsonl")).unwrap();
    folder.write(
        "golden.jsonl",
        golden.replace("\"references\"", "\"gold\": [\"p1\"], \"references\""),
    );
    folder.write(
        "corpus.jsonl",
        "{\"id\": \"p1\", \"text\": \"a\"}\n{\"id\": \"p2\", \"text\": \"b\"}\n",
    );
    let hit = |n: usize| format!("q{n} Q0 p{} 1 1.0 x\n", 1 + n % 2);
    folder.write("run.txt", (0..6).map(hit).collect::<String>());
    let report = folder.qeval(["run", "desk.toml", "--format", "json"]).succeed().json();
    assert_eq!(summary(&report, "f1")["n"], 3);
    let scored: Vec<bool> = rows(&folder, "f1").iter().map(|(_, score)| score.is_some()).collect();
    assert_eq!(scored, [false, true, false, true, false, true]);
    let only = folder.qeval(["run", "desk.toml", "--only", "integrated"]).ends_with(2);
    assert!(only.stderr.contains("`Recall@1` is not scored for the system"), "{}", only.stderr);
    folder.write("desk.toml", file.replace("\"F1\"\nwhen = \"Recall@1", "\"MRR@1\"\nwhen = \"EM"));
    let late = folder.qeval(["run", "desk.toml"]).ends_with(2);
    assert!(late.stderr.contains("which come after the rankings"), "{}", late.stderr);
}

#[test]
fn a_wrong_condition_is_shown_where_it_stands() {
    let plain = "[metrics]\nanswer = [\"EM\", \"BLEU\"]\n";
    for (scorers, parts) in [
        (
            "metric = \"F1\"\nwhen = \"EN == 0\"",
            ["`EN` is none of the metrics", "did you mean `EM`?"],
        ),
        ("metric = \"F1\"\nwhen = \"EM = 0\"", ["--> desk.toml:12:12", "`=` in place of `==`"]),
        ("metric = \"F1\"\nwhen = \"EM == 2\"", ["`EM` is never `2`", "it is from 0 to 1"]),
        ("metric = \"F1\"\nwhen = \"EM > 0 and BLEU > 0\"", ["--> desk.toml:12:20", "is no mean"]),
        ("metric = \"F1\"\nwhen = \"F1 == 0\"", ["`F1 == 0` depends on itself", "look back"]),
        (
            "metric = \"EM\"\nwhen = \"BLEU > 1\"",
            ["the metric `EM` is named twice", "name it once"],
        ),
        ("metric = \"FI\"\nwhen = \"EM == 0\"", ["there is no metric `FI`", "--> desk.toml:11:10"]),
        (
            "metric = \"F1\"\nif = \"EM == 0\"",
            ["unknown key `if` in `[[scorer]]`", "one of metric, when"],
        ),
        (
            "metric = \"F1\"\nwhen = \"ROUGE-L > 0\"\n[[scorer]]\nmetric = \"ROUGE-L\"\nwhen = \"F1 > 0\"",
            ["`ROUGE-L > 0` depends on itself", "--> desk.toml:12:8"],
        ),
        (
            "metric = \"F1\"\nwhen = \"EM == 0\"\n[diagnosis]\nright = \"F1\"",
            ["`right` is scored only where `EM == 0` holds", "--> desk.toml:14:9"],
        ),
    ] {
        let folder = desk(&format!("{plain}[[scorer]]\n{scorers}\n"));
        let refused = folder.qeval(["check", "desk.toml"]).ends_with(2).stderr;
        for part in parts {
            assert!(refused.contains(part), "{scorers}: {part}\n{refused}");
        }
        assert!(refused.contains("1 problem, nothing was evaluated"), "{scorers}\n{refused}");
    }
    let folder = desk(&format!("{plain}[[scorer]]\nmetric = \"HEQ-D\"\nwhen = \"EM == 0\"\n"));
    let refused = folder.qeval(["check", "desk.toml"]).ends_with(2).stderr;
    assert!(refused.contains("`HEQ-D` is made of whole dialogs"), "{refused}");
}

#[test]
fn a_metric_that_pools_statistics_may_have_a_condition() {
    let rest = "[metrics]\nanswer = [\"EM\"]\n[[scorer]]\nmetric = \"BLEU\"\nwhen = \"EM == 1\"\n";
    let folder = desk(rest);
    let report = folder.qeval(["run", "desk.toml", "--format", "json"]).succeed().json();
    assert_eq!(summary(&report, "bleu")["n"], 3);
    folder.qeval(["verify", "desk"]).succeed();
}
