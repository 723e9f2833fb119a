//! Predictions with several answers, from the file to the mean.

use std::collections::BTreeMap;

use qeval_store::Evaluation;

use crate::support::{Folder, assert_transcript};

const SQUAD: &str = r#"{"version": "v2.0", "data": [{"title": "t", "paragraphs": [{"context": "Ada wrote it in 1843.", "qas": [
  {"id": "who", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}], "is_impossible": false},
  {"id": "when", "question": "When?", "answers": [{"text": "1843", "answer_start": 16}], "is_impossible": false},
  {"id": "why", "question": "Why?", "answers": [], "is_impossible": true}]}]}]}"#;

/// Runs a config; the scores of the only evaluation, by column and example.
#[track_caller]
fn scores(folder: &Folder, config: &str, columns: &[&str]) -> Vec<BTreeMap<String, Option<f64>>> {
    folder.write("e.toml", config);
    folder.qeval(["run", "e.toml"]).succeed();
    let stored = folder.evaluations("results");
    assert_eq!(stored.len(), 1);
    let evaluation = Evaluation::open(&stored[0]).expect("the evaluation is whole");
    let scores = evaluation.scores(columns).expect("the columns are there");
    let column = |name: &&str| {
        let values =
            scores.metric(name).expect("the metric was asked for").iter().copied().enumerate();
        values.map(|(row, score)| (scores.ids.get(row).to_owned(), score)).collect()
    };
    columns.iter().map(column).collect()
}

#[track_caller]
fn check(found: &BTreeMap<String, Option<f64>>, expected: [(&str, Option<f64>); 3]) {
    let expected = expected.map(|(id, score)| (id.to_owned(), score));
    assert_eq!(*found, expected.into());
}

#[test]
fn the_best_answers_of_a_script_are_scored() {
    let folder = Folder::new();
    folder.write("squad.json", SQUAD);
    let answers = r#"{
        "who": [{"text": "Bo", "probability": 0.6}, {"text": "Ada", "probability": 0.4}],
        "when": [{"text": "in 1843", "probability": 0.9}],
        "why": [{"text": "for fun", "probability": 0.5}, {"text": "", "probability": 0.5}]}"#;
    folder.write("nbest_predictions.json", answers);
    let metrics = ["EM", "Top-EM@1", "top_2_em", "Top-F1", "Top-EM(unanswerable=null)"];
    let arguments = ["score", "--dataset", "squad.json", "--predictions", "nbest_predictions.json"];
    let metrics = metrics.iter().flat_map(|name| ["-m", name]);
    let output = folder.qeval(arguments.into_iter().chain(metrics)).succeed();
    assert_transcript!("candidates__nbest", output);
}

#[test]
fn candidates_are_columns_of_predictions() {
    let folder = Folder::new();
    folder.write("squad.json", SQUAD);
    folder.write(
        "answers.jsonl",
        r#"{"id": "who", "prediction": "a wrote", "best": [{"text": "a wrote", "start": 2}, "x"]}
{"id": "when", "prediction": "Ada", "best": [{"text": "Ada", "start": 0}, {"text": "1843", "start": 16, "end": 20}]}
{"id": "why", "prediction": null, "best": [null]}
"#,
    );
    let config = r#"version = 1
[evaluation]
label = "e"
[dataset]
format = "squad"
path = "squad.json"
[reader]
type = "replay"
path = "answers.jsonl"
fields = { candidates = "best" }
[metrics]
answer = ["Top-EM@2", "FARM"]
"#;
    let columns = ["top_em_at_2", "farm_em", "farm_f1", "farm_top_accuracy"];
    let found = scores(&folder, config, &columns);
    check(&found[0], [("who", Some(0.0)), ("when", Some(1.0)), ("why", Some(1.0))]);
    check(&found[1], [("who", Some(0.0)), ("when", Some(0.0)), ("why", Some(1.0))]);
    // One of three code points and one of seven.
    check(&found[2], [("who", Some(0.2)), ("when", Some(0.0)), ("why", Some(1.0))]);
    // The second answer to the first question has no place.
    check(&found[3], [("who", None), ("when", Some(1.0)), ("why", Some(1.0))]);
}

#[test]
fn a_program_may_give_candidates() {
    let folder = Folder::new();
    folder.write("golden.jsonl", "{\"id\": \"a\", \"question\": \"Who?\", \"references\": [\"Ann\"], \"gold_passages\": [\"p\"]}\n{\"id\": \"b\", \"question\": \"Bo?\", \"references\": [\"Bo\"], \"gold_passages\": [\"p\"]}\n{\"id\": \"c\", \"question\": \"Why?\", \"references\": []}\n");
    folder.write("passages.jsonl", "{\"id\": \"p\", \"text\": \"Who? ANN\"}\n");
    folder.write(
        "reader.sh",
        r#"
while read -r line; do
    case $line in
        *'"id":"b"'*) echo '{"prediction": "x", "candidates": [{"text": "x", "start": 5, "end": 3}]}' ;;
        *) echo '{"prediction": "x", "candidates": [{"text": "x"}, {"text": "the Ann", "confidence": 0.5, "start": 5, "passage_id": "p"}, {"text": null}]}' ;;
    esac
done
"#,
    );
    let config = r#"version = 1
[evaluation]
label = "e"
stages = ["retrieval", "integrated"]
[dataset]
format = "jsonl"
path = "golden.jsonl"
[corpus]
format = "jsonl"
path = "passages.jsonl"
[retriever]
type = "bm25"
[reader]
type = "command"
command = ["sh", "reader.sh"]
[metrics]
answer = ["Top-EM@1", "Top-EM"]
retrieval = ["Haystack0", "Haystack1.Recall@5", "Haystack0.MRR(domain=closed)"]
"#;
    let columns = [
        "top_em_at_1",
        "top_em",
        "haystack0_recall",
        "haystack1_recall_at_5",
        "haystack0_mrr_domain_closed",
    ];
    let found = scores(&folder, config, &columns);
    check(&found[0], [("a", Some(0.0)), ("b", None), ("c", Some(0.0))]);
    check(&found[1], [("a", Some(1.0)), ("b", None), ("c", Some(1.0))]);
    // The case of letters matters in 1.x alone, where the id decides here.
    check(&found[2], [("a", Some(1.0)), ("b", Some(0.0)), ("c", Some(1.0))]);
    check(&found[3], [("a", Some(1.0)), ("b", Some(0.0)), ("c", Some(1.0))]);
    check(&found[4], [("a", Some(1.0)), ("b", Some(0.0)), ("c", Some(1.0))]);
}
