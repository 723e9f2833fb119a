//! Our program as its users see it: a command line that prints JSON, and Parquet files.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Setting;
use crate::shell;

/// Prints the scores of an evaluation as JSON, by column and example.
const SCORES: &str = include_str!("scores.py");

/// Scores of one column, by example; null is unscored.
pub(super) type Column = BTreeMap<String, Option<f64>>;

/// An evaluation, as `--format json` gives it.
pub(super) struct Evaluation {
    value: Value,
    results: PathBuf,
}

/// Runs `qeval` with these arguments, which must make one evaluation in the folder `results`.
pub(super) fn run(setting: &Setting, args: &mut Command, results: &Path) -> Result<Evaluation> {
    let text = shell::output(args.current_dir(&setting.root).args(["--format", "json"]))?;
    let mut report: Value = serde_json::from_str(&text).context("the report is no JSON")?;
    let version = &report["version"];
    ensure!(version == 1, "the report has version {version}, expected 1");
    let evaluations = report["evaluations"].as_array().map_or(0, Vec::len);
    ensure!(evaluations == 1, "the report has {evaluations} evaluations, expected 1");
    Ok(Evaluation { value: report["evaluations"][0].take(), results: results.to_owned() })
}

/// `qeval score` with these metrics; what is scored is still to be added.
pub(super) fn score(setting: &Setting, metrics: &[String], results: &Path) -> Command {
    let mut command = Command::new(&setting.qeval);
    command.arg("score").arg("--results").arg(results);
    command.args(metrics.iter().flat_map(|metric| ["-m", metric]));
    command
}

/// The records of a dataset: what `qeval convert` writes as JSON lines.
pub(super) fn convert(
    setting: &Setting,
    input: &Path,
    from: &str,
    options: &[&str],
) -> Result<Vec<Value>> {
    let folder = tempfile::tempdir_in(setting.scratch.path())?;
    let output = folder.path().join("records.jsonl");
    convert_to(setting, input, &output, from, "jsonl", options)?;
    let text = std::fs::read_to_string(&output)?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// `qeval convert` of one file to another.
pub(super) fn convert_to(
    setting: &Setting,
    input: &Path,
    output: &Path,
    from: &str,
    to: &str,
    options: &[&str],
) -> Result<()> {
    let mut command = Command::new(&setting.qeval);
    command.arg("convert").arg(input).arg(output).args(["--from", from, "--to", to]);
    shell::output(command.args(options)).map(drop)
}

impl Evaluation {
    /// The mean of a metric, over all examples or over one group of them.
    pub(super) fn mean(&self, metric: &str, slice: Option<(&str, &str)>) -> Result<f64> {
        let summaries = self.value["summaries"].as_array().context("there are no summaries")?;
        let wanted = |summary: &&Value| {
            summary["metric"] == metric
                && match slice {
                    None => summary["slice"].is_null(),
                    Some((name, value)) => {
                        summary["slice"] == name && summary["slice_value"] == value
                    }
                }
        };
        let found: Vec<&Value> = summaries.iter().filter(wanted).collect();
        let [summary] = found[..] else {
            anyhow::bail!("there are {} summaries of `{metric}` {slice:?}", found.len());
        };
        summary["mean"].as_f64().with_context(|| format!("`{metric}` {slice:?} has no mean"))
    }

    /// What was counted aloud.
    pub(super) fn notices(&self) -> Vec<String> {
        let notices = self.value["notices"].as_array().into_iter().flatten();
        notices.filter_map(|notice| notice.as_str()).map(str::to_owned).collect()
    }

    /// The folder with the results.
    pub(super) fn folder(&self) -> PathBuf {
        let id = self.value["evaluation_id"].as_str().unwrap_or_default();
        self.results.join(format!("evaluation_id={id}"))
    }

    /// The stored scores, by column and example, read by Python.
    pub(super) fn scores(&self, setting: &Setting) -> Result<BTreeMap<String, Column>> {
        let mut python = Command::new(&setting.python);
        let text = shell::output(python.args(["-c", SCORES]).arg(self.folder()))?;
        serde_json::from_str(&text).context("cannot read the scores")
    }
}
