//! What answers take is summed up, and the report says it.

use serde_json::{Value, json};

use super::{BASE, folder, server::Server};

const READER: &str = "name = \"r\"\nretries = 0\nmax_concurrency = 1\n\
                      price = { input = 100.0, output = 200.0, currency = \"EUR\" }\n";

/// Runs a config in both stages; its report as text, and what its JSON says of the usage.
fn usage(server: &Server, ids: &[&str], stages: &str) -> (String, Vec<Value>) {
    let folder = folder(ids);
    let reader = format!("[reader]\ntype = \"http\"\nurl = \"{}/answer\"\n{READER}", server.url);
    let base = BASE.replace("stages = [\"integrated\"]", stages).replace(
        "path = \"golden.jsonl\"",
        "path = \"golden.jsonl\"\nfields = { context = \"question\" }",
    );
    folder.write("e.toml", format!("{base}{reader}"));
    // The first two are asked by a run of their own.
    folder.qeval(["run", "e.toml", "--limit", "2", "--set", "evaluation.label=\"part\""]).succeed();
    let text = folder.qeval(["run", "e.toml"]).succeed().stdout;
    let report = folder.qeval(["report", "e", "--format", "json"]).succeed().json();
    (text, report["evaluations"][0]["usage"].as_array().unwrap().clone())
}

#[test]
fn answers_are_summed_up_by_stage() {
    let server = Server::start();
    // One names its time and cost itself, and no tokens; one fails.
    let ids = ["a", "b", "itself", "form", "c"];
    let (text, usage) = usage(&server, &ids, "stages = [\"isolated\", \"integrated\"]");
    assert_eq!(usage.len(), 2);
    for (usage, stage) in usage.iter().zip(["integrated", "isolated"]) {
        assert_eq!((&usage["reader"], &usage["stage"]), (&json!("r"), &json!(stage)));
        assert_eq!((&usage["answers"], &usage["replayed"]), (&json!(4), &json!(2)), "{usage}");
        assert_eq!(usage["tokens_in"], json!({"n": 3, "sum": 36}));
        assert_eq!(usage["tokens_out"], json!({"n": 3, "sum": 9}));
        let cost = &usage["cost"];
        assert_eq!((&cost["n"], &cost["currency"]), (&json!(4), &json!("EUR")));
        assert!((cost["sum"].as_f64().unwrap() - 0.2554).abs() < 1e-12, "{cost}");
        let latency = &usage["latency_ms"];
        let percentile = |name: &str| latency[name].as_f64().unwrap();
        assert_eq!(latency["n"], 4);
        assert!(percentile("p50") > 0.0 && percentile("p50") <= percentile("p90"), "{latency}");
        assert!(percentile("p99") >= 7.0 || percentile("p99") >= percentile("p90"), "{latency}");
    }
    let lines: Vec<&str> =
        text.lines().skip_while(|line| *line != "what the answers took").take(4).collect();
    let words: Vec<Vec<&str>> = lines.iter().map(|l| l.split_whitespace().collect()).collect();
    for (line, stage) in words[2..].iter().zip(["integrated", "isolated"]) {
        assert_eq!(line[..5], ["r", "·", stage, "4", "2"], "{text}");
        assert_eq!(line[8..], ["36", "9", "0.255400", "EUR"], "{text}");
    }
}

#[test]
fn where_nothing_is_measured_nothing_is_said() {
    let folder = folder(&["a"]);
    folder.write("answers.jsonl", "{\"id\": \"a\", \"prediction\": \"right\"}\n");
    let reader = "[reader]\ntype = \"replay\"\npath = \"answers.jsonl\"\n";
    folder.write("e.toml", format!("{BASE}{reader}"));
    let text = folder.qeval(["run", "e.toml"]).succeed().stdout;
    assert!(!text.contains("what the answers took"), "{text}");
    let report = folder.qeval(["report", "e", "--format", "json"]).succeed().json();
    assert_eq!(report["evaluations"][0]["usage"], json!([]));
}
