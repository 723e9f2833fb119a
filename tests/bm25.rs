//! BM25 end to end: its options, and the index that is kept.

use std::{fs, path::PathBuf, thread};

use serde_json::Value;

use crate::support::{Folder, Output};

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
    assert_eq!(indexes(&folder).len(), 2);
}

/// The folders of the indexes that are kept.
fn indexes(folder: &Folder) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path("indexes")).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

#[test]
fn processes_that_meet_a_damaged_index_build_it_once() {
    let folder = folder();
    folder.write("e.toml", config("index = \"indexes\""));
    let built = folder.qeval(["index", "e.toml"]).succeed().stdout;
    let [index] = indexes(&folder).try_into().unwrap();
    for round in 0..20 {
        match round % 3 {
            0 => fs::write(index.join("index.json"), "{").unwrap(),
            1 => fs::write(index.join("meta.json"), "{}").unwrap(),
            _ => fs::remove_dir_all(&index).unwrap(),
        }
        let outputs: Vec<Output> = thread::scope(|scope| {
            let start = || scope.spawn(|| folder.qeval(["index", "e.toml"]).run());
            let started: Vec<_> = (0..6).map(|_| start()).collect();
            started.into_iter().map(|process| process.join().unwrap()).collect()
        });
        let mut reused = 0;
        for output in outputs {
            assert_eq!(output.code, Some(0), "round {round}: {}", output.stderr);
            reused += usize::from(output.stdout == built.replace("built", "reused"));
        }
        assert_eq!(reused, 5, "round {round}");
        assert_eq!(indexes(&folder), std::slice::from_ref(&index), "round {round}");
    }
}

#[test]
fn a_damaged_index_gives_no_other_scores() {
    let folder = folder();
    let kept = "index = \"indexes\"";
    let right = mrr(&folder, kept);
    let [index] = indexes(&folder).try_into().unwrap();
    let lengths = fs::read_dir(&index).unwrap().map(|entry| entry.unwrap().path());
    let lengths = lengths.filter(|path| path.extension().is_some_and(|e| e == "fieldnorm"));
    for lengths in lengths {
        let mut bytes = fs::read(&lengths).unwrap();
        for byte in &mut bytes {
            *byte ^= 3;
        }
        fs::write(lengths, bytes).unwrap();
    }
    fs::remove_dir_all(folder.path("results")).unwrap();
    assert!((mrr(&folder, kept) - right).abs() < f64::EPSILON);
    let index = folder.qeval(["index", "e.toml"]).succeed().stdout;
    assert!(index.starts_with("retriever   bm25: reused\n"), "{index}");
}

#[test]
fn an_index_that_cannot_be_used_stops_the_run() {
    let folder = folder();
    folder.write("e.toml", config("index = \"indexes\""));
    folder.qeval(["index", "e.toml"]).succeed();
    let [index] = indexes(&folder).try_into().unwrap();
    fs::remove_dir_all(&index).unwrap();
    fs::write(&index, "").unwrap();
    for verb in ["index", "run"] {
        let output = folder.qeval([verb, "e.toml"]).ends_with(1);
        let message = format!(
            "error: retriever `bm25`: the folder of the index `{}` cannot be used: it is a file, \
             not a folder\n",
            index.display()
        );
        assert_eq!(output.stderr, message);
        folder.assert_no_evaluation("results");
    }
    fs::remove_file(&index).unwrap();
    folder.qeval(["run", "e.toml"]).succeed();
}

#[test]
fn failures_that_are_stored_are_named_when_they_are_shown_again() {
    let folder = folder();
    folder.write("search.sh", "exit 3\n");
    let retriever = "type = \"command\"\ncommand = [\"/bin/sh\", \"search.sh\"]";
    folder.write("e.toml", config("").replace("type = \"bm25\"", retriever));
    let run = || folder.qeval(["run", "e.toml"]).succeed().stderr;
    assert!(!run().contains("--fresh"));
    let again = run();
    let failed = "2 queries failed: they are unscored; if the cause is gone, --retry asks again for what failed";
    assert!(again.contains(failed), "{again}");
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
