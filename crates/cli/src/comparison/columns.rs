//! The metrics that are compared.

use anyhow::Result;
use qeval_core::{Estimator, Metric, Pooled, Stage, stats::Group};
use qeval_store::{Evaluation, MetricColumn, Pairing, obstacle_of_column};

use crate::{args::Compare, domains::is_mean, exit_code::BadRequest};

/// A metric column that all evaluations have.
pub(super) struct Compared {
    pub(super) name: String,
    pub(super) column: String,
    pub(super) stage: Stage,
    pub(super) higher_is_better: bool,
    /// How its scores become a number.
    pub(super) kind: Kind,
    /// Why it has no test.
    pub(super) without: Option<String>,
    /// What forbids to compare it.
    pub(super) obstacle: Option<String>,
}

/// How the scores of examples become the number of a system.
pub(super) enum Kind {
    /// Their mean.
    Mean,
    /// A function of the groups of examples.
    Groups(fn(&mut dyn Iterator<Item = &Group>) -> Option<f64>),
    /// A function of statistics in these columns, which stand beside the scores.
    Pooled { metric: Box<Metric>, pooled: &'static Pooled, columns: Vec<String> },
    /// Known to its plugin alone.
    OfPlugin,
}

/// What is read of a metric for each system: the numbers of the shared examples, NaN where there is
/// none.
pub(super) struct Values {
    /// The scores.
    pub(super) scores: Vec<Vec<f64>>,
    /// Of each system the statistics; empty for a metric that pools none.
    pub(super) statistics: Vec<Vec<Vec<f64>>>,
}

impl Values {
    /// Whether every system has a number for this example.
    pub(super) fn are_known(&self, example: usize) -> bool {
        let known = |column: &Vec<f64>| !column[example].is_nan();
        if self.statistics.is_empty() {
            self.scores.iter().all(known)
        } else {
            self.statistics.iter().flatten().all(known)
        }
    }
}

impl Compared {
    /// The numbers of the shared examples in each evaluation.
    pub(super) fn values(&self, evaluations: &[Evaluation], pairing: &Pairing) -> Result<Values> {
        let read = |place: usize, evaluation: &Evaluation, name: &str| -> Result<Vec<f64>> {
            let column = evaluation.column(name)?;
            Ok(pairing.rows(place).iter().map(|&row| column[row as usize]).collect())
        };
        let mut values = Values { scores: Vec::new(), statistics: Vec::new() };
        for (place, evaluation) in evaluations.iter().enumerate() {
            values.scores.push(read(place, evaluation, &self.column)?);
            if let Kind::Pooled { columns, .. } = &self.kind {
                let all = columns.iter().map(|column| read(place, evaluation, column));
                values.statistics.push(all.collect::<Result<_>>()?);
            }
        }
        Ok(values)
    }
}

/// How the scores of a column become a number.
fn kind(evaluation: &Evaluation, metric: &MetricColumn) -> Kind {
    if is_mean(metric) {
        return Kind::Mean;
    }
    let Ok(built_in) = metric.name.parse::<Metric>() else { return Kind::OfPlugin };
    match built_in.definition().estimator {
        Estimator::Mean => Kind::Mean,
        Estimator::Groups(finish) => Kind::Groups(finish),
        Estimator::Pooled(pooled) => {
            let all = evaluation.manifest().metrics.iter();
            let own = all.filter(|other| other.statistic_of.as_ref() == Some(&metric.column));
            let columns = own.map(|statistic| statistic.column.clone()).collect();
            Kind::Pooled { metric: Box::new(built_in), pooled, columns }
        }
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
        let kind = kind(first, metric);
        let without = matches!(kind, Kind::OfPlugin)
            .then(|| "its plugin alone can make its number again".to_owned());
        found.push(Compared {
            name: metric.name.clone(),
            column: metric.column.clone(),
            stage: metric.stage,
            higher_is_better: metric.higher_is_better,
            kind,
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
