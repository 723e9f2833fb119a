//! `qeval score` on runs of every form, from files and from the standard input.

use std::{
    io::Write,
    process::{Output as Ended, Stdio},
};

use serde_json::Value;

use crate::support::{Folder, Qeval};

const QRELS: &str = "# judged by hand\r\n1 0 a 1\r\n\r\n1\t0  c \t2\r\n2 0 b 1\r\n2 0 d 0\r\n";
const TREC: &str = "1 Q0 b 1 2.5 t\n1 Q0 c 2 1.5 t\n1 Q0 a 3 0.5 t\n2 Q0 d 1 4 t\n2 Q0 b 2 3 t\n";

/// The same run in other forms.
const FORMS: [(&str, &str, &str); 9] = [
    (
        "json",
        "queries.jsonl",
        "{\"1\": {\"a\": 0.5, \"b\": 2.5, \"c\": 1.5}}\n\n{\"2\": {\"d\": 4, \"b\": 3}}\n",
    ),
    (
        "trec",
        "b.run",
        "1 Q0 b 1 2.5 t and more\r\n# by hand\r\n\r\n 1\tQ0 \tc 2 1.5e0\tt\n1 Q0 a 3 .5 t\n2 Q0 d 1 4 t\n2 Q0 b 2 3 t",
    ),
    ("msmarco", "run.tsv", "1\tb\t1\n1\tc\t2\n1\ta\t3\n2\td\t1\n2\tb\t2\n"),
    (
        "json",
        "run.json",
        "{\"1\": {\"a\": 0.5, \"b\": 2.5, \"c\": 1.5},\n \"2\": {\"d\": 4, \"b\": 3}}",
    ),
    (
        "jsonl",
        "hits.jsonl",
        "{\"qid\": 1, \"docid\": \"a\", \"score\": 0.5}\n{\"qid\": 1, \"docid\": \"b\", \"score\": \"2.5\"}\n\n{\"qid\": 1, \"docid\": \"c\", \"score\": 1.5}\n{\"qid\": \"2\", \"docid\": \"d\", \"score\": 4}\n{\"qid\": \"2\", \"docid\": \"b\", \"score\": 3}\n",
    ),
    (
        "jsonl",
        "ranks.jsonl",
        "{\"qid\": 1, \"docid\": \"b\", \"rank\": 1}\n{\"qid\": 1, \"docid\": \"c\", \"rank\": 2}\n{\"qid\": 1, \"docid\": \"a\", \"rank\": 3}\n{\"qid\": 2, \"docid\": \"d\", \"rank\": 1}\n{\"qid\": 2, \"docid\": \"b\", \"rank\": 2}\n",
    ),
    ("csv", "run.csv", "score,docno,\"qid\"\n2.5,b,1\n1.5,c,1\n0.5,a,1\n4,d,2\n3,\"b\",2\n"),
    (
        "tsv",
        "hits.tsv",
        "query_id\tpassage_id\trank\n1\tb\t1\n1\tc\t2\n1\ta\t3\n2\td\t1\n2\tb\t2\n",
    ),
    (
        "kilt",
        "guesses.jsonl",
        "{\"id\": \"1\", \"output\": [{\"answer\": \"x\", \"provenance\": [{\"wikipedia_id\": \"b\"}, {\"wikipedia_id\": \"c\"}, {\"wikipedia_id\": \"a\"}]}]}\n{\"id\": \"2\", \"output\": [{\"answer\": \"y\", \"provenance\": [{\"wikipedia_id\": \"d\"}, {\"wikipedia_id\": \"b\"}]}]}\n",
    ),
];

const METRICS: [&str; 6] = ["-m", "MRR", "-m", "nDCG@10", "-m", "MAP"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("qrels.txt", QRELS);
    folder.write("trec.run", TREC);
    for (_, name, content) in FORMS {
        folder.write(name, content);
    }
    folder
}

/// `qeval score` with these arguments.
fn score(folder: &Folder, args: &[&str]) -> Qeval {
    folder.qeval([&["score"], args].concat())
}

fn summaries(folder: &Folder, args: &[&str]) -> Value {
    let args = [args, &METRICS, &["--format", "json"]].concat();
    score(folder, &args).succeed().json()["evaluations"][0]["summaries"].take()
}

/// Starts the program with a text on its standard input.
fn piped(program: Qeval, text: &str) -> Ended {
    let mut command = program.command;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn every_form_of_a_run_has_the_same_scores() {
    let folder = folder();
    let expected = summaries(&folder, &["--qrels", "qrels.txt", "--run", "trec.run"]);
    assert_eq!((&expected[0]["mean"], &expected[0]["n"]), (&0.5.into(), &2.into()));
    for (format, name, _) in FORMS {
        let files = ["--qrels", "qrels.txt", "--run", name];
        assert_eq!(summaries(&folder, &files), expected, "{name}");
        let named = [&files[..], &["--run-format", format]].concat();
        assert_eq!(summaries(&folder, &named), expected, "{name}");
    }
}

#[test]
fn the_columns_of_a_run_are_named_on_the_command_line() {
    let folder = folder();
    let expected = summaries(&folder, &["--qrels", "qrels.txt", "--run", "trec.run"]);
    let (_, _, table) = FORMS[6];
    folder.write("own.csv", table.replace("score,docno", "similarity,page"));
    let files = ["--qrels", "qrels.txt", "--run", "own.csv"];
    let fields = ["--run-field", "passage_id=page", "--run-field", "score=similarity"];
    assert_eq!(summaries(&folder, &[&files[..], &fields].concat()), expected);

    let wrong = |more: &[&str], message: &str| {
        let args = [&files[..], &["-m", "MRR"], more].concat();
        let output = score(&folder, &args).ends_with(2);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    };
    wrong(&["--run-field", "pasage_id=page"], "did you mean `passage_id`?");
    wrong(&["--run-field", "page"], "expected NAME=COLUMN");
    wrong(&["--run-format", "trek"], "there is no run format `trek`");
    let columns =
        "own.csv`, line 1: the line has 1 column, expected 6: `query Q0 passage rank score tag`";
    wrong(&["--run-format", "trec"], columns);
    let fixed = ["--run-format", "msmarco", "--run-field", "score=similarity"];
    wrong(&fixed, "the fields of format `msmarco` have fixed names");
    let output = score(&folder, &["--qrels", "qrels.txt", "--run-format", "trec"]).ends_with(2);
    assert!(output.stderr.contains("--run <RUN>"), "{}", output.stderr);
}

#[test]
fn dpr_results_are_dataset_run_and_corpus() {
    let folder = Folder::new();
    folder.write(
        "dpr.json",
        r#"[{"question": "who built it?", "answers": ["Ann Lee"], "ctxs": [
            {"id": "wiki:2", "title": "Mills", "text": "It was built by Bob.", "score": "81.5", "has_answer": false},
            {"id": "wiki:1", "title": "Ann", "text": "Ann Lee built it.", "score": 80.25, "has_answer": true}]},
           {"question": "when?", "answers": ["1871"], "ctxs": [
            {"id": "wiki:1", "title": "Ann", "text": "Ann Lee built it.", "score": "7", "has_answer": false}]}]"#,
    );
    folder.write(
        "e.toml",
        "version = 1\n[dataset]\nformat = \"dpr\"\npath = \"dpr.json\"\n[corpus]\nformat = \
         \"dpr\"\npath = \"dpr.json\"\n[retriever]\ntype = \"replay\"\npath = \"dpr.json\"\n\
         [metrics]\nretrieval = [\"AnswerRecall@1\", \"AnswerRecall@2\"]\n",
    );
    let report = folder.qeval(["run", "e.toml", "--format", "json"]).succeed().json();
    let summaries = &report["evaluations"][0]["summaries"];
    assert_eq!((&summaries[0]["mean"], &summaries[1]["mean"]), (&0.0.into(), &0.5.into()));
    folder.write("by-text.tsv", "query_id\tpassage_id\tgrade\nwho built it?\twiki:1\t1\n");
    let found = ["--qrels", "by-text.tsv", "--run", "dpr.json", "-m", "MRR", "--format", "json"];
    let report = score(&folder, &found).succeed().json();
    assert_eq!(report["evaluations"][0]["summaries"][0]["mean"], 0.5);
}

#[test]
fn the_gold_passages_of_questions_are_judgments() {
    let folder = folder();
    folder.write(
        "gold.jsonl",
        "{\"id\": \"1\", \"question\": \"?\", \"references\": [\"x\"], \"pages\": [\"c\", \"a\"]}\n\
         {\"id\": \"2\", \"question\": \"?\", \"references\": [\"y\"], \"pages\": [\"b\"]}\n",
    );
    let gold = ["--dataset", "gold.jsonl", "--dataset-format", "jsonl", "--field"];
    let args = [&gold[..], &["gold_passages=pages", "--run", "trec.run"]].concat();
    assert_eq!(summaries(&folder, &args)[0]["mean"], 0.5);
}

#[test]
fn one_file_may_be_the_standard_input() {
    let folder = folder();
    let expected = summaries(&folder, &["--qrels", "qrels.txt", "--run", "trec.run"]);
    let json = [&METRICS[..], &["--format", "json"]].concat();
    for (files, text) in [
        (["--qrels", "qrels.txt", "--run", "-"], TREC),
        (["--qrels", "-", "--run", "trec.run"], QRELS),
    ] {
        let ended = piped(score(&folder, &[&files[..], &json].concat()), text);
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let report: Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert_eq!(report["evaluations"][0]["summaries"], expected);
    }
    let script = ["--official", "trec_eval", "-m", "map", "--qrels", "qrels.txt", "--run"];
    let from_file = score(&folder, &[&script[..], &["trec.run"]].concat()).succeed().stdout;
    let ended = piped(score(&folder, &[&script[..], &["-"]].concat()), TREC);
    assert_eq!(String::from_utf8_lossy(&ended.stdout), from_file);

    folder.write("dev.json", r#"{"data": [{"title": "T", "paragraphs": [{"context": "red", "qas": [{"id": "q", "question": "?", "answers": [{"text": "red", "answer_start": 0}]}]}]}]}"#);
    let answers = ["--dataset", "dev.json", "--predictions", "-"];
    let ended = piped(score(&folder, &[&answers[..], &["-m", "EM"]].concat()), "{\"q\": \"Red\"}");
    assert!(String::from_utf8_lossy(&ended.stdout).contains("1.0000"), "{ended:?}");
    let official = [&answers[..], &["--official", "squad1"]].concat();
    let ended = piped(score(&folder, &official), "{\"q\": \"Red\"}");
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(printed.contains("\"exact_match\": 100.0"), "{ended:?}");
}

#[test]
fn two_files_cannot_be_the_standard_input() {
    let folder = folder();
    for args in [
        &["--qrels", "-", "--run", "-", "-m", "MRR"][..],
        &["--qrels", "-", "--run", "-", "--official", "trec_eval"],
        &["--dataset", "-", "--predictions", "-", "-m", "EM"],
        &["--dataset", "-", "--predictions", "-", "--official", "squad1"],
        &["--dataset", "gold.jsonl", "--predictions", "-", "--run", "-", "-m", "EM"],
    ] {
        let output = score(&folder, args).ends_with(2);
        assert!(output.stderr.contains("there is one standard input"), "{}", output.stderr);
    }
}

#[test]
fn a_script_takes_no_format() {
    let folder = folder();
    let files = ["--qrels", "qrels.txt", "--run", "trec.run", "--official", "trec_eval"];
    for more in [
        ["--dataset-format", "jsonl"],
        ["--run-format", "trec"],
        ["--run-field", "score=x"],
        ["--field", "id=x"],
    ] {
        let output = score(&folder, &[&files[..], &more].concat()).ends_with(2);
        let message = format!("'{} ", more[0]);
        assert!(output.stderr.contains("cannot be used with"), "{}", output.stderr);
        assert!(output.stderr.contains(&message), "{}", output.stderr);
    }
}

#[test]
fn a_temporary_folder_that_is_not_there_is_named() {
    let folder = folder();
    let args = ["--qrels", "qrels.txt", "--run", "trec.run", "-m", "MRR"];
    let missing = folder.path("no-such-folder");
    let output = score(&folder, &args).env("TMPDIR", &missing).ends_with(2);
    let message = format!("no temporary folder can be made in `{}`: ", missing.display());
    assert!(output.stderr.contains(&message), "{}", output.stderr);
    assert!(output.stderr.contains("the environment variable `TMPDIR`"), "{}", output.stderr);
    // Nothing temporary is needed where the results are kept and every file is there.
    let kept = [&args[..], &["--results", "results"]].concat();
    score(&folder, &kept).env("TMPDIR", &missing).succeed();
}

#[test]
fn systems_with_points_in_their_names_are_told_apart() {
    let folder = folder();
    for name in ["gpt-3.5_a.run.gz.txt", "gpt-3.5_b.txt"] {
        folder.write(name, TREC);
        let args = ["--qrels", "qrels.txt", "--run", name, "-m", "MRR"];
        let output = score(&folder, &args).succeed();
        let label = &name[.."gpt-3.5_a".len()];
        assert!(output.stdout.starts_with(label), "{}", output.stdout);
    }
}

#[test]
fn confidences_that_nobody_gave_have_no_tables() {
    let folder = Folder::new();
    folder.write("gold.jsonl", "{\"id\": \"a\", \"question\": \"?\", \"references\": [\"x\"]}\n");
    folder.write("answers.jsonl", "{\"id\": \"a\", \"prediction\": \"x\"}\n");
    let files = ["--dataset", "gold.jsonl", "--dataset-format", "jsonl"];
    let args =
        [&files[..], &["--predictions", "answers.jsonl", "-m", "AURC", "-m", "ECE"]].concat();
    let shown = score(&folder, &args).succeed().stdout;
    assert!(shown.contains("AURC") && shown.contains("ECE"), "{shown}");
    assert!(!shown.contains("risk and coverage") && !shown.contains("calibration ·"), "{shown}");
}
