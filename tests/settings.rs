//! What the command line changes of a file: other values, one stage, the first examples.

use std::fs;

use serde_json::Value;

use crate::support::Folder;

const CONFIG: &str = r#"version = 1
[evaluation]
label = "desk"
results = "results"
[dataset]
format = "jsonl"
path = "golden.jsonl"
[[reader]]
type = "replay"
name = "old"
path = "old.jsonl"
[[reader]]
type = "replay"
name = "new"
path = "new.jsonl"
[metrics]
answer = ["EM"]
"#;

fn desk() -> Folder {
    let folder = Folder::new();
    let lines = |line: &dyn Fn(usize) -> String| -> String { (0..10).map(line).collect() };
    let golden = |n: usize| format!("{{\"id\": \"q{n}\", \"references\": [\"answer {n}\"]}}\n");
    let right = |n: usize| format!("{{\"id\": \"q{n}\", \"prediction\": \"answer {n}\"}}\n");
    let half =
        |n: usize| format!("{{\"id\": \"q{n}\", \"prediction\": \"answer {}\"}}\n", n / 5 * n);
    folder.write("golden.jsonl", lines(&golden));
    folder.write("old.jsonl", lines(&half));
    folder.write("new.jsonl", lines(&right));
    folder.write("desk.toml", CONFIG);
    folder
}

/// System, metric, number of scores and mean of each summary.
fn summaries(folder: &Folder, args: &[&str]) -> Vec<(String, String, u64, f64)> {
    let run = ["run", "desk.toml", "--format", "json"].iter().chain(args).copied();
    let report = folder.qeval(run).succeed().json();
    let evaluations = report["evaluations"].as_array().unwrap();
    let of_one = |evaluation: &Value| -> Vec<_> {
        let system = evaluation["system"].as_str().unwrap().to_owned();
        let summaries = evaluation["summaries"].as_array().unwrap();
        let summary = |summary: &Value| {
            let column = summary["column"].as_str().unwrap().to_owned();
            (
                system.clone(),
                column,
                summary["n"].as_u64().unwrap(),
                summary["mean"].as_f64().unwrap(),
            )
        };
        summaries.iter().map(summary).collect()
    };
    evaluations.iter().flat_map(of_one).collect()
}

#[test]
fn a_setting_takes_the_place_of_what_the_file_says() {
    let folder = desk();
    let own = |system: &str, mean| (system.to_owned(), "em".to_owned(), 10, mean);
    assert_eq!(summaries(&folder, &[]), [own("old", 0.6), own("new", 1.0)]);
    let set = ["--set", "reader.old.path=new.jsonl", "--set", "metrics.answer=[\"F1\"]"];
    let f1 = |system: &str| (system.to_owned(), "f1".to_owned(), 10, 1.0);
    assert_eq!(summaries(&folder, &set), [f1("old"), f1("new")]);
    // It is another plan, which says so, and the file is what it was.
    assert_eq!(folder.evaluations("results").len(), 4);
    assert_eq!(fs::read_to_string(folder.path("desk.toml")).unwrap(), CONFIG);
}

#[test]
fn the_same_settings_in_the_file_are_the_same_plan() {
    let folder = desk();
    folder.qeval(["run", "desk.toml", "--set", "evaluation.seed=7"]).succeed();
    let stored = folder.evaluations("results");
    folder.write("desk.toml", CONFIG.replace("label", "seed = 7\nlabel"));
    let again = folder.qeval(["run", "desk.toml"]).succeed();
    assert!(again.stderr.contains("2 of 2 evaluations are whole already"), "{}", again.stderr);
    assert_eq!(folder.evaluations("results"), stored);
}

#[test]
fn the_first_examples_are_an_evaluation_of_their_own() {
    let folder = desk();
    let found = summaries(&folder, &["--limit", "3"]);
    // Of `old` q0 alone is right among them.
    let of = |system: &str, mean| (system.to_owned(), "em".to_owned(), 3, mean);
    assert_eq!(found, [of("old", 1.0 / 3.0), of("new", 1.0)]);
    let report = folder.qeval(["run", "desk.toml", "--limit", "3"]).succeed();
    assert!(report.stderr.contains("2 of 2 evaluations are whole already"), "{}", report.stderr);
    let notice = "3 examples alone are evaluated: the first of each dataset";
    assert!(report.stdout.contains(notice), "{}", report.stdout);
    assert!(!report.stdout.contains("is ignored"), "{}", report.stdout);
    // More than there are is the whole, and the same examples.
    assert_eq!(summaries(&folder, &["--limit", "600"])[0].2, 10);
    assert_eq!(summaries(&folder, &[])[0].2, 10);
}

#[test]
fn a_random_sample_is_an_evaluation_of_its_own() {
    let folder = desk();
    let sample = ["--sample", "6"];
    let first = summaries(&folder, &sample);
    assert_eq!((first[0].2, first[1].2, first[1].3), (6, 6, 1.0));
    let report = folder.qeval(["run", "desk.toml", "--sample", "6"]).succeed();
    assert!(report.stderr.contains("2 of 2 evaluations are whole already"), "{}", report.stderr);
    let notice = "6 examples alone are evaluated: a random sample of each dataset";
    assert!(report.stdout.contains(notice), "{}", report.stdout);
    assert!(!report.stdout.contains("is ignored"), "{}", report.stdout);
    let ids = |folder: &Folder, label: &str| -> Vec<String> {
        let export = ["export", label, "--format", "jsonl"];
        let lines = folder.qeval(export).succeed().stdout;
        let id = |line: &str| {
            let row: Value = serde_json::from_str(line).unwrap();
            row["example_id"].as_str().unwrap().to_owned()
        };
        lines.lines().map(id).collect()
    };
    let drawn = ids(&folder, "desk:new");
    assert_eq!(drawn.len(), 6);
    // Neither the first ones nor others on another machine; another seed draws others.
    assert_eq!(drawn, ["q0", "q2", "q4", "q5", "q6", "q9"]);
    summaries(&folder, &["--sample", "6", "--set", "evaluation.seed=1"]);
    assert_ne!(ids(&folder, "desk:new"), drawn);
    // All of them are still not the evaluation without the option.
    assert_eq!(summaries(&folder, &["--sample", "60"])[0].2, 10);
    assert_eq!(folder.evaluations("results").len(), 6);
    let check = folder.qeval(["check", "desk.toml", "--sample", "6"]).succeed();
    let part = "a sample of 6 examples of each dataset, drawn by the seed 0";
    assert!(check.stdout.contains(part), "{}", check.stdout);
    assert!(check.stdout.contains("golden: 6 examples"), "{}", check.stdout);
    assert!(!check.stdout.contains("not in the dataset"), "{}", check.stdout);
    let both = folder.qeval(["run", "desk.toml", "--sample", "6", "--limit", "6"]).ends_with(2);
    assert!(both.stderr.contains("cannot be used with"), "{}", both.stderr);
}

#[test]
fn one_stage_alone_may_be_evaluated() {
    let folder = desk();
    assert_eq!(summaries(&folder, &["--only", "integrated"]).len(), 2);
    let none = folder.qeval(["run", "desk.toml", "--only", "retrieval"]).ends_with(2);
    assert!(none.stderr.contains("the command line"), "{}", none.stderr);
    let unknown = folder.qeval(["run", "desk.toml", "--only", "reading"]).ends_with(2);
    assert!(unknown.stderr.contains("one of retrieval, isolated"), "{}", unknown.stderr);
}

#[test]
fn a_wrong_setting_is_shown_as_it_was_given() {
    let folder = desk();
    for (setting, message) in [
        ("reader.path=x", "there are 2 `[[reader]]`"),
        ("evaluation.seed=seven", "evaluation.seed = \"seven\""),
        ("evaluatoin.seed=7", "did you mean `evaluation`?"),
        ("evaluation.seed", "write KEY=VALUE"),
        ("evaluation.seed 7=7", "write KEY=VALUE"),
    ] {
        for verb in ["run", "check"] {
            let output = folder.qeval([verb, "desk.toml", "--set", setting]).ends_with(2);
            assert!(output.stderr.contains(message), "{setting}: {}", output.stderr);
        }
    }
    folder.assert_no_evaluation("results");
}
