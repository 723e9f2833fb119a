//! Metrics of a whole dataset that a plugin makes: merged in any way, and when the plugin fails.

use std::{fmt::Write as _, fs};

use crate::{
    readers,
    support::{Folder, assert_transcript, library},
};

const CONFIG: &str = r#"version = 1
[evaluation]
label = "pooled"
results = "results"
[dataset]
format = "jsonl"
path = "golden.jsonl"
slices = ["half"]
[reader]
type = "replay"
path = "answers.jsonl"
[metrics]
answer = ["EM", "bad.n"]
[[plugin]]
name = "bad"
path = "PLUGIN"
isolation = "ISOLATION"
"#;

/// Examples whose answers are numbers; a few answers are none, and the ids are not in order.
fn folder(variant: &str, isolation: &str) -> Folder {
    let folder = Folder::new();
    let plugin = format!("{variant}{}", std::env::consts::DLL_SUFFIX);
    fs::copy(library("faulty_plugin"), folder.path(&plugin)).unwrap();
    let (mut golden, mut answers) = (String::new(), String::new());
    for number in 0..300 {
        let id = number * 7 % 300;
        let half = if id < 150 { "low" } else { "high" };
        let answer =
            if id % 50 == 3 { "none".to_owned() } else { format!("0.{:03}", id * 37 % 1000) };
        let _ = writeln!(
            golden,
            "{{\"id\": \"q{id:03}\", \"references\": [\"0.111\"], \"half\": \"{half}\"}}"
        );
        let _ = writeln!(answers, "{{\"id\": \"q{id:03}\", \"prediction\": \"{answer}\"}}");
    }
    folder.write("golden.jsonl", golden);
    folder.write("answers.jsonl", answers);
    folder.write("pooled.toml", CONFIG.replace("PLUGIN", &plugin).replace("ISOLATION", isolation));
    folder
}

#[test]
fn every_merge_gives_what_others_work_out() {
    let bytes: Vec<Vec<u8>> = ["process", "in-process"]
        .map(|isolation| {
            let folder = folder("pooled", isolation);
            folder.qeval(["run", "pooled.toml"]).succeed();
            readers::run(&folder, "merged.py", &[]);
            fs::read(folder.evaluations("results")[0].join("scores/part-00000.parquet")).unwrap()
        })
        .into();
    assert_eq!(bytes[0].len(), bytes[1].len());
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let files = ["1", "4"].map(|threads| {
        let folder = folder("pooled", "process");
        folder.qeval(["run", "pooled.toml"]).env("RAYON_NUM_THREADS", threads).succeed();
        let stored = folder.evaluations("results").remove(0);
        ["summaries.parquet", "details/part-00000.parquet", "scores/part-00000.parquet"]
            .map(|file| fs::read(stored.join(file)).unwrap())
    });
    assert!(files[0] == files[1]);
}

#[test]
fn a_total_that_fails_is_missing_and_said() {
    for variant in ["refusing", "panicking", "far", "short", "alone"] {
        let folder = folder(&format!("pooled-{variant}"), "process");
        let output = folder.qeval(["run", "pooled.toml"]).run();
        assert_transcript!(format!("pooled__{variant}"), output);
        assert_eq!(output.code, Some(0));
        // Read again, from what is stored.
        let again = folder.qeval(["run", "pooled.toml"]).succeed();
        assert!(again.stderr.contains("--fresh"), "{}", again.stderr);
        let stored = folder.qeval(["run", "pooled.toml", "--format", "json"]).succeed().json();
        let summaries = stored["evaluations"][0]["summaries"].as_array().unwrap();
        for summary in summaries.iter().filter(|summary| summary["column"] == "bad_n") {
            assert!(summary["ci_low"].is_null(), "{summary}");
            assert_eq!(summary["mean"].is_null(), variant != "alone", "{summary}");
            assert_ne!(summary["n"], 0);
        }
        let em = summaries.iter().find(|summary| summary["column"] == "em").unwrap();
        assert!(em["mean"].is_number());
    }
}

#[test]
fn a_total_that_fails_may_end_the_evaluation() {
    for variant in ["refusing", "panicking"] {
        let folder = folder(&format!("pooled-{variant}"), "process");
        let config = fs::read_to_string(folder.path("pooled.toml")).unwrap();
        folder.write("pooled.toml", config + "on_error = \"stop\"\n");
        let output = folder.qeval(["run", "pooled.toml"]).ends_with(1);
        assert!(output.stderr.contains("of bad.n: "), "{}", output.stderr);
        folder.assert_no_evaluation("results");
    }
}

/// A plugin makes its numbers itself, so their counts alone can be looked at without it.
#[test]
fn the_counts_of_a_pooled_metric_are_verified() {
    let evaluated = || {
        let folder = folder("pooled", "process");
        folder.qeval(["run", "pooled.toml"]).succeed();
        folder
    };
    let unknown = "only their plugin can make the summaries of `bad.n` again";
    let right = evaluated().qeval(["verify", "pooled"]).succeed().stdout;
    assert!(
        right.contains(": right (4 files, 300 examples)") && right.contains(unknown),
        "{right}"
    );
    for (column, metric, found) in
        [("n", "bad_n", true), ("n", "em", true), ("mean", "em", true), ("mean", "bad_n", false)]
    {
        let folder = evaluated();
        readers::run(&folder, "tampered.py", &[column.as_ref(), metric.as_ref()]);
        let output = folder.qeval(["verify", "pooled"]).ends_with(i32::from(found));
        let said = output.stdout + &output.stderr;
        assert_eq!(said.contains("summaries.parquet"), found, "{column} of {metric}: {said}");
        assert!(said.contains(unknown) || found, "{said}");
    }
}
