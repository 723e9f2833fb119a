//! Questions that are asked several times.

use qeval_store::Evaluation;
use serde_json::{Value, json};

use super::{BASE, folder, server::Server};
use crate::support::Folder;

fn openai(server: &Server, keys: &str) -> String {
    format!(
        "[reader]\ntype = \"openai\"\nname = \"r\"\nurl = \"{}/v1\"\nmodel = \"m\"\n\
         prompt = \"{{question}}\"\nretries = 0\nmax_concurrency = 1\n{keys}",
        server.url
    )
}

/// Runs a config; the evaluation in the report, as JSON, and the text of the report.
fn run(folder: &Folder, reader: &str) -> (Value, String) {
    folder.write("e.toml", format!("{BASE}{reader}"));
    for evaluation in folder.evaluations("results") {
        std::fs::remove_dir_all(evaluation).unwrap();
    }
    let text = folder.qeval(["run", "e.toml"]).succeed().stdout;
    let report = folder.qeval(["report", "e", "--format", "json"]).succeed().json();
    (report["evaluations"][0].clone(), text)
}

/// The scores of an example and its answers.
type Parts = Vec<(Option<f64>, String)>;

/// What is stored of an example: its score, its prediction and the parts of the score.
fn stored(folder: &Folder, id: &str) -> (Option<f64>, Option<String>, Parts) {
    let [path] = &folder.evaluations("results")[..] else { panic!("one evaluation") };
    let evaluation = Evaluation::open(path).unwrap();
    let scores = evaluation.scores(&["em"]).unwrap();
    let row = (0..scores.ids.len()).find(|&row| scores.ids.get(row) == id).unwrap();
    let cases = evaluation.all_cases().unwrap().map(Result::unwrap);
    let case = { cases }.find(|case| case.example_id == id).unwrap();
    let details = evaluation.details().unwrap().map(Result::unwrap);
    let parts = details.filter(|detail| detail.example_id == id && detail.kind == "part");
    let part = |detail: qeval_store::Detail| {
        assert_eq!(detail.label.as_deref(), Some("repeat"));
        (detail.value, detail.text.unwrap_or_default())
    };
    let prediction = case.prediction.map(|prediction| prediction.text);
    (scores.metric("em").unwrap()[row], prediction, parts.map(part).collect())
}

#[test]
fn a_score_is_the_mean_over_the_repeats() {
    let server = Server::start();
    let folder = folder(&["a", "varies"]);
    let keys = "temperature = 0.7\nseed = 7\nrepeats = 3\n";
    let (report, text) = run(&folder, &openai(&server, keys));
    let right = |value: f64| (Some(value), "right".to_owned());
    let third = 2.0 / 3.0;
    let parts = vec![right(1.0), (Some(0.0), "wrong".to_owned()), right(1.0)];
    assert_eq!(stored(&folder, "varies"), (Some(third), Some("right".to_owned()), parts));
    assert_eq!(stored(&folder, "a").2, vec![right(1.0); 3]);

    // An example is one, however often it was asked about.
    let summary = &report["summaries"][0];
    assert_eq!((&summary["n"], &summary["mean"]), (&json!(2), &json!(f64::midpoint(1.0, third))));
    let repeats = &report["repeats"];
    assert_eq!(repeats["repeats"], 3);
    let column = &repeats["columns"][0];
    assert_eq!((&column["column"], &column["means"]), (&json!("em"), &json!([1.0, 0.5, 1.0])));
    let near = |key: &str, expected: f64| {
        assert!((column[key].as_f64().unwrap() - expected).abs() < 1e-12, "{key}: {column}");
    };
    near("stddev", (1.0_f64 / 12.0).sqrt());
    near("stddev_within", (1.0_f64 / 6.0).sqrt());
    assert!(text.contains("over 3 repeats · r\n"), "{text}");
    let line = text.lines().find(|line| line.contains("EM · integrated")).unwrap();
    let words: Vec<&str> = line.split_whitespace().skip(3).collect();
    assert_eq!(words, ["0.5000", "1.0000", "0.2887", "0.4082"]);
    assert_eq!(report["usage"][0]["answers"], 6);
    assert_eq!(report["usage"][0]["tokens_in"], json!({"n": 6, "sum": 72}));

    let seeds = || -> Vec<Value> {
        let requests = server.requests.lock().unwrap();
        let of_id = requests.iter().filter(|(asked, ..)| asked == "varies");
        of_id.map(|(.., body)| body["seed"].clone()).collect()
    };
    assert_eq!(seeds(), [7, 8, 9]);
    // Each repeat is kept, and more of them ask only what is new.
    let (again, _) = run(&folder, &openai(&server, keys));
    assert_eq!((server.count(), &again["repeats"]), (6, repeats));
    run(&folder, &openai(&server, &keys.replace('3', "4")));
    assert_eq!(server.count(), 8);
    assert_eq!(seeds(), [7, 8, 9, 10]);
    run(&folder, &openai(&server, "temperature = 0.7\nseed = 7\n"));
    assert_eq!(server.count(), 8);
}

#[test]
fn a_repeat_that_fails_is_left_out() {
    let server = Server::start();
    let folder = folder(&["limited", "broken"]);
    let (report, _) = run(&folder, &openai(&server, "repeats = 2\n"));
    let (score, prediction, parts) = stored(&folder, "limited");
    assert_eq!((score, prediction.as_deref()), (Some(1.0), Some("right")));
    assert_eq!(parts[0], (Some(1.0), "right".to_owned()));
    assert_eq!(parts[1].0, None);
    assert!(parts[1].1.starts_with("rate limited: reader `r`: status 429"), "{parts:?}");
    assert_eq!(stored(&folder, "broken"), (None, None, Vec::new()));
    let failures = report["failures"].as_array().unwrap();
    assert_eq!((failures.len(), &failures[0]["kind"]), (1, &json!("server error")));
    // The order of the answers is that of the repeats, of those that were given.
    assert_eq!(report["repeats"]["columns"][0]["means"], json!([1.0, null]));
    folder.qeval(["verify", "e"]).succeed();
}

#[test]
fn a_service_may_be_asked_several_times() {
    let server = Server::start();
    let folder = folder(&["a"]);
    let reader = format!(
        "[reader]\ntype = \"http\"\nname = \"r\"\nurl = \"{}/answer\"\nrepeats = 3\nresume = false\n",
        server.url
    );
    let (report, _) = run(&folder, &reader);
    assert_eq!((server.count(), &report["repeats"]["repeats"]), (3, &json!(3)));
    let bodies: Vec<Value> =
        server.requests.lock().unwrap().iter().map(|(.., body)| body.clone()).collect();
    // The number of the repeat is not the service's business.
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

#[test]
fn what_cannot_be_repeated_is_refused() {
    let server = Server::start();
    let folder = folder(&["a"]);
    let prompt = "history = \"own\"\nrepeats = 2\n";
    let own = openai(&server, prompt).replace("{question}", "{history}{question}");
    for (reader, message) in [
        (openai(&server, "repeats = 0\n"), "`repeats` is 0"),
        (openai(&server, "repeats = 101\n"), "`repeats` is 101, expected at most 100"),
        (own, "a dialog is held once, and cannot have `repeats`"),
    ] {
        folder.write("e.toml", format!("{BASE}{reader}"));
        let stderr = folder.qeval(["check", "e.toml"]).ends_with(2).stderr;
        assert!(stderr.contains(message), "{stderr}");
    }
    let pooled = BASE.replace("[\"EM\"]", "[\"EM\", \"BLEU\"]");
    folder.write("e.toml", pooled + &openai(&server, "repeats = 2\n"));
    let stderr = folder.qeval(["check", "e.toml"]).ends_with(2).stderr;
    assert!(stderr.contains("is no mean over examples, and a reader has `repeats`"), "{stderr}");
}
