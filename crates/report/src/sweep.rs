//! A sweep: the combinations of the values of some keys, one below the other.

use std::fmt::Write as _;

use qeval_core::{Estimate, Interval, Stage, stats::Change};
use serde_json::{Value, json};

use crate::{
    table::Table,
    terminal::{heading, number},
};

/// The combinations of a sweep side by side.
#[derive(Clone, Debug, Default)]
pub struct SweepReport {
    /// For each metric in each stage.
    pub metrics: Vec<SweptMetric>,
    /// The combinations that failed.
    pub failed: Vec<String>,
}

/// One metric in all combinations.
#[derive(Clone, Debug)]
pub struct SweptMetric {
    /// Official name of the metric.
    pub metric: String,
    /// What was scored.
    pub stage: Stage,
    /// Its column.
    pub column: String,
    /// One for each evaluation that has it.
    pub rows: Vec<SweptRow>,
}

/// One metric in one combination.
#[derive(Clone, Debug)]
pub struct SweptRow {
    /// The system, which has the name of its combination.
    pub system: String,
    /// Id of the evaluation.
    pub evaluation: String,
    /// The keys with their values, as they are shown.
    pub values: Vec<(String, String)>,
    /// The numbers over all examples.
    pub estimate: Estimate,
    /// The system that this one is compared with: the same one in the first combination; `None` for
    /// that one itself.
    pub first: Option<String>,
    /// The change from it; `None` where nothing is scored in both, or where the metric is no mean.
    pub change: Option<Change>,
}

/// The report for people.
pub(crate) fn render(sweep: &SweepReport) -> String {
    let mut table = Table::default();
    let header = ["", "n", "unscored", "mean", "95 % interval", "difference", "95 % interval"];
    table.row(header.map(str::to_owned).to_vec());
    let mut stage = None;
    for metric in &sweep.metrics {
        if stage != Some(metric.stage) {
            stage = Some(metric.stage);
            table.heading(heading(metric.stage));
        }
        table.heading(format!("  {}", metric.metric));
        for row in &metric.rows {
            let estimate = &row.estimate;
            let mut cells = vec![
                format!("    {}", row.system),
                estimate.n.to_string(),
                estimate.unscored.to_string(),
                estimate.mean.map_or_else(|| "-".to_owned(), number),
                ends(estimate.interval.as_ref(), number),
            ];
            match (&row.first, &row.change) {
                (None, _) => cells.push("(first)".to_owned()),
                (Some(_), None) => cells.push("-".to_owned()),
                (Some(_), Some(change)) => {
                    cells.push(signed(change.difference()));
                    cells.push(ends(change.interval.as_ref(), signed));
                }
            }
            table.row(cells);
        }
    }
    let mut text = table.render();
    for failed in &sweep.failed {
        let _ = writeln!(text, "  {failed}: failed");
    }
    text
}

fn ends(interval: Option<&Interval>, number: fn(f64) -> String) -> String {
    let text =
        |interval: &Interval| format!("{} to {}", number(interval.low), number(interval.high));
    interval.map(text).unwrap_or_default()
}

fn signed(value: f64) -> String {
    format!("{value:+.4}")
}

/// The same for programs.
pub(crate) fn json(sweep: &SweepReport) -> Value {
    let metrics = sweep.metrics.iter().map(|metric| {
        json!({
            "metric": metric.metric,
            "stage": metric.stage.name(),
            "column": metric.column,
            "combinations": metric.rows.iter().map(row).collect::<Vec<_>>(),
        })
    });
    json!({ "metrics": metrics.collect::<Vec<_>>(), "failed": sweep.failed })
}

fn row(row: &SweptRow) -> Value {
    let SweptRow { estimate, change, .. } = row;
    let values = row.values.iter().map(|(key, value)| (key.clone(), json!(value)));
    let interval = estimate.interval.as_ref();
    let change = change.as_ref().map(|change| {
        json!({
            "n": change.n,
            "before": change.before,
            "after": change.after,
            "difference": change.difference(),
            "ci_low": change.interval.as_ref().map(|interval| interval.low),
            "ci_high": change.interval.as_ref().map(|interval| interval.high),
            "decided": change.is_decided(),
        })
    });
    json!({
        "system": row.system,
        "evaluation_id": row.evaluation,
        "values": Value::Object(values.collect()),
        "n": estimate.n,
        "unscored": estimate.unscored,
        "mean": estimate.mean,
        "ci_low": interval.map(|interval| interval.low),
        "ci_high": interval.map(|interval| interval.high),
        "first": row.first,
        "change": change,
    })
}
