//! The reader `http`.

use serde_json::json;

use super::{check, evaluate, folder, server::Server};

fn http(url: &str, keys: &str) -> String {
    format!(
        "[reader]\ntype = \"http\"\nname = \"r\"\nurl = \"{url}/answer\"\nretries = 1\n\
         timeout_s = 2\nmax_concurrency = 1\n{keys}"
    )
}

#[test]
fn a_service_that_fails_now_and_then() {
    let server = Server::start();
    let folder = folder(&[
        "a",
        "die",
        "b",
        "half",
        "c",
        "broken",
        "d",
        "slow",
        "e",
        "key",
        "truncated",
        "other",
        "form",
        "list",
        "none",
        "limited",
        "busy",
        "f",
    ]);
    let keys = "api_key_env = \"READER_KEY\"\n";
    let (output, mut outcomes) = evaluate(&folder, &http(&server.url, keys));
    let none = outcomes.remove("none").unwrap();
    assert_eq!((none.em, none.reason), (Some(0.0), None));
    let unscored = [
        ("die", "cut off: reader `r`: the answer was cut off at `http://127.0.0.1:"),
        ("half", "/answer` after 2 requests: "),
        ("broken", "/answer` after 2 requests: `broken`"),
        ("slow", "timeout: reader `r`: no answer in time at "),
        ("key", "refused: reader `r`: status 401 at `http://127.0.0.1:"),
        ("truncated", "protocol: reader `r`: the answer is not JSON at "),
        ("other", "protocol: reader `r` does not speak as agreed: it answered `\"b\"` when asked"),
        (
            "form",
            "protocol: reader `r` answered `{\"answer\":\"right\"}`: missing field `prediction`",
        ),
        ("list", "protocol: reader `r` answered `[1]`: "),
    ];
    check(&outcomes, &unscored);
    assert_eq!(outcomes["a"].tokens, (Some(12), Some(3)));
    for id in ["die", "half", "broken", "slow", "limited", "busy"] {
        assert_eq!(server.asked(id), 2, "{id}");
    }
    for id in ["a", "b", "key", "truncated", "other", "form", "list", "none"] {
        assert_eq!(server.asked(id), 1, "{id}");
    }
    let (_, head, body) = server.requests.lock().unwrap()[0].clone();
    assert!(head.contains("authorization: bearer header-secret\r\n"), "{head}");
    let passage = json!({"id": "p", "title": "T", "text": "It is right."});
    let expected = json!({
        "id": "a", "question": "a?", "context": null, "history": [], "passages": [passage],
    });
    assert_eq!(body, expected);
    assert!(!output.stderr.contains("header-secret") && !output.stdout.contains("header-secret"));
}

#[test]
fn a_second_run_asks_only_what_failed() {
    let server = Server::start();
    let folder = folder(&["a", "form", "b"]);
    let (_, first) = evaluate(&folder, &http(&server.url, ""));
    assert_eq!(server.count(), 3);
    let (_, second) = evaluate(&folder, &http(&server.url, ""));
    // What could not be read is asked for again, and nothing else.
    assert_eq!((server.count(), server.asked("form")), (4, 2));
    for id in ["a", "b"] {
        assert_eq!(first[id].latency_ms, second[id].latency_ms);
        assert_eq!(second[id].tokens, (Some(12), Some(3)));
    }
}
