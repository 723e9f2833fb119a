//! The files of `configs/` plan and run; the files of `bad-configs/` are refused with messages
//! that say what to do.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::support::{Folder, Output, assert_transcript, plugin_library, root};

/// The configs that name their data by a variable, and a sample for each.
const SAMPLES: [(&str, &str, &str); 3] = [
    ("cranfield.toml", "CRANFIELD_DIR", "tiny-cranfield"),
    ("squad.toml", "SQUAD_DIR", "tiny-squad"),
    ("trec-run.toml", "TREC_DIR", "tiny-trec"),
];

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    assert!(!paths.is_empty(), "{folder}");
    paths
}

fn name(path: &std::path::Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

fn sample(folder: &str) -> PathBuf {
    root().join("datasets").join(folder)
}

#[test]
fn every_config_plans() {
    for path in files("configs", ".toml") {
        let folder = Folder::new();
        folder.config(name(&path));
        let mut qeval = folder.qeval(["check", name(&path)]);
        for (_, variable, data) in SAMPLES.iter().filter(|(config, ..)| *config == name(&path)) {
            qeval = qeval.env(variable, sample(data));
        }
        let output = qeval.succeed();
        assert!(output.stdout.contains("to be evaluated"), "{}", output.stdout);
        assert_eq!(output.stderr, "");
    }
}

/// The evaluations of the example plugins that Cargo builds run from their folders.
#[test]
fn every_config_of_a_plugin_runs() {
    for name in ["citations", "key-figures"] {
        let folder = Folder::new();
        let own = root().join("plugins").join(name);
        let text = fs::read_to_string(own.join(format!("{name}.toml"))).unwrap();
        let text = text
            .replace("../../results", folder.path("results").to_str().unwrap())
            .replace("\"example/", &format!("\"{}/example/", own.display()));
        folder.write("e.toml", text);
        let built = plugin_library();
        let qeval = folder.qeval(["run", "e.toml"]).env("QEVAL_PLUGINS", built.parent().unwrap());
        qeval.succeed();
    }
}

#[test]
fn a_variable_that_is_not_set_is_named() {
    for (config, variable, _) in SAMPLES {
        let folder = Folder::new();
        folder.config(config);
        let mut qeval = folder.qeval(["run", config]);
        qeval.command.env_remove(variable);
        let output = qeval.ends_with(2);
        assert!(output.stderr.contains(&format!("`{variable}` is not set")), "{}", output.stderr);
        folder.assert_no_evaluation("results");
        if variable == "SQUAD_DIR" {
            assert_transcript!("configs__unset_variable", output);
        }
    }
}

/// Runs a config on its sample and compares the means over all examples, and the notices.
fn check_numbers(config: &str, means: &[(&str, f64)], notices: &[&str]) -> Value {
    let (_, variable, data) = SAMPLES.iter().find(|sample| sample.0 == config).unwrap();
    let folder = Folder::new();
    folder.config(config);
    let qeval = folder.qeval(["run", config, "--format", "json"]).env(variable, sample(data));
    let report = qeval.succeed().json();
    let evaluation = &report["evaluations"][0];
    let summaries = evaluation["summaries"].as_array().unwrap();
    let whole = summaries.iter().filter(|summary| summary["slice"].is_null());
    let found: Vec<(&str, f64)> = whole
        .map(|summary| (summary["metric"].as_str().unwrap(), summary["mean"].as_f64().unwrap()))
        .collect();
    assert_eq!(found.len(), means.len(), "{found:?}");
    for (found, expected) in found.iter().zip(means) {
        let near = (found.1 - expected.1).abs() < 1e-12;
        assert!(found.0 == expected.0 && near, "{found:?} is not {expected:?}");
    }
    let stated: Vec<&str> = evaluation["notices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|notice| notice.as_str().unwrap())
        .collect();
    assert_eq!(stated, notices);
    report
}

/// What a relevant passage at this rank is worth in nDCG.
fn discount(rank: f64) -> f64 {
    (rank + 1.0).log2().recip()
}

#[test]
fn trec_run() {
    // 101: the run is c a x b with the grades 1 3 - 2, and the best order is a b c with 3 2 1.
    // 102: the run is g e with 0 2, and the best order is f e with 3 2.
    // 103 is missing from the run and counts as 0; 104 is in the run alone.
    let ndcg_101 = (1.0 * discount(1.0) + 3.0 * discount(2.0) + 2.0 * discount(4.0))
        / (3.0 * discount(1.0) + 2.0 * discount(2.0) + 1.0 * discount(3.0));
    let ndcg_102 = 2.0 * discount(2.0) / (3.0 * discount(1.0) + 2.0 * discount(2.0));
    // With rel=2, a and b are relevant for 101 (ranks 2 and 4), e and f for 102 (rank 2, not
    // found), i for 103.
    let precisions_101 = [1.0 / 2.0, 2.0 / 4.0];
    check_numbers(
        "trec-run.toml",
        &[
            ("nDCG@10", (ndcg_101 + ndcg_102 + 0.0) / 3.0),
            (
                "MAP(rel=2)",
                (precisions_101.iter().sum::<f64>() / 2.0 + (1.0 / 2.0) / 2.0 + 0.0) / 3.0,
            ),
            ("MRR(rel=2)", (0.5 + 0.5 + 0.0) / 3.0),
            ("Recall(rel=2)@100", (1.0 + 0.5 + 0.0) / 3.0),
            ("P(rel=2)@10", (0.2 + 0.1 + 0.0) / 3.0),
        ],
        &[
            "1 query is missing from the run: it scores the worst value (103)",
            "1 query of the run is not in the dataset and is ignored (104)",
        ],
    );
}

#[test]
fn squad() {
    // built: exact. seen: `from 20 miles away` shares 3 words with `20 miles away`, so F1 is
    // 2 * 3 / (4 + 3). painted: rightly abstained. keeper: wrong. price: answered, unanswerable.
    let seen = 6.0 / 7.0;
    let report = check_numbers(
        "squad.toml",
        &[
            ("EM", (1.0 + 0.0 + 1.0 + 0.0 + 0.0) / 5.0),
            ("F1", (1.0 + seen + 1.0 + 0.0 + 0.0) / 5.0),
        ],
        &[],
    );
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
    let slice = |metric: &str, value: &str| {
        let found = summaries.iter().find(|summary| {
            summary["metric"] == *metric
                && summary["slice"] == *"answerable"
                && summary["slice_value"] == *value
        });
        let found = found.unwrap();
        (found["n"].as_u64().unwrap(), found["mean"].as_f64().unwrap())
    };
    assert_eq!(slice("EM", "true"), (3, 1.0 / 3.0));
    assert_eq!(slice("EM", "false"), (2, 0.5));
    assert_eq!(slice("F1", "false"), (2, 0.5));
    let (n, mean) = slice("F1", "true");
    assert!(n == 3 && (mean - (1.0 + seen) / 3.0).abs() < 1e-12, "{mean}");
}

#[test]
fn cranfield() {
    // `why do sails tear in a storm` finds 1 (sail, tear, storm), then 2 (storm); 2 is relevant.
    // `which rope rots` finds 3; 3 and 4 are relevant. `where is the nearest harbour` finds
    // nothing. The topics are numbered 1, 4, 8 and judged by position.
    check_numbers(
        "cranfield.toml",
        &[
            ("nDCG@10", (discount(2.0) + 1.0 / (1.0 + discount(2.0)) + 0.0) / 3.0),
            ("Recall@20", (1.0 + 0.5 + 0.0) / 3.0),
            ("MRR", (0.5 + 1.0 + 0.0) / 3.0),
            ("MAP", (0.5 + 0.5 + 0.0) / 3.0),
            ("P@10", (0.1 + 0.1 + 0.0) / 3.0),
            ("Success@10", (1.0 + 1.0 + 0.0) / 3.0),
        ],
        &[],
    );
}

#[test]
fn checksums_of_the_datasets() {
    let mut checked = 0;
    for (list, folder) in [
        ("README.md", ""),
        ("hr-assistant/SHA256SUMS", "hr-assistant"),
        ("multilingual/SHA256SUMS", "multilingual"),
    ] {
        let text = fs::read_to_string(root().join("datasets").join(list)).unwrap();
        for line in text.lines() {
            let Some((digest, name)) = line.split_once("  ") else { continue };
            if digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let path = sample(folder).join(name);
                assert_eq!(qeval_dataset::digest(&path).unwrap(), digest, "{}", path.display());
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 7 + 5 + 9);
}

/// The folder that the bad configs are tried in.
fn surroundings() -> Folder {
    let folder = Folder::new();
    folder.write(
        "golden.jsonl",
        r#"{"id": "1", "question": "How many?", "references": ["ten"], "gold_passages": ["a"], "topic": "x"}"#,
    );
    folder.write("no-gold.jsonl", r#"{"id": "1", "question": "How many?", "references": ["ten"]}"#);
    folder.write("no-references.jsonl", r#"{"id": "1", "question": "How many?", "answer": "ten"}"#);
    folder.write("passages.jsonl", r#"{"id": "a", "title": "A", "text": "There are ten."}"#);
    folder.write("answers.jsonl", r#"{"id": "1", "prediction": "ten"}"#);
    folder.write("qrels.txt", "1 0 a 1\n");
    fs::create_dir(folder.path("folder")).unwrap();
    folder
}

fn check_bad(folder: &Folder, name: &str) -> Output {
    let qeval = folder.qeval(["check", name]).env("PLUGIN", plugin_library());
    qeval.run()
}

#[test]
fn bad_configs_are_refused() {
    let folder = surroundings();
    for path in files("tests/bad-configs", ".toml") {
        folder.write(name(&path), fs::read(&path).unwrap());
        let output = check_bad(&folder, name(&path));
        assert_eq!((output.code, &*output.stdout), (Some(2), ""), "{}", path.display());
        let name = name(&path).trim_end_matches(".toml").replace('-', "_");
        assert_transcript!(format!("bad_config__{name}"), output);
    }
}

#[test]
fn what_is_no_text_is_refused() {
    let folder = surroundings();
    folder.write("latin1.toml", b"version = 1\nlabel = \"caf\xe9\"\n");
    assert_transcript!("bad_config__latin1", check_bad(&folder, "latin1.toml"));
    assert_transcript!("bad_config__folder", check_bad(&folder, "folder"));
}
