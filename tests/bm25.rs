//! BM25 end to end: its options, and the index that is kept.

use std::fs;

use serde_json::Value;

use crate::support::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write(
        "golden.jsonl",
        "{\"id\": \"1\", \"question\": \"heat transfer\", \"gold_passages\": [\"b\"]}\n\
         {\"id\": \"2\", \"question\": \"Häuser\", \"gold_passages\": [\"c\"]}\n",
    );
    folder.write(
        "passages.jsonl",
        "{\"id\": \"a\", \"title\": \"heat\", \"text\": \"transfer of much heat and of transfer\"}\n\
         {\"id\": \"b\", \"text\": \"what heat transfer is in a plate that is long\"}\n\
         {\"id\": \"c\", \"text\": \"das Haus\"}\n",
    );
    folder
}

fn config(retriever: &str) -> String {
    format!(
        "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\n\
         [corpus]\nformat = \"jsonl\"\npath = \"passages.jsonl\"\n\
         [retriever]\ntype = \"bm25\"\ndepth = 5\n{retriever}\n\
         [metrics]\nretrieval = [\"MRR\"]\n"
    )
}

/// The mean of MRR with these keys of the retriever.
#[track_caller]
fn mrr(folder: &Folder, retriever: &str) -> f64 {
    folder.write("e.toml", config(retriever));
    let output = folder.qeval(["run", "e.toml", "--format", "json"]).succeed();
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    report["evaluations"][0]["summaries"][0]["mean"].as_f64().unwrap()
}

#[test]
fn options_change_what_is_found() {
    let folder = folder();
    for (options, expected) in [
        ("", 0.25),
        ("options = { analyzer = \"german\" }", 0.75),
        ("options = { analyzer = { name = \"german\", stop_words = false } }", 0.75),
        ("options = { query = \"phrase\" }", 0.5),
        ("options = { query = \"phrase\", analyzer = { name = \"german\", folding = true } }", 1.0),
        ("options = { boosts = { title = 0 }, k1 = 0, b = 0 }", 0.5),
        ("options = { boosts = { title = 3.5 }, k1 = 0.9, b = 0.4 }", 0.25),
    ] {
        let found = mrr(&folder, options);
        assert!((found - expected).abs() < 1e-9, "{options}: {found}");
    }
    assert_eq!(folder.evaluations("results").len(), 7);
}

#[test]
fn a_query_that_is_no_expression_is_unscored_with_the_reason() {
    let folder = folder();
    folder.write(
        "golden.jsonl",
        "{\"id\": \"1\", \"question\": \"heat AND (plate\", \"gold_passages\": [\"b\"]}\n\
         {\"id\": \"2\", \"question\": \"heat AND NOT plate\", \"gold_passages\": [\"a\"]}\n",
    );
    folder.write("e.toml", config("options = { query = \"boolean\" }"));
    let output = folder.qeval(["run", "e.toml"]).succeed();
    assert!(output.stdout.contains("`(` is not closed"), "{}", output.stdout);
}

#[test]
fn the_index_is_built_once_and_gives_the_same_scores() {
    let folder = folder();
    let in_memory = mrr(&folder, "");
    let kept = "index = \"indexes\"";
    folder.write("e.toml", config(kept));
    let index = |threads: &str| {
        let mut qeval = folder.qeval(["index", "e.toml"]);
        qeval = qeval.env("RAYON_NUM_THREADS", threads);
        qeval.succeed().stdout
    };
    let built = index("1");
    assert!(built.starts_with("retriever   bm25: built\npassages    3\nbytes       "), "{built}");
    assert_eq!(index("3"), built.replace("built", "reused"));
    assert!((mrr(&folder, kept) - in_memory).abs() < f64::EPSILON);
    // Where the index lies is no part of the evaluation.
    assert_eq!(folder.evaluations("results").len(), 1);

    folder.write("passages.jsonl", "{\"id\": \"b\", \"text\": \"heat\"}\n");
    assert!(index("2").starts_with("retriever   bm25: built\npassages    1\n"));
    let entries = fs::read_dir(folder.path("indexes")).unwrap();
    assert_eq!(entries.count(), 2);
}

#[test]
fn indexing_needs_a_folder() {
    let folder = folder();
    folder.write("e.toml", config(""));
    let output = folder.qeval(["index", "e.toml"]).ends_with(2);
    assert!(output.stderr.contains("no retriever of the file keeps an index"), "{}", output.stderr);
    folder.write("file", "");
    folder.write("e.toml", config("index = \"file\""));
    let output = folder.qeval(["index", "e.toml"]).ends_with(2);
    assert!(output.stderr.contains("is a file"), "{}", output.stderr);
}

#[test]
fn chunks_are_passages_with_ids_of_their_own() {
    let folder = folder();
    folder.write(
        "golden.jsonl",
        "{\"id\": \"1\", \"question\": \"long plate\", \"gold_passages\": [\"b#2\"]}\n",
    );
    let with = |chunks: &str| {
        config("index = \"indexes\"").replace("[retriever]", &format!("{chunks}\n[retriever]"))
    };
    folder.write("e.toml", with("chunks = { size = 6, overlap = 1 }"));
    folder.qeval(["index", "e.toml"]).succeed();
    let output = folder.qeval(["run", "e.toml", "--format", "json"]).succeed();
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["evaluations"][0]["summaries"][0]["mean"], 1.0);
    // Another cut is another index and another evaluation.
    folder.write("e.toml", with("chunks = { size = 4 }"));
    assert!(folder.qeval(["index", "e.toml"]).succeed().stdout.contains("built"));
    folder.qeval(["run", "e.toml"]).succeed();
    assert_eq!(folder.evaluations("results").len(), 2);

    for (chunks, message) in [
        ("chunks = { size = 0 }", "the size of a chunk is 0, expected a number above 0"),
        ("chunks = { size = 4, overlap = 4 }", "chunks of `4` overlap by `4`"),
        ("chunks = { size = 4, unit = \"word\" }", "`word` is not a unit of chunks"),
        ("chunks = { overlap = 4 }", "size"),
    ] {
        folder.write("e.toml", with(chunks));
        let output = folder.qeval(["check", "e.toml"]).ends_with(2);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
}
