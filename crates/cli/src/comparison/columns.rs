//! The metrics that are compared.

use anyhow::Result;
use qeval_core::{Metric, Stage};
use qeval_store::{Evaluation, MetricColumn, Pairing, obstacle_of_column};

use crate::{args::Compare, domains::is_mean, exit_code::BadRequest};

/// A metric column that all evaluations have.
pub(super) struct Compared {
    pub(super) name: String,
    pub(super) column: String,
    pub(super) stage: Stage,
    pub(super) higher_is_better: bool,
    /// Why it has no test.
    pub(super) without: Option<String>,
    /// What forbids to compare it.
    pub(super) obstacle: Option<String>,
}

impl Compared {
    /// The scores of the shared examples in each evaluation, NaN where there is none.
    pub(super) fn values(
        &self,
        evaluations: &[Evaluation],
        pairing: &Pairing,
    ) -> Result<Vec<Vec<f64>>> {
        let of = |(place, evaluation): (usize, &Evaluation)| {
            let column = evaluation.column(&self.column)?;
            Ok(pairing.rows(place).iter().map(|&row| column[row as usize]).collect())
        };
        evaluations.iter().enumerate().map(of).collect()
    }
}

/// The metrics that are asked for and that all evaluations have, in the order of the first one.
pub(super) fn wanted(
    evaluations: &[Evaluation],
    names: &[String],
    args: &Compare,
) -> Result<Vec<Compared>> {
    let (first, others) = evaluations.split_first().expect("two or more are compared");
    for wanted in &args.metrics {
        let has = |evaluation: &Evaluation| own(evaluation).any(|metric| is(metric, wanted));
        if let Some(place) = evaluations.iter().position(|evaluation| !has(evaluation)) {
            let known: Vec<&str> =
                own(&evaluations[place]).map(|metric| metric.column.as_str()).collect();
            return Err(BadRequest {
                message: format!("`{}` has no metric `{wanted}`", names[place]),
                hint: Some(format!("its columns are {}", known.join(", "))),
            }
            .into());
        }
    }
    let chosen = own(first).filter(|metric| {
        let named = args.metrics.is_empty() || args.metrics.iter().any(|name| is(metric, name));
        named && args.stage.as_ref().is_none_or(|stage| metric.stage.name() == stage)
    });
    let mut found = Vec::new();
    for metric in chosen {
        let columns: Option<Vec<&MetricColumn>> =
            others.iter().map(|other| own(other).find(|own| own.column == metric.column)).collect();
        let Some(columns) = columns else { continue };
        let obstacle =
            columns.iter().zip(others).zip(&names[1..]).find_map(|((own, other), name)| {
                let of_first = (first.manifest(), metric);
                let text = obstacle_of_column(of_first, (other.manifest(), own))?;
                Some(format!("{}: {text} (`{}` and `{name}`)", metric.name, names[0]))
            });
        let without = (!is_mean(metric)).then(|| "its number is no mean of examples".to_owned());
        found.push(Compared {
            name: metric.name.clone(),
            column: metric.column.clone(),
            stage: metric.stage,
            higher_is_better: metric.higher_is_better,
            without,
            obstacle,
        });
    }
    if found.is_empty() {
        let hint = "`qeval report` shows the metrics of each".to_owned();
        let message = "the evaluations have no metric in common".to_owned();
        return Err(BadRequest { message, hint: Some(hint) }.into());
    }
    found.sort_by_key(|metric| metric.stage);
    Ok(found)
}

/// Says which metrics only some of the evaluations have.
pub(super) fn notes(evaluations: &[Evaluation], args: &Compare) -> Vec<String> {
    if !args.metrics.is_empty() {
        return Vec::new();
    }
    let mut some: Vec<&str> = Vec::new();
    for metric in evaluations.iter().flat_map(own) {
        let has = |evaluation: &Evaluation| own(evaluation).any(|one| one.column == metric.column);
        let name = metric.column.as_str();
        if !evaluations.iter().all(has) && !some.contains(&name) {
            some.push(name);
        }
    }
    if some.is_empty() {
        return Vec::new();
    }
    vec![format!("Not in all evaluations, and not compared: {}.", some.join(", "))]
}

fn own(evaluation: &Evaluation) -> impl Iterator<Item = &MetricColumn> {
    evaluation.manifest().metrics.iter().filter(|metric| metric.statistic_of.is_none())
}

/// Whether a metric is called so: by its column, or by its name in any of the ways to write it.
fn is(metric: &MetricColumn, name: &str) -> bool {
    let parsed = || name.parse::<Metric>().is_ok_and(|metric_| metric_.to_string() == metric.name);
    metric.column == name || metric.name == name || parsed()
}
