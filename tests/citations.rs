//! The plugin for citations as its users meet it: its own config, its numbers, and what is stored.

use std::fs;

use serde_json::Value;

use crate::{
    readers,
    support::{Folder, assert_transcript, library, root},
};

/// The plugin's own config with its data.
fn desk() -> Folder {
    let folder = Folder::new();
    let own = root().join("plugins").join("citations");
    for entry in fs::read_dir(own.join("example")).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("example/{}", path.file_name().unwrap().to_string_lossy());
        folder.write(&name, fs::read(path).unwrap());
    }
    let config = fs::read_to_string(own.join("citations.toml")).unwrap();
    folder.write("citations.toml", config.replace("../../results", "results"));
    // What the config is checked for.
    library("citations");
    folder
}

/// The number of a metric over all examples.
#[track_caller]
fn summary<'v>(report: &'v Value, metric: &str) -> &'v Value {
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
    let whole = |summary: &&Value| summary["column"] == *metric && summary["slice"].is_null();
    summaries.iter().find(whole).unwrap()
}

#[test]
fn citations_are_checked() {
    let folder = desk();
    let report = folder.qeval(["run", "citations.toml", "--format", "json"]).succeed().json();
    for (metric, n, mean) in [
        // q6 cites nothing and q7 has no answer; r7 and r9 do not exist.
        ("cite_citation_exists", 6, (1.0 + 1.0 + 0.5 + 1.0 + 1.0 + 0.0) / 6.0),
        // q8 has no gold passage.
        ("cite_citation_recall", 7, (1.0 + 1.0 + 0.5 + 1.0 + 1.0) / 7.0),
        ("cite_citation_precision", 5, (1.0 + 0.5 + 0.5 + 0.25 + 1.0) / 5.0),
        ("cite_corpus_citation_precision", 5, 5.0 / 10.0),
        // The fine is another one.
        ("cite_quote_support", 3, (1.0 + 1.0 + 0.5) / 3.0),
        ("cite_quote_support_min_words_6", 3, (1.0 + 1.0 + 0.5) / 3.0),
    ] {
        let found = summary(&report, metric);
        assert_eq!(found["n"], n, "{metric}");
        let difference = found["mean"].as_f64().unwrap() - mean;
        assert!(difference.abs() < 1e-12, "{metric}: {found}");
    }
    assert!(summary(&report, "cite_corpus_citation_precision")["mean_worst"].is_null());
    assert_eq!(summary(&report, "cite_citation_retrieved")["n"], 6);
}

#[test]
fn other_tools_work_out_the_pooled_numbers_and_read_the_parts() {
    let folder = desk();
    folder.qeval(["run", "citations.toml"]).succeed();
    readers::run(&folder, "pooled.py", &[]);
}

#[test]
fn what_a_replayed_reader_saw_counts_as_retrieved() {
    let folder = desk();
    let config = fs::read_to_string(folder.path("citations.toml")).unwrap();
    let seen = "path = \"example/answers.jsonl\"\nfields = { hits = \"seen\" }";
    folder.write("seen.toml", config.replace("path = \"example/answers.jsonl\"", seen));
    let answers = fs::read_to_string(folder.path("example/answers.jsonl")).unwrap();
    // Whatever the retriever finds, the reader saw one rule.
    folder.write(
        "example/answers.jsonl",
        answers.replace("\"citations\"", "\"seen\": [\"r1\"], \"citations\""),
    );
    let report = folder.qeval(["run", "seen.toml", "--format", "json"]).succeed().json();
    let mean = summary(&report, "cite_citation_retrieved")["mean"].as_f64().unwrap();
    assert!((mean - (1.0 + 0.5 + 0.25) / 6.0).abs() < 1e-12, "{mean}");
}

#[test]
fn what_is_stored_is_read_without_the_plugin() {
    let folder = desk();
    let made = folder.qeval(["run", "citations.toml", "--format", "json"]).succeed().json();
    let name = folder.evaluations("results")[0].file_name().unwrap().to_owned();
    let name = name.to_string_lossy().replace("evaluation_id=", "");
    let report = ["report", &name, "--results", "results", "--format", "json"];
    let read = folder.qeval(report).env("QEVAL_PLUGINS", "nowhere").succeed().json();
    assert_eq!(made["evaluations"][0]["summaries"], read["evaluations"][0]["summaries"]);
}

#[test]
fn a_file_needs_what_its_metrics_read_and_no_more() {
    let folder = desk();
    let config = fs::read_to_string(folder.path("citations.toml")).unwrap();
    let without = |from: &str, to: &str| {
        let (start, end) = (config.find(from).unwrap(), config.find(to).unwrap());
        format!("{}{}", &config[..start], &config[end..])
    };
    // Without a retriever nobody knows what was retrieved.
    folder.write("unretrieved.toml", without("[retriever]", "[reader]"));
    let output = folder.qeval(["check", "unretrieved.toml"]).run();
    assert_transcript!("citations__no_retriever", output);
    let fewer = without("[retriever]", "[reader]").replace("\"cite.citation_retrieved\",", "");
    folder.write("fewer.toml", fewer);
    folder.qeval(["run", "fewer.toml"]).succeed();
    folder.write("uncorpused.toml", without("[corpus]", "[reader]"));
    let output = folder.qeval(["check", "uncorpused.toml"]).run();
    assert_transcript!("citations__no_corpus", output);
}
