//! Sweeps: the combinations of a file evaluated one after the other, and put side by side.

use anyhow::{Result, anyhow};
use qeval_pipeline::{Config, Finished, Plan, Problems, RunError, Session};
use qeval_report::{SweepReport, SweptMetric, SweptRow};
use qeval_store::{Evaluation, MetricColumn};
use serde_json::Value;

use crate::{
    args::Run,
    command, diagnostic,
    domains::{is_mean, units},
};

/// What a sweep left behind.
#[derive(Debug)]
pub(crate) struct Swept {
    /// The evaluations of the combinations that were evaluated.
    pub(crate) finished: Finished,
    /// The names of the others.
    pub(crate) failed: Vec<String>,
}

/// Makes the plan of each combination, one at a time, and gives it to `with`.
///
/// # Errors
///
/// All problems of all of them, each once.
pub(crate) fn each_plan(
    configs: &[Config],
    session: &Session,
    no_plugins: bool,
    mut with: impl FnMut(Plan) -> Result<()>,
) -> Result<()> {
    let mut refused: Vec<(String, Problems)> = Vec::new();
    for config in configs {
        match command::plan(config, session, no_plugins) {
            // What it would do is of no use any more.
            Ok(plan) if refused.is_empty() => with(plan)?,
            Ok(_) => {}
            Err(error) => {
                let problems = *error.downcast::<Box<Problems>>()?;
                refused.push((name(config).to_owned(), problems));
            }
        }
    }
    match Problems::of_all(refused, configs.len()) {
        Some(problems) => Err(Box::new(problems).into()),
        None => Ok(()),
    }
}

/// The name of a combination.
fn name(config: &Config) -> &str {
    config.swept.as_ref().map_or("", |swept| swept.name.as_str())
}

/// Evaluates each combination, after all of them are checked. One that fails leaves the others.
pub(crate) fn run(configs: &[Config], session: &Session, args: &Run) -> Result<Swept> {
    let no_plugins = args.no_plugins;
    let mut group = None;
    each_plan(configs, session, no_plugins, |plan| {
        group.get_or_insert_with(|| plan.group_of_sweep());
        Ok(())
    })?;
    let mut swept = Swept {
        finished: Finished { evaluations: Vec::new(), reused: Vec::new() },
        failed: Vec::new(),
    };
    for config in configs {
        let name = name(config);
        let evaluate = || -> Result<Finished> {
            let mut plan = command::plan(config, session, no_plugins)?;
            if let Some(group) = &group {
                plan.group.clone_from(group);
            }
            command::run::evaluate(&plan, args.options(session), args.progress)
        };
        match evaluate() {
            Ok(finished) => {
                swept.finished.evaluations.extend(finished.evaluations);
                swept.finished.reused.extend(finished.reused);
            }
            Err(error) => {
                let error = error.context(format!("the combination `{name}` failed"));
                let interrupted =
                    matches!(error.downcast_ref(), Some(RunError::Interrupted { .. }));
                if interrupted {
                    return Err(error);
                }
                diagnostic::print(&error);
                swept.failed.push(name.to_owned());
            }
        }
    }
    Ok(swept)
}

impl Swept {
    /// What is left of a file without a sweep.
    pub(crate) fn alone(finished: Finished) -> Self {
        Self { finished, failed: Vec::new() }
    }

    /// An error where a combination failed.
    pub(crate) fn check(&self, all: usize) -> Result<()> {
        if self.failed.is_empty() {
            return Ok(());
        }
        let failed = self.failed.len();
        Err(anyhow!("{failed} of {all} combinations failed; the others are stored"))
    }
}

/// The combinations of a sweep side by side; `None` where the evaluations are not those of one.
pub(crate) fn comparison(evaluations: &[Evaluation]) -> Result<Option<SweepReport>> {
    let Some(parts) = evaluations.iter().map(part).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    if parts.is_empty() {
        return Ok(None);
    }
    let mut metrics: Vec<&MetricColumn> = Vec::new();
    for metric in evaluations.iter().flat_map(|evaluation| &evaluation.manifest().metrics) {
        let known = metrics.iter().any(|known| known.column == metric.column);
        if metric.statistic_of.is_none() && !known {
            metrics.push(metric);
        }
    }
    metrics.sort_by_key(|metric| metric.stage);
    let rows = |metric: &&MetricColumn| of_metric(evaluations, &parts, metric);
    let metrics = metrics.iter().map(rows).collect::<Result<Vec<_>>>()?;
    Ok(Some(SweepReport { metrics, failed: Vec::new() }))
}

/// The name of the system without that of its combination, and the values of the keys.
fn part(evaluation: &Evaluation) -> Option<(String, Vec<(String, String)>)> {
    let swept = evaluation.manifest().plan.get("sweep")?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let values = swept.get("values")?.as_object()?;
    let values = values.iter().map(|(key, value)| Some((key.clone(), text(value)?)));
    Some((text(swept.get("system")?)?, values.collect::<Option<_>>()?))
}

fn of_metric(
    evaluations: &[Evaluation],
    parts: &[(String, Vec<(String, String)>)],
    metric: &MetricColumn,
) -> Result<SweptMetric> {
    let mut rows = Vec::new();
    // The first evaluation of each system.
    let mut first: Vec<(&str, &str, Option<_>)> = Vec::new();
    for (evaluation, (system, values)) in evaluations.iter().zip(parts) {
        let manifest = evaluation.manifest();
        let Some(column) = manifest.metrics.iter().find(|own| own.column == metric.column) else {
            continue;
        };
        let summaries = evaluation.summaries()?;
        let whole = summaries.into_iter().find(|summary| {
            summary.metric == column.column && summary.slice.is_none() && summary.dataset.is_none()
        });
        let Some(summary) = whole else { continue };
        let scores = || evaluation.scores(&[column.column.as_str()]);
        let known = first.iter().find(|(known, ..)| known == system);
        let (named, change) = match known {
            None => {
                let scores = if is_mean(column) { Some(scores()?) } else { None };
                first.push((system, &manifest.system, scores));
                (None, None)
            }
            Some((_, name, None)) => (Some((*name).to_owned()), None),
            Some((_, name, Some(before))) => {
                let units = units(before, &scores()?, &column.column, None);
                let change = qeval_core::stats::paired(&units, manifest.seed);
                (Some((*name).to_owned()), change)
            }
        };
        rows.push(SweptRow {
            system: manifest.system.clone(),
            evaluation: manifest.evaluation_id.clone(),
            values: values.clone(),
            estimate: summary.estimate,
            first: named,
            change,
        });
    }
    let (name, column) = (metric.name.clone(), metric.column.clone());
    Ok(SweptMetric { metric: name, stage: metric.stage, column, rows })
}
