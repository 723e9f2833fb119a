//! Same plan, same bytes: whatever the folder, the time and the number of threads.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::support::Folder;

/// The bytes of every Parquet file below a results folder, by path.
fn parquet(results: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![results.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "parquet") {
                let relative = path.strip_prefix(results).unwrap().to_owned();
                found.insert(relative, fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[track_caller]
fn assert_same(a: &BTreeMap<PathBuf, Vec<u8>>, b: &BTreeMap<PathBuf, Vec<u8>>, files: usize) {
    assert_eq!(a.len(), files, "{:?}", a.keys());
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (path, bytes) in a {
        assert!(*bytes == b[path], "`{}` differs", path.display());
    }
}

fn modified(results: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let files = parquet(results).into_keys();
    files
        .map(|path| (path.clone(), fs::metadata(results.join(&path)).unwrap().modified().unwrap()))
        .collect()
}

#[test]
fn two_runs_have_the_same_bytes_and_a_third_does_nothing() {
    let (a, b) = (Folder::new(), Folder::new());
    for folder in [&a, &b] {
        folder.config("quickstart.toml");
        folder.qeval(["run", "quickstart.toml"]).succeed();
    }
    let (a_results, b_results) = (a.path("results"), b.path("results"));
    let first = parquet(&a_results);
    // Three systems: scores, cases, details (some figures are unscored) and summaries.
    assert_same(&first, &parquet(&b_results), 3 * 4);
    let times = modified(&a_results);
    let third = a.qeval(["run", "quickstart.toml"]).succeed();
    assert!(third.stderr.starts_with("3 of 3 evaluations are whole already"), "{}", third.stderr);
    assert_eq!(modified(&a_results), times);
}

const CONFIG: &str = r#"version = 1
[evaluation]
label = "threads"
[dataset]
format = "jsonl"
path = "golden.jsonl"
fields = { group = "dialog" }
[corpus]
format = "jsonl"
path = "passages.jsonl"
[retriever]
type = "bm25"
depth = 5
[reader]
type = "sliding-window"
[metrics]
retrieval = ["Recall@1", "nDCG@5"]
answer = ["F1"]
"#;

/// Enough examples for several threads: they are scored 512 at a time.
fn many() -> Folder {
    let folder = Folder::new();
    let (mut golden, mut passages) = (String::new(), String::new());
    for i in 0..1100 {
        let (place, hour) = (i * 7919 % 997, i % 12);
        let _ = writeln!(
            golden,
            "{{\"id\": \"q{i}\", \"question\": \"When does gate {place} close?\", \"references\": [\"at {hour}\"], \"gold_passages\": [\"p{place}\"], \"dialog\": {}}}",
            i / 5
        );
    }
    for place in 0..997 {
        let _ = writeln!(
            passages,
            "{{\"id\": \"p{place}\", \"text\": \"The gate {place} of the harbour closes at {} in the evening.\"}}",
            place % 12
        );
    }
    folder.write("golden.jsonl", golden);
    folder.write("passages.jsonl", passages);
    folder.write("threads.toml", CONFIG);
    folder
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (one, four) = (many(), many());
    for (folder, threads) in [(&one, "1"), (&four, "4")] {
        folder.qeval(["run", "threads.toml"]).env("RAYON_NUM_THREADS", threads).succeed();
    }
    // No score is null, so there are no details.
    assert_same(&parquet(&one.path("results")), &parquet(&four.path("results")), 3);
}
