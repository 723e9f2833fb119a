//! Dialogs that are asked with the reader's own answers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{BASE, check, evaluate, folder, server::Server};
use crate::support::Folder;

const FIELDS: &str = "path = \"golden.jsonl\"\nfields = { context = \"text\", group = \"dialog\", \
                      turn = \"turn\", history = \"before\" }";

/// A folder with these turns: their dialog, their number, their question, which is the id.
fn turns(turns: &[(&str, u32, &str)]) -> Folder {
    let ids: Vec<&str> = turns.iter().map(|turn| turn.2).collect();
    let folder = folder(&ids);
    let mut lines = String::new();
    for (dialog, turn, id) in turns {
        let line = json!({
            "id": id, "question": format!("{id}?"), "references": ["right"], "dialog": dialog,
            "turn": turn, "text": "In the text.",
            "before": [{"question": "gold?", "answer": "gold"}],
        });
        let _ = writeln!(lines, "{line}");
    }
    folder.write("golden.jsonl", lines);
    folder
}

fn http(server: &Server, keys: &str) -> String {
    format!(
        "[reader]\ntype = \"http\"\nname = \"r\"\nurl = \"{}/answer\"\nretries = 0\n{keys}",
        server.url
    )
}

/// What a config is, with both stages and dialogs.
fn config(reader: &str) -> String {
    let base = BASE.replace("path = \"golden.jsonl\"", FIELDS);
    base.replace("[\"integrated\"]", "[\"isolated\", \"integrated\"]") + reader
}

/// The histories that a question was asked with, each with the text that was shown with it.
fn histories(server: &Server, id: &str) -> Vec<(String, Value)> {
    let requests = server.requests.lock().unwrap();
    let of_id = requests.iter().filter(|(asked, ..)| asked == id);
    let text = |body: &Value| body["passages"][0]["text"].as_str().unwrap().to_owned();
    let mut found: Vec<(String, Value)> =
        of_id.map(|(.., body)| (text(body), body["history"].clone())).collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

#[test]
fn later_turns_are_told_the_answers_of_the_reader() {
    let server = Server::start();
    // The turns of two dialogs in turn, one of which fails, and a question of no dialog's second turn.
    let folder = turns(&[
        ("a", 0, "say1"),
        ("b", 0, "b1"),
        ("a", 1, "broken"),
        ("b", 1, "say2"),
        ("a", 2, "a3"),
        ("b", 7, "b3"),
    ]);
    folder.write("e.toml", config(&http(&server, "history = \"own\"\n")));
    folder.qeval(["run", "e.toml"]).succeed();
    let told = |pairs: &[(&str, &str)]| -> Value {
        pairs
            .iter()
            .map(|(question, answer)| json!({"question": question, "answer": answer}))
            .collect()
    };
    for id in ["say1", "b1"] {
        assert!(histories(&server, id).iter().all(|(_, told)| *told == json!([])), "{id}");
    }
    // What the reader said on the gold text is told on the gold text alone; a turn that failed is not.
    for id in ["broken", "a3"] {
        for (shown, history) in histories(&server, id) {
            assert_eq!(history, told(&[("say1?", &shown)]), "{id}");
        }
    }
    let found = histories(&server, "b3");
    let shown: Vec<&str> = found.iter().map(|(shown, _)| shown.as_str()).collect();
    assert_eq!(shown, ["In the text.", "It is right."]);
    for (shown, history) in &found {
        assert_eq!(*history, told(&[("b1?", "right"), ("say2?", shown)]));
    }

    // What was answered is not asked again: the dialogs are the same ones. The failure is.
    let before = server.count();
    assert_eq!(before, 12);
    folder.qeval(["run", "e.toml", "--set", "evaluation.label=\"again\""]).succeed();
    assert_eq!((server.count(), server.asked("broken")), (14, 4));
    // With the answers of the dataset every question is another one.
    folder.write("e.toml", config(&http(&server, "history = \"gold\"\n")));
    folder.qeval(["run", "e.toml"]).succeed();
    assert_eq!(server.count(), 14 + 12);
    let (_, last) = histories(&server, "a3").pop().unwrap();
    assert_eq!(last, told(&[("gold?", "gold")]));
}

#[test]
fn a_dialog_may_be_longer_than_a_batch() {
    let server = Server::start();
    let ids: Vec<String> = (1000..1300).map(|number| format!("q{number}")).collect();
    let mut all: Vec<(&str, u32, &str)> = vec![("d", 0, "first")];
    all.extend(ids.iter().map(|id| (id.as_str(), 0, id.as_str())));
    all.push(("d", 1, "last"));
    let folder = turns(&all);
    let reader = http(&server, "history = \"own\"\nmax_concurrency = 16\n");
    folder.write("e.toml", BASE.replace("path = \"golden.jsonl\"", FIELDS) + &reader);
    folder.qeval(["run", "e.toml"]).succeed();
    let (_, told) = histories(&server, "last").pop().unwrap();
    assert_eq!(told, json!([{"question": "first?", "answer": "right"}]));
}

#[test]
fn several_systems_have_dialogs_of_their_own() {
    let server = Server::start();
    let folder = turns(&[("a", 0, "say1"), ("a", 1, "a2")]);
    folder.write("other.txt", "say1 Q0 o 1 1.0 r\na2 Q0 o 1 1.0 r\n");
    folder.write(
        "passages.jsonl",
        "{\"id\": \"p\", \"text\": \"One.\"}\n{\"id\": \"o\", \"text\": \"Other.\"}\n",
    );
    let base = BASE.replace("path = \"golden.jsonl\"", FIELDS).replace(
        "[retriever]\ntype = \"replay\"\npath = \"run.txt\"\n",
        "[[retriever]]\nname = \"one\"\ntype = \"replay\"\npath = \"run.txt\"\n\
         [[retriever]]\nname = \"other\"\ntype = \"replay\"\npath = \"other.txt\"\n",
    );
    folder.write("e.toml", base + &http(&server, "history = \"own\"\n"));
    folder.qeval(["run", "e.toml"]).succeed();
    let told = |text: &str| json!([{"question": "say1?", "answer": text}]);
    let expected = ["One.", "Other."].map(|text| (text.to_owned(), told(text)));
    assert_eq!(histories(&server, "a2"), expected);
}

#[test]
fn turns_that_stand_in_no_order_are_an_error() {
    let server = Server::start();
    let folder = turns(&[("a", 0, "a1"), ("a", 2, "a3"), ("b", 0, "b1"), ("a", 1, "a2")]);
    folder.write("e.toml", config(&http(&server, "history = \"own\"\n")));
    let stderr = folder.qeval(["run", "e.toml"]).ends_with(1).stderr;
    let expected = "turn 1 of the dialog `a` (example `a2`) stands behind its turn 2, but with `history = \
                    \"own\"` a reader is asked in the order of the dataset";
    assert!(stderr.contains(expected), "{stderr}");
    assert!(stderr.contains("hint: sort the turns of each dialog"), "{stderr}");
    assert!(folder.evaluations("results").is_empty());
    // The answers of the dataset stand beside each turn.
    folder.write("e.toml", config(&http(&server, "")));
    folder.qeval(["run", "e.toml"]).succeed();
}

#[test]
fn a_model_needs_a_place_for_the_history() {
    let server = Server::start();
    let folder = turns(&[("a", 0, "a1"), ("a", 1, "a2")]);
    let openai = |keys: &str| {
        format!(
            "[reader]\ntype = \"openai\"\nurl = \"{}/v1\"\nmodel = \"m\"\nname = \"r\"\n{keys}\n",
            server.url
        )
    };
    for (keys, message) in [
        ("prompt = \"{question}\"\nhistory = \"own\"", "`history` has no effect: no message has"),
        ("prompt = \"{history}{question}\"\nhistory = \"mine\"", "`history` is `mine`, expected"),
    ] {
        folder.write("e.toml", config(&openai(keys)));
        let stderr = folder.qeval(["check", "e.toml"]).ends_with(2).stderr;
        assert!(stderr.contains(message), "{stderr}");
    }
    folder.write("e.toml", BASE.replace("path = \"golden.jsonl\"", FIELDS));
    let reader = openai("prompt = \"{question}\\n{history}\"\nhistory = \"own\"");
    let config = BASE.replace("path = \"golden.jsonl\"", FIELDS) + &reader;
    folder.write("e.toml", config);
    folder.qeval(["run", "e.toml"]).succeed();
    let requests = server.requests.lock().unwrap();
    let asked: Vec<&str> = requests
        .iter()
        .map(|(.., body)| body["messages"][0]["content"].as_str().unwrap())
        .collect();
    assert_eq!(asked, ["a1?\n", "a2?\nQuestion: a1?\nAnswer: right"]);
    drop(requests);
    let folder = super::folder(&["a"]);
    // Without dialogs nothing is told.
    let (_, outcomes) = evaluate(&folder, &http(&server, "history = \"own\"\n"));
    check(&outcomes, &[]);
}
