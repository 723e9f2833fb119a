//! Which rows and columns are exported.

use std::collections::BTreeMap;

use qeval_core::Stage;

use super::ExportError;
use crate::{Evaluation, MetricColumn};

/// Which rows and columns are exported; the default is all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Names of metrics or of their columns; all if empty.
    pub metrics: Vec<String>,
    /// Only the metrics of this stage.
    pub stage: Option<Stage>,
    /// Only examples that have this value of this slice, for each of them.
    pub slices: Vec<(String, String)>,
    /// Only examples of this dataset.
    pub dataset: Option<String>,
}

/// The columns of all evaluations together, each in the order in which it first occurs.
pub(super) struct Columns {
    pub(super) slices: Vec<String>,
    pub(super) metrics: Vec<MetricColumn>,
}

impl Columns {
    /// The columns that are selected. A name that nothing has is an error.
    pub(super) fn of(
        evaluations: &[Evaluation],
        selection: &Selection,
    ) -> Result<Self, ExportError> {
        let manifests = || evaluations.iter().map(Evaluation::manifest);
        let mut slices: Vec<String> = Vec::new();
        for slice in manifests().flat_map(|manifest| &manifest.slices) {
            if !slices.contains(slice) {
                slices.push(slice.clone());
            }
        }
        let mut all: Vec<&MetricColumn> = Vec::new();
        for metric in manifests().flat_map(|manifest| &manifest.metrics) {
            if !all.iter().any(|known| known.column == metric.column) {
                all.push(metric);
            }
        }
        let datasets: Vec<&str> = manifests()
            .flat_map(|manifest| &manifest.datasets)
            .map(|dataset| dataset.name.as_str())
            .collect();
        for (slice, _) in &selection.slices {
            known("slice", slice, slices.iter().map(String::as_str))?;
        }
        if let Some(dataset) = &selection.dataset {
            known("dataset", dataset, datasets.into_iter())?;
        }
        for metric in &selection.metrics {
            if !all.iter().any(|column| is(column, metric)) {
                known("metric", metric, all.iter().map(|metric| metric.column.as_str()))?;
            }
        }
        let selected = |column: &&&MetricColumn| {
            selection.stage.is_none_or(|stage| column.stage == stage)
                && (selection.metrics.is_empty()
                    || selection.metrics.iter().any(|metric| is(column, metric)))
        };
        let metrics = all.iter().filter(selected).map(|&metric| metric.clone()).collect();
        Ok(Self { slices, metrics })
    }
}

/// What the evaluations are called: label and system, and the id where that would not tell them
/// apart.
pub(super) fn names(evaluations: &[Evaluation]) -> Vec<String> {
    let name = |evaluation: &Evaluation| {
        let manifest = evaluation.manifest();
        match manifest.system.as_str() {
            "" => manifest.label.clone(),
            system => format!("{}:{system}", manifest.label),
        }
    };
    let names: Vec<String> = evaluations.iter().map(name).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    let told_apart = evaluations.iter().zip(&names).map(|(evaluation, name)| {
        let id = &evaluation.manifest().evaluation_id;
        if counts[name.as_str()] > 1 { format!("{name} ({id})") } else { name.clone() }
    });
    told_apart.collect()
}

fn is(column: &MetricColumn, name: &str) -> bool {
    column.column == name || column.name == name
}

fn known<'a>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Result<(), ExportError> {
    let known: Vec<&str> = known.collect();
    if known.contains(&name) {
        return Ok(());
    }
    let hint = if known.is_empty() {
        format!("there is no {what} in it")
    } else {
        let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        format!("there are {}", names.join(", "))
    };
    Err(ExportError::unfit(format!("there is no {what} `{name}`"), hint))
}
