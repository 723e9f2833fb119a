//! Natural Questions from end to end: lines as published, a file, a report, and what the script prints.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    reference,
    support::{Folder, assert_transcript},
};

/// A page, in which each token is so many bytes and one blank behind the one before it.
const PAGE: [&str; 15] = [
    "<H1>", "Ely", "</H1>", "<P>", "Ely", "is", "built", "by", "Ann", "and", "Bo", "in", "1083",
    ".", "</P>",
];

/// The tokens from one on and before another.
fn span((start, end): (usize, usize)) -> Value {
    let before = |tokens: usize| PAGE[..tokens].iter().map(|token| token.len() + 1).sum::<usize>();
    json!({
        "start_byte": before(start), "end_byte": before(end) - 1,
        "start_token": start, "end_token": end,
    })
}

fn nowhere() -> Value {
    json!({"start_byte": -1, "end_byte": -1, "start_token": -1, "end_token": -1})
}

type Spans<'a> = &'a [(usize, usize)];

/// What annotators say who marked the paragraph.
fn annotation(short: Spans<'_>, yes_no: &str) -> Value {
    let short: Vec<Value> = short.iter().copied().map(span).collect();
    json!({"long_answer": span((3, 15)), "short_answers": short, "yes_no_answer": yes_no})
}

fn nothing() -> Value {
    json!({"long_answer": nowhere(), "short_answers": [], "yes_no_answer": "NONE"})
}

fn example(id: i64, question: &str, annotations: &[Value]) -> String {
    let token = |place: usize| {
        let span = span((place, place + 1));
        let text = PAGE[place];
        json!({
            "token": text, "html_token": text.starts_with('<'),
            "start_byte": span["start_byte"], "end_byte": span["end_byte"],
        })
    };
    let line = json!({
        "example_id": id, "question_text": question, "document_html": PAGE.join(" "),
        "document_tokens": (0..PAGE.len()).map(token).collect::<Vec<_>>(),
        "document_title": "Ely", "long_answer_candidates": [], "annotations": annotations,
    });
    format!("{line}\n")
}

fn examples() -> [String; 5] {
    let who = [(8, 9), (10, 11)];
    [
        example(
            -79,
            "who built it",
            &[annotation(&who, "NONE"), annotation(&[(8, 11)], "NONE"), nothing()],
        ),
        example(
            5,
            "when",
            &[annotation(&[(12, 13)], "NONE"), annotation(&[(12, 13)], "NONE"), nothing()],
        ),
        example(
            6,
            "is it old",
            &[annotation(&[], "YES"), annotation(&[], "YES"), annotation(&[], "NO")],
        ),
        example(7, "who owns it", &[nothing(), nothing(), annotation(&[(4, 5)], "NONE")]),
        example(8, "tell of it", &[annotation(&[], "NONE"), annotation(&[], "NONE"), nothing()]),
    ]
}

fn answer(
    id: i64,
    long: Option<(usize, usize)>,
    short: Spans<'_>,
    yes_no: &str,
    scores: [Value; 2],
) -> Value {
    let [long_score, short_score] = scores;
    json!({
        "example_id": id, "long_answer": long.map_or_else(nowhere, span), "long_answer_score": long_score,
        "short_answers": short.iter().copied().map(span).collect::<Vec<_>>(),
        "short_answers_score": short_score, "yes_no_answer": yes_no,
    })
}

fn predictions() -> Value {
    let paragraph = Some((3, 15));
    json!({"predictions": [
        answer(8, paragraph, &[], "NONE", [json!(1.75), json!(-3)]),
        answer(7, paragraph, &[(4, 5)], "NONE", [json!(2), json!(-1.0)]),
        answer(6, paragraph, &[], "YES", [json!(8), json!(1.5)]),
        answer(5, Some((0, 3)), &[(12, 13)], "NONE", [json!(3.25), json!(10)]),
        answer(-79, paragraph, &[(10, 11), (8, 9)], "NONE", [json!(13.5), json!(26.4)]),
    ]})
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("nq-dev.jsonl", examples().concat());
    folder.write("predictions.json", predictions().to_string());
    folder
}

fn config(metrics: &str, predictions: &str) -> String {
    format!(
        "version = 1\n[dataset]\nformat = \"natural-questions\"\npath = \"nq-dev.jsonl\"\n\
         [reader]\ntype = \"replay\"\npath = \"{predictions}\"\n[metrics]\nanswer = {metrics}\n"
    )
}

#[test]
fn a_file_names_the_family() {
    let folder = folder();
    folder.write("nq.toml", config("[\"NQ\"]", "predictions.json"));
    folder.qeval(["check", "--strict", "nq.toml"]).succeed();
    assert_transcript!("natural_questions__run", folder.qeval(["run", "nq.toml"]).run());
}

#[test]
fn texts_are_compared_with_the_texts_of_spans() {
    let folder = folder();
    folder.write(
        "texts.jsonl",
        "{\"id\": -79, \"prediction\": [\"Bo\", \"Ann\"]}\n{\"id\": 5, \"prediction\": \"in 1083\"}\n\
         {\"id\": 6, \"prediction\": \"no\"}\n{\"id\": 7, \"prediction\": null}\n\
         {\"id\": 8, \"prediction\": \"Ely\"}\n",
    );
    let mean = |predictions: &str, metrics: &str| {
        folder.write("nq.toml", config(metrics, predictions));
        let report =
            folder.qeval(["run", "--fresh", "--format", "json", "nq.toml"]).succeed().json();
        let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
        let number = |summary: &Value| {
            (summary["mean"].as_f64().unwrap(), summary["unscored"].as_u64().unwrap())
        };
        summaries.iter().map(number).collect::<Vec<_>>()
    };
    let found = mean("texts.jsonl", "[\"EM\", \"Contains\", \"Set.F1\", \"NoAnswer.Recall\"]");
    // Wholly right are "no" and the abstention.
    let in_part = (1.0 + 2.0 / 3.0 + 1.0 + 1.0) / 5.0;
    assert_eq!(found, [(2.0 / 5.0, 0), (3.0 / 5.0, 0), (in_part, 0), (1.0 / 2.0, 0)]);
    // Spans have no text, and a question without an answer that got one is not right by that.
    let found = mean("predictions.json", "[\"EM\", \"Answered\"]");
    assert_eq!(found, [(1.0, 3), (4.0 / 5.0, 0)]);
    // What says nothing of spans has no such score.
    let found = folder.qeval(
        ["score", "--dataset", "nq-dev.jsonl", "--dataset-format", "natural-questions"]
            .into_iter()
            .chain(["--predictions", "texts.jsonl", "-m", "NQ.Short-F1", "--format", "json"]),
    );
    let report = found.succeed().json();
    assert_eq!(report["evaluations"][0]["summaries"][0]["unscored"], 5);
}

#[test]
fn annotations_survive_a_conversion() {
    let folder = folder();
    let columns = ["long_answers", "short_answers", "yes_no_answers"];
    let convert = ["convert", "nq-dev.jsonl", "golden.jsonl", "--from", "natural-questions"];
    let convert = convert.into_iter().chain(["--to", "jsonl"]);
    folder.qeval(convert.chain(columns.iter().flat_map(|name| ["--column", name]))).succeed();
    let summaries = |dataset: &str, format: &str| {
        let args = ["score", "--format", "json", "--predictions", "predictions.json", "-m", "NQ"];
        let dataset = ["--dataset", dataset, "--dataset-format", format];
        let report = folder.qeval(args.into_iter().chain(dataset)).succeed().json();
        report["evaluations"][0]["summaries"].clone()
    };
    let published = summaries("nq-dev.jsonl", "natural-questions");
    assert_eq!(published.as_array().unwrap().len(), 20);
    assert_eq!(summaries("golden.jsonl", "jsonl"), published);
}

#[test]
fn the_script_prints_json_and_wants_all_ids() {
    let folder = folder();
    let score = |predictions: &str| {
        let args = ["score", "--official", "natural-questions", "--dataset", "nq-dev.jsonl"];
        folder.qeval(args.into_iter().chain(["--predictions", predictions])).run()
    };
    assert_transcript!("official__natural_questions", score("predictions.json"));
    let mut some = predictions();
    let list = some["predictions"].as_array_mut().unwrap();
    let last = list.pop().unwrap();
    folder.write("some.json", some.to_string());
    assert_transcript!("official__natural_questions_missing", score("some.json"));
    let list = some["predictions"].as_array_mut().unwrap();
    list.extend([last, answer(9, None, &[], "NONE", [json!(0), json!(0)])]);
    folder.write("more.json", some.to_string());
    assert_transcript!("official__natural_questions_unknown", score("more.json"));
    let both = predictions().to_string().replacen("\"NONE\"", "\"NO\"", 2);
    folder.write("both.json", both);
    assert_transcript!("official__natural_questions_both", score("both.json"));
    let unsure = predictions().to_string().replacen("\"long_answer_score\"", "\"score\"", 1);
    folder.write("unsure.json", unsure);
    assert_transcript!("official__natural_questions_score", score("unsure.json"));
}

#[test]
fn what_the_script_printed_is_printed_to_the_last_digit() {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).to_owned();
    let path =
        reference::folder().map_or_else(|| own().join("golden"), |given| given.join("golden"));
    let path = path.join("nq_eval.jsonl");
    let folder = Folder::new();
    let records = fs::read_to_string(&path).unwrap_or_else(|e| panic!("`{}`: {e}", path.display()));
    for record in records.lines() {
        let record: Value = serde_json::from_str(record).unwrap();
        let gold = record["input"]["gold"].as_array().unwrap();
        let lines: Vec<String> = gold.iter().map(|example| format!("{example}\n")).collect();
        folder.write("gold.jsonl", lines.concat());
        folder.write("p.json", json!({"predictions": record["input"]["predictions"]}).to_string());
        let args = ["score", "--official", "natural-questions", "--dataset", "gold.jsonl"];
        let output = folder.qeval(args.into_iter().chain(["--predictions", "p.json"])).succeed();
        let members = record["expected"]["metrics"].as_object().unwrap();
        let members = members.iter().map(|(name, value)| format!("\"{name}\": {value}"));
        let expected = members.collect::<Vec<_>>().join(", ");
        assert_eq!(output.stdout, format!("{{{expected}}}\n"), "{}", record["id"]);
    }
}
