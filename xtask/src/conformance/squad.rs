//! SQuAD 1.1 and 2.0: published predictions, against what the official scripts print for them.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Setting, check::Check, qeval};
use crate::shell;

/// Of a fraction; the scripts print percents with all digits.
const TOLERANCE: f64 = 1e-9;

/// EM and F1 of the version 1.1 script, and that missing and unknown ids are counted aloud.
pub(super) fn version_1(setting: &Setting, check: &mut Check) -> Result<()> {
    let folder = setting.shared.join("reference/squad");
    for (file, expected) in systems(&folder, "v1.1")? {
        let results = setting.folder(&format!("squad-1-{file}"))?;
        let metrics = ["SQuAD1.EM", "SQuAD1.F1", "EM", "F1"].map(str::to_owned);
        let mut score = qeval::score(setting, &metrics, &results);
        score.arg("--dataset-format").arg("squad");
        score.arg("--dataset").arg(folder.join("dev-v1.1.answers.json"));
        score.arg("--predictions").arg(folder.join("predictions/v1.1").join(&file));
        let evaluation = qeval::run(setting, &mut score, &results)?;
        check_official(setting, check, "squad1", &format!("predictions/v1.1/{file}"), &expected)?;
        for metric in metrics {
            let key = if metric.ends_with("EM") { "exact_match" } else { "f1" };
            let ours = evaluation.mean(&metric, None)?;
            check.close(&format!("{file} {metric}"), ours, percent(&expected, key)?, TOLERANCE);
        }
        let notices = evaluation.notices();
        let missing = expected["missing"].as_u64().unwrap_or_default();
        let counted =
            |count: u64| notices.iter().any(|notice| notice.starts_with(&format!("{count} ")));
        if missing > 0 {
            check
                .holds(&format!("{file}: a notice counts {missing} missing ids"), counted(missing));
            let known = known(&folder)?;
            let unknown = unknown(&folder.join("predictions/v1.1").join(&file), &known)?;
            check
                .holds(&format!("{file}: a notice counts {unknown} unknown ids"), counted(unknown));
            for notice in &notices {
                check.note(format!("{file}: {notice}"));
            }
        }
    }
    Ok(())
}

/// EM and F1 of the version 2.0 script, for all questions and by whether they have an answer.
pub(super) fn version_2(setting: &Setting, check: &mut Check) -> Result<()> {
    let folder = setting.shared.join("reference/squad");
    for (file, expected) in systems(&folder, "v2.0")? {
        let place = setting.folder(&format!("squad-2-{file}"))?;
        let config = place.join("squad.toml");
        // The project's own file, with other names for the data; results go beside it.
        let text = fs::read_to_string(setting.root.join("configs/squad.toml"))?
            .replace("../results", "results")
            .replace("${SQUAD_DIR}/dev-v2.0.json", "${SQUAD_DIR}/dev-v2.0.answers.json")
            .replace("predictions.json", &format!("predictions/v2.0/{file}"));
        fs::write(&config, text)?;
        let mut run = std::process::Command::new(&setting.qeval);
        run.env("SQUAD_DIR", &folder).arg("run").arg(&config);
        let evaluation = qeval::run(setting, &mut run, &place.join("results"))?;
        check_official(setting, check, "squad2", &format!("predictions/v2.0/{file}"), &expected)?;
        for (metric, key) in [("EM", "exact"), ("F1", "f1")] {
            for (class, slice) in [
                ("", None),
                ("HasAns_", Some(("answerable", "true"))),
                ("NoAns_", Some(("answerable", "false"))),
            ] {
                let key = format!("{class}{key}");
                let ours = evaluation.mean(metric, slice)?;
                check.close(&format!("{file} {key}"), ours, percent(&expected, &key)?, TOLERANCE);
            }
        }
    }
    Ok(())
}

/// What `--official` prints, to the last digit of every number that the script prints.
fn check_official(
    setting: &Setting,
    check: &mut Check,
    script: &str,
    predictions: &str,
    expected: &Value,
) -> Result<()> {
    let folder = setting.shared.join("reference/squad");
    let dataset =
        if script == "squad1" { "dev-v1.1.answers.json" } else { "dev-v2.0.answers.json" };
    let mut score = std::process::Command::new(&setting.qeval);
    score.args(["score", "--official", script, "--dataset"]).arg(folder.join(dataset));
    score.arg("--predictions").arg(folder.join(predictions));
    let printed: Value = serde_json::from_str(&shell::output(&mut score)?)?;
    let printed = printed.as_object().context("the script prints an object")?;
    let same = printed.iter().all(|(key, value)| *value == expected[key]);
    check.holds(&format!("{predictions}: {script} prints the same digits"), same);
    Ok(())
}

/// The predictions files of a version, with what the script prints for each.
fn systems(folder: &Path, version: &str) -> Result<Vec<(String, Value)>> {
    let summary = read(&folder.join("expected/summary.json"))?;
    let systems = summary[version].as_object().context("the summary lacks the version")?;
    Ok(systems.iter().map(|(file, expected)| (file.clone(), expected.clone())).collect())
}

fn percent(expected: &Value, key: &str) -> Result<f64> {
    let percent = expected[key].as_f64().with_context(|| format!("there is no `{key}`"))?;
    Ok(percent / 100.0)
}

/// The ids of the questions of version 1.1.
fn known(folder: &Path) -> Result<Vec<String>> {
    let data = read(&folder.join("dev-v1.1.answers.json"))?;
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let paragraphs =
        list(&data, "data").into_iter().flat_map(|article| list(&article, "paragraphs"));
    let questions = paragraphs.flat_map(|paragraph| list(&paragraph, "qas"));
    let mut ids: Vec<String> =
        questions.filter_map(|question| Some(question["id"].as_str()?.to_owned())).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// How many predictions answer no question.
fn unknown(predictions: &Path, known: &[String]) -> Result<u64> {
    let predictions = read(predictions)?;
    let ids = predictions.as_object().context("the predictions are no object")?.keys();
    Ok(ids.filter(|id| known.binary_search(id).is_err()).count() as u64)
}

fn read(path: &Path) -> Result<Value> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("`{}` is no JSON", path.display()))
}
