//! The numbers of a domain comparison, from the scores of stored evaluations.

use std::collections::BTreeMap;

use anyhow::Result;
use qeval_core::{
    Estimator, Metric, Stage,
    stats::{Change, Unit, paired, unpaired},
};
use qeval_report::{DomainReport, SystemChange, SystemDrops};
use qeval_store::{Evaluation, MetricColumn, Scores};

/// For each metric of answers (of rankings, where there are no answers) that is a mean, in each
/// stage: the datasets side by side, for the systems that have it. Empty for a single dataset.
pub(crate) fn domains(evaluations: &[Evaluation]) -> Result<Vec<DomainReport>> {
    if evaluations.is_empty() {
        return Ok(Vec::new());
    }
    let names = |evaluation: &Evaluation| -> Vec<String> {
        evaluation.manifest().datasets.iter().map(|info| info.name.clone()).collect()
    };
    let datasets = names(&evaluations[0]);
    // Evaluations of another execution have other datasets, and share no examples.
    if datasets.len() < 2 || evaluations.iter().any(|other| names(other) != datasets) {
        return Ok(Vec::new());
    }
    let answers = [columns(evaluations, Stage::Integrated), columns(evaluations, Stage::Isolated)];
    let mut metrics = answers.concat();
    if metrics.is_empty() {
        metrics = columns(evaluations, Stage::Retrieval);
    }
    metrics.into_iter().map(|metric| domain(evaluations, metric, &datasets)).collect()
}

/// The means of one stage. A system may lack the stage, and so its columns.
fn columns(evaluations: &[Evaluation], stage: Stage) -> Vec<&MetricColumn> {
    let mut found: Vec<&MetricColumn> = Vec::new();
    for metric in evaluations.iter().flat_map(|evaluation| &evaluation.manifest().metrics) {
        let known = found.iter().any(|known| known.column == metric.column);
        if metric.stage == stage && is_mean(metric) && !known {
            found.push(metric);
        }
    }
    found
}

/// Whether the number of a metric is the mean of its scores.
pub(crate) fn is_mean(metric: &MetricColumn) -> bool {
    // A metric that is not built in is a mean, unless it pools something.
    let estimator = metric.name.parse::<Metric>().map(|metric| metric.definition().estimator);
    metric.statistic_of.is_none()
        && !metric.is_pooled()
        && !matches!(estimator, Ok(Estimator::Groups(_)))
}

fn domain(
    evaluations: &[Evaluation],
    metric: &MetricColumn,
    datasets: &[String],
) -> Result<DomainReport> {
    let mut systems = Vec::new();
    let has = |evaluation: &&Evaluation| {
        evaluation.manifest().metrics.iter().any(|other| other.column == metric.column)
    };
    for evaluation in evaluations.iter().filter(has) {
        let scores = evaluation.scores(&[metric.column.as_str()])?;
        systems.push((evaluation.manifest().system.clone(), scores));
    }
    let seed = evaluations[0].manifest().seed;
    let drops = systems.iter().map(|(system, scores)| {
        let of = |dataset: &String| units(scores, scores, &metric.column, Some(dataset));
        let source = of(&datasets[0]);
        let drop = |dataset: &String| unpaired(&source, &of(dataset), seed);
        SystemDrops {
            system: system.clone(),
            n: source.iter().map(|unit| unit.n).sum(),
            targets: datasets[1..].iter().map(drop).collect(),
        }
    });
    let drops = drops.collect();
    let changes = systems.iter().skip(1).map(|(after, scores)| {
        let (before, first) = &systems[0];
        let change = |dataset: &String| -> Option<Change> {
            paired(&units(first, scores, &metric.column, Some(dataset)), seed)
        };
        SystemChange {
            before: before.clone(),
            after: after.clone(),
            by_dataset: datasets.iter().map(change).collect(),
        }
    });
    Ok(DomainReport {
        metric: metric.name.clone(),
        stage: metric.stage,
        column: metric.column.clone(),
        higher_is_better: metric.higher_is_better,
        datasets: datasets.to_vec(),
        changes: changes.collect(),
        drops,
    })
}

/// The examples of a dataset, or of all, that both have scored, by dialog or document. The evaluations of one
/// execution have the same examples in the same order; others have nothing in common.
pub(crate) fn units(
    before: &Scores,
    after: &Scores,
    column: &str,
    dataset: Option<&str>,
) -> Vec<Unit> {
    let (Some(first), Some(second)) = (before.metric(column), after.metric(column)) else {
        return Vec::new();
    };
    if before.ids != after.ids {
        return Vec::new();
    }
    let mut groups: BTreeMap<&str, Unit> = BTreeMap::new();
    let mut units = Vec::new();
    for row in 0..before.len() {
        let own = before.datasets.as_ref().and_then(|datasets| datasets.get(row));
        let (Some(first), Some(second)) = (first[row], second[row]) else { continue };
        if dataset.is_some() && own != dataset {
            continue;
        }
        let group = before.groups.as_ref().and_then(|groups| groups.get(row));
        match group {
            Some(group) => {
                let unit = groups.entry(group).or_default();
                unit.n += 1;
                unit.before += first;
                unit.after += second;
            }
            None => units.push(Unit { n: 1, before: first, after: second }),
        }
    }
    units.extend(groups.into_values());
    units
}
