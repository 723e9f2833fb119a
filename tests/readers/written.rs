//! What other tools write: runs and judgments in Parquet.

use serde_json::Value;

use super::run;
use crate::support::Folder;

/// The same run as TREC's lines, and its judgments.
const RUN: &str =
    "1 Q0 a 1 0.5 t\n1 Q0 b 2 2.5 t\n1 Q0 c 3 1.5 t\n2 Q0 b 4 3.0 t\n2 Q0 9 5 4.0 t\n";
const QRELS: &str = "1 0 a 1\n1 0 c 2\n2 0 b 1\n2 0 9 0\n";

const METRICS: [&str; 8] = ["-m", "MRR", "-m", "nDCG@10", "-m", "MAP", "-m", "P@2"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("lines.run", RUN);
    folder.write("lines.qrels", QRELS);
    run(&folder, "written.py", &[]);
    folder
}

/// Everything that is said of the metrics.
fn summaries(folder: &Folder, qrels: &str, run: &str, more: &[&str]) -> Value {
    let args = ["score", "--format", "json", "--qrels", qrels, "--run", run];
    let args = [&args[..], &METRICS, more].concat();
    folder.qeval(args).succeed().json()["evaluations"][0]["summaries"].take()
}

#[test]
fn tables_of_every_tool_are_the_same_run() {
    let folder = folder();
    let expected = summaries(&folder, "lines.qrels", "lines.run", &[]);
    assert_eq!(expected[0]["mean"], 0.5, "{expected}");
    for tool in ["arrow", "pandas", "polars"] {
        let (qrels, run) = (format!("{tool}.qrels.parquet"), format!("{tool}.run.parquet"));
        assert_eq!(summaries(&folder, &qrels, &run, &[]), expected, "{tool}");
        assert_eq!(summaries(&folder, "lines.qrels", &run, &[]), expected, "{tool}");
        let named = ["--run-format", "parquet"];
        assert_eq!(summaries(&folder, &qrels, &run, &named), expected, "{tool}");
    }
    let fields =
        ["--run-field", "query_id=q", "--run-field", "passage_id=d", "--run-field", "rank=place"];
    assert_eq!(summaries(&folder, "lines.qrels", "ranks.parquet", &fields), expected);
}

#[test]
fn what_is_broken_is_named_with_its_row() {
    let folder = folder();
    let check = |qrels: &str, run: &str, message: &str| {
        let args = ["score", "--qrels", qrels, "--run", run, "-m", "MRR"];
        let output = folder.qeval(args).ends_with(2);
        assert!(output.stderr.contains(message), "{run}: {}", output.stderr);
    };
    let runs = [
        ("null.parquet", "null.parquet`, record 3: field `score` is null, expected a number"),
        ("nan.parquet", "nan.parquet`, record 2: field `score` is"),
        ("nobody.parquet", "nobody.parquet`, record 3: field `query_id` has no value, expected"),
        ("words.parquet", "words.parquet`, record 5: field `score` is"),
        ("twice.parquet", "twice.parquet`, record 3: query `1`: passage `a` is retrieved twice"),
        ("empty.parquet", "empty.parquet`: the file is empty"),
    ];
    for (run, message) in runs {
        check("lines.qrels", run, message);
    }
    let half = "half.qrels.parquet`, record 3: field `grade` is the number 0.5, expected a whole";
    check("half.qrels.parquet", "lines.run", half);
    let null = "null.qrels.parquet`, record 2: field `grade` is null, expected a whole number";
    check("null.qrels.parquet", "lines.run", null);
}
