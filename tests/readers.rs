//! Other tools read what is stored: DuckDB, pandas, Polars and pyarrow, and every query of
//! `docs/store-format.md`. And we read what they write.

mod written;

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    abstention, passages,
    support::{Folder, root},
};

/// The interpreter that has the packages: the one that `cargo xtask test` names, or the one that it
/// has made before.
pub(crate) fn python() -> PathBuf {
    let named = std::env::var_os("QEVAL_PYTHON").map(PathBuf::from);
    let test = std::env::current_exe().unwrap();
    let made = test.ancestors().find_map(|folder| {
        let python = folder.join("venv").join("bin").join("python");
        python.is_file().then_some(python)
    });
    named.or(made).unwrap_or_else(|| {
        panic!(
            "the tests that read our files with Python need some packages: run the tests with \
             `cargo xtask test`, which makes an environment for them"
        )
    })
}

/// Runs one of the scripts in `tests/readers/` in a folder.
#[track_caller]
pub(crate) fn run(folder: &Folder, script: &str, args: &[&Path]) {
    let script = root().join("tests").join("readers").join(script);
    let mut command = Command::new(python());
    command.current_dir(folder.path(".")).arg(script).args(args).stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

#[test]
fn other_tools_read_what_is_stored() {
    let folder = Folder::new();
    folder.config("quickstart.toml");
    let report = folder.qeval(["run", "quickstart.toml", "--format", "json"]).succeed();
    folder.write("report.json", report.stdout);
    run(&folder, "same_numbers.py", &[]);
    run(&folder, "documented.py", &[&root().join("docs/store-format.md")]);
}

#[test]
fn other_tools_work_out_what_the_report_says_of_abstention() {
    for (folder, config) in
        [(abstention::ferry(), "ferry.toml"), (abstention::dialogs(), "dialogs.toml")]
    {
        let report = folder.qeval(["run", config, "--format", "json"]).succeed();
        folder.write("report.json", report.stdout);
        run(&folder, "abstention.py", &[]);
    }
}

#[test]
fn other_tools_work_out_what_the_report_says_of_passages() {
    for (folder, config) in passages::all() {
        let report = folder.qeval(["run", config, "--format", "json"]).succeed();
        folder.write("report.json", report.stdout);
        run(&folder, "passages.py", &[]);
    }
}

#[test]
fn an_older_evaluation_says_nothing_of_passages() {
    let folder = passages::harbour();
    folder.qeval(["run", "harbour.toml"]).succeed();
    run(&folder, "older.py", &[]);
    let report = folder.qeval(["report", "harbour", "--format", "json"]).succeed().json();
    for evaluation in report["evaluations"].as_array().unwrap() {
        assert_eq!(evaluation["retrieval"], Value::Null);
        assert_eq!(evaluation["summaries"][0]["judged"], Value::Null);
    }
    assert_eq!(report["unfound"], Value::Null);
    let text = folder.qeval(["report", "harbour"]).succeed().stdout;
    assert!(!text.contains("recall by depth") && !text.contains("judged "), "{text}");
}

#[test]
fn an_older_evaluation_has_its_abstentions_too() {
    let folder = abstention::ferry();
    let report = || folder.qeval(["report", "ferry:careful", "--format", "json"]).succeed().json();
    folder.qeval(["run", "ferry.toml"]).succeed();
    let new = report();
    run(&folder, "older.py", &[]);
    let old = report();
    let of = |report: &Value, place: usize| report["evaluations"][0]["abstention"][place].clone();
    assert_eq!(of(&old, 1), of(&new, 1));
    // Why there is no answer is not known: the missing one is left out.
    let (old, new) = (of(&old, 0), of(&new, 0));
    assert_eq!(old["answerable"], new["answerable"]);
    assert_eq!((&new["unanswerable"]["abstained"], &new["left_out"]), (&2.into(), &0.into()));
    assert_eq!((&old["unanswerable"]["abstained"], &old["left_out"]), (&2.into(), &1.into()));
}
