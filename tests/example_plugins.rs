//! The configs of the plugins in C and in Python, as their pages say to run them.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::{
    readers::python,
    support::{Folder, root},
};

/// The files of the folder of a plugin, without what was built there.
fn copy(from: &Path, to: &Folder, below: &str) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_file() {
            to.write(&format!("{below}{name}"), fs::read(&path).unwrap());
        } else if name == "data" {
            copy(&path, to, "data/");
        }
    }
}

/// A copy of the plugin's folder.
fn own(plugin: &str) -> Folder {
    let folder = Folder::new();
    copy(&root().join("plugins").join(plugin), &folder, "");
    folder
}

/// Mean and number of the scores of each metric.
fn means(report: &Value) -> Vec<(String, f64, u64)> {
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
    let mean = |summary: &Value| {
        let column = summary["column"].as_str().unwrap().to_owned();
        (column, summary["mean"].as_f64().unwrap(), summary["n"].as_u64().unwrap())
    };
    summaries.iter().map(mean).collect()
}

#[track_caller]
fn assert_mean(found: &[(String, f64, u64)], column: &str, mean: f64, n: u64) {
    let of_column = found.iter().find(|(name, ..)| name == column);
    let (_, value, count) = of_column.unwrap_or_else(|| panic!("{column} of {found:?}"));
    assert!((value - mean).abs() < 1e-12 && *count == n, "{column}: {value} of {count}");
}

#[test]
fn the_plugin_in_c_measures_what_a_scanner_read() {
    let folder = own("anls");
    let include = root().join("crates/sdk/include");
    let make = Command::new("make")
        .current_dir(folder.path("."))
        .arg(format!("INCLUDE={}", include.display()))
        .output()
        .unwrap();
    assert!(make.status.success(), "{make:?}");
    let report = folder.qeval(["run", "anls.toml", "--format", "json"]).succeed().json();
    // One letter of 13, a blank of 10, three letters of 16, another answer, one letter of 15, and
    // none: what has no reference has no score.
    let sum = 1.0 + 12.0 / 13.0 + 0.9 + 13.0 / 16.0 + 0.0 + 14.0 / 15.0 + 0.0;
    let found = means(&report);
    assert_mean(&found, "docvqa_anls", sum / 7.0, 7);
    assert_mean(&found, "docvqa_anls_threshold_0_2", sum / 7.0, 7);
}

#[test]
fn the_plugin_in_python_compares_strings() {
    let folder = own("string-similarity");
    let module = root().join("python/qeval_plugin");
    let config = fs::read_to_string(folder.path("similarity.toml")).unwrap();
    let config = config.replace("../../results", "results") + "environment = [\"PYTHONPATH\"]\n";
    folder.write("similarity.toml", config);
    let run = folder.qeval(["run", "similarity.toml", "--format", "json"]);
    let run = run.env("QEVAL_PYTHON", python()).env("PYTHONPATH", module);
    let report = run.succeed().json();
    let found = means(&report);
    assert_eq!(found.len(), 8);
    let ratio = found.iter().find(|(column, ..)| column == "similarity_ratio").unwrap();
    let processed = found.iter().find(|(column, ..)| column.contains("ratio_processor")).unwrap();
    assert!(ratio.1 > 0.0 && ratio.1 < processed.1 && processed.1 < 1.0, "{found:?}");
    // q8 has no answer, which scores 0; q9 has no reference.
    let mut own = found.iter().filter(|(column, ..)| column.starts_with("similarity_"));
    assert!(own.all(|(.., n)| *n == 8), "{found:?}");
}
