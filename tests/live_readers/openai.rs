//! The reader `openai`.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{BASE, check, evaluate, folder, server::Server};

fn openai(url: &str, keys: &str) -> String {
    format!(
        "[reader]\ntype = \"openai\"\nname = \"r\"\nurl = \"{url}/v1\"\nmodel = \"m\"\n\
         retries = 1\ntimeout_s = 2\nmax_concurrency = 1\n{keys}"
    )
}

const PROMPT: &str = "system = \"Answer {{briefly}}.\"\nprompt = \"{question}\\n{passages}\"\n";

#[test]
fn an_endpoint_that_fails_now_and_then() {
    let server = Server::start();
    let folder = folder(&[
        "a",
        "die",
        "half",
        "page",
        "throttled",
        "b",
        "c",
        "broken",
        "d",
        "slow",
        "e",
        "key",
        "truncated",
        "form",
        "choices",
        "error",
        "length",
        "filter",
        "refusal",
        "empty",
        "null",
        "tools",
        "blank",
        "bare",
        "limited",
        "busy",
        "f",
    ]);
    let keys = "api_key_env = \"READER_KEY\"\nmax_tokens = 9\nseed = 7\nstop = [\"\\n\\n\"]\n";
    let (output, outcomes) = evaluate(&folder, &openai(&server.url, &[PROMPT, keys].concat()));
    let unscored = [
        ("die", "cut off: reader `r`: the answer was cut off at `http://127.0.0.1:"),
        ("half", "cut off: reader `r`: the answer was cut off at `http://127.0.0.1:"),
        ("page", "protocol: reader `r`: the answer is not JSON at "),
        ("throttled", "rate limited: reader `r`: status 429 at `http://127.0.0.1:"),
        ("broken", "/v1/chat/completions` after 2 requests: `broken`"),
        ("slow", "timeout: reader `r`: no answer in time at "),
        ("key", "refused: reader `r`: status 401 at `http://127.0.0.1:"),
        ("truncated", "protocol: reader `r`: the answer is not JSON at "),
        ("form", "protocol: reader `r` does not speak as agreed: `{\"object\":"),
        ("choices", "has no `choices[0].message`"),
        ("error", "it answered with the error `{\"message\":\"no such model\"}`"),
        ("length", "truncated: reader `r`: the answer has reached the most tokens"),
        ("filter", "refused: reader `r`: a content filter has withheld the answer"),
        ("refusal", "refused: reader `r`: the model refuses: `\"I can't help with that\"`"),
        ("empty", "refused: reader `r`: the answer is empty; its `finish_reason` is `stop`"),
        ("null", "refused: reader `r`: the answer is empty"),
        ("tools", "the answer is empty; its `finish_reason` is `tool_calls`"),
    ];
    check(&outcomes, &unscored);
    assert_eq!(outcomes["a"].tokens, (Some(12), Some(3)));
    assert_eq!(outcomes["bare"].tokens, (None, None));
    for id in outcomes.keys() {
        let twice = ["die", "half", "throttled", "broken", "slow", "limited", "busy"];
        let twice = twice.contains(&id.as_str());
        assert_eq!(server.asked(id), if twice { 2 } else { 1 }, "{id}");
    }
    let (_, head, body) = server.requests.lock().unwrap()[0].clone();
    assert!(head.starts_with("post /v1/chat/completions "), "{head}");
    assert!(head.contains("authorization: bearer header-secret\r\n"), "{head}");
    let expected = json!({
        "model": "m", "max_tokens": 9, "seed": 7, "stop": ["\n\n"],
        "messages": [
            {"role": "system", "content": "Answer {briefly}."},
            {"role": "user", "content": "a?\n[1] T\nIt is right."},
        ],
    });
    assert_eq!(body, expected);
    assert!(!output.stderr.contains("header-secret") && !output.stdout.contains("header-secret"));

    // A second run asks again what was no answer, and nothing else.
    let before = server.count();
    let (_, again) = evaluate(&folder, &openai(&server.url, &[PROMPT, keys].concat()));
    assert_eq!(again["a"].latency_ms, outcomes["a"].latency_ms);
    let mut asked: Vec<String> = Vec::new();
    asked.extend(server.requests.lock().unwrap()[before..].iter().map(|(id, ..)| id.clone()));
    asked.dedup();
    assert_eq!(asked, unscored.map(|(id, _)| id));
}

#[test]
fn a_second_run_asks_nothing() {
    let server = Server::start();
    let folder = folder(&["a", "b"]);
    let (_, first) = evaluate(&folder, &openai(&server.url, PROMPT));
    let (_, second) = evaluate(&folder, &openai(&server.url, PROMPT));
    assert_eq!(server.count(), 2);
    check(&second, &[]);
    assert_eq!(second["b"].tokens, first["b"].tokens);
    // Another model or another prompt is another question.
    evaluate(&folder, &openai(&server.url, PROMPT).replace("\"m\"", "\"n\""));
    assert_eq!(server.count(), 4);
}

#[test]
fn the_prompt_and_the_model_are_part_of_the_evaluation() {
    let server = Server::start();
    let folder = folder(&["a"]);
    let other = PROMPT.replace("briefly", "at length");
    let texts = [
        openai(&server.url, PROMPT),
        openai(&server.url, &other),
        openai(&server.url, PROMPT).replace("\"m\"", "\"n\""),
        openai(&server.url, &format!("{PROMPT}temperature = 0.5\n")),
        openai(&server.url, &format!("{PROMPT}temperature = 0\n")),
        openai(&server.url, &format!("{PROMPT}top_p = 0.5\n")),
        openai(&server.url, &format!("{PROMPT}extra = {{ top_k = 5 }}\n")),
        openai(&server.url, &format!("{PROMPT}passage = \"{{text}}\"\n")),
    ];
    for (number, reader) in texts.iter().enumerate() {
        folder.write("e.toml", format!("{BASE}{reader}"));
        folder.qeval(["run", "e.toml"]).succeed();
        assert_eq!(folder.evaluations("results").len(), number + 1, "{reader}");
    }
}

#[test]
fn a_wrong_prompt_is_said_with_its_place() {
    let folder = folder(&["a"]);
    let reader = openai("http://127.0.0.1:1", "passages = 3\npassage = \"{txt} {{x}}\"\n");
    for (prompt, place, message) in [
        ("prompt = \"\\\"é\\\" {quesion}\"", ":26:17", "there is no place `{quesion}`"),
        ("prompt = \"{question} }\"", ":26:22", "a `}` closes nothing"),
        ("prompt = \"{question\"", ":26:11", "a `{` is not closed"),
        ("prompt = \"{question}\"", ":25:12", "there is no place `{txt}`"),
    ] {
        folder.write("e.toml", format!("{BASE}{reader}{prompt}\n"));
        let stderr = folder.qeval(["check", "e.toml"]).ends_with(2).stderr;
        assert!(stderr.contains(message), "{stderr}");
        assert!(stderr.contains(place), "{place}: {stderr}");
    }
    let reader = openai("http://127.0.0.1:1", "");
    for (keys, message) in [
        ("prompt = \"{passages}\"", "the prompt does not ask the question"),
        ("prompt = \"{question}\"\npassages = 3", "`passages` has no effect: no message has"),
        ("prompt = \"{question}\"\nexchange = \"x\"", "`exchange` has no effect"),
        ("prompt = \"{question}\"\ntemperature = 3.0", "`temperature` is `3`, expected"),
        ("prompt = \"{question}\"\nmax_tokens = 0", "max_tokens"),
        ("prompt = \"{question}\"\ntop_p = 0.0", "`top_p` is `0`, expected a number above 0"),
        (
            "prompt = \"{question}\"\nextra = { seed = 1 }",
            "`extra` has `seed`, which is a key of the reader itself",
        ),
        ("prompt = \"{question}\"\nextra = { n = 2 }", "`extra` has `n`, but one whole answer"),
        (
            "prompt = \"{question}\"\nextra = { a = { b = [1979-05-27] } }",
            "the value of `a` in `extra` cannot be JSON",
        ),
    ] {
        folder.write("e.toml", format!("{BASE}{reader}{keys}\n"));
        let stderr = folder.qeval(["check", "e.toml"]).ends_with(2).stderr;
        assert!(stderr.contains(message), "{stderr}");
    }
}

#[test]
fn what_the_file_does_not_say_is_not_sent() {
    let server = Server::start();
    let folder = folder(&["a"]);
    evaluate(&folder, &openai(&server.url, PROMPT));
    let body = |request: usize| server.requests.lock().unwrap()[request].2.clone();
    let keys: Vec<String> = body(0).as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["model", "messages"]);

    let keys = "temperature = 0\ntop_p = 0.5\nextra = { max_completion_tokens = 9, reasoning = \
                { effort = \"low\" }, logit_bias = { 50256 = -100 } }\n";
    evaluate(&folder, &openai(&server.url, &[PROMPT, keys].concat()));
    let mut body = body(1);
    body.as_object_mut().unwrap().remove("messages");
    let expected = json!({
        "model": "m", "temperature": 0.0, "top_p": 0.5, "max_completion_tokens": 9,
        "reasoning": {"effort": "low"}, "logit_bias": {"50256": -100},
    });
    assert_eq!(body, expected);
}

#[test]
fn only_at_temperature_0_two_examples_share_an_answer() {
    for (keys, asked) in [("", 2), ("temperature = 0.5\n", 2), ("temperature = 0\n", 1)] {
        let server = Server::start();
        let folder = folder(&["a", "b"]);
        let same = "{\"id\": \"a\", \"question\": \"a?\", \"references\": [\"right\"]}\n";
        folder.write("golden.jsonl", [same, &same.replace("\"a\"", "\"b\"")].concat());
        let (_, outcomes) = evaluate(&folder, &openai(&server.url, &[PROMPT, keys].concat()));
        check(&outcomes, &[]);
        assert_eq!(server.count(), asked, "{keys}");
    }
}

#[test]
fn a_server_says_how_long_to_wait() {
    let server = Server::start();
    let in_time = folder(&["a", "limited", "b"]);
    let begin = Instant::now();
    let (_, outcomes) = evaluate(&in_time, &openai(&server.url, PROMPT));
    check(&outcomes, &[]);
    assert!(begin.elapsed() >= Duration::from_secs(1));
    assert_eq!((server.asked("limited"), server.count()), (2, 4));

    // Who would have to wait longer than it may does not, nor does anybody after it.
    let server = Server::start();
    let too_long = folder(&["a", "never", "z"]);
    let keys = [PROMPT, "deadline_s = 9\n"].concat();
    let (_, outcomes) = evaluate(&too_long, &openai(&server.url, &keys));
    let wait = "rate limited: reader `r`: status 429 at `http://127.0.0.1:";
    check(&outcomes, &[("never", wait), ("z", wait)]);
    let reason = |id: &str| outcomes[id].reason.as_deref().unwrap();
    let never = "`not today`; the next request would wait 3600 s, and the call has 9 s in all";
    assert!(reason("never").ends_with(never), "{}", reason("never"));
    assert!(reason("z").contains(": the server asks all callers to wait "), "{}", reason("z"));
    assert_eq!((server.asked("never"), server.asked("z"), server.count()), (1, 0, 2));
}
