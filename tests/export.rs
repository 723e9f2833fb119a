//! `qeval export`: what is stored, as other tools read it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{
    readers,
    support::{Folder, root},
};

/// The evaluations of the quickstart.
fn quickstart() -> Folder {
    let folder = Folder::new();
    folder.config("quickstart.toml");
    folder.qeval(["run", "quickstart.toml"]).succeed();
    folder
}

/// Exports an evaluation in the forms that `readers/export.py` reads, and lets it compare them.
#[track_caller]
fn compare(folder: &Folder, evaluation: &str) {
    let report = folder.qeval(["report", evaluation, "--format", "json"]).succeed().stdout;
    folder.write("report.json", report);
    for (format, file) in [
        ("csv", "x.csv"),
        ("jsonl", "x.jsonl"),
        ("parquet", "x.parquet"),
        ("parquet-long", "long.parquet"),
    ] {
        let args = ["export", evaluation, "--format", format, "--out", file];
        let said = folder.qeval(args).succeed();
        assert_eq!(said.stdout, "");
        assert!(said.stderr.starts_with(&format!("{file}: ")), "{}", said.stderr);
        // The same bytes again.
        let bytes = std::fs::read(folder.path(file)).unwrap();
        folder.qeval(args.iter().chain(&["--force"])).succeed();
        assert_eq!(bytes, std::fs::read(folder.path(file)).unwrap(), "{format}");
    }
    readers::run(folder, "export.py", &[]);
}

#[test]
fn other_tools_get_the_means_of_the_report() {
    compare(&quickstart(), "hr-assistant:current");
}

#[test]
fn hostile_texts_come_back() {
    let folder = Folder::new();
    let texts = [
        "\"quoted\", 'single', and, commas",
        "lines\nof\r\ntext\rwith \t tabs",
        "\u{1}\u{1b}[31m\u{7f}\u{85}\u{2028}\u{feff}",
        "🦀 𝔘nicode e\u{301} \\ \\n \\u0041",
        "=1+1",
        " blanks ",
        "null",
        "",
    ];
    let mut dataset = String::new();
    let mut answers = String::new();
    for (number, text) in texts.iter().enumerate() {
        let id = format!("q{number}-é\"'");
        let line =
            json!({"id": id, "question": format!("{text}?"), "references": [format!("a{text}")]});
        writeln!(dataset, "{line}").unwrap();
        writeln!(answers, "{}", json!({"id": id, "prediction": text})).unwrap();
    }
    // An example without an answer, and one that needs none.
    dataset += "{\"id\": \"unasked\", \"question\": \"Who?\", \"references\": [\"x\"]}\n";
    dataset += "{\"id\": \"z\", \"question\": \"Why?\", \"references\": []}\n";
    folder.write("golden.jsonl", dataset);
    folder.write("answers.jsonl", answers);
    folder.write(
        "e.toml",
        r#"version = 1
[evaluation]
label = "hostile"
results = "results"
[dataset]
format = "jsonl"
path = "golden.jsonl"
[reader]
type = "replay"
path = "answers.jsonl"
[metrics]
answer = ["EM", "F1", "Contains"]
"#,
    );
    folder.qeval(["run", "e.toml"]).succeed();
    compare(&folder, "hostile");
}

#[test]
fn a_run_that_is_exported_has_the_same_measures() {
    let folder = quickstart();
    let golden =
        std::fs::read_to_string(root().join("datasets/hr-assistant/golden.jsonl")).unwrap();
    let mut qrels = String::new();
    for line in golden.lines() {
        let example: Value = serde_json::from_str(line).unwrap();
        for gold in example["gold"].as_array().into_iter().flatten() {
            let (query, passage) = (example["id"].as_str().unwrap(), gold.as_str().unwrap());
            writeln!(qrels, "{query} 0 {passage} 1").unwrap();
        }
    }
    folder.write("qrels.txt", qrels);
    let run = folder.qeval(["export", "hr-assistant:current", "--format", "trec-run"]).succeed();
    folder.write("x.run", run.stdout);
    let measures = ["Recall@1", "Recall@5", "MRR@10", "nDCG@10"];
    let score = ["score", "--qrels", "qrels.txt", "--run", "x.run", "--format", "json"];
    let score = score.into_iter().chain(measures.iter().flat_map(|measure| ["-m", measure]));
    let again = folder.qeval(score).succeed().json();
    let stored =
        folder.qeval(["report", "hr-assistant:current", "--format", "json"]).succeed().json();
    let of = |report: &Value, measure: &str| {
        let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
        let all = |summary: &&Value| summary["metric"] == measure && summary["slice"].is_null();
        summaries.iter().find(all).unwrap_or_else(|| panic!("{summaries:?}"))["mean"].clone()
    };
    for measure in measures {
        assert!(of(&stored, measure).is_number());
        assert_eq!(of(&stored, measure), of(&again, measure), "{measure}");
    }
}

#[test]
fn the_names_of_ragas_and_haystack() {
    let folder = quickstart();
    let corpus = root().join("datasets/hr-assistant/policies.jsonl");
    let ragas = |more: &[&str]| {
        let args = ["export", "hr-assistant:current", "--format", "ragas"];
        let output = folder.qeval(args.iter().chain(more)).succeed();
        let lines = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
        (lines.collect::<Vec<Value>>(), output.stderr)
    };
    let (ids, said) = ragas(&[]);
    assert!(said.contains("give them with `--corpus FILE`"), "{said}");
    assert_eq!(ids.len(), 170);
    assert_eq!(ids[0]["retrieved_contexts"], ids[0]["retrieved_context_ids"]);
    let (texts, said) = ragas(&["--corpus", corpus.to_str().unwrap(), "--slice", "topic=leave"]);
    assert_eq!((texts.len(), &*said), (34, ""));
    assert_eq!(texts[0]["user_input"], ids[0]["user_input"]);
    assert!(texts[0]["retrieved_contexts"][0].as_str().unwrap().contains("unused days"));
    // A score that does not exist is null.
    assert!(ids.iter().any(|line| line["acme_key_figures"].is_null()));

    let args = ["export", "hr-assistant:current", "--format", "haystack", "--out", "Saved.csv"];
    folder.qeval(args).succeed();
    let args = ["score", "--official", "haystack", "--predictions", "Saved.csv"];
    let printed = folder.qeval(args).succeed().stdout;
    let report =
        folder.qeval(["report", "hr-assistant:current", "--format", "json"]).succeed().json();
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
    let em = |summary: &&Value| summary["column"] == "em" && summary["slice"].is_null();
    let mean = summaries.iter().find(em).unwrap()["mean"].as_f64().unwrap();
    assert!(printed.contains(&format!("'exact_match': {mean}")), "{mean} {printed}");
}

#[test]
fn several_evaluations_are_told_apart() {
    let folder = quickstart();
    let both = ["export", "hr-assistant:current", "hr-assistant:stale", "--metric", "F1"];
    let output = folder.qeval(both.iter().chain(&["--format", "jsonl"])).succeed().stdout;
    let lines: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 340);
    assert_eq!(lines[0]["evaluation"], "hr-assistant:current");
    assert_eq!(lines[339]["evaluation"], "hr-assistant:stale");
    // The second has no isolated stage: null, and not zero.
    assert!(lines[339]["isolated_f1"].is_null() && lines[0]["isolated_f1"].is_number());
    assert_eq!(lines[0].get("em"), None);
    let refused = folder.qeval(both.iter().chain(&["--format", "trec-run"])).ends_with(2);
    assert!(refused.stderr.contains("no place for several evaluations"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_exported_leaves_nothing() {
    let folder = quickstart();
    let export = |more: &[&str]| {
        let output = folder.qeval(["export", "hr-assistant:stale"].iter().chain(more)).run();
        (output.code, output.stderr)
    };
    folder.write("x.csv", "mine");
    for (args, message) in [
        (&["--format", "csv", "--out", "x.csv"][..], "`x.csv` is there already"),
        (&["--format", "parquet"], "name the file with `--out PATH`"),
        (&["--format", "csv", "-m", "F9", "--out", "y"], "there is no metric `F9`"),
        (&["--format", "csv", "--slice", "team=a", "--out", "y"], "there is no slice `team`"),
        (&["--format", "csv", "--dataset", "b", "--out", "y"], "there is no dataset `b`"),
        (&["--format", "csv", "--corpus", "c"], "has no texts of passages"),
    ] {
        let (code, said) = export(args);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(message), "{said}");
    }
    let (code, _) = export(&["--format", "csv", "--out", "nowhere/x.csv"]);
    assert_eq!(code, Some(1));
    assert_eq!(std::fs::read_to_string(folder.path("x.csv")).unwrap(), "mine");

    // A table that was changed is found while the export is written.
    let evaluations = folder.evaluations("results");
    for evaluation in evaluations {
        std::fs::write(evaluation.join("cases/part-00000.parquet"), "changed").unwrap();
    }
    let (code, said) = export(&["--format", "csv", "--out", "x.csv", "--force"]);
    assert!(code == Some(1) && said.contains("was changed"), "{said}");
    assert_eq!(std::fs::read_to_string(folder.path("x.csv")).unwrap(), "mine");
    let left = std::fs::read_dir(folder.path(".")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains("partial")).collect();
    assert!(left.is_empty(), "{left:?}");
}
