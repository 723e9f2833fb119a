//! The summaries against those that the scores give.

use qeval_core::{Estimate, Summary};

use super::Verification;
use crate::{
    Evaluation, Layout, MetricColumn, ReadError, WithoutPlugins, WriteError, summaries::FILE,
    writer,
};

/// Makes the summaries again and compares them bit by bit; of the pooled metrics of plugins the
/// counts alone.
pub(super) fn look(evaluation: &Evaluation, found: &mut Verification) -> Result<(), ReadError> {
    let manifest = evaluation.manifest();
    let (metrics, slices) = (manifest.metrics.clone(), manifest.slices.clone());
    let groups = evaluation.groupings()?.groups.is_some();
    let layout = Layout { metrics, slices, groups, ..Layout::default() };
    let known = manifest.recomputed();
    found.intervals_not_recomputed = known.is_none();
    let intervals = manifest.intervals();
    let again = writer::compute(evaluation.folder(), &layout, intervals, &WithoutPlugins);
    let again = match again {
        Ok((again, _)) => again,
        Err(WriteError::Read(error)) => return Err(error),
        Err(error) => {
            found.file(FILE, format!("its numbers cannot be made again: {error}"));
            return Ok(());
        }
    };
    let of_plugin = |metric: &&MetricColumn| !metric.pools.is_empty();
    let of_plugins: Vec<&MetricColumn> = manifest.metrics.iter().filter(of_plugin).collect();
    found.not_recomputed = of_plugins.iter().map(|metric| metric.name.clone()).collect();
    let stored = evaluation.summaries()?;
    if stored.len() != again.len() {
        let (stored, again) = (stored.len(), again.len());
        found.file(FILE, format!("it has {stored} summaries, and the scores give {again}"));
    }
    for (stored, again) in stored.iter().zip(&again) {
        let counts = of_plugins.iter().any(|metric| metric.column == again.metric);
        let of = |summary| comparable(summary, counts, known.is_some());
        if of(stored) != of(again) {
            found.file(FILE, difference(stored, again));
        }
    }
    Ok(())
}

/// All of a summary as text, in which two numbers are equal when their bits are.
fn comparable(summary: &Summary, counts_alone: bool, intervals: bool) -> String {
    let Estimate { n, unscored, .. } = summary.estimate;
    let estimate = if counts_alone {
        Estimate { n, unscored, ..Estimate::default() }
    } else {
        let interval = summary.estimate.interval.filter(|_| intervals);
        Estimate { interval, ..summary.estimate.clone() }
    };
    format!("{:?}", Summary { estimate, ..summary.clone() })
}

fn difference(stored: &Summary, again: &Summary) -> String {
    let name = |summary: &Summary| {
        let parts = [&summary.dataset, &summary.slice, &summary.slice_value];
        let parts = parts.into_iter().flatten().map(|part| format!(", `{part}`"));
        format!("`{}`{}", summary.metric, parts.collect::<String>())
    };
    if name(stored) != name(again) {
        return format!("a summary is of {}, expected {}", name(stored), name(again));
    }
    let said = |summary: &Summary| {
        let Estimate { n, mean, .. } = summary.estimate;
        let mean = mean.map_or("none".to_owned(), |mean| mean.to_string());
        format!("mean {mean} of {n}")
    };
    format!(
        "the summary of {} is not that of the scores: {}, expected {}",
        name(stored),
        said(stored),
        said(again)
    )
}
