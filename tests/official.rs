//! `qeval score --official`: what the field's scripts print.

use crate::support::{Folder, assert_transcript};

const SQUAD: &str = r#"{"version": "v2.0", "data": [{"title": "t", "paragraphs": [{"context": "Ada wrote it in 1843.", "qas": [
  {"id": "who", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}], "is_impossible": false},
  {"id": "when", "question": "When?", "answers": [{"text": "in 1843", "answer_start": 13}, {"text": "1843", "answer_start": 16}], "is_impossible": false},
  {"id": "why", "question": "Why?", "answers": [], "is_impossible": true}]}]}]}"#;

fn score(
    folder: &Folder,
    script: &str,
    dataset: &str,
    predictions: &str,
) -> crate::support::Output {
    let args = ["score", "--official", script, "--dataset", dataset, "--predictions", predictions];
    folder.qeval(args).run()
}

#[test]
fn squad_prints_its_two_kinds_of_json() {
    let folder = Folder::new();
    folder.write("squad.json", SQUAD);
    folder.write("all.json", r#"{"who": "Ada Lovelace", "when": "1843", "why": "for fun"}"#);
    assert_transcript!("official__squad2", score(&folder, "squad2", "squad.json", "all.json"));

    // The scripts differ: one goes on without a prediction, and neither can do what it cannot do.
    folder.write("some.json", r#"{"who": "Ada", "why": ""}"#);
    assert_transcript!(
        "official__squad2_missing",
        score(&folder, "squad2", "squad.json", "some.json")
    );
    assert_transcript!(
        "official__squad1_no_answer",
        score(&folder, "squad1", "squad.json", "all.json")
    );
    let answered = SQUAD.replace("\"answers\": [],", "\"answers\": [{\"text\": \"fun\"}],");
    folder.write("squad1.json", answered);
    assert_transcript!("official__squad1", score(&folder, "squad1", "squad1.json", "some.json"));
}

#[test]
fn quac_prints_its_summary() {
    let folder = Folder::new();
    let answers = |texts: &[&str]| {
        let texts: Vec<String> =
            texts.iter().map(|t| format!("{{\"text\": \"{t}\", \"answer_start\": 0}}")).collect();
        texts.join(", ")
    };
    let turn = |id: &str, texts: &[&str]| {
        format!(
            "{{\"id\": \"{id}\", \"question\": \"?\", \"yesno\": \"x\", \"followup\": \"y\", \
             \"answers\": [{}], \"orig_answer\": {{\"text\": \"{}\", \"answer_start\": 0}}}}",
            answers(texts),
            texts[0]
        )
    };
    let dialog = |id: &str, turns: &[String]| {
        format!(
            "{{\"context\": \"the blue bird sang CANNOTANSWER\", \"id\": \"{id}\", \"qas\": [{}]}}",
            turns.join(", ")
        )
    };
    let dialogs = [
        dialog("d1", &[turn("d1_q#0", &["blue bird", "blue"]), turn("d1_q#1", &["CANNOTANSWER"])]),
        dialog("d2", &[turn("d2_q#0", &["sang", "the bird"]), turn("d2_q#1", &["blue"])]),
    ];
    folder.write(
        "quac.json",
        format!("{{\"data\": [{{\"title\": \"t\", \"paragraphs\": [{}]}}]}}", dialogs.join(", ")),
    );
    let line = |qid: &[&str], spans: &[&str], yesno: &[&str]| {
        let followup = vec!["y"; qid.len()];
        serde_json::json!({"qid": qid, "best_span_str": spans, "yesno": yesno, "followup": followup})
            .to_string()
    };
    let first = line(&["d1_q#0", "d1_q#1"], &["blue bird", "CANNOTANSWER"], &["x", "y"]);
    let second = line(&["d2_q#0"], &["sang"], &["x"]);
    folder.write("model.json", format!("{first}\n{second}\n"));
    assert_transcript!("official__quac", score(&folder, "quac", "quac.json", "model.json"));
}

#[test]
fn other_scripts_are_refused() {
    let folder = Folder::new();
    assert_transcript!("official__unknown", score(&folder, "squda2", "a.json", "b.json"));
    assert_transcript!("official__missing_file", score(&folder, "squad2", "a.json", "b.json"));
}
