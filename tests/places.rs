//! Answers that are known by their place in the context: they are scored as the text there.

use crate::support::Folder;

/// The first context has code points of one to four bytes before its answers, and an accent that is
/// a code point of its own.
const SQUAD: &str = r#"{"data": [{"title": "T", "paragraphs": [
    {"context": "😀 Zu\u0308rich, 北京: die Fähre fährt stündlich.", "qas": [
        {"id": "where", "question": "Where?", "answers": [{"text": "北京", "answer_start": 11}]},
        {"id": "what", "question": "What?", "answers": [{"text": "die Fähre", "answer_start": 15}]},
        {"id": "never", "question": "Why?", "answers": []}]},
    {"context": "Ja.", "qas": [
        {"id": "short", "question": "So?", "answers": [{"text": "Ja", "answer_start": 0}]}]}]}]}"#;

const PLACES: &str = r#"{"id": "where", "start": 11, "end": 13}
{"id": "what", "start": 19, "end": 24}
{"id": "never", "start": null, "end": null}
{"id": "short", "start": 2, "end": 9}
"#;

/// Scores and reasons of one metric by example, as the store has them, and what stderr says.
#[track_caller]
fn summary(folder: &Folder, predictions: &str, more: &[&str]) -> (serde_json::Value, String) {
    let mut args = vec!["score", "--format", "json", "--dataset", "squad.json"];
    args.extend([
        "--dataset-format",
        "squad",
        "--predictions",
        predictions,
        "-m",
        "EM",
        "-m",
        "F1",
    ]);
    args.extend(more);
    let output = folder.qeval(args).succeed();
    (output.json()["evaluations"][0].clone(), output.stderr)
}

fn numbers(evaluation: &serde_json::Value, metric: &str) -> (f64, u64, u64) {
    let summaries = evaluation["summaries"].as_array().unwrap();
    let found = summaries.iter().find(|summary| summary["metric"] == metric).unwrap();
    let count = |name: &str| found[name].as_u64().unwrap();
    (found["mean"].as_f64().unwrap(), count("n"), count("unscored"))
}

#[test]
fn a_place_counts_code_points() {
    let folder = Folder::new();
    folder.write("squad.json", SQUAD);
    folder.write("places.jsonl", PLACES);
    let (found, stderr) = summary(&folder, "places.jsonl", &[]);
    // The first is right, the second half of its answer, and the third abstains rightly. The fourth
    // is not in its context: it is not a wrong answer.
    assert_eq!(numbers(&found, "EM"), (2.0 / 3.0, 3, 1));
    assert_eq!(numbers(&found, "F1"), ((1.0 + 2.0 / 3.0 + 1.0) / 3.0, 3, 1));
    assert!(stderr.is_empty(), "{stderr}");
    let notices = found["notices"].to_string();
    assert!(notices.contains("because the reader failed"), "{found:#}");

    for (name, contents) in [
        ("mapped.csv", "id,from,to\nwhere,11,13\nwhat,19,24\nnever,,\nshort,2,9\n"),
        ("texts.csv", "id,prediction\nwhere,北京\nwhat,Fähre\nnever,\nshort,Ja\n"),
    ] {
        folder.write(name, contents);
    }
    let fields = ["--prediction-field", "start=from", "--prediction-field", "end=to"];
    assert_eq!(summary(&folder, "mapped.csv", &fields).0["summaries"], found["summaries"]);
    assert_eq!(numbers(&summary(&folder, "texts.csv", &[]).0, "EM"), (0.75, 4, 0));
}

#[test]
fn a_place_that_is_not_there_is_said_beforehand() {
    let folder = Folder::new();
    folder.write("squad.json", SQUAD);
    folder.write("places.jsonl", PLACES.replace("\"start\": 2, \"end\": 9", "\"at\": [2, 9]"));
    let config = r#"version = 1
[dataset]
format = "squad"
path = "squad.json"
[reader]
type = "replay"
path = "places.jsonl"
fields = { start = "", end = "", span = "at" }
[metrics]
answer = ["EM"]
"#;
    folder.write("wrong.toml", config);
    let output = folder.qeval(["check", "wrong.toml"]).ends_with(2);
    let message = "line 1: field `at` is missing; the record has `id`, `start`, `end`";
    assert!(output.stderr.contains(message), "{}", output.stderr);

    folder.write("places.jsonl", PLACES);
    folder.write(
        "right.toml",
        config.replace("fields = { start = \"\", end = \"\", span = \"at\" }\n", ""),
    );
    let output = folder.qeval(["check", "right.toml"]).succeed();
    let message = "1 example whose prediction is a place that is not in the context (short)";
    assert!(output.stdout.contains(message), "{}", output.stdout);
}

#[test]
fn the_turns_of_a_dialog_may_be_places() {
    let folder = Folder::new();
    folder.write(
        "quac.json",
        r#"{"data": [{"title": "T", "paragraphs": [
            {"id": "D", "context": "Die Fähre fährt stündlich. CANNOTANSWER", "qas": [
                {"id": "D_q#0", "question": "Wann?", "answers": [{"text": "stündlich"}], "yesno": "x", "followup": "y"},
                {"id": "D_q#1", "question": "Wo?", "answers": [{"text": "CANNOTANSWER"}], "yesno": "x", "followup": "n"}]}]}]}"#,
    );
    folder.write(
        "places.jsonl",
        r#"{"qid": ["D_q#0", "D_q#1"], "span": [[16, 25], [27, 39]], "yesno": ["x", "y"], "followup": ["y", "n"]}"#,
    );
    let mut args = vec!["score", "--format", "json", "--dataset", "quac.json"];
    args.extend(["--dataset-format", "quac", "--predictions", "places.jsonl"]);
    args.extend(["-m", "QuAC.F1", "-m", "QuAC.YesNo", "-m", "QuAC.Unanswerable"]);
    let found = folder.qeval(args).succeed().json()["evaluations"][0].clone();
    assert_eq!(numbers(&found, "QuAC.F1"), (1.0, 2, 0));
    assert_eq!(numbers(&found, "QuAC.Unanswerable"), (1.0, 1, 1));
    assert_eq!(numbers(&found, "QuAC.YesNo"), (0.5, 2, 0));

    // The script reads texts alone.
    let mut official = vec!["score", "--official", "quac", "--dataset", "quac.json"];
    official.extend(["--predictions", "places.jsonl"]);
    let output = folder.qeval(official).ends_with(1);
    let message = "the prediction of question `D_q#0` has no `best_span_str`";
    assert!(output.stderr.contains(message), "{}", output.stderr);
}
