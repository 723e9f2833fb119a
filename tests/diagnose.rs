//! `qeval diagnose`: causes, gains, passages and examples of stored evaluations.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{Folder, assert_transcript, root};

fn find<'v>(list: &'v Value, key: &str, value: &str) -> &'v Value {
    let found = list.as_array().unwrap().iter().find(|item| item[key] == value);
    found.unwrap_or_else(|| panic!("no `{value}` in {list}"))
}

#[test]
fn the_stale_policy_is_found() {
    let folder = Folder::new();
    folder.config("quickstart.toml");
    folder.qeval(["run", "quickstart.toml"]).succeed();
    let corpus = root().join("datasets/hr-assistant/policies.jsonl");
    let corpus = corpus.to_str().unwrap();
    let stale = ["diagnose", "hr-assistant:stale", "--corpus", corpus, "--by", "topic"];
    let found = folder.qeval([&stale[..], &["--format", "json"]].concat()).succeed().json();
    let verdict = found["verdict"].as_str().unwrap();
    assert!(
        verdict.starts_with(
            "the sources are out of date: 13 of 23 wrong answers (56.5 %, 95 % interval 36.8 % to \
             74.4 %) stand word for word in a superseded passage that the reader saw or cited"
        ),
        "{verdict}"
    );
    assert!(
        verdict.ends_with(
            "; perfect retrieval would gain 0.0 to 9.4 points of right answers, perfect reading +3.5 \
             points"
        ),
        "{verdict}"
    );
    let leave = find(&found["slices"], "slice_value", "leave");
    assert_eq!((&leave["errors"], &leave["main_cause"]["n"]), (&10.into(), &9.into()));
    let of = find(&found["of_causes"], "cause", "stale source");
    let examples = of["examples"].as_array().unwrap();
    assert_eq!((&of["n"], examples.len()), (&13.into(), 5));
    for example in examples {
        // The answer stands in a passage that is out of date.
        let seen = example["seen"].as_array().unwrap();
        let source = seen.iter().find(|passage| passage["has_answer"] == true).unwrap();
        assert!(source["passage_id"].as_str().unwrap().ends_with("-2025"), "{source}");
        let marked = format!("[{}]", example["answer"].as_str().unwrap());
        assert!(source["snippet"].as_str().unwrap().contains(&marked), "{source} {marked}");
    }
    // Nothing was answered on the gold passages: what would tell is said.
    let hint = &found["hints"][0];
    assert!(hint["unknown"].as_str().unwrap().contains("What perfect retrieval would gain"));
    assert_eq!(
        (&hint["lines"][0], hint["lines"].as_array().unwrap().len()),
        (&"[reader]".into(), 2)
    );

    // The other one was asked on them: distraction is told from reading, and gains are known.
    let current = ["diagnose", "hr-assistant:current", "--examples", "0"];
    let found = folder.qeval([&current[..], &["--format", "json"]].concat()).succeed().json();
    assert_eq!(find(&found["causes"], "cause", "distraction")["n"], 3);
    let gain = &found["gains"]["retrieval"];
    assert!((gain["difference"].as_f64().unwrap() - 7.0 / 170.0).abs() < 1e-12, "{gain}");
    assert!(gain["ci_low"].as_f64().unwrap() > 0.0, "{gain}");
    assert_eq!(found["hints"].as_array().unwrap().len(), 0);
    assert_transcript!("diagnose__current", folder.qeval(current).succeed());
}

/// Ten questions with one gold passage each, in five documents, and a reader that saw passages.
fn asked(folder: &Folder, answers: &[(&str, &str)], more: &str, fields: &str) {
    let (mut questions, mut given) = (String::new(), String::new());
    for (n, (answer, seen)) in answers.iter().enumerate() {
        let document = n / 2;
        let _ = writeln!(
            questions,
            "{{\"id\": \"q{n}\", \"question\": \"what is {n}?\", \"answers\": [\"right\"], \"gold\": \
             [\"p{n}\"], \"document\": \"d{document}\"}}"
        );
        let _ = writeln!(
            given,
            "{{\"id\": \"q{n}\", \"prediction\": \"{answer}\", \"hits\": [{seen}]}}"
        );
    }
    folder.write("questions.jsonl", questions);
    folder.write("answers.jsonl", given);
    folder.write(
        "file.toml",
        format!(
            "version = 1\n[evaluation]\nlabel = \"main\"\nresults = \"results\"\n[dataset]\n\
             format = \"jsonl\"\npath = \"questions.jsonl\"\nfields = {{ references = \"answers\"{fields} \
             }}\n[reader]\ntype = \"replay\"\npath = \"answers.jsonl\"\n{more}"
        ),
    );
    folder.qeval(["run", "file.toml", "--fresh"]).succeed();
}

const METRICS: &str = "[metrics]\nanswer = [\"EM\", \"F1\"]\n";
const GOLD: &str = ", gold_passages = \"gold\"";

fn answers() -> Vec<(&'static str, &'static str)> {
    let mut answers = vec![("right", "\"p0\""); 4];
    answers[1].1 = "\"p1\"";
    answers[2].1 = "\"p2\"";
    answers[3].1 = "\"x\"";
    answers.extend([("wrong", "\"x\""), ("wrong", "\"x\", \"y\""), ("wrong", "\"x\", \"p6\"")]);
    answers.extend([("", "\"p7\""), ("wrong", "\"p8\""), ("wrong", "\"p9\"")]);
    answers
}

#[test]
fn causes_and_bounds_follow_from_what_was_seen() {
    let folder = Folder::new();
    asked(&folder, &answers(), METRICS, GOLD);
    let found = folder.qeval(["diagnose", "main", "--format", "json"]).succeed().json();
    for (cause, n) in [
        ("right", 3),
        ("right without evidence", 1),
        ("retrieval miss", 2),
        ("reading error", 3),
        ("abstained wrongly", 1),
    ] {
        assert_eq!(find(&found["causes"], "cause", cause)["n"], n, "{cause}");
    }
    assert!((found["gains"]["reading"]["difference"].as_f64().unwrap() - 0.4).abs() < 1e-12);
    let bounds = &found["gains"]["retrieval"];
    assert!((bounds["at_most"].as_f64().unwrap() - 0.2).abs() < 1e-12, "{bounds}");
    let verdict = found["verdict"].as_str().unwrap();
    assert!(verdict.contains("`retrieval miss` is not clearly behind"), "{verdict}");
    // Documents are the units where there are some.
    asked(&folder, &answers(), METRICS, &format!("{GOLD}, group = \"document\""));
    let grouped = folder.qeval(["diagnose", "main", "--format", "json"]).succeed().json();
    assert_eq!((&found["groups"], &grouped["groups"]), (&Value::Null, &5.into()));
    let low = |found: &Value| find(&found["causes"], "cause", "right")["ci_low"].as_f64().unwrap();
    assert!(low(&grouped) < low(&found), "{grouped}");
}

#[test]
fn what_cannot_be_told_is_said_with_the_lines_that_would_tell() {
    let folder = Folder::new();
    let blind: Vec<(&str, &str)> = answers().into_iter().map(|(answer, _)| (answer, "")).collect();
    let texts = |found: &Value| {
        let hints = found["hints"].as_array().unwrap().iter();
        hints.map(Value::to_string).collect::<String>()
    };
    // The passages are not in the file of answers.
    asked(&folder, &blind, METRICS, GOLD);
    let lines = std::fs::read_to_string(folder.path("answers.jsonl")).unwrap();
    folder.write("answers.jsonl", lines.replace(", \"hits\": []", ""));
    folder.qeval(["run", "file.toml", "--fresh"]).succeed();
    let found = folder.qeval(["diagnose", "main", "--format", "json"]).succeed().json();
    assert_eq!(found["verdict"], "nothing was diagnosed");
    assert!(texts(&found).contains("fields = { hits ="), "{found}");
    // No metric says when an answer is right.
    asked(&folder, &answers(), "[metrics]\nanswer = [\"F1\"]\n", GOLD);
    let found = folder.qeval(["diagnose", "main", "--format", "json"]).succeed().json();
    assert!(texts(&found).contains("right = \\\"F1\\\""), "{found}");
    // Nobody says which passages are evidence.
    asked(&folder, &answers(), METRICS, "");
    let found = folder.qeval(["diagnose", "main", "--format", "json"]).succeed().json();
    assert!(texts(&found).contains("gold_passages = "), "{found}");
    let text = folder.qeval(["diagnose", "main"]).succeed().stdout;
    assert!(text.contains("what this evaluation cannot tell"), "{text}");
    let error = folder.qeval(["diagnose", "main", "--by", "topic"]).ends_with(2).stderr;
    assert!(error.contains("there is no slice `topic`"), "{error}");
}

#[test]
fn the_number_of_passages_that_is_enough_is_found() {
    let folder = Folder::new();
    let data = root().join("datasets/hr-assistant");
    let data = data.to_str().unwrap();
    for passages in [10, 1, 5] {
        let config = format!(
            "version = 1\n[evaluation]\nlabel = \"k{passages}\"\nresults = \"results\"\nseed = 7\n\
             [dataset]\nformat = \"jsonl\"\npath = \"{data}/golden.jsonl\"\n\
             fields = {{ references = \"answers\", gold_passages = \"gold\", group = \"topic\" }}\n\
             [corpus]\nformat = \"jsonl\"\npath = \"{data}/policies.jsonl\"\n\
             [retriever]\ntype = \"bm25\"\n[reader]\ntype = \"sliding-window\"\npassages = {passages}\n\
             [metrics]\nanswer = [\"Contains\"]\n[diagnosis]\nright = \"Contains\"\n"
        );
        folder.write("e.toml", config);
        folder.qeval(["run", "e.toml"]).succeed();
    }
    let of = ["diagnose", "k10", "k1", "k5", "--examples", "0"];
    let found = folder.qeval([&of[..], &["--format", "json"]].concat()).succeed().json();
    let settings = found["settings"].as_array().unwrap();
    let passages: Vec<u64> = settings.iter().map(|s| s["passages"].as_u64().unwrap()).collect();
    assert_eq!(passages, [1, 5, 10]);
    assert!(settings[0]["step"].is_null(), "{settings:?}");
    for (before, after) in settings.iter().zip(&settings[1..]) {
        let (step, share) = (&after["step"], |s: &Value| s["right"].as_f64().unwrap());
        let difference = step["difference"].as_f64().unwrap();
        assert!((difference - (share(after) - share(before))).abs() < 1e-12, "{settings:?}");
        assert!(step["ci_low"].as_f64().unwrap() <= difference, "{step}");
        assert!(after["ci_low"].as_f64().unwrap() < share(after), "{after}");
    }
    let text = folder.qeval(of).succeed().stdout;
    assert!(text.contains("no step can be told from chance"), "{text}");
    let twice = folder.qeval(["diagnose", "k10", "k5", "k10"]).ends_with(2).stderr;
    assert!(twice.contains("is named twice"), "{twice}");
    // Nobody knows what a replayed reader was shown.
    let data = root().join("datasets/hr-assistant/current.jsonl");
    let predictions = data.to_str().unwrap();
    let live = std::fs::read_to_string(folder.path("e.toml")).unwrap();
    let replay = format!(
        "type = \"replay\"\npath = \"{predictions}\"\nfields = {{ prediction = \"answer\" }}"
    );
    let replayed = live
        .replace("label = \"k5\"", "label = \"replayed\"")
        .replace("type = \"sliding-window\"\npassages = 5", &replay);
    folder.write("replayed.toml", replayed);
    folder.qeval(["run", "replayed.toml"]).succeed();
    let output = folder.qeval(["diagnose", "k10", "replayed"]).ends_with(2);
    assert!(output.stderr.contains("nobody knows how many passages"), "{}", output.stderr);
}
