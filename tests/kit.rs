//! The kit of plugin authors: a new plugin of each language builds, passes its own test, is found to
//! be in order, and evaluates.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    readers::python,
    support::{Folder, program, root, target},
};

/// The mean of `overlap`: 1, 3 words of 5, 1 of 3, and 0 for the missing answer.
const LOWER: f64 = (1.0 + 3.0 / 5.0 + 1.0 / 3.0) / 4.0;

/// The same where capitals count, of which the first answer has one.
const KEEP: f64 = (1.0 / 2.0 + 3.0 / 5.0 + 1.0 / 3.0) / 4.0;

/// Writes a new plugin and gives its folder.
fn begin(lang: &str) -> Folder {
    let folder = Folder::new();
    let sdk = root().join("crates/sdk");
    let new = ["plugin", "new", "--lang", lang, "--folder", ".", "my-metrics", "--sdk"];
    folder.qeval(new.map(Into::into).into_iter().chain([sdk.into_os_string()])).succeed();
    folder
}

/// Runs a command in the folder of a plugin.
#[track_caller]
fn run(folder: &Folder, command: &mut Command) {
    let command = command.current_dir(folder.path(".")).stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
}

/// The means of the metrics of its evaluation, in their order.
fn means(folder: &Folder) -> Vec<f64> {
    let python = python();
    let evaluate = folder.qeval(["run", "evaluation.toml", "--format", "json"]);
    let report = evaluate.env("PYTHON", python).succeed().json();
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap().clone();
    summaries.iter().map(|summary| summary["mean"].as_f64().unwrap()).collect()
}

/// What `plugin check` says.
fn check(folder: &Folder, args: &[&str]) -> String {
    let check = ["plugin", "check", "--cases", "2000"].iter().chain(args).copied();
    folder.qeval(check).succeed().stdout
}

#[track_caller]
fn assert_in_order(checked: &str) {
    assert!(checked.contains("overlap"), "{checked}");
    assert!(checked.contains("cases a second"), "{checked}");
    assert!(checked.ends_with("\nno problem was found\n"), "{checked}");
}

#[test]
fn a_new_plugin_in_c_works() {
    let folder = begin("c");
    run(&folder, Command::new("make").arg("test").env("QEVAL", program()));
    assert_in_order(&check(&folder, &["build/my_metrics"]));
    assert_eq!(means(&folder)[1..], [LOWER]);
}

#[test]
fn a_new_plugin_in_rust_works() {
    let folder = begin("rust");
    // The versions and the target folder of the workspace, so that nothing is fetched.
    fs::copy(root().join("Cargo.lock"), folder.path("Cargo.lock")).unwrap();
    for verb in ["test", "build"] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([verb, "--offline", "--quiet"]).env("CARGO_TARGET_DIR", target());
        run(&folder, cargo.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only"));
    }
    let library = target().join("debug").join("my_metrics");
    assert_in_order(&check(&folder, &[library.to_str().unwrap()]));
    let config = fs::read_to_string(folder.path("evaluation.toml")).unwrap();
    let config = config.replace("target/release/my_metrics", library.to_str().unwrap());
    folder.write("evaluation.toml", config);
    assert_eq!(means(&folder)[1..], [LOWER, KEEP]);
}

#[test]
fn a_new_plugin_in_python_works() {
    let folder = begin("python");
    run(&folder, Command::new(python()).args(["-m", "unittest", "--quiet"]));
    let python = python();
    let interpreter = ["--interpreter", python.to_str().unwrap()];
    assert_in_order(&check(&folder, &[&["my_metrics.py"][..], &interpreter].concat()));
    assert_eq!(means(&folder)[1..], [LOWER, KEEP]);
}

#[test]
fn problems_of_a_plugin_are_listed() {
    let folder = begin("c");
    let source = fs::read_to_string(folder.path("my_metrics.c")).unwrap();
    let broken = source.replace("\\\"expected\\\": [0.5]", "\\\"expected\\\": [0.75]");
    assert_ne!(source, broken);
    folder.write("my_metrics.c", broken);
    run(&folder, &mut Command::new("make"));
    let output = folder.qeval(["plugin", "check", "--cases", "0", "build/my_metrics"]).ends_with(1);
    let text = output.transcript();
    assert!(text.contains("worked example 2: `plugin.overlap` is 0.5, expected 0.75"), "{text}");
    assert!(text.contains("the plugin has a problem, see above"), "{text}");
}

#[test]
fn nothing_is_overwritten() {
    let folder = begin("c");
    let again = ["plugin", "new", "--lang", "c", "--folder", ".", "my-metrics"];
    let text = folder.qeval(again).ends_with(2).transcript();
    assert!(text.contains("`.` is there already"), "{text}");
    let odd = ["plugin", "new", "--lang", "c", "2nd"];
    let text = folder.qeval(odd).ends_with(2).transcript();
    assert!(text.contains("`2nd` is no name for a plugin"), "{text}");
    assert!(!Path::new("2nd").exists());
}

#[test]
fn the_module_for_python_and_its_example_pass_their_tests() {
    let module = root().join("python").join("qeval_plugin");
    for tests in [module.join("tests"), root().join("plugins").join("string-similarity")] {
        let mut unittest = Command::new(python());
        unittest.args(["-B", "-m", "unittest", "--quiet"]).env("PYTHONPATH", &module);
        let output = unittest.current_dir(&tests).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn what_a_plugin_offers_beside_metrics_is_tried() {
    let folder = Folder::new();
    let library = crate::support::library("sample_plugin");
    folder.write("passages.tsv", "p1\tA notice takes ten days.\n");
    let options = format!("{{\"corpus\": \"{}\"}}", folder.path("passages.tsv").display());
    let text = check(&folder, &[library.to_str().unwrap(), "--options", &options]);
    for what in ["the normalizer `legal`", "odd questions for the retriever", "for the reader"] {
        assert!(text.contains(what), "{text}");
    }
    assert!(text.ends_with("\nno problem was found\n"), "{text}");
}

#[test]
fn a_check_refuses_what_a_run_refuses() {
    let folder = begin("python");
    let library = crate::support::plugin_library();
    let library = library.to_str().unwrap();
    for (args, expected) in [
        (&[library, "--interpreter", "/bin/sh"][..], "`--interpreter` belongs to a program"),
        (&[library, "--args=x"], "`--args` belongs to a program"),
        (&[library, "--in-process", "--memory-mb", "100"], "`--in-process` belongs to a library"),
        (&[library, "--environment", "QEVAL_NO_SUCH"], "`QEVAL_NO_SUCH` is not set"),
        (&["my_metrics.py"], "such as `--interpreter /usr/bin/python3`, or make it executable"),
    ] {
        let check = ["plugin", "check"].iter().chain(args).copied();
        let text = folder.qeval(check).ends_with(2).transcript();
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(expected), "{text}");
    }
    let limited = [library, "--environment", "HOME", "--memory-mb", "4000"];
    let text = check(&folder, &limited);
    assert!(text.contains("batches of  512"), "{text}");
    assert!(!text.contains("batches of 8192"), "{text}");
}

#[test]
fn the_next_step_names_a_program_that_is_not_found() {
    let folder = Folder::new();
    let new = |args: &[&str]| {
        let qeval = folder.qeval(["plugin", "new"].iter().chain(args).copied());
        qeval.env("PATH", "/usr/bin:/bin").succeed().stdout
    };
    let text = new(&["--lang", "c", "in-c"]);
    assert!(text.contains(&format!("make test QEVAL='{}'", program().display())), "{text}");
    let text = new(&["--lang", "rust", "in-rust"]);
    assert!(text.contains("until the crate `qeval-sdk` is published"), "{text}");
}
