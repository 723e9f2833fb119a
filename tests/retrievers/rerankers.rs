//! Rerankers that fail in every way: programs and services. What they score is a run with the right
//! passage of each query behind another one.

use std::fmt::Write as _;

use super::{check, evaluate, folder, server::Server};
use crate::support::Folder;

/// A folder with the run. One query has a passage that is not in the corpus.
fn reranked(ids: &[&str]) -> Folder {
    let folder = folder(&[&["x"], ids].concat());
    let mut run = String::new();
    for id in ids {
        let first = if *id == "unknown" { "nowhere" } else { "p-x" };
        writeln!(run, "{id} Q0 {first} 1 2 t\n{id} Q0 p-{id} 2 1 t").unwrap();
    }
    folder.write("first.run", run);
    folder
}

fn reranker(keys: &str) -> String {
    format!(
        "[[retriever]]\ntype = \"replay\"\nname = \"first\"\npath = \"first.run\"\n\
         [[retriever]]\ntype = \"reranker\"\nname = \"r\"\nof = \"first\"\n{keys}\n"
    )
}

/// Gives the last passage of a query the highest score, except where the id says otherwise.
const RERANK: &str = r#"
while read -r line; do
    id=${line#'{"queries":[{"id":"'}
    id=${id%%'"'*}
    batch=${line##*'"batch":'}
    batch=${batch%'}'}
    scores='[1,2]'
    case $id in
        die) echo "out of memory" >&2; exit 3 ;;
        half) printf '{"sc'; exit 0 ;;
        hang) sleep 1000 ;;
        bare) scores='[1,NaN]' ;;
        nan) scores='[1,"NaN"]' ;;
        null) scores='[1,null]' ;;
        short) scores='[1]' ;;
        long) scores='[1,2,3]' ;;
        number) scores=2 ;;
        few) scores= ;;
        step) batch=99 ;;
    esac
    echo '{"batch":'"$batch"',"scores":['"$scores"']}'
done
"#;

/// What is wrong with answers of either kind, by the query.
const WRONG: [(&str, &str); 6] = [
    ("nan", "value: reranker `r`: passage `p-nan`: the score `\"NaN\"` is not a number"),
    ("null", "value: reranker `r`: passage `p-null`: the score `null` is not a number"),
    ("short", "protocol: reranker `r`: 1 scores for 2 passages"),
    ("long", "protocol: reranker `r`: 3 scores for 2 passages"),
    ("number", "protocol: reranker `r`: the scores of a query are no list"),
    ("few", "reranker `r` does not speak as agreed: `scores` has 0 entries for 1 queries"),
];

/// Passages that are not in the corpus have no text, so nobody can be asked.
const UNKNOWN: (&str, &str) =
    ("unknown", "value: reranker `r`: passage `nowhere` is not in the corpus");

#[test]
fn a_program_that_fails_now_and_then() {
    let folder = reranked(&[
        "a", "die", "b", "half", "c", "hang", "d", "bare", "e", "nan", "null", "short", "long",
        "number", "f", "few", "g", "step", "h", "unknown",
    ]);
    folder.write("rerank.sh", RERANK);
    let keys = "command = [\"sh\", \"rerank.sh\"]\ntimeout_s = 3";
    let (_, outcomes) = evaluate(&folder, &reranker(keys), "");
    let died = "crash: reranker `r` ended with exit code 3; its last line on stderr: `out of \
                memory`";
    let unscored = [
        ("die", died),
        ("half", "crash: reranker `r` ended with exit code 0"),
        ("hang", "timeout: reranker `r` gave no answer within 3 s and was ended"),
        ("bare", "protocol: reranker `r` does not speak as agreed: its line is not JSON"),
        ("step", "it answered batch 99 when asked batch "),
        UNKNOWN,
    ];
    check(&outcomes["r"], &[&unscored[..], &WRONG].concat(), &[("x", 0.0)]);
}

#[test]
fn a_program_that_always_fails_is_given_up() {
    let folder = reranked(&["a", "b", "c", "d", "e", "f"]);
    folder.write("rerank.sh", "exit 7");
    let (_, outcomes) = evaluate(&folder, &reranker("command = [\"sh\", \"rerank.sh\"]"), "");
    let crash = "crash: reranker `r` ended with exit code 7";
    let given_up = "given up: reranker `r` failed 4 times in a row and is not started again";
    let reasons = ["a", "b", "c", "d"].map(|id| (id, crash));
    let reasons = [&reasons[..], &["e", "f"].map(|id| (id, given_up))].concat();
    check(&outcomes["r"], &reasons, &[("x", 0.0)]);
}

#[test]
fn a_service_that_fails_now_and_then() {
    let server = Server::start();
    let folder = reranked(&[
        "a", "die", "b", "half", "c", "broken", "d", "lost", "page", "nan", "null", "short",
        "long", "number", "few", "limited", "flaky", "e", "unknown",
    ]);
    let keys = format!(
        "url = \"{}\"\nretries = 1\nmax_concurrency = 1\nlog = \"calls.jsonl\"\n\
         api_key_env = \"SEARCH_KEY\"",
        server.url
    );
    let (_, outcomes) = evaluate(&folder, &reranker(&keys), "header-secret");
    let unscored = [
        ("die", "/search?...` after 2 requests: "),
        ("half", "/search?...` after 2 requests: "),
        ("broken", "/search?...` after 2 requests: `broken`"),
        ("lost", "refused: reranker `r`: status 404 at `http://127.0.0.1:"),
        ("page", "protocol: reranker `r`: the answer is not JSON at `http://127.0.0.1:"),
        UNKNOWN,
    ];
    check(&outcomes["r"], &[&unscored[..], &WRONG].concat(), &[("x", 0.0)]);

    // What was good is in the log, and what was not is asked for again.
    let before = server.requests.lock().unwrap().len();
    let (_, again) = evaluate(&folder, &reranker(&keys), "header-secret");
    assert_eq!(again["r"].mrr, outcomes["r"].mrr);
    let asked = server.requests.lock().unwrap()[before..].to_vec();
    let mut asked: Vec<&str> = asked.iter().map(|(id, _)| id.as_str()).collect();
    asked.dedup();
    let none = ["die", "half", "broken", "lost", "page"];
    let unusable = ["nan", "null", "short", "long", "number", "few"];
    assert_eq!(asked, [&none[..], &unusable].concat());
}

#[test]
fn a_service_that_hangs() {
    let server = Server::start();
    let folder = reranked(&["a", "hang", "b"]);
    let keys = format!("url = \"{}\"\nretries = 0\ntimeout_s = 2", server.url);
    let (_, outcomes) = evaluate(&folder, &reranker(&keys), "");
    let hangs = ("hang", "timeout: reranker `r`: no answer in time at ");
    check(&outcomes["r"], &[hangs], &[("x", 0.0)]);
}

#[test]
fn what_the_first_retriever_failed_on_is_not_scored() {
    let server = Server::start();
    let folder = folder(&["a", "twice", "nan", "b"]);
    let url = &server.url;
    let retrievers = format!(
        "[[retriever]]\ntype = \"http\"\nname = \"first\"\nurl = \"{url}\"\nbatch = 1\n\
         [[retriever]]\ntype = \"reranker\"\nname = \"r\"\nof = \"first\"\nurl = \"{url}\"\n"
    );
    let (_, outcomes) = evaluate(&folder, &retrievers, "");
    let failed = [
        ("twice", "value: retriever `first`: passage `p-twice` is among the hits twice"),
        ("nan", "value: retriever `first`: passage `p-nan`: the score `\"NaN\"` is not a number"),
    ];
    check(&outcomes["r"], &failed, &[]);
    assert_eq!(server.requests.lock().unwrap().len(), 4 + 2);
}
