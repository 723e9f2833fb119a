//! Files that extend others: merged, with the paths and the problems of each file its own.

use serde_json::Value;

use crate::support::Folder;

const BASE: &str = r#"version = 1
[evaluation]
seed = 3
results = "../results"
[dataset]
format = "jsonl"
path = "golden.jsonl"
[[reader]]
type = "replay"
name = "old"
path = "old.jsonl"
[[reader]]
type = "replay"
name = "new"
path = "new.jsonl"
[metrics]
answer = ["EM"]
"#;

/// A folder whose `common/` has data and a file that is whole.
fn desk() -> Folder {
    let folder = Folder::new();
    folder.write("common/golden.jsonl", "{\"id\": \"a\", \"references\": [\"yes\"]}\n");
    for (name, answer) in [("common/old", "no"), ("common/new", "yes"), ("other", "yes")] {
        let line = format!("{{\"id\": \"a\", \"prediction\": \"{answer}\"}}\n");
        folder.write(&format!("{name}.jsonl"), line);
    }
    folder.write("common/base.toml", BASE);
    folder
}

/// System, column and mean of each summary.
fn means(folder: &Folder, file: &str) -> Vec<(String, String, f64)> {
    let report = folder.qeval(["run", file, "--format", "json"]).succeed().json();
    let evaluations = report["evaluations"].as_array().unwrap();
    let of_one = |evaluation: &Value| -> Vec<_> {
        let system = evaluation["system"].as_str().unwrap().to_owned();
        let summaries = evaluation["summaries"].as_array().unwrap();
        let column = |summary: &Value| summary["column"].as_str().unwrap().to_owned();
        let mean = |summary: &Value| summary["mean"].as_f64().unwrap();
        summaries.iter().map(|s| (system.clone(), column(s), mean(s))).collect()
    };
    evaluations.iter().flat_map(of_one).collect()
}

fn own(system: &str, column: &str, mean: f64) -> (String, String, f64) {
    (system.to_owned(), column.to_owned(), mean)
}

#[test]
fn a_file_says_what_differs_from_another() {
    let folder = desk();
    let file = "extends = \"common/base.toml\"\n\
                [evaluation]\nlabel = \"desk\"\n\
                [[reader]]\nname = \"old\"\npath = \"other.jsonl\"\n\
                [metrics]\nanswer = [\"F1\"]\n";
    folder.write("desk.toml", file);
    // `other.jsonl` lies beside this file, everything else beside the other one.
    assert_eq!(means(&folder, "desk.toml"), [own("old", "f1", 1.0), own("new", "f1", 1.0)]);
    // The same in one file is the same plan.
    let whole = BASE
        .replace("seed", "label = \"desk\"\nseed")
        .replace("../results", "results")
        .replace("\"golden", "\"common/golden")
        .replace("old.jsonl", "other.jsonl")
        .replace("new.jsonl", "common/new.jsonl")
        .replace("EM", "F1");
    folder.write("whole.toml", whole);
    let again = folder.qeval(["run", "whole.toml"]).succeed();
    assert!(again.stderr.contains("2 of 2 evaluations are whole already"), "{}", again.stderr);
    assert_eq!(folder.evaluations("results").len(), 2);
    // What the command line sets stands above both.
    let set = ["check", "desk.toml", "--set", "reader.old.path=nowhere.jsonl"];
    let refused = folder.qeval(set).ends_with(2);
    let path = folder.path("nowhere.jsonl").display().to_string();
    assert!(refused.stderr.contains(&path), "{}", refused.stderr);
}

#[test]
fn several_files_stand_above_one_another() {
    let folder = desk();
    folder.write("metrics.toml", "[metrics]\nanswer = [\"F1\"]\n[evaluation]\nlabel = \"m\"\n");
    folder.write("names.toml", "extends = [\"${BASE:-common}/base.toml\", \"metrics.toml\"]\n");
    folder.write("desk.toml", "extends = \"names.toml\"\nmetrics.answer = [\"EM\", \"F1\"]\n");
    let both = [own("old", "em", 0.0), own("old", "f1", 0.0)];
    assert_eq!(means(&folder, "desk.toml")[..2], both);
    assert_eq!(means(&folder, "names.toml")[..1], [own("old", "f1", 0.0)]);
    let stored = folder.evaluations("results");
    let ids = stored.iter().map(|path| path.file_name().unwrap().to_string_lossy());
    assert!(ids.clone().all(|id| id.starts_with("evaluation_id=m-")), "{stored:?}");
}

#[test]
fn a_problem_names_the_file_that_it_is_in() {
    let folder = desk();
    let broken =
        BASE.replace("\"new.jsonl\"", "\"none.jsonl\"").replace("seed = 3", "seed = \"3\"");
    folder.write("common/broken.toml", broken);
    folder.write("desk.toml", "extends = \"common/broken.toml\"\n[metrics]\nanswer = [\"EN\"]\n");
    let refused = folder.qeval(["check", "desk.toml"]).ends_with(2).stderr;
    for part in [
        "--> common/broken.toml:3:8",
        "`seed` in `[evaluation]`: found the text \"3\", expected a whole number",
        "desk.toml: 1 problem, nothing was evaluated",
    ] {
        assert!(refused.contains(part), "{part}\n{refused}");
    }
    folder.write("common/broken.toml", BASE.replace("new.jsonl", "none.jsonl"));
    let refused = folder.qeval(["check", "desk.toml"]).ends_with(2).stderr;
    for part in [
        "--> desk.toml:3:11",
        "--> common/broken.toml:15:8",
        &folder.path("common/none.jsonl").display().to_string(),
        "did you mean `EM`?",
        "desk.toml: 2 problems, nothing was evaluated",
    ] {
        assert!(refused.contains(part), "{part}\n{refused}");
    }
    for (text, part) in
        [("version = 2\n", "common/broken.toml:1:11"), ("[a\n", "common/broken.toml:1:3")]
    {
        folder.write("common/broken.toml", text);
        let refused = folder.qeval(["check", "desk.toml"]).ends_with(2).stderr;
        assert!(refused.contains(part), "{part}\n{refused}");
    }
}

#[test]
fn files_that_cannot_be_extended_are_refused() {
    let folder = desk();
    folder.write("a.toml", "extends = \"b.toml\"\n");
    folder.write("b.toml", "version = 1\nextends = \"a.toml\"\n");
    folder.write("latin.toml", b"label = \"\xe4\"\n");
    for deep in 0..20 {
        folder.write(&format!("{deep}.toml"), format!("extends = \"{}.toml\"\n", deep + 1));
    }
    let pipe = folder.path("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    for (extends, parts) in [
        ("\"common/../desk.toml\"", ["`common/../desk.toml` extends itself", "--> desk.toml:1:11"]),
        ("\"a.toml\"", ["`a.toml` extends itself", "`a.toml` → `b.toml` leads from it to here"]),
        ("\"none.toml\"", ["cannot read `none.toml`", "starts from the folder of the file"]),
        ("[\"common/base.toml\", 7]", ["expected the path of a file", "write `extends ="]),
        ("\"latin.toml\"", ["`latin.toml` is no UTF-8", "save the file as UTF-8"]),
        ("\"0.toml\"", ["`15.toml` is one file too many", "--> 14.toml:1:11"]),
        ("\"pipe.toml\"", ["`pipe.toml` is no regular file", "can be read again"]),
    ] {
        folder.write("desk.toml", format!("extends = {extends}\n"));
        let refused = folder.qeval(["check", "desk.toml"]).ends_with(2).stderr;
        for part in parts {
            assert!(refused.contains(part), "{extends}: {part}\n{refused}");
        }
    }
    let set = ["check", "common/base.toml", "--set", "extends=a.toml"];
    let refused = folder.qeval(set).ends_with(2).stderr;
    assert!(refused.contains("is for a file alone to say"), "{refused}");
    folder.assert_no_evaluation("results");
}
