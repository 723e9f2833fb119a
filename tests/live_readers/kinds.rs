//! Each failure of a reader is stored and counted with its kind.

use std::net::TcpListener;

use serde_json::Value;

use super::{evaluate, folder, server::Server};

fn http(url: &str, keys: &str) -> String {
    format!(
        "[reader]\ntype = \"http\"\nname = \"r\"\nurl = \"{url}\"\nretries = 0\ntimeout_s = 2\n\
         max_concurrency = 1\n{keys}"
    )
}

/// The kind of each example that is unscored, and the counts of the report.
#[track_caller]
fn kinds(ids: &[&str], reader: &str) -> (Vec<(String, String)>, Value) {
    let folder = folder(ids);
    let (output, outcomes) = evaluate(&folder, reader);
    let stored = outcomes.into_iter().filter_map(|(id, outcome)| Some((id, outcome.kind?)));
    let report = folder.qeval(["report", "e", "--format", "json"]).succeed().json();
    let counts = report["evaluations"][0]["failures"].clone();
    for count in counts.as_array().unwrap() {
        let shown = format!("  failed: {}: ", count["kind"].as_str().unwrap());
        assert!(output.stdout.contains(&shown), "{shown}: {}", output.stdout);
    }
    (stored.collect(), counts)
}

#[track_caller]
fn check(ids: &[&str], reader: &str, expected: &[(&str, &str)]) -> Value {
    let (stored, counts) = kinds(ids, reader);
    let stored: Vec<(&str, &str)> = stored.iter().map(|(id, kind)| (&**id, &**kind)).collect();
    assert_eq!(stored, expected);
    for count in counts.as_array().unwrap() {
        let of_kind = stored.iter().filter(|(_, kind)| count["kind"] == *kind).count();
        assert_eq!(count["n"], of_kind, "{count}");
        assert_eq!((&count["metric"], &count["stage"]), (&"EM".into(), &"integrated".into()));
    }
    counts
}

#[test]
fn what_a_service_does_has_a_kind() {
    let server = Server::start();
    let reader = http(&format!("{}/answer", server.url), "");
    let ids = ["a", "broken", "die", "half", "key", "list", "slow", "throttled", "throttled2"];
    let counts = check(
        &ids,
        &reader,
        &[
            ("broken", "server error"),
            ("die", "cut off"),
            ("half", "cut off"),
            ("key", "refused"),
            ("list", "protocol"),
            ("slow", "timeout"),
            ("throttled", "rate limited"),
            ("throttled2", "rate limited"),
        ],
    );
    let kinds: Vec<&str> =
        counts.as_array().unwrap().iter().map(|count| count["kind"].as_str().unwrap()).collect();
    let expected = ["cut off", "rate limited", "protocol", "refused", "server error", "timeout"];
    assert_eq!(kinds, expected);
}

#[test]
fn what_is_not_asked_has_a_kind() {
    let server = Server::start();
    let reader = http(&format!("{}/answer", server.url), "budget = { calls = 2 }\n");
    check(&["a", "b", "c", "d"], &reader, &[("c", "budget spent"), ("d", "budget spent")]);
    assert_eq!(server.count(), 2);

    // Nobody listens at a port that was free a moment ago.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ids: Vec<String> = (10..50).map(|number| format!("q{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (stored, _) = kinds(&ids, &http(&format!("http://{free}/"), ""));
    assert_eq!(stored.len(), ids.len());
    assert_eq!(stored[0].1, "unreachable");
    assert_eq!(stored[39].1, "given up");
}
