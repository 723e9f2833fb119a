//! Readers that are services, which fail in every way.

mod dialogs;
mod http;
mod kinds;
mod money;
mod openai;
mod repeats;
mod server;
mod usage;

use std::{collections::BTreeMap, fs};

use qeval_store::Evaluation;

use crate::support::{Folder, Output};

const BASE: &str = r#"version = 1
[evaluation]
label = "e"
stages = ["integrated"]
[dataset]
format = "jsonl"
path = "golden.jsonl"
[corpus]
format = "jsonl"
path = "passages.jsonl"
[retriever]
type = "replay"
path = "run.txt"
[metrics]
answer = ["EM"]
"#;

/// A folder in which each id is a question whose answer is `right`, and which finds one passage.
fn folder(ids: &[&str]) -> Folder {
    let folder = Folder::new();
    let example = |id: &&str| {
        format!("{{\"id\": \"{id}\", \"question\": \"{id}?\", \"references\": [\"right\"]}}\n")
    };
    folder.write("golden.jsonl", ids.iter().map(example).collect::<String>());
    folder
        .write("passages.jsonl", "{\"id\": \"p\", \"title\": \"T\", \"text\": \"It is right.\"}\n");
    let hit = |id: &&str| format!("{id} Q0 p 1 1.0 r\n");
    folder.write("run.txt", ids.iter().map(hit).collect::<String>());
    folder
}

/// What became of one example.
#[derive(Debug, Default)]
struct Outcome {
    em: Option<f64>,
    reason: Option<String>,
    /// The kind of failure.
    kind: Option<String>,
    latency_ms: Option<f64>,
    tokens: (Option<u64>, Option<u64>),
    cost: Option<f64>,
}

/// Runs a config; what became of each example.
#[track_caller]
fn evaluate(folder: &Folder, reader: &str) -> (Output, BTreeMap<String, Outcome>) {
    folder.write("e.toml", format!("{BASE}{reader}"));
    // A second run has the same plan; the answers stay.
    for evaluation in folder.evaluations("results") {
        fs::remove_dir_all(evaluation).unwrap();
    }
    let program = folder.qeval(["run", "e.toml"]).env("READER_KEY", "header-secret");
    let output = program.succeed();
    let [path] = &folder.evaluations("results")[..] else { panic!("one evaluation") };
    let evaluation = Evaluation::open(path).unwrap();
    let mut outcomes: BTreeMap<String, Outcome> = BTreeMap::new();
    for case in evaluation.all_cases().unwrap() {
        let case = case.unwrap();
        let usage = case.prediction.map(|prediction| prediction.usage).unwrap_or_default();
        let outcome = outcomes.entry(case.example_id).or_default();
        outcome.latency_ms = usage.latency_ms;
        outcome.tokens = (usage.tokens_in, usage.tokens_out);
        outcome.cost = usage.cost;
    }
    let scores = evaluation.scores(&["em"]).unwrap();
    for (row, score) in scores.metric("em").unwrap().iter().enumerate() {
        outcomes.get_mut(scores.ids.get(row)).unwrap().em = *score;
    }
    for detail in evaluation.details().unwrap() {
        let detail = detail.unwrap();
        let outcome = outcomes.get_mut(&detail.example_id).unwrap();
        (outcome.kind, outcome.reason) = (detail.label, detail.text);
    }
    (output, outcomes)
}

/// Checks that the examples with a reason are unscored for it, without tokens and a latency, and all
/// others right.
#[track_caller]
fn check(outcomes: &BTreeMap<String, Outcome>, unscored: &[(&str, &str)]) {
    for (id, outcome) in outcomes {
        match unscored.iter().find(|(failed, _)| failed == id) {
            None => {
                assert_eq!(outcome.em, Some(1.0), "{id}: {outcome:?}");
                assert!(outcome.latency_ms.is_some_and(|ms| ms > 0.0), "{id}: {outcome:?}");
            }
            Some((_, reason)) => {
                assert_eq!(outcome.em, None, "{id}");
                let found = outcome.reason.as_deref().unwrap_or_default();
                assert!(found.contains(reason), "{id}: `{found}` without `{reason}`");
                let kind = found.split(": ").next();
                assert_eq!(outcome.kind.as_deref(), kind, "{id}: {found}");
                assert_eq!((outcome.latency_ms, outcome.tokens), (None, (None, None)), "{id}");
            }
        }
    }
}
