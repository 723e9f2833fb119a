//! Evaluations that an earlier version has written are opened for ever. Those in
//! `tests/fixtures/evaluations` are frozen: a change that needs others is a change of the format. A new
//! version adds some of its own.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use crate::support::{Folder, root};

/// A copy of the evaluations, as results.
fn frozen() -> Folder {
    let folder = Folder::new();
    copy(&root().join("tests/fixtures/evaluations"), &folder.path("results"));
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(path, to).unwrap();
        }
    }
}

/// Label, and of each metric the column, the scored examples and the mean.
type Numbers = [(&'static str, u64, f64)];

const THIRD: f64 = 0.666_666_666_666_666_6;

/// Answers alone; a retriever, a reader and a corpus; a metric of a plugin that pools statistics; a
/// reader that fails, before there were kinds of failure and since.
const EVALUATIONS: [(&str, &Numbers); 5] = [
    ("plain", &[("em", 4, 0.5), ("f1", 4, THIRD)]),
    ("rag", &[("recall_at_1", 3, 1.0), ("mrr", 3, 1.0), ("em", 4, 0.5), ("f1", 4, THIRD)]),
    ("plugin", &[("em", 12, 0.0), ("bad_n", 10, 0.152_625)]),
    (
        "failing",
        &[("isolated_em", 1, 0.0), ("isolated_f1", 1, 0.0), ("em", 2, 0.0), ("f1", 2, 0.0)],
    ),
    ("kinds", &[("isolated_em", 1, 0.0), ("isolated_f1", 1, 0.0), ("em", 2, 0.0), ("f1", 2, 0.0)]),
];

#[test]
fn reports_say_what_they_said() {
    let folder = frozen();
    for (label, expected) in EVALUATIONS {
        let report = folder.qeval(["report", label, "--format", "json"]).succeed().json();
        let evaluation = &report["evaluations"][0];
        let summaries = evaluation["summaries"].as_array().unwrap().iter();
        let all = summaries.filter(|summary| summary["slice"].is_null());
        let found: BTreeMap<&str, (u64, f64)> = all
            .map(|s| {
                let numbers = (s["n"].as_u64().unwrap(), s["mean"].as_f64().unwrap());
                (s["column"].as_str().unwrap(), numbers)
            })
            .collect();
        let expected = expected.iter().map(|&(column, n, mean)| (column, (n, mean))).collect();
        assert_eq!(found, expected, "{label}");
        folder.qeval(["report", label]).succeed();
    }
    let of = |label: &str| {
        folder.qeval(["report", label, "--format", "json"]).succeed().json()["evaluations"][0]
            .clone()
    };
    let kinds = |label: &str| of(label)["failures"][2]["kind"].clone();
    assert_eq!((kinds("failing"), kinds("kinds")), ("failed".into(), "protocol".into()));
    let rag = of("rag");
    assert_eq!(rag["retrieval"]["questions"], 4);
    assert_eq!(rag["diagnosis"]["main_cause"]["n"], 1);
    assert_eq!(rag["abstention"][0]["unanswerable"]["abstained"], 1);
}

#[test]
fn they_are_listed_and_right() {
    let folder = frozen();
    let listed = folder.qeval(["list", "evaluations"]).succeed();
    for (label, _) in EVALUATIONS {
        assert!(listed.stdout.contains(&format!("{label}-")), "{}", listed.stdout);
        let verified = folder.qeval(["verify", label]).succeed().stdout;
        assert!(verified.contains(": right ("), "{verified}");
    }
}

#[test]
fn they_are_exported() {
    let folder = frozen();
    for (label, numbers) in EVALUATIONS {
        let examples = if label == "plugin" { 12 } else { 4 };
        let lines = folder.qeval(["export", label, "--format", "jsonl"]).succeed().stdout;
        let rows: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.len(), examples, "{label}");
        for (column, n, _) in numbers {
            let scored = rows.iter().filter(|row| row[*column].is_number()).count() as u64;
            // A pooled metric has numbers of statistics, not of examples.
            assert!(scored == *n || label == "plugin", "{label}: {column}: {lines}");
        }
        for format in ["csv", "parquet", "parquet-long", "ragas"] {
            let out = format!("{label}.{format}");
            folder.qeval(["export", label, "--format", format, "--out", &out]).succeed();
        }
    }
    let run = folder.qeval(["export", "rag", "--format", "trec-run"]).succeed().stdout;
    assert!(run.lines().any(|line| line.starts_with("berth Q0 fees 1 ")), "{run}");
}
