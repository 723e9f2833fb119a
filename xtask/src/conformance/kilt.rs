//! KILT's own tests: files of gold and guessed records, against what its scripts print for them.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Setting, check::Check, qeval};

/// The tests of the scripts want equal numbers.
const TOLERANCE: f64 = 1e-15;

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    let folder = setting.shared.join("reference/kilt");
    let file = folder.join("expected.json");
    let text =
        fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let cases: Vec<Value> = serde_json::from_str(&text).context("it is no list")?;
    for case in &cases {
        compare(setting, check, &folder, case)?;
    }
    check.note(
        "pages are compared by `wikipedia_id`, the first of the keys of each case".to_owned(),
    );
    Ok(())
}

/// All numbers of a case, from one run of our program.
fn compare(setting: &Setting, check: &mut Check, folder: &Path, case: &Value) -> Result<()> {
    let word = |key: &str| case[key].as_str().with_context(|| format!("a case lacks `{key}`"));
    let (gold, guess) = (word("gold")?, word("guess")?);
    let mut expected = Vec::new();
    for (key, value) in case["expected"].as_object().context("a case lacks its numbers")? {
        match value.as_object() {
            None => expected.push((metric(key)?, value)),
            Some(inner) => {
                for (key, value) in inner {
                    expected.push((metric(key)?, value));
                }
            }
        }
    }
    let metrics: Vec<String> = expected.iter().map(|(metric, _)| metric.clone()).collect();
    let results = setting.folder(&format!("kilt-{gold}-{guess}"))?;
    let mut score = qeval::score(setting, &metrics, &results);
    score.args(["--dataset-format", "kilt", "--dataset"]).arg(folder.join(gold));
    score.arg("--predictions").arg(folder.join(guess));
    let evaluation = qeval::run(setting, &mut score, &results)?;
    for (metric, value) in expected {
        let value = value.as_f64().context("it is no number")?;
        let ours = evaluation.mean(&metric, None)?;
        check.close(&format!("{gold}, {guess}: {metric}"), ours, value, TOLERANCE);
    }
    Ok(())
}

/// Our name for a number of the scripts.
fn metric(key: &str) -> Result<String> {
    let name = key.strip_prefix("KILT-").unwrap_or(key);
    let (name, cutoff) = name.split_once('@').map_or((name, None), |(name, k)| (name, Some(k)));
    let name = match name {
        "accuracy" => "Accuracy",
        "em" => "EM",
        "f1" => "F1",
        "rougel" => "ROUGE-L",
        "Rprec" => "Rprec",
        "precision" => "Precision",
        "recall" => "Recall",
        "success_rate" => "Success",
        other => anyhow::bail!("`{other}` is unknown"),
    };
    let joint = if key.starts_with("KILT-") { "Joint-" } else { "" };
    let cutoff = cutoff.map_or(String::new(), |k| format!("@{k}"));
    Ok(format!("KILT.{joint}{name}{cutoff}"))
}
