//! Retrievers of one's own: programs and services that fail in every way, fusions, rerankers;
//! over HTTPS too.

mod derived;
mod program;
mod rerankers;
mod secure;
mod server;
mod service;

use std::{collections::BTreeMap, fs};

use qeval_store::Evaluation;

use crate::support::{Folder, Output, assert_transcript};

const BASE: &str = r#"version = 1
[evaluation]
label = "e"
[dataset]
format = "jsonl"
path = "golden.jsonl"
[metrics]
retrieval = ["MRR"]
[corpus]
format = "jsonl"
path = "passages.jsonl"
"#;

/// A folder in which each id is a question whose only relevant passage is `p-ID`.
fn folder(ids: &[&str]) -> Folder {
    let folder = Folder::new();
    let example = |id: &&str| {
        format!("{{\"id\": \"{id}\", \"question\": \"{id}?\", \"gold_passages\": [\"p-{id}\"]}}\n")
    };
    folder.write("golden.jsonl", ids.iter().map(example).collect::<String>());
    let passage = |id: &&str| format!("{{\"id\": \"p-{id}\", \"text\": \"{id}\"}}\n");
    folder.write("passages.jsonl", ids.iter().map(passage).collect::<String>());
    folder
}

/// What became of each example.
#[derive(Debug, Default)]
struct Outcome {
    /// The scores.
    mrr: BTreeMap<String, Option<f64>>,
    /// Why scores are null.
    reasons: BTreeMap<String, String>,
}

/// Runs a config; what became of each example, by system.
#[track_caller]
fn evaluate(folder: &Folder, retrievers: &str, key: &str) -> (Output, BTreeMap<String, Outcome>) {
    folder.write("e.toml", format!("{BASE}{retrievers}"));
    let program = folder.qeval(["run", "e.toml", "--fresh"]).env("SEARCH_KEY", key);
    let output = program.succeed();
    let outcomes = folder.evaluations("results").into_iter().map(|path| {
        let evaluation = Evaluation::open(&path).unwrap();
        let scores = evaluation.scores(&["mrr"]).unwrap();
        let values = scores.metric("mrr").unwrap().iter().enumerate();
        let mrr = values.map(|(row, score)| (scores.ids.get(row).to_owned(), *score)).collect();
        let details = evaluation.details().unwrap().map(Result::unwrap);
        let reasons = details.map(|d| (d.example_id, d.text.unwrap_or_default())).collect();
        (evaluation.manifest().system.clone(), Outcome { mrr, reasons })
    });
    let outcomes = outcomes.collect();
    (output, outcomes)
}

/// Checks that the examples with a reason are unscored for it, and all others right, but those with
/// another score.
#[track_caller]
fn check(outcome: &Outcome, unscored: &[(&str, &str)], others: &[(&str, f64)]) {
    for (id, score) in &outcome.mrr {
        let reason = unscored.iter().find(|(failed, _)| failed == id);
        let other = others.iter().find(|(other, _)| other == id).map_or(1.0, |other| other.1);
        let expected = if reason.is_some() { None } else { Some(other) };
        assert_eq!(*score, expected, "{id}: {:?}", outcome.reasons.get(id));
        let found = outcome.reasons.get(id).map(String::as_str);
        match (reason, found) {
            (Some((_, reason)), Some(found)) => {
                assert!(found.contains(reason), "{id}: `{found}` without `{reason}`");
            }
            (None, None) => {}
            (_, found) => panic!("{id}: {found:?}"),
        }
    }
}

#[test]
fn what_stands_before_is_needed() {
    let folder = folder(&["a"]);
    folder.write("search.sh", derived::SEARCH);
    let wrong = r#"
[[retriever]]
type = "fusion"
of = ["secnd", "later"]
method = "ranked"
weights = [1]
[[retriever]]
type = "reranker"
name = "both"
of = "second"
depth = 11
url = "http://127.0.0.1:1/"
command = ["sh", "rerank.sh"]
[[retriever]]
type = "reranker"
name = "neither"
of = "second"
[[retriever]]
type = "http"
name = "later"
url = "ftp://me:s3cret@host/?key=s3cret"
log = "search.sh"
[[retriever]]
type = "http"
name = "keyless"
url = "http://127.0.0.1:1/"
api_key_env = "QEVAL_TEST_NO_SUCH_KEY"
deadline_s = 0
[[retriever]]
type = "http"
name = "logged"
url = "http://127.0.0.1:1/"
log = "search.sh"
"#;
    folder.write("e.toml", [BASE, derived::RETRIEVERS, wrong].concat());
    let output = folder.qeval(["check", "e.toml"]).run();
    assert_eq!(output.code, Some(2));
    assert_transcript!("retrievers__wrong", output);
}

#[test]
fn a_log_belongs_to_one_service() {
    let folder = folder(&["a"]);
    let http = |name: &str, log: &str| {
        format!(
            "[[retriever]]\ntype = \"http\"\nname = \"{name}\"\nurl = \"http://127.0.0.1:1/\"\n\
             log = \"{log}\"\n"
        )
    };
    let check = |retrievers: &[String]| {
        folder.write("e.toml", BASE.to_owned() + &retrievers.concat());
        folder.qeval(["check", "e.toml"]).ends_with(2).stderr
    };
    let shared = check(&[http("one", "calls.jsonl"), http("two", "./calls.jsonl")]);
    assert!(shared.contains("is that of another component of the file"), "{shared}");
    assert!(shared.contains("help: a log belongs to one service: name another file"), "{shared}");
    let file = fs::File::create(folder.path("calls.jsonl")).unwrap();
    file.lock().unwrap();
    let used = check(&[http("one", "calls.jsonl")]);
    assert!(used.contains("is in use by another process"), "{used}");
    drop(file);

    folder.write("calls.jsonl", "{\"qeval_call_log\":1}\n{\"key\": 1}\n");
    let damaged = check(&[http("one", "calls.jsonl")]);
    assert!(damaged.contains("line 2 of "), "{damaged}");
    assert!(damaged.contains("help: the log is damaged: without the line, or under"), "{damaged}");
    let other = check(&[http("one", "e.toml")]);
    assert!(other.contains("help: `log` names a file of its own"), "{other}");
}

#[test]
fn weights_may_not_all_be_0() {
    let folder = folder(&["a"]);
    folder.write("search.sh", derived::SEARCH);
    let fusion =
        "[[retriever]]\ntype = \"fusion\"\nof = [\"first\", \"second\"]\nweights = [0, 0.0]\n";
    folder.write("e.toml", [BASE, derived::RETRIEVERS, fusion].concat());
    let output = folder.qeval(["check", "e.toml"]).ends_with(2);
    let message = "error: all weights are 0";
    assert!(output.stderr.contains(message), "{}", output.stderr);
}
