//! What an evaluation was made of stands in its manifest, and a program that changes is another one.

use std::fs;

use serde_json::{Value, json};

use crate::support::Folder;

const CONFIG: &str = r#"version = 1
[evaluation]
label = "e"
[dataset]
format = "jsonl"
path = "${DATA}/golden.jsonl"
qrels = "qrels.txt"
[corpus]
format = "jsonl"
path = "passages.jsonl"
[retriever]
type = "bm25"
index = "index"
[reader]
type = "command"
name = "mine"
command = ["sh", "reader.sh", "--quick", "weights"]
environment = ["READER_HOME"]
[metrics]
answer = ["EM"]
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder
        .write("golden.jsonl", "{\"id\": \"a\", \"question\": \"x?\", \"references\": [\"x\"]}\n");
    folder.write("qrels.txt", "a 0 p 1\n");
    folder.write("passages.jsonl", "{\"id\": \"p\", \"text\": \"x y\"}\n");
    folder.write("reader.sh", "while read line; do echo '{\"prediction\": \"x\"}'; done\n");
    folder.write("weights", "1 2 3");
    folder.write("e.toml", CONFIG);
    folder
}

/// Runs the file and gives the manifests of all evaluations.
#[track_caller]
fn manifests(folder: &Folder) -> Vec<Value> {
    let run = folder.qeval(["run", "e.toml"]).env("DATA", ".");
    run.env("READER_HOME", "a-secret-place").succeed();
    let read = |folder: std::path::PathBuf| {
        let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
        assert!(!text.contains("a-secret-place"));
        serde_json::from_str(&text).unwrap()
    };
    folder.evaluations("results").into_iter().map(read).collect()
}

fn sha256(folder: &Folder, name: &str) -> String {
    qeval_dataset::digest(&folder.path(name)).unwrap()
}

#[test]
fn all_that_an_evaluation_was_made_of_is_recorded() {
    let folder = folder();
    let [manifest] = &manifests(&folder)[..] else { panic!("one evaluation") };
    let found = &manifest["fingerprints"];
    assert_eq!(found["plan"], manifest["plan_digest"]);
    assert_eq!(found["datasets"], json!({"golden": sha256(&folder, "golden.jsonl")}));
    assert_eq!(found["judgments"], json!({"golden": sha256(&folder, "qrels.txt")}));
    assert_eq!(found["corpus"], manifest["corpus"]["digest"]);
    assert_eq!(found["indexes"]["bm25"].as_str().unwrap().len(), 64);
    let files =
        json!({"reader.sh": sha256(&folder, "reader.sh"), "weights": sha256(&folder, "weights")});
    assert_eq!(found["programs"], json!({"mine": files}));
    let environment = &found["environment"];
    assert_eq!(environment["variables"], json!(["DATA", "READER_HOME"]));
    assert_eq!(environment["build"], "debug");
    assert!(environment["threads"].as_u64().unwrap() > 0);
}

#[test]
fn a_program_that_changes_is_another_one() {
    let folder = folder();
    let first = manifests(&folder).len();
    assert_eq!((first, manifests(&folder).len()), (1, 1));
    folder.write("reader.sh", "while read line; do echo '{\"prediction\": \"y\"}'; done\n");
    assert_eq!(manifests(&folder).len(), 2);
    fs::remove_file(folder.path("weights")).unwrap();
    assert_eq!(manifests(&folder).len(), 3);
}

#[test]
fn models_and_prompts_are_recorded() {
    // Nobody listens: what was asked is known all the same.
    let folder = folder();
    let start = CONFIG.find("[reader]").unwrap();
    let end = CONFIG.find("[metrics]").unwrap();
    let reader = "[reader]\ntype = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m-7\"\n\
                  prompt = \"{question} {passages}\"\nretries = 0\napi_key_env = \"READER_HOME\"\n";
    folder.write("e.toml", [&CONFIG[..start], reader, &CONFIG[end..]].concat());
    let first = manifests(&folder).remove(0);
    let prompt = |manifest: &Value| manifest["fingerprints"]["prompts"]["openai"].clone();
    assert_eq!(first["fingerprints"]["models"], json!({"openai": "m-7"}));
    assert_eq!(first["fingerprints"]["environment"]["variables"], json!(["DATA", "READER_HOME"]));
    assert_eq!(prompt(&first).as_str().unwrap().len(), 64);
    fs::remove_dir_all(folder.path("results")).unwrap();
    let config = fs::read_to_string(folder.path("e.toml")).unwrap();
    folder.write("e.toml", config.replace("{question} {", "{question}\\n{"));
    assert_ne!(prompt(&manifests(&folder).remove(0)), prompt(&first));
}
