//! What `qeval check` warns of: data that would make the numbers mean something else.

use crate::support::{Folder, assert_transcript};

/// Each line has one fault.
const GOLDEN: &str = r#"{"id": "nothing", "question": "Which word?", "references": ["the"]}
{"id": "echo", "question": "Who?", "references": ["Who?"]}
{"id": "elsewhere", "question": "Where?", "references": ["Rome"], "context": "It is in Paris."}
{"id": "offset", "question": "Which town?", "references": [{"text": "Paris", "answer_start": 3}], "context": "It is in Paris."}
{"id": "twice", "question": "Who?", "references": ["Ada"]}
{"id": "blanks", "question": "When? ", "references": [" 1815"]}
{"id": "composed", "question": "Which city?", "references": ["Zürich"]}
{"id": "decomposed", "question": "And which canton?", "references": ["Zürich"]}
"#;

const CONFIG: &str = r#"version = 1
[dataset]
format = "jsonl"
path = "golden.jsonl"
fields = { context = "context" }
[reader]
type = "replay"
path = "answers.json"
[metrics]
answer = ["EM", "F1"]
"#;

#[test]
fn faults_of_the_data_are_warned_of() {
    let folder = Folder::new();
    let decomposed = GOLDEN.replace(
        "canton?\", \"references\": [\"Zürich",
        "canton?\", \"references\": [\"Zu\u{308}rich",
    );
    let with_context = decomposed.lines().map(|line| {
        if line.contains("context") {
            line.to_owned()
        } else {
            line.replace('}', ", \"context\": null}")
        }
    });
    folder.write("golden.jsonl", with_context.collect::<Vec<_>>().join("\n"));
    folder.write("answers.json", r#"{"echo": "nobody", "offset": " x", "unknown": "Paris"}"#);
    folder.write("lint.toml", CONFIG);
    assert_transcript!("lint__warnings", folder.qeval(["check", "lint.toml"]).run());
    let strict = folder.qeval(["check", "--strict", "lint.toml"]).ends_with(2);
    assert!(strict.stderr.contains("listed above as warnings"), "{}", strict.stderr);
}

#[test]
fn good_data_pass_strictly() {
    let folder = Folder::new();
    folder.config("domains.toml");
    folder.qeval(["check", "--strict", "domains.toml"]).succeed();
}
