//! `qeval explain`: how the scores of one example came about.

use std::fs;

use serde_json::Value;

use crate::support::{Folder, root};

/// The HR assistant, evaluated.
fn evaluated() -> Folder {
    let folder = Folder::new();
    folder.config("quickstart.toml");
    folder.qeval(["run", "quickstart.toml"]).succeed();
    folder
}

fn corpus() -> String {
    root().join("datasets/hr-assistant/policies.jsonl").to_str().unwrap().to_owned()
}

#[test]
fn the_stale_policy_is_seen_in_one_example() {
    let folder = evaluated();
    let corpus = corpus();
    let explain = ["explain", "hr-assistant:stale", "hr-046", "--corpus", &corpus];
    let text = folder.qeval(explain).succeed().stdout;
    for line in [
        "  question    For how long is maternity leave paid at full salary?",
        "  cause       stale source, evidence not seen",
        "    0.5000  with \"20 weeks\"  <- decides",
        "        1 word in common, of 2 and 2: weeks",
        "    (1/log2(3)) / (1/log2(2)) = 0.6309",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
    for part in ["Full salary is paid for [18 weeks]", "Tarnwick pays [20 weeks] at full salary"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let json = ["--format", "json"];
    let found = folder.qeval(explain.into_iter().chain(json)).succeed().json();
    let hits = found["hits"].as_array().unwrap();
    assert_eq!(
        (&hits[0]["passage_id"], &hits[0]["seen"]),
        (&"leave-maternity-2025".into(), &true.into())
    );
    assert_eq!((&hits[1]["gold"], &hits[1]["seen"]), (&true.into(), &false.into()));
    assert_eq!(found["missed"].as_array().unwrap().len(), 0);
}

/// The steps of a metric lead to the score that is stored, in every example.
#[test]
fn steps_lead_to_stored_scores() {
    let folder = evaluated();
    let rows = fs::read_to_string(root().join("datasets/hr-assistant/golden.jsonl")).unwrap();
    let ids: Vec<String> = rows
        .lines()
        .step_by(12)
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    let (mut formulas, mut references) = (0, 0);
    for id in &ids {
        let explain = ["explain", "hr-assistant:current", id, "--format", "json"];
        let found = folder.qeval(explain).succeed().json();
        for stage in found["stages"].as_array().unwrap() {
            for metric in stage["metrics"].as_array().unwrap() {
                let score = metric["score"].as_f64();
                let steps = metric["steps"].as_array().unwrap();
                for step in steps {
                    let value = match step["step"].as_str().unwrap() {
                        "formula" => step["value"].as_f64(),
                        "reference" if step["decides"] == true => step["score"].as_f64(),
                        _ => continue,
                    };
                    let near = (value.unwrap() - score.unwrap()).abs() < 1e-9;
                    assert!(near, "{id}: {metric:#}");
                    formulas += u32::from(step["step"] == "formula");
                    references += u32::from(step["step"] == "reference");
                }
                let plain =
                    ["EM", "F1", "MRR@10", "nDCG@10"].contains(&metric["metric"].as_str().unwrap());
                assert!(!plain || score.is_none() || !steps.is_empty(), "{id}: {metric:#}");
            }
        }
    }
    assert!(formulas > 40 && references > 20, "{formulas} {references}");
}

#[test]
fn what_is_not_there_is_named() {
    let folder = evaluated();
    let fails = |args: &[&str], parts: &[&str]| {
        let all = ["explain", "hr-assistant:current"].iter().chain(args).copied();
        let output = folder.qeval(all).ends_with(2);
        for part in parts {
            assert!(output.stderr.contains(part), "{part}\n{}", output.stderr);
        }
    };
    fails(&["hr-o46"], &["no example `hr-o46`", "did you mean `hr-046`?"]);
    fails(&["hr-046", "-m", "ROUGE-L"], &["no metric `ROUGE-L`", "it has Recall@1"]);
    fails(&["hr-046", "--stage", "reading"], &["there is no stage `reading`"]);
    fails(&["hr-046", "--dataset", "x"], &["the evaluation has one dataset"]);
    let text =
        folder.qeval(["explain", "hr-assistant:current", "hr-046", "-m", "EM"]).succeed().stdout;
    assert!(text.contains("  EM             1.0000\n    compared as  \"20 weeks\""), "{text}");
    assert!(!text.contains("MRR") && text.contains("`--corpus FILE` shows"), "{text}");
}

/// What was not carried here is not known, and is not nothing.
#[test]
fn a_baseline_without_texts_has_its_scores() {
    let folder = evaluated();
    folder.qeval(["baseline", "export", "hr-assistant:current", "b.tar"]).succeed();
    folder.qeval(["baseline", "import", "b.tar", "--results", "there"]).succeed();
    let text = folder.qeval(["explain", "hr-assistant:current", "hr-046", "--results", "there"]);
    let text = text.succeed().stdout;
    for line in
        ["  references  (not known)", "  answer      (not known)", "  EM             1.0000"]
    {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
}

/// An evaluation of an earlier version, with a plugin that is not here any more.
#[test]
fn older_evaluations_are_explained() {
    let results = root().join("tests/fixtures/evaluations");
    let results = results.to_str().unwrap();
    let folder = Folder::new();
    let explain = |label: &str, id: &str| {
        let args = ["explain", label, id, "--results", results, "--format", "json"];
        folder.qeval(args).succeed().json()
    };
    let found = explain("plugin", "q01");
    let metrics = found["stages"][0]["metrics"].as_array().unwrap();
    assert_eq!((&metrics[0]["metric"], &metrics[1]["metric"]), (&"EM".into(), &"bad.n".into()));
    assert_eq!(metrics[1]["steps"].as_array().unwrap().len(), 0);
    let texts = folder.qeval(["explain", "plugin", "q001", "--results", results]).ends_with(2);
    assert!(texts.stderr.contains("did you mean `q00`"), "{}", texts.stderr);
}
