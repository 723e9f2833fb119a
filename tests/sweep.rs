//! Sweeps: every combination of the values of some keys, one after the other and then side by side.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::Folder;

const CONFIG: &str = r#"version = 1
[evaluation]
label = "desk"
results = "results"
[dataset]
format = "jsonl"
path = "golden.jsonl"
[corpus]
format = "jsonl"
path = "corpus.jsonl"
[retriever]
type = "bm25"
index = "index"
[reader]
type = "sliding-window"
[metrics]
answer = ["F1"]
retrieval = ["Recall@3"]
[sweep]
reader.passages = [1, 3]
retriever.depth = [4, 3]
"#;

const WORDS: [&str; 8] = ["ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple"];

/// Eight questions whose answer stands in the passage with the same word.
fn desk(config: &str) -> Folder {
    let folder = Folder::new();
    let golden = |(n, word): (usize, &&str)| {
        let question = format!("where does the {word} grow");
        format!(
            "{{\"id\": \"q{n}\", \"question\": \"{question}\", \"references\": [\"valley {n}\"], \
             \"gold_passages\": [\"p{n}\"]}}\n"
        )
    };
    let passage = |(n, word): (usize, &&str)| {
        format!("{{\"id\": \"p{n}\", \"text\": \"The {word} does grow in valley {n}.\"}}\n")
    };
    folder.write("golden.jsonl", WORDS.iter().enumerate().map(golden).collect::<String>());
    folder.write("corpus.jsonl", WORDS.iter().enumerate().map(passage).collect::<String>());
    folder.write("desk.toml", config.replace("path = \"golden.jsonl\"", FIELDS));
    folder
}

const FIELDS: &str = "path = \"golden.jsonl\"\n\
                      fields = { references = \"references\", gold_passages = \"gold_passages\" }";

fn systems(report: &Value) -> Vec<&str> {
    let evaluations = report["evaluations"].as_array().unwrap();
    evaluations.iter().map(|evaluation| evaluation["system"].as_str().unwrap()).collect()
}

const ALL: [&str; 4] =
    ["passages=1 depth=4", "passages=1 depth=3", "passages=3 depth=4", "passages=3 depth=3"];

#[test]
fn every_combination_is_evaluated_and_compared_with_the_first() {
    let folder = desk(CONFIG);
    let check = folder.qeval(["check", "desk.toml"]).succeed();
    assert!(check.stdout.contains("sweep       4 combinations\n"), "{}", check.stdout);
    assert_eq!(check.stdout.matches("8 examples").count(), 1, "{}", check.stdout);
    for name in ALL {
        let line = format!("{name}: retrieval, isolated, integrated (to be evaluated, ");
        assert!(check.stdout.contains(&line), "{}", check.stdout);
    }
    let run = ["run", "desk.toml", "--format", "json"];
    let report = folder.qeval(run).succeed().json();
    assert_eq!(systems(&report), ALL);
    let metrics = report["sweep"]["metrics"].as_array().unwrap();
    let columns: Vec<&str> = metrics.iter().map(|m| m["column"].as_str().unwrap()).collect();
    assert_eq!(columns, ["recall_at_3", "isolated_f1", "f1"]);
    for metric in metrics {
        let rows = metric["combinations"].as_array().unwrap();
        assert_eq!(rows.len(), 4);
        assert_eq!((&rows[0]["first"], &rows[0]["change"]), (&Value::Null, &Value::Null));
        for row in &rows[1..] {
            assert_eq!(row["first"], ALL[0]);
            // Of the same examples, and from the mean of the first one to its own.
            let (change, n) = (&row["change"], &row["n"]);
            assert_eq!((&change["n"], &change["before"]), (n, &rows[0]["mean"]), "{metric}");
            assert_eq!(change["after"], row["mean"]);
        }
    }
    let values = &metrics[0]["combinations"][3]["values"];
    assert_eq!(values, &serde_json::json!({"reader.passages": "3", "retriever.depth": "3"}));
    // A combination is what the file would be with its values, under another name.
    let alone = ["--set", "reader.passages=3", "--set", "retriever.depth=3", "--format", "json"];
    folder.write("alone.toml", CONFIG_ALONE.replace("path = \"golden.jsonl\"", FIELDS));
    let alone = folder.qeval(["run", "alone.toml"].into_iter().chain(alone)).succeed().json();
    let means = |evaluation: &Value| -> Vec<Value> {
        let summaries = evaluation["summaries"].as_array().unwrap();
        summaries.iter().map(|summary| summary["mean"].clone()).collect()
    };
    assert_eq!(means(&alone["evaluations"][0]), means(&report["evaluations"][3]));
    // The second run finds all of it, and so does the report of what is stored.
    let again = folder.qeval(["run", "desk.toml"]).succeed();
    assert!(again.stderr.contains("4 of 4 evaluations are whole already"), "{}", again.stderr);
    assert!(again.stdout.contains("each combination, and what it changes"), "{}", again.stdout);
    let stored = folder.qeval(["report", "desk", "--format", "json"]).succeed().json();
    assert_eq!(stored["sweep"], report["sweep"]);
    let one = folder.qeval(["report", "desk:passages=3 depth=3"]).succeed();
    assert!(one.stdout.contains("integrated: the whole system"), "{}", one.stdout);
}

/// The same without its sweep.
const CONFIG_ALONE: &str = r#"version = 1
[dataset]
format = "jsonl"
path = "golden.jsonl"
[corpus]
format = "jsonl"
path = "corpus.jsonl"
[retriever]
type = "bm25"
[reader]
type = "sliding-window"
[metrics]
answer = ["F1"]
retrieval = ["Recall@3"]
"#;

#[test]
fn the_command_line_changes_a_sweep_as_any_file() {
    let folder = desk(CONFIG);
    let set = ["--set", "sweep.reader.passages=[2]", "--limit", "5", "--only", "integrated"];
    let run = ["run", "desk.toml", "--format", "json"].into_iter().chain(set);
    let report = folder.qeval(run).succeed().json();
    assert_eq!(systems(&report), ["passages=2 depth=4", "passages=2 depth=3"]);
    assert_eq!(report["sweep"]["metrics"].as_array().unwrap().len(), 1);
    assert_eq!(report["sweep"]["metrics"][0]["combinations"][1]["change"]["n"], 5);
    let set = ["--set", "sweep.reader.passages=[2, 4]", "--limit", "5", "--only", "integrated"];
    let further = folder.qeval(["run", "desk.toml"].into_iter().chain(set)).succeed();
    assert!(further.stderr.contains("2 of 4 evaluations are whole already"), "{}", further.stderr);
    // Further values of the same keys belong to the same sweep.
    let stored = folder.qeval(["report", "desk", "--format", "json"]).succeed().json();
    assert_eq!(systems(&stored).len(), 4);
    for (setting, message) in [
        ("reader.passages=3", "`reader.passages` is swept, and the command line sets it"),
        ("sweep.reader.passages=3", "is a integer, expected a list of values"),
        ("sweep.reader.passages=[1, \"x\"]", "`passages` in `[reader]`: found the text \"x\""),
        ("sweep.reader.pasages=[1]", "unknown key `pasages` in `[reader]`"),
        ("sweep.retriever.depth=[4, 2]", "the 2 that are requested, in `passages=1 depth=2`"),
    ] {
        let refused = folder.qeval(["check", "desk.toml", "--set", setting]).ends_with(2);
        assert!(refused.stderr.contains(message), "{setting}\n{}", refused.stderr);
        // Each problem once, though several combinations have it.
        assert!(refused.stderr.contains("1 problem, nothing was evaluated"), "{}", refused.stderr);
    }
}

#[test]
fn the_command_line_may_sweep_a_file_without_a_sweep() {
    let folder = desk(CONFIG_ALONE);
    let set = ["--set", "sweep.reader.passages=[1, 3]", "--set", "retriever.depth=3"];
    let run = ["run", "desk.toml", "--format", "json"].into_iter().chain(set);
    assert_eq!(systems(&folder.qeval(run).succeed().json()), ["passages=1", "passages=3"]);
}

#[test]
fn a_combination_that_fails_leaves_the_others() {
    let config = CONFIG.split("[sweep]").next().unwrap().replace("depth", "");
    let config =
        config + "[sweep]\ndataset.path = [\"golden.jsonl\", \"bad.jsonl\", \"few.jsonl\"]\n";
    let folder = desk(&config);
    let golden = std::fs::read_to_string(folder.path("golden.jsonl")).unwrap();
    folder.write("bad.jsonl", format!("{golden}{{\n"));
    let few: String = golden.split_inclusive('\n').take(2).collect();
    folder.write("few.jsonl", few);
    let run = folder.qeval(["run", "desk.toml", "--format", "json"]).ends_with(1);
    let message = "error: the combination `path=bad.jsonl` failed";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert!(
        run.stderr.contains("1 of 3 combinations failed; the others are stored"),
        "{}",
        run.stderr
    );
    let report = run.json();
    assert_eq!(systems(&report), ["path=golden.jsonl", "path=few.jsonl"]);
    assert_eq!(report["sweep"]["failed"], serde_json::json!(["path=bad.jsonl"]));
    // Other examples have nothing in common.
    assert_eq!(report["sweep"]["metrics"][0]["combinations"][1]["change"], Value::Null);
    assert_eq!(folder.evaluations("results").len(), 2);
    // What cannot be planned is found before anything is evaluated.
    let file = std::fs::read_to_string(folder.path("desk.toml")).unwrap();
    folder.write("desk.toml", file.replace("bad.jsonl", "none.jsonl").replace("desk", "other"));
    let refused = folder.qeval(["run", "desk.toml"]).ends_with(2);
    assert!(refused.stderr.contains("none.jsonl"), "{}", refused.stderr);
    assert_eq!(folder.evaluations("results").len(), 2);
}

#[test]
fn several_systems_are_compared_each_with_itself() {
    let folder = Folder::new();
    folder.write("golden.jsonl", "{\"id\": \"a\", \"references\": [\"yes\"]}\n");
    for (name, answer) in [("old", "no"), ("new", "yes"), ("newer", "yes")] {
        folder.write(
            &format!("{name}.jsonl"),
            format!("{{\"id\": \"a\", \"prediction\": \"{answer}\"}}\n"),
        );
    }
    folder.write(
        "desk.toml",
        "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\n\
         [[reader]]\ntype = \"replay\"\nname = \"a\"\npath = \"old.jsonl\"\n\
         [[reader]]\ntype = \"replay\"\nname = \"b\"\npath = \"new.jsonl\"\n\
         [metrics]\nanswer = [\"EM\"]\n[sweep]\nreader.a.path = [\"old.jsonl\", \"newer.jsonl\"]\n",
    );
    let report = folder.qeval(["run", "desk.toml", "--format", "json"]).succeed().json();
    let names =
        ["a path=old.jsonl", "b path=old.jsonl", "a path=newer.jsonl", "b path=newer.jsonl"];
    assert_eq!(systems(&report), names);
    let rows = report["sweep"]["metrics"][0]["combinations"].as_array().unwrap();
    let first: Vec<&Value> = rows.iter().map(|row| &row["first"]).collect();
    let (a, b) = (Value::from(names[0]), Value::from(names[1]));
    assert_eq!(first, [&Value::Null, &Value::Null, &a, &b]);
    assert_eq!(rows[2]["change"]["difference"], 1.0);
}

#[test]
fn an_interrupted_sweep_goes_on() {
    let folder = Folder::new();
    folder.write(
        "slow.toml",
        "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\n\
         fields = { context = \"text\" }\n[reader]\ntype = \"command\"\n\
         command = [\"sh\", \"slow.sh\"]\nresume = false\n[metrics]\nanswer = [\"EM\"]\n\
         [sweep]\nevaluation.seed = [1, 2, 3]\n",
    );
    let line =
        "{\"id\": 1, \"references\": [\"ten\"], \"question\": \"How many?\", \"text\": \"Ten.\"}\n";
    folder.write("golden.jsonl", line);
    // The reader of the second combination never answers.
    let answers = "while read line; do echo '{\"prediction\": \"ten\"}'; touch again; done\n";
    let slow = "if [ -e again -a ! -e awake ]; then touch asleep; exec sleep 1000; fi\n".to_owned()
        + answers;
    folder.write("slow.sh", slow);
    let mut qeval = folder.qeval(["run", "slow.toml"]);
    let mut child = qeval.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while !folder.path("asleep").exists() {
        assert!(begin.elapsed() < Duration::from_mins(1), "the second reader does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("error: the combination `seed=2` failed"), "{stderr}");
    assert!(stderr.contains("because: the evaluation was interrupted"), "{stderr}");
    assert_eq!(folder.evaluations("results").len(), 1);
    folder.write("awake", "");
    let again = folder.qeval(["run", "slow.toml"]).succeed();
    assert!(again.stderr.contains("1 of 3 evaluations are whole already"), "{}", again.stderr);
    assert_eq!(folder.evaluations("results").len(), 3);
}
