//! How scores differ where questions were asked several times.

use serde_json::{Value, json};

use crate::{EvaluationReport, table::Table};

/// Questions that were asked several times.
#[derive(Clone, Debug, Default)]
pub struct RepeatsReport {
    /// How often each was asked.
    pub repeats: u64,
    /// The columns of scores.
    pub columns: Vec<RepeatedColumn>,
}

/// How the scores of a column differ from repeat to repeat.
#[derive(Clone, Debug, Default)]
pub struct RepeatedColumn {
    /// Name of the column.
    pub column: String,
    /// The mean over the examples, of each repeat; `None` where none has a score.
    pub means: Vec<Option<f64>>,
    /// Standard deviation of those means.
    pub stddev: Option<f64>,
    /// Standard deviation of the scores of one example.
    pub stddev_within: Option<f64>,
}

/// A title and a table; `None` where questions were asked once.
pub(crate) fn render(evaluation: &EvaluationReport) -> Option<(String, String)> {
    let found = evaluation.repeats.as_ref()?;
    let mut table = Table::default();
    let header = ["", "lowest mean", "highest mean", "sd of the means", "sd within an example"];
    table.row(header.map(str::to_owned).to_vec());
    for column in &found.columns {
        let metric = evaluation.metrics.iter().find(|metric| metric.column == column.column);
        let name = metric.map_or_else(
            || column.column.clone(),
            |metric| format!("{} · {}", metric.name, metric.stage.name()),
        );
        let means = || column.means.iter().copied().flatten();
        let cell = |number: Option<f64>| number.map_or("-".to_owned(), |n| format!("{n:.4}"));
        let numbers = [means().reduce(f64::min), means().reduce(f64::max)];
        let numbers = numbers.into_iter().chain([column.stddev, column.stddev_within]);
        table.row(std::iter::once(name).chain(numbers.map(cell)).collect());
    }
    let title = format!("over {} repeats · {}", found.repeats, evaluation.system);
    Some((title, table.render()))
}

pub(crate) fn json(found: &RepeatsReport) -> Value {
    let columns = found.columns.iter().map(|column| {
        json!({
            "column": column.column,
            "means": column.means,
            "stddev": column.stddev,
            "stddev_within": column.stddev_within,
        })
    });
    json!({"repeats": found.repeats, "columns": columns.collect::<Vec<_>>()})
}
