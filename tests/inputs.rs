//! Where data comes from: files in parts, the standard input, tables in Parquet, and other machines.

mod remote;

use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    process::{Output as Ended, Stdio},
};

use serde_json::Value;

use crate::support::{Folder, Qeval};

const CONFIG: &str = r#"version = 1
[evaluation]
label = "parts"
[dataset]
name = "golden"
format = "jsonl"
path = "golden.jsonl"
slices = ["topic"]
[corpus]
format = "jsonl"
path = "corpus.jsonl"
[retriever]
type = "replay"
path = "trec.run"
[reader]
type = "replay"
path = "given.jsonl"
[metrics]
retrieval = ["Recall@5"]
answer = ["EM", "F1"]
"#;

/// Examples.
const EXAMPLES: usize = 60;

/// A line of each file for an example.
fn line(name: &str, number: usize) -> String {
    match name {
        "golden" => format!(
            r#"{{"id": "q{number}", "topic": "t{}", "references": ["{number} days"], "gold_passages": ["p{number}"], "prediction": "{} days"}}"#,
            number % 3,
            number % 40
        ),
        "corpus" => {
            format!(r#"{{"id": "p{number}", "text": "for {number} days", "references": []}}"#)
        }
        "trec" => format!("q{number} Q0 p{} 1 1 t", number % 50),
        _ => format!(r#"{{"id": "q{number}", "prediction": "{} days"}}"#, number % 40),
    }
}

fn lines(name: &str, numbers: std::ops::Range<usize>) -> String {
    numbers.fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "{}", line(name, number));
        text
    })
}

fn folder() -> Folder {
    let folder = Folder::new();
    for (name, file) in [
        ("golden", "golden.jsonl"),
        ("corpus", "corpus.jsonl"),
        ("trec", "trec.run"),
        ("given", "given.jsonl"),
    ] {
        folder.write(file, lines(name, 0..EXAMPLES));
    }
    folder.write("parts.toml", CONFIG);
    folder
}

/// The same files in three parts each, the second of which is empty where that may be.
fn parts(folder: &Folder, name: &str, ending: &str) {
    let empty = if name == "trec" { lines(name, 20..21) } else { String::new() };
    let begin = if name == "trec" { 21 } else { 20 };
    let contents = [lines(name, 0..20), empty, lines(name, begin..EXAMPLES)];
    for (number, content) in contents.iter().enumerate() {
        folder.write(&format!("{name}/part-{number}.{ending}"), content);
    }
}

/// The settings that take all files from their parts.
const IN_PARTS: [&str; 8] = [
    "--set",
    "dataset.path=golden/part-*.jsonl",
    "--set",
    "corpus.path=corpus/*.jsonl",
    "--set",
    "retriever.path=[\"trec/part-2.run\", \"trec/part-?.run\"]",
    "--set",
    "reader.path=given/**/part-*",
];

/// The summaries of a run, and its only id.
fn run(folder: &Folder, args: &[&str]) -> (Value, String) {
    let args = [&["run", "parts.toml", "--format", "json"], args].concat();
    let mut report = folder.qeval(&args).succeed().json();
    let id = report["evaluations"][0]["evaluation_id"].as_str().unwrap().to_owned();
    (report["evaluations"][0]["summaries"].take(), id)
}

#[test]
fn files_in_parts_are_one_file() {
    let folder = folder();
    for (name, ending) in
        [("golden", "jsonl"), ("corpus", "jsonl"), ("trec", "run"), ("given", "jsonl")]
    {
        parts(&folder, name, ending);
    }
    let (whole, of_whole) = run(&folder, &[]);
    let (summaries, id) = run(&folder, &IN_PARTS);
    assert_eq!(summaries, whole);
    assert_ne!(id, of_whole);
    // A list of one is that file, and the names of parts do not count.
    assert_eq!(run(&folder, &["--set", "dataset.path=[\"golden.jsonl\"]"]).1, of_whole);
    for number in 0..3 {
        let name = |stem: &str| folder.path(&format!("golden/{stem}-{number}.jsonl"));
        fs::rename(name("part"), name("teil")).unwrap();
    }
    let settings = IN_PARTS.map(|setting| setting.replace("golden/part", "golden/teil"));
    assert_eq!(run(&folder, &settings.each_ref().map(String::as_str)).1, id);
    // A file whose name looks like a pattern is that file.
    fs::rename(folder.path("given.jsonl"), folder.path("g*.jsonl")).unwrap();
    assert_eq!(run(&folder, &["--set", "reader.path=g*.jsonl"]).1, of_whole);
}

#[test]
fn what_is_wrong_names_the_part() {
    let folder = folder();
    parts(&folder, "golden", "jsonl");
    let refused = |setting: &str, code: i32, expected: &[&str]| {
        let output = folder.qeval(["run", "parts.toml", "--set", setting]).ends_with(code);
        for said in expected {
            assert!(output.stderr.contains(said), "no `{said}` in {}", output.stderr);
        }
        folder.assert_no_evaluation("results");
    };
    refused(
        "dataset.path=golden/teil-*.jsonl",
        2,
        &["no file matches", "golden/teil-*.jsonl", "golden` has `part-0.jsonl`, `part-1.jsonl`"],
    );
    refused("dataset.path=[]", 2, &["the list of files is empty"]);
    refused("dataset.path=5", 2, &["path"]);
    let twice = "reader.path=[\"given.jsonl\", \"./given.jsonl\", \"given.jsonl\"]";
    refused(twice, 2, &["`./given.jsonl` is named twice", "name it once"]);
    refused("reader.path=[\"given.jsonl\", \"no.jsonl\"]", 2, &["no.jsonl", "no such file"]);
    // Ids over the parts, and a line in the last of them.
    let last = folder.path("golden/part-2.jsonl");
    let content = fs::read_to_string(&last).unwrap();
    fs::write(&last, format!("{content}{}\n", line("golden", 3))).unwrap();
    let twice =
        ["golden/part-2.jsonl`, line 41", "id `q3` is given twice, first on line 4 of", "part-0"];
    refused("dataset.path=golden/*", 1, &twice);
    fs::write(&last, format!("{content}{{\n")).unwrap();
    refused("dataset.path=golden/*", 1, &["golden/part-2.jsonl`, line 41"]);
}

/// Starts the program with a text on its standard input.
fn piped(program: Qeval, text: &str) -> Ended {
    let mut command = program.command;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn one_file_may_be_the_standard_input() {
    let folder = folder();
    let (whole, id) = run(&folder, &[]);
    let golden = lines("golden", 0..EXAMPLES);
    let given = lines("given", 0..EXAMPLES);
    let set = |settings: &[&str], text: &str| {
        let mut args = vec!["run", "parts.toml", "--format", "json"];
        for setting in settings {
            args.extend(["--set", setting]);
        }
        piped(folder.qeval(&args), text)
    };
    for (setting, text) in [("dataset.path=-", &golden), ("reader.path=[\"-\"]", &given)] {
        let output = set(&[setting], text);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("1 of 1 evaluations are whole already"), "{said}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["evaluations"][0]["evaluation_id"], *id);
        assert_eq!(report["evaluations"][0]["summaries"], whole);
    }
    // Other contents are another evaluation; all combinations of a sweep read the same.
    let output = set(&["reader.path=-"], &lines("given", 0..30));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_ne!(report["evaluations"][0]["evaluation_id"], *id);
    let output = set(&["reader.path=-", "sweep.evaluation.seed=[0, 1]"], &given);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let output = set(&["reader.path=-", "dataset.path=-"], &given);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("two files are `-`, and there is one standard input"), "{said}");
    let output = piped(folder.qeval(["check", "parts.toml", "--set", "reader.path=-"]), &given);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn predictions_and_passages_may_be_parquet() {
    let folder = folder();
    let (whole, _) = run(&folder, &[]);
    // A dataset with its predictions is a table of predictions too.
    let convert =
        ["convert", "golden.jsonl", "given.parquet", "--from", "jsonl", "--to", "parquet"];
    folder.qeval([&convert[..], &["--field", "prediction=prediction"]].concat()).succeed();
    let columns = ["--field", "question=text"];
    let convert =
        ["convert", "corpus.jsonl", "corpus.parquet", "--from", "jsonl", "--to", "parquet"];
    folder.qeval([&convert[..], &columns].concat()).succeed();
    let settings = [
        "--set",
        "reader.path=given.parquet",
        "--set",
        "corpus.path=corpus.parquet",
        "--set",
        "corpus.format=parquet",
        "--set",
        "corpus.fields={text = \"question\"}",
    ];
    let (held, id) = run(&folder, &settings);
    assert_eq!(held, whole);
    // Again, through the disk.
    let again = [&["run", "parts.toml", "--format", "json", "--fresh"], &settings[..]].concat();
    let wrong = folder.qeval(&again).env("QEVAL_HELD_PREDICTIONS", "64 MB").ends_with(2).stderr;
    assert!(wrong.contains("the variable `QEVAL_HELD_PREDICTIONS` is `64 MB`"), "{wrong}");
    let spilled = folder.qeval(&again).env("QEVAL_HELD_PREDICTIONS", "0").succeed().json();
    assert_eq!(spilled["evaluations"][0]["evaluation_id"], format!("{id}.2"));
    assert_eq!(spilled["evaluations"][0]["summaries"], whole);
    // A column that is not there.
    let fields = ["--set", "reader.fields={prediction = \"answer\"}"];
    let wrong = [&["run", "parts.toml"], &settings[..], &fields].concat();
    let said = folder.qeval(&wrong).ends_with(2).stderr;
    assert!(said.contains("field `answer` is missing; the table has"), "{said}");
}
