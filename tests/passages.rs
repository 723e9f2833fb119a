//! What was retrieved, passage by passage, as the report shows it.

use serde_json::{Value, json};

use crate::support::{Folder, assert_transcript};

/// A harbour. `p2` is nearly `p1`, and nobody retrieves `p8`.
const CORPUS: &str = r#"{"id": "p1", "text": "The ferry leaves at six every morning from the old pier"}
{"id": "p2", "text": "the ferry leaves at six every morning from the old pier today"}
{"id": "p3", "text": "a bicycle costs two crowns"}
{"id": "p4", "text": "forty minutes is what the crossing takes"}
{"id": "p5", "text": "cars use another pier"}
{"id": "p6", "text": "tickets are sold at the kiosk"}
{"id": "p7", "text": "six gulls live here"}
{"id": "p8", "text": "nobody reads this"}
"#;

/// `f` has references and no judgments, `u` has neither.
const GOLDEN: &str = r#"{"id": "a", "question": "When does the first ferry leave?", "references": ["six"], "topic": "time"}
{"id": "b", "question": "What does a bicycle cost?", "references": ["Two Crowns"], "topic": "money"}
{"id": "c", "question": "How long is the crossing?", "references": ["forty minutes"], "topic": "time"}
{"id": "d", "question": "Which pier is for cars?", "references": ["the east pier"]}
{"id": "e", "question": "Who sells tickets?", "references": ["the kiosk"], "topic": "money"}
{"id": "f", "question": "What does the cook sell?", "references": ["old pie"]}
{"id": "u", "question": "How many gulls will there be?", "references": [], "topic": "time"}
"#;

const QRELS: &str = "a 0 p1 1\na 0 p7 0\nb 0 p3 2\nc 0 p4 1\nd 0 p5 1\ne 0 p6 1\n";

/// Nothing for `e`.
const LEFT: &str = "a Q0 p7 1 3 left\na Q0 p2 2 2 left\na Q0 p1 3 1 left
b Q0 p3 1 2 left\nb Q0 p5 2 1 left
c Q0 p1 1 2 left\nc Q0 p2 2 1 left
d Q0 p5 1 1 left\nf Q0 p1 1 1 left\nu Q0 p7 1 1 left\n";

const RIGHT: &str = "a Q0 p1 1 2 right\nb Q0 p5 1 2 right\nb Q0 p3 2 1 right
c Q0 p6 1 1 right\nd Q0 p7 1 1 right\ne Q0 p3 1 1 right\nf Q0 p7 1 1 right\nu Q0 p7 1 1 right\n";

/// Two retrievers; `corpus` and `dataset` are further lines of the file.
fn config(dataset: &str, corpus: &str, metrics: &str) -> String {
    format!(
        r#"version = 1

[evaluation]
label = "harbour"

[dataset]
format = "jsonl"
path = "golden.jsonl"
slices = ["topic"]
{dataset}

{corpus}

[[retriever]]
type = "replay"
name = "left"
path = "left.run"

[[retriever]]
type = "replay"
name = "right"
path = "right.run"

[metrics]
retrieval = [{metrics}]
"#
    )
}

const WITH_CORPUS: &str = "[corpus]\nformat = \"jsonl\"\npath = \"corpus.jsonl\"";

/// The harbour's files, and configs with and without corpus and judgments.
pub(crate) fn harbour() -> Folder {
    let folder = Folder::new();
    folder.write("corpus.jsonl", CORPUS);
    folder.write("golden.jsonl", GOLDEN);
    folder.write("qrels.txt", QRELS);
    folder.write("left.run", LEFT);
    folder.write("right.run", RIGHT);
    let metrics = r#""Recall@{2,3}", "nDCG@3", "MAP", "Judged@{2,3}", "AnswerRecall@{1,3}",
    "AnswerRecall(match=kilt)@3""#;
    folder.write("harbour.toml", config("qrels = \"qrels.txt\"", WITH_CORPUS, metrics));
    let metrics = r#""Recall@{2,3}", "MAP""#;
    folder.write("bare.toml", config("qrels = \"qrels.txt\"", "", metrics));
    let metrics = r#""AnswerRecall@{1,3}""#;
    folder.write("unjudged.toml", config("", WITH_CORPUS, metrics));
    folder
}

/// Files to evaluate, with their configs.
pub(crate) fn all() -> Vec<(Folder, &'static str)> {
    ["harbour.toml", "bare.toml", "unjudged.toml"].map(|config| (harbour(), config)).into()
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    let value = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
}

#[track_caller]
fn all_close(found: &Value, expected: &[f64]) {
    let values = found.as_array().unwrap();
    assert_eq!(values.len(), expected.len(), "{found}");
    values.iter().zip(expected).for_each(|(value, &expected)| close(value, expected));
}

fn mean(evaluation: &Value, metric: &str) -> Value {
    let summaries = evaluation["summaries"].as_array().unwrap();
    let of = |summary: &&Value| summary["metric"] == metric && summary["slice"].is_null();
    summaries.iter().find(of).unwrap()["mean"].clone()
}

#[test]
fn the_report_looks_at_passages() {
    let folder = harbour();
    let first = folder.qeval(["run", "harbour.toml"]).succeed();
    assert_transcript!("passages__run", first);
    let again = folder.qeval(["report", "harbour"]).succeed();
    assert_eq!(again.stdout, first.stdout);
    let mut json = folder.qeval(["report", "harbour:left", "--format", "json"]).succeed();
    let mut shape = json.json();
    // The summaries have a snapshot elsewhere.
    shape["evaluations"][0]["summaries"] = json!([]);
    json.stdout = format!("{shape:#}\n");
    assert_transcript!("passages__json", json);
}

#[test]
fn the_numbers_can_be_worked_out_by_hand() {
    let folder = harbour();
    let report = folder.qeval(["run", "harbour.toml", "--format", "json"]).succeed().json();
    let left = &report["evaluations"][0];
    let found = &left["retrieval"];
    assert_eq!((&found["questions"], &found["depth"]), (&7.into(), &3.into()));

    // Of the five questions with judgments b and d have theirs first, and a has it third.
    let curves = found["curves"].as_array().unwrap();
    let names: Vec<&Value> = curves.iter().map(|curve| &curve["measure"]).collect();
    assert_eq!(names, ["Recall", "AnswerRecall", "AnswerRecall(match=kilt)"]);
    assert_eq!([&curves[0]["n"], &curves[1]["n"], &curves[2]["n"]], [5, 6, 6]);
    all_close(&curves[0]["at"], &[0.4, 0.4, 0.6]);
    // a (in a passage about gulls) and b; `old pie` is a part of `old pier` alone.
    all_close(&curves[1]["at"], &[2.0 / 6.0; 3]);
    all_close(&curves[2]["at"], &[3.0 / 6.0; 3]);
    // To the last bit what the metrics say.
    assert_eq!(curves[0]["at"][2], mean(left, "Recall@3"));
    assert_eq!(curves[1]["at"][0], mean(left, "AnswerRecall@1"));
    assert_eq!(curves[2]["at"][2], mean(left, "AnswerRecall(match=kilt)@3"));

    let table = &found["disagreement"];
    let cells = |with, without| json!({"with": with, "without": without});
    assert_eq!(table["relevant_retrieved"], cells(2, 1));
    assert_eq!(table["relevant_not_retrieved"], cells(2, 0));
    assert_eq!(table["judged_not_relevant"], cells(1, 0));
    assert_eq!(table["unjudged"], cells(1, 3));
    assert_eq!(table["unjudged_with_answer_questions"], 1);
    let passage = |id, passage, rank| json!([{"dataset": null, "example_id": id, "passage_id": passage, "rank": rank}]);
    assert_eq!(table["unjudged_with_answer"], passage("a", "p2", 2));
    assert_eq!(table["not_relevant_with_answer"], passage("a", "p7", 1));
    assert_eq!(table["relevant_without_answer"], passage("d", "p5", 1));

    // 4, 5, 6, 7 and 11 words: p5 and p3, p6, p4, p1.
    let groups = |groups: &Value| -> Value {
        let of = |group: &Value| json!([group["group"], group["n"], group["shares"]]);
        groups.as_array().unwrap().iter().map(of).collect()
    };
    assert_eq!(
        groups(&found["by_length"]),
        json!([["4 to 5", 2, [1.0]], ["6", 1, [0.0]], ["7", 1, [0.0]], ["11", 1, [1.0]]])
    );
    // The answer begins at word 4 of 11, 3 of 5, 0 of 7 and 4 of 6.
    assert_eq!(
        groups(&found["by_answer_place"]),
        json!([
            ["first quarter", 1, [0.0]],
            ["second quarter", 1, [1.0]],
            ["third quarter", 2, [0.5]],
            ["not in it", 1, [1.0]]
        ])
    );
    let slice = |slice: &Value| {
        let (recall, answers) = (&slice["recall"], &slice["answer_recall"]);
        json!([
            slice["slice_value"],
            recall["n"],
            recall["shares"],
            answers["n"],
            answers["shares"]
        ])
    };
    let slices: Value = found["by_slice"].as_array().unwrap().iter().map(slice).collect();
    assert_eq!(
        slices,
        json!([
            ["money", 2, [0.5], 2, [0.5]],
            ["time", 2, [0.5], 2, [0.5]],
            [null, 1, [1.0], 2, [0.0]]
        ])
    );

    let copies = &found["near_copies"];
    assert_eq!(copies["within"], json!([{"depth": 3, "hits": 10, "near_copies": 2}]));
    assert_eq!(copies["questions"], 2);
    let coverage = &found["coverage"];
    assert_eq!((&coverage["passages"], &coverage["retrieved"]), (&8.into(), &json!([5])));
    let hub = |id, questions| json!({"passage_id": id, "questions": questions});
    assert_eq!(
        coverage["most_retrieved"],
        json!([hub("p1", 3), hub("p2", 2), hub("p5", 2), hub("p7", 2)])
    );

    let unfound = &report["unfound"];
    assert_eq!(unfound["systems"], 2);
    assert_eq!(unfound["with_relevant_passages"], json!({"n": 5, "unfound": 2}));
    assert_eq!(unfound["with_references_alone"], json!({"n": 1, "unfound": 1}));
    let ids: Vec<&Value> =
        unfound["examples"].as_array().unwrap().iter().map(|e| &e["example_id"]).collect();
    assert_eq!(ids, ["c", "e", "f"]);

    // Of two hits each, judged are 1 of 2, 1 of 2, 0 of 2, 1 of 1 and none of none.
    let judged = |metric: &str| {
        let summaries = left["summaries"].as_array().unwrap();
        let of = |summary: &&Value| summary["metric"] == metric && summary["slice"].is_null();
        summaries.iter().find(of).unwrap()["judged"].clone()
    };
    close(&judged("Recall@2"), 2.0 / 5.0);
    close(&judged("MAP"), (2.0 / 3.0 + 0.5 + 1.0) / 5.0);
    assert_eq!(judged("Recall@2"), mean(left, "Judged@2"));
    assert_eq!(judged("nDCG@3"), mean(left, "Judged@3"));
    assert_eq!(judged("AnswerRecall@1"), Value::Null);
}

#[test]
fn without_a_corpus_there_are_ranks_alone() {
    let folder = harbour();
    let output = folder.qeval(["run", "bare.toml"]).succeed();
    assert_transcript!("passages__bare", output);
    let report = folder.qeval(["report", "harbour:left", "--format", "json"]).succeed().json();
    let found = &report["evaluations"][0]["retrieval"];
    all_close(&found["curves"][0]["at"], &[0.4, 0.4, 0.6]);
    assert_eq!(found["curves"].as_array().unwrap().len(), 1);
    for key in ["disagreement", "near_copies", "coverage", "relevant_without_text"] {
        assert_eq!(found[key], Value::Null, "{key}");
    }
    assert_eq!((&found["by_length"], &found["by_answer_place"]), (&json!([]), &json!([])));
}

#[test]
fn without_judgments_the_answers_speak() {
    let folder = harbour();
    let output = folder.qeval(["run", "unjudged.toml"]).succeed();
    assert_transcript!("passages__unjudged", output);
}

#[test]
fn a_passage_that_the_corpus_lacks_is_said() {
    let folder = harbour();
    folder.write("qrels.txt", format!("{QRELS}b 0 p9 1\n"));
    folder.write("left.run", format!("{LEFT}e Q0 p10 1 1 left\n"));
    let report = folder.qeval(["run", "harbour.toml", "--format", "json"]).succeed().json();
    let (left, right) = (&report["evaluations"][0]["retrieval"], &report["evaluations"][1]);
    assert_eq!(left["relevant_without_text"], 1);
    // What is not in the corpus covers nothing of it.
    assert_eq!(left["coverage"], Value::Null);
    assert_eq!(right["retrieval"]["coverage"]["retrieved"], json!([5]));
    let text = folder.qeval(["report", "harbour:left"]).succeed().stdout;
    let said = "1 relevant passage is not in the corpus, and so in no group by length or place";
    assert!(text.contains(said), "{text}");
}

#[test]
fn where_only_relevant_passages_are_judged_nothing_can_be_left_out() {
    let folder = harbour();
    folder.write("qrels.txt", QRELS.replace("a 0 p7 0\n", ""));
    let text = folder.qeval(["run", "harbour.toml"]).succeed().stdout;
    assert!(text.contains("the judgments name relevant passages alone"), "{text}");
    assert!(!text.contains("judged_only"), "{text}");
}

#[test]
fn scores_that_nobody_keeps_say_what_is_judged() {
    let folder = harbour();
    let args = ["score", "--qrels", "qrels.txt", "--run", "left.run", "-m", "nDCG@3", "-m", "MAP"];
    let text = folder.qeval(args).succeed().stdout;
    assert!(text.contains("`nDCG(judged_only=true)@3`, `MAP(judged_only=true)`"), "{text}");
    assert!(!text.contains("recall by depth"), "{text}");
    let all = args.into_iter().chain(["--results", "results", "--format", "json"]);
    let report = folder.qeval(all).succeed().json();
    all_close(&report["evaluations"][0]["retrieval"]["curves"][0]["at"], &[0.4, 0.4, 0.6]);
}

#[test]
fn what_only_the_reader_names_was_not_retrieved() {
    let folder = harbour();
    let answers = r#"{"id": "a", "prediction": "six", "hits": ["p8", "p1"]}"#.to_owned() + "\n";
    folder.write("answers.jsonl", answers);
    let reader = "\n[reader]\ntype = \"replay\"\npath = \"answers.jsonl\"\n";
    let config = config("qrels = \"qrels.txt\"", WITH_CORPUS, "\"Recall@3\"");
    folder.write("read.toml", config + "answer = [\"EM\"]\n" + reader);
    let report = |config| folder.qeval(["run", config, "--format", "json"]).succeed().json();
    let (read, alone) = (report("read.toml"), report("harbour.toml"));
    for place in [0, 1] {
        let found = |report: &Value| report["evaluations"][place]["retrieval"].clone();
        assert_eq!(found(&read), found(&alone));
    }
}
