//! `qeval run` says what differs from the newest evaluation of the same system.

use std::fs;

use crate::support::Folder;

const CONFIG: &str = "version = 1\n[evaluation]\nlabel = \"one\"\n[dataset]\nformat = \"jsonl\"\n\
                      path = \"golden.jsonl\"\nfields = { prediction = \"prediction\" }\n[reader]\n\
                      type = \"replay\"\n[metrics]\nanswer = [\"EM\", \"F1\"]\n";

/// What stderr says of changes after a run with these arguments.
#[track_caller]
fn changed(folder: &Folder, args: &[&str]) -> Vec<String> {
    let before = folder.evaluations("results");
    let stderr = folder.qeval([&["run", "one.toml"], args].concat()).succeed().stderr;
    // Of those of one second, which is the newest is decided by their ids: only one stays.
    if folder.evaluations("results").len() > before.len() {
        for older in &before {
            fs::remove_dir_all(older).unwrap();
        }
    }
    let lines = stderr.lines().filter_map(|line| line.strip_prefix("changed since `one-"));
    lines.map(|line| line.split_once("`: ").unwrap().1.to_owned()).collect()
}

#[test]
fn what_differs_is_said_on_stderr() {
    let folder = Folder::new();
    let example = "{\"id\": \"a\", \"references\": [\"x\"], \"prediction\": \"x\"}\n";
    folder.write("golden.jsonl", example);
    folder.write("one.toml", CONFIG);
    let none: [&str; 0] = [];
    assert_eq!(changed(&folder, &[]), none);
    // The same again, also where it is made again.
    assert_eq!(changed(&folder, &[]), none);
    assert_eq!(changed(&folder, &["--fresh"]), none);

    folder.write("one.toml", CONFIG.replace("\"F1\"", "\"F1\", \"ROUGE-L\""));
    assert_eq!(changed(&folder, &[]), ["metrics + ROUGE-L"]);
    folder.write("golden.jsonl", [example, &example.replace("\"a\"", "\"b\"")].concat());
    assert_eq!(changed(&folder, &["--set", "evaluation.seed=3"]), ["dataset digest; seed 0 -> 3"]);
    let limited = changed(&folder, &["--limit", "1"]);
    assert_eq!(limited, ["limit none -> 1; seed 3 -> 0"]);

    // What cannot be read is no reason to stop.
    for folder in folder.evaluations("results") {
        fs::write(folder.join("manifest.json"), "{").unwrap();
    }
    assert_eq!(changed(&folder, &["--set", "evaluation.seed=9"]), none);
}
