//! Every verb as a user sees it: stdout, stderr and exit code on small data.

use std::{fs, process::Stdio};

use serde_json::Value;

use crate::support::{Folder, assert_transcript, root};

/// A harbour office: three passages, four questions, one of them without an answer.
const CONFIG: &str = r#"version = 1

[evaluation]
label = "harbour"

[dataset]
format = "jsonl"
path = "golden.jsonl"
slices = ["topic"]

[corpus]
format = "jsonl"
path = "passages.jsonl"

[retriever]
type = "bm25"
depth = 2

[[reader]]
type = "replay"
name = "office"
path = "answers.jsonl"
fields = { hits = "seen" }

[[reader]]
type = "sliding-window"
passages = 1

[metrics]
retrieval = ["Recall@1", "MRR"]
answer = ["EM", "F1"]
"#;

const GOLDEN: &str = r#"{"id": "berth", "question": "What does a berth cost?", "references": ["12 crowns"], "gold_passages": ["fees"], "topic": "fees"}
{"id": "fine", "question": "What is the fine for late payment?", "references": ["3 crowns a day", "3 crowns"], "gold_passages": ["fees"], "topic": "fees"}
{"id": "gate", "question": "When does the gate close?", "references": ["at nine"], "gold_passages": ["hours"], "topic": "hours"}
{"id": "dogs", "question": "Are dogs allowed?", "references": [], "gold_passages": [], "topic": null}
"#;

const PASSAGES: &str = r#"{"id": "fees", "title": "Fees", "text": "A berth costs 12 crowns a night. The fine for late payment is 3 crowns a day."}
{"id": "hours", "title": "Hours", "text": "The gate closes at nine."}
{"id": "crane", "title": "Crane", "text": "The crane lifts 4 tons."}
"#;

/// Right, wrong although the passage was seen, missing, abstained.
const ANSWERS: &str = r#"{"id": "berth", "prediction": "12 crowns", "seen": ["fees"]}
{"id": "fine", "prediction": "12 crowns a day", "seen": ["fees", "crane"]}
{"id": "dogs", "prediction": "", "seen": ["hours"]}
{"id": "boats", "prediction": "many", "seen": []}
"#;

fn harbour() -> Folder {
    let folder = Folder::new();
    folder.write("harbour.toml", CONFIG);
    folder.write("golden.jsonl", GOLDEN);
    folder.write("passages.jsonl", PASSAGES);
    folder.write("answers.jsonl", ANSWERS);
    folder
}

/// The same after a run.
fn evaluated() -> Folder {
    let folder = harbour();
    folder.qeval(["run", "harbour.toml"]).succeed();
    folder
}

#[test]
fn run() {
    let folder = harbour();
    assert_transcript!("cli__check", folder.qeval(["check", "harbour.toml"]).run());
    assert_eq!(folder.evaluations("results").len(), 0);
    let first = folder.qeval(["run", "harbour.toml"]).succeed();
    assert_transcript!("cli__run", first);
    let stored = folder.evaluations("results");
    assert_eq!(stored.len(), 2);
    let time = |index: usize| fs::metadata(stored[index].join("manifest.json")).unwrap().modified();
    let times = [time(0).unwrap(), time(1).unwrap()];

    let again = folder.qeval(["run", "harbour.toml"]).succeed();
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(folder.evaluations("results"), stored);
    assert_eq!([time(0).unwrap(), time(1).unwrap()], times);
    assert_eq!(
        again.stderr,
        "2 of 2 evaluations are whole already and were not run again (--fresh runs them)\n"
    );
    assert_transcript!("cli__check_again", folder.qeval(["check", "harbour.toml"]).run());

    folder.qeval(["run", "harbour.toml", "--fresh"]).succeed();
    assert_eq!(folder.evaluations("results").len(), 4);
    assert!(stored.iter().all(|folder| folder.is_dir()));
}

#[test]
fn the_shape_of_json() {
    let folder = evaluated();
    let mut output = folder.qeval(["run", "harbour.toml", "--format", "json"]).succeed();
    // A report is read back from the store, so it is the same later.
    let report = folder.qeval(["report", "harbour", "--format", "json"]).succeed();
    assert_eq!(report.stdout, output.stdout);
    // One of each is enough to see the shape.
    let mut shape = output.json();
    assert_eq!(shape["evaluations"].as_array().unwrap().len(), 2);
    let first = |value: &mut Value| {
        let list = value.as_array_mut().unwrap();
        assert!(!list.is_empty());
        list.truncate(1);
    };
    first(&mut shape["evaluations"]);
    first(&mut shape["evaluations"][0]["summaries"]);
    first(&mut shape["evaluations"][0]["diagnosis"]["slices"]);
    output.stdout = format!("{shape:#}\n");
    assert_transcript!("cli__shape_of_json", output);
}

#[test]
fn report() {
    let folder = evaluated();
    let all = folder.qeval(["report", "harbour"]).succeed();
    assert_eq!(all.stdout, folder.qeval(["run", "harbour.toml"]).succeed().stdout);
    let one = folder.qeval(["report", "harbour:office"]).succeed();
    assert_transcript!("cli__report_of_one_system", one);
    let report = folder.qeval(["report", "harbour:office", "--format", "json"]).succeed().json();
    let id = report["evaluations"][0]["evaluation_id"].as_str().unwrap();
    assert_eq!(folder.qeval(["report", id]).succeed().stdout, one.stdout);
    let path = format!("results/evaluation_id={id}");
    assert_eq!(folder.qeval(["report", &path]).succeed().stdout, one.stdout);
    fs::rename(folder.path("results"), folder.path("elsewhere")).unwrap();
    let elsewhere = folder.qeval(["report", id, "--results", "elsewhere"]).succeed();
    assert_eq!(elsewhere.stdout, one.stdout);

    let elsewhere = |name| folder.qeval(["report", name, "--results", "elsewhere"]).run();
    assert_transcript!("cli__report_of_a_misspelt_label", elsewhere("harbor"));
    let unknown = elsewhere("lighthouse");
    assert_eq!(unknown.code, Some(2));
    let known =
        ["there is no evaluation `lighthouse`", "`harbour:office`", "`harbour:sliding-window`"];
    assert!(known.iter().all(|part| unknown.stderr.contains(part)), "{}", unknown.stderr);
    assert_transcript!("cli__report_without_results", folder.qeval(["report", "harbour"]).run());
}

#[test]
fn score() {
    let folder = Folder::new();
    let data = root().join("datasets");
    let path = |name: &str| data.join(name).to_string_lossy().into_owned();
    let (dataset, predictions) =
        (path("tiny-squad/dev-v2.0.json"), path("tiny-squad/predictions.json"));
    let squad = ["score", "--dataset", &dataset, "--predictions", &predictions, "-m"];
    let with = |metrics: &[&str]| folder.qeval(squad.iter().chain(metrics)).run();
    assert_transcript!("cli__score_answers", with(&["EM", "-m", "F1"]));
    assert_transcript!("cli__score_with_an_unknown_metric", with(&["Bleu"]));
    assert_transcript!("cli__score_with_a_metric_that_lacks_input", with(&["Recall@5"]));
    // Nobody asked to keep anything.
    assert_eq!(fs::read_dir(folder.path(".")).unwrap().count(), 0);
    with(&["EM", "--results", "kept"]);
    assert_eq!(folder.evaluations("kept").len(), 1);

    let (qrels, run) =
        (path("tiny-trec/qrels.dl19-passage.txt.gz"), path("tiny-trec/runs/BM25.txt.gz"));
    let rankings = folder.qeval(["score", "--qrels", &qrels, "--run", &run, "-m", "nDCG@10"]).run();
    assert_transcript!("cli__score_rankings", rankings);
}

#[test]
fn score_with_fields() {
    let folder = Folder::new();
    folder.write("d.csv", "nr,q,gold\n1,How many?,ten\n2,How far?,9 km\n");
    folder.write("p.csv", "nr,answer\n1,ten\n2,8 km\n");
    let base = "score --dataset d.csv --dataset-format csv --predictions p.csv -m F1 \
                --field id=nr --field question=q --field references=gold";
    let args = |more: &str| format!("{base} {more}");
    let with = |more: &str| {
        folder.qeval(args(more).split_whitespace().map(str::to_owned).collect::<Vec<_>>()).run()
    };
    let good = "--prediction-field id=nr --prediction-field prediction=answer --format json";
    let summary = &with(good).json()["evaluations"][0]["summaries"][0];
    assert_eq!((&summary["n"], &summary["mean"]), (&Value::from(2), &Value::from(0.75)));
    let wrong = with("--prediction-field id=nr --prediction-field predictoin=answer");
    assert_transcript!("cli__score_with_a_misspelt_field", wrong);
    assert_transcript!("cli__score_with_a_field_without_column", with("--field id"));
}

#[test]
fn lists() {
    let folder = harbour();
    assert_transcript!("cli__list_metrics", folder.qeval(["list", "metrics"]).run());
    assert_transcript!("cli__list_components", folder.qeval(["list", "components"]).run());
    let evaluations = || folder.qeval(["list", "evaluations"]).run();
    assert_transcript!("cli__list_evaluations_without_any", evaluations());
    folder.qeval(["run", "harbour.toml"]).succeed();
    let mut listed = evaluations();
    // The newest is first, but which of the two that is depends on the clock.
    let mut lines: Vec<&str> = listed.stdout.lines().collect();
    lines.sort_by_key(|line| line.contains("sliding-window"));
    listed.stdout = lines.join("\n") + "\n";
    assert_transcript!("cli__list_evaluations", listed);
    let none = folder.qeval(["list", "plugins", "harbour.toml"]).run();
    assert_transcript!("cli__list_plugins_without_any", none);
    folder.config("quickstart.toml");
    let plugins = folder.qeval(["list", "plugins", "quickstart.toml"]).run();
    assert_transcript!("cli__list_plugins", plugins);
}

#[test]
fn schema() {
    let folder = Folder::new();
    let schema = folder.qeval(["schema"]).succeed().json();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(&schema["properties"]),
        [
            "version",
            "extends",
            "sweep",
            "evaluation",
            "dataset",
            "corpus",
            "retriever",
            "reader",
            "metrics",
            "scorer",
            "plugin",
            "diagnosis",
            "gate"
        ]
    );
    assert_eq!(schema["additionalProperties"], Value::Bool(false));
}

#[test]
fn a_verdict_has_a_field_on_the_command_line_too() {
    let folder = Folder::new();
    let line = |name: &str| {
        format!(
            "{{\"id\": \"a\", \"question\": \"q\", \"references\": [\"x\"], \"prediction\": \"y\", \
             \"{name}\": \"yes\"}}\n"
        )
    };
    folder.write("judged.jsonl", line("judge"));
    for (format, file) in [("csv", "a.csv"), ("parquet", "a.parquet"), ("jsonl", "a.jsonl")] {
        let args = ["convert", "judged.jsonl", file, "--from", "jsonl", "--to", format];
        folder.qeval(args.into_iter().chain(["--field", "verdict=judge"])).succeed();
        let back = format!("back-{file}");
        let args = ["convert", file, &back, "--from", format, "--to", "jsonl"];
        folder.qeval(args).succeed();
        let members = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let written = fs::read_to_string(folder.path(&back)).unwrap();
        assert_eq!(members(&written), members(&line("verdict")), "{format}");
    }
    folder.write("golden.jsonl", line("judge"));
    folder.write("answers.jsonl", line("judge"));
    let score =
        ["score", "--dataset", "golden.jsonl", "--dataset-format", "jsonl", "-m", "Verdict"];
    let predictions = ["--predictions", "answers.jsonl", "--prediction-field", "verdict=judge"];
    let fields = ["--field", "verdict=judge", "--format", "json"];
    let output = folder.qeval(score.into_iter().chain(predictions).chain(fields)).succeed();
    assert_eq!(output.json()["evaluations"][0]["summaries"][0]["mean"], 1.0);
}

#[test]
fn convert() {
    let folder = harbour();
    let convert = |input: &str, output: &str, from: &str, to: &str| {
        folder.qeval(["convert", input, output, "--from", from, "--to", to, "--column", "topic"])
    };
    let there = convert("golden.jsonl", "golden.parquet", "jsonl", "parquet").succeed();
    assert_eq!(there.stdout, "golden.parquet: 4 examples, 1 without a reference\n");
    convert("golden.parquet", "back.jsonl", "parquet", "jsonl").succeed();
    convert("golden.jsonl", "direct.jsonl", "jsonl", "jsonl").succeed();
    let text = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(text("back.jsonl"), text("direct.jsonl"));
    assert!(text("back.jsonl").contains("\"references\":[\"12 crowns\"]"));

    let refused = convert("golden.jsonl", "golden.json", "jsonl", "squad").run();
    let expected = "error: `golden.jsonl`, record 1: `gold_passages` of example `berth` cannot be \
                    written in the format `squad`: it has no such field\n";
    assert_eq!((refused.code, refused.stderr.as_str()), (Some(1), expected));
    assert!(!folder.path("golden.json").exists());
    let again = convert("golden.jsonl", "golden.parquet", "jsonl", "parquet").run();
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("`golden.parquet`: is there already"), "{}", again.stderr);
    let unknown = convert("golden.jsonl", "golden.xml", "jsonl", "xml").run();
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("there is no target format `xml`"), "{}", unknown.stderr);
}

#[test]
fn help() {
    let folder = Folder::new();
    assert_transcript!("cli__help", folder.qeval(["--help"]).run());
    assert_transcript!("cli__help_of_run", folder.qeval(["run", "--help"]).run());
    assert_transcript!("cli__help_of_score", folder.qeval(["score", "--help"]).run());
    assert_transcript!("cli__without_a_verb", folder.qeval([""; 0]).run());
    assert_transcript!("cli__unknown_verb", folder.qeval(["rum"]).run());
    assert_transcript!("cli__run_of_a_missing_file", folder.qeval(["run", "none.toml"]).run());
    let completions = folder.qeval(["completions", "bash"]).succeed();
    assert_eq!(completions.stdout.lines().next(), Some("_qeval() {"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = evaluated();
    let export = ["export", "harbour:office", "--format", "csv"];
    for args in
        [&["list", "metrics"][..], &["report", "harbour"], &export, &["schema"], &["--help"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        // As `| head` does when it has seen enough.
        drop(reader);
        let mut qeval = folder.qeval(args);
        let child = qeval.command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn the_log_is_on_stderr() {
    let folder = harbour();
    let quiet = folder.qeval(["run", "harbour.toml"]).succeed();
    assert_eq!(quiet.stderr, "");
    let text = folder.qeval(["run", "harbour.toml", "--fresh", "-v"]).succeed();
    let lines: Vec<&str> = text.stderr.lines().collect();
    assert!(lines.iter().any(|line| line.contains("INFO") && line.contains("batch")), "{lines:?}");
    let args = ["-v", "--log-format", "json", "run", "harbour.toml", "--fresh"];
    let json = folder.qeval(args).succeed();
    let spans: Vec<Value> =
        json.stderr.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let names: Vec<&str> = spans.iter().filter_map(|line| line["span"]["name"].as_str()).collect();
    for stage in ["retrieval", "isolated", "integrated", "batch"] {
        assert!(names.contains(&stage), "{stage}: {names:?}");
    }
    for line in &spans {
        assert!(line["level"].is_string() && line["fields"]["message"].is_string(), "{line}");
    }
    // The log changes nothing on stdout but the ids of evaluations that are made anew.
    let lines = |text: &str| text.lines().count();
    assert_eq!(lines(&text.stdout), lines(&quiet.stdout));
    assert_eq!(lines(&json.stdout), lines(&quiet.stdout));
    let chosen = folder.qeval(["run", "harbour.toml", "--fresh"]).env("QEVAL_LOG", "error");
    assert_eq!(chosen.succeed().stderr, "");
}
