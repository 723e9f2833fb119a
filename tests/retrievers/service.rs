//! Services that search.

use std::{fs, net::TcpListener, path::Path, thread, time::Duration};

use super::{check, evaluate, folder, server::Server};

fn http(url: &str, keys: &str) -> String {
    format!(
        "[retriever]\ntype = \"http\"\nname = \"r\"\nurl = \"{url}\"\nbatch = 1\nretries = 1\n{keys}\n"
    )
}

#[test]
fn a_service_that_fails_now_and_then() {
    let server = Server::start();
    let folder = folder(&[
        "a", "die", "b", "half", "c", "broken", "d", "lost", "key", "page", "moved", "few", "nan",
        "null", "twice", "unknown", "limited", "flaky", "slow", "e",
    ]);
    let keys = "api_key_env = \"SEARCH_KEY\"\nmax_concurrency = 1\nlog = \"calls.jsonl\"";
    let (output, outcomes) = evaluate(&folder, &http(&server.url, keys), "header-secret");
    let again = "/search?...` after 2 requests: ";
    let unscored = [
        ("die", again),
        ("half", again),
        ("broken", "/search?...` after 2 requests: `broken`"),
        ("lost", "refused: retriever `r`: status 404 at `http://127.0.0.1:"),
        ("key", "/search?...`: `wrong key `[secret]``"),
        ("page", "protocol: retriever `r`: the answer is not JSON at `http://127.0.0.1:"),
        ("moved", "refused: retriever `r`: status 302"),
        ("few", "does not speak as agreed: `hits` has 0 entries for 1 queries"),
        ("nan", "value: retriever `r`: passage `p-nan`: the score `\"NaN\"` is not a number"),
        ("null", "value: retriever `r`: passage `p-null`: the score `null` is not a number"),
        ("twice", "value: retriever `r`: passage `p-twice` is among the hits twice"),
    ];
    check(&outcomes["r"], &unscored, &[("unknown", 0.5)]);
    for id in ["die", "half"] {
        assert!(outcomes["r"].reasons[id].starts_with("cut off: "), "{id}");
    }
    assert_eq!(server.asked("a"), 1);
    assert!(
        server
            .requests
            .lock()
            .unwrap()
            .iter()
            .all(|(_, head)| { head.contains("authorization: bearer header-secret\r\n") })
    );

    // A second run asks again what was no answer, and nothing else.
    let before = server.requests.lock().unwrap().len();
    let (_, again) = evaluate(&folder, &http(&server.url, keys), "header-secret");
    assert_eq!(again["r"].mrr, outcomes["r"].mrr);
    let asked = server.requests.lock().unwrap()[before..].to_vec();
    let mut asked: Vec<&str> = asked.iter().map(|(id, _)| id.as_str()).collect();
    asked.dedup();
    let unusable = ["nan", "null", "twice"];
    let none = ["die", "half", "broken", "lost", "key", "page", "moved", "few"];
    assert_eq!(asked, [&none[..], &unusable].concat());

    let mut files = 0;
    let config = folder.path("e.toml");
    no_secret(&folder.path("."), &config, &mut files);
    assert!(files > 5, "{files}");
    assert!(!output.stderr.contains("header-secret") && !output.stdout.contains("header-secret"));
}

/// Looks through all files but the config, which has the address as its owner has written it.
fn no_secret(folder: &Path, config: &Path, files: &mut usize) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            no_secret(&path, config, files);
        } else if path.canonicalize().unwrap() != config {
            *files += 1;
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            for secret in ["header-secret", "query-secret"] {
                assert!(!text.contains(secret), "{}", path.display());
            }
        }
    }
}

#[test]
fn a_service_that_hangs() {
    let server = Server::start();
    let folder = folder(&["a", "hang", "b"]);
    let config = http(&server.url, "timeout_s = 2").replace("retries = 1", "retries = 0");
    let (_, outcomes) = evaluate(&folder, &config, "");
    check(&outcomes["r"], &[("hang", "timeout: retriever `r`: no answer in time at ")], &[]);
}

#[test]
fn a_service_that_starts_slowly() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let folder = folder(&["a", "b"]);
    let late = thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        Server::on(TcpListener::bind(address).unwrap())
    });
    let config = http(&format!("http://{address}/"), "").replace("retries = 1", "retries = 9");
    let (_, outcomes) = evaluate(&folder, &config, "");
    check(&outcomes["r"], &[], &[]);
    assert_eq!(late.join().unwrap().asked("a"), 1);
}

#[test]
fn a_service_that_is_not_there_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let folder = folder(&["a", "b", "c", "d", "e", "f"]);
    let config = http(&format!("http://{address}/"), "max_concurrency = 1");
    let config = config.replace("retries = 1", "retries = 0");
    let (_, outcomes) = evaluate(&folder, &config, "");
    let crash = "unreachable: retriever `r`: no connection at ";
    let given_up = "given up: retriever `r`: given up at ";
    let reasons = ["a", "b", "c", "d"].map(|id| (id, crash));
    let reasons = [&reasons[..], &["e", "f"].map(|id| (id, given_up))].concat();
    check(&outcomes["r"], &reasons, &[]);
}

#[test]
fn a_budget_is_kept() {
    let server = Server::start();
    let folder = folder(&["a", "b", "c", "d"]);
    let keys = "max_concurrency = 1\nbudget = { calls = 3 }";
    let (_, outcomes) = evaluate(&folder, &http(&server.url, keys), "");
    check(&outcomes["r"], &[("d", "the budget of 3 requests is spent")], &[]);
    assert_eq!(server.requests.lock().unwrap().len(), 3);
}

#[test]
fn queries_are_sent_in_batches_side_by_side() {
    let server = Server::start();
    let ids: Vec<String> = (0..600).map(|number| format!("q{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let folder = folder(&ids);
    let config = http(&server.url, "").replace("batch = 1", "batch = 100");
    let (_, outcomes) = evaluate(&folder, &config, "");
    // 256 queries at a time, of which the service gets 100: 100, 100, 56, 100, 100, 56, 88.
    let found = outcomes["r"].mrr.values().filter(|score| **score == Some(1.0)).count();
    assert_eq!((server.requests.lock().unwrap().len(), found), (7, 7));
}
