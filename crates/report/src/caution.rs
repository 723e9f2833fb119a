//! What a reader must know of the intervals of a report.

use std::collections::BTreeMap;

use qeval_core::Summary;

use crate::{EvaluationReport, MetricReport, terminal::title_of};

/// Independent units below which an interval is rough.
const FEW: u64 = 30;

/// So many examples, counted as whole ones, must lie on either side for an interval to be good near
/// the end of a range.
const NEAR: f64 = 5.0;

/// Sentences on the intervals over all examples: what they take as independent, which rest on too
/// little, which are near an end of the range, and which metrics have none.
pub(crate) fn cautions(evaluation: &EvaluationReport) -> Vec<String> {
    let summaries: Vec<(&MetricReport, &Summary)> = evaluation
        .metrics
        .iter()
        .filter_map(|metric| Some((metric, evaluation.summary(&metric.column, None)?)))
        .collect();
    let mut sentences = Vec::new();
    sentences.extend(units(evaluation, &summaries));
    sentences.extend(edges(&summaries));
    sentences.extend(missing(evaluation, &summaries));
    sentences
}

/// What is independent, and whether there is enough of it.
fn units(evaluation: &EvaluationReport, summaries: &[(&MetricReport, &Summary)]) -> Option<String> {
    let known = summaries.iter().any(|(_, summary)| summary.estimate.interval.is_some());
    let clusters = evaluation.clusters.as_ref();
    // A group of one example is an example.
    let clustered = clusters.filter(|clusters| known && clusters.groups < evaluation.examples);
    if let Some(clusters) = clustered {
        let groups = clusters.groups;
        let how = match clusters.source.as_str() {
            "declared" => format!("the field `{}` declares", clusters.by),
            _ => format!("the format `{}` has", clusters.by),
        };
        let few = if groups < FEW { "; fewer than 30 make them rough" } else { "" };
        return Some(format!("intervals are over the {groups} groups that {how}{few}"));
    }
    let with: Vec<&(&MetricReport, &Summary)> =
        summaries.iter().filter(|(_, summary)| summary.estimate.interval.is_some()).collect();
    let few: Vec<String> = with
        .iter()
        .filter(|(_, summary)| summary.estimate.n < FEW)
        .map(|(metric, _)| title_of(metric))
        .collect();
    if few.is_empty() {
        return None;
    }
    let whose = if few.len() == with.len() { "all metrics".to_owned() } else { few.join(", ") };
    Some(format!("fewer than 30 examples have a score of {whose}: such intervals are rough"))
}

/// Means of which too few examples say how far they are from the end of the range. Wilson's interval
/// knows of this.
fn edges(summaries: &[(&MetricReport, &Summary)]) -> Option<String> {
    let near = |(metric, summary): &&(&MetricReport, &Summary)| {
        let estimate = &summary.estimate;
        let (Some(mean), Some(interval)) = (estimate.mean, estimate.interval) else { return false };
        let (Some(low), Some(high)) = (metric.min, metric.max) else { return false };
        let away = (mean - low).min(high - mean) / (high - low) * estimate.n as f64;
        interval.method != "wilson" && estimate.n >= FEW && away < NEAR
    };
    let names: Vec<String> =
        summaries.iter().filter(near).map(|(metric, _)| title_of(metric)).collect();
    (!names.is_empty()).then(|| {
        let (are, their) = if names.len() == 1 { ("is", "its") } else { ("are", "their") };
        format!(
            "{} {are} within five examples of the end of the range: {their} interval is rough",
            names.join(", ")
        )
    })
}

/// Metrics with a number and without an interval, with the reason.
fn missing(evaluation: &EvaluationReport, summaries: &[(&MetricReport, &Summary)]) -> Vec<String> {
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (metric, summary) in summaries {
        let estimate = &summary.estimate;
        if estimate.mean.is_none() || estimate.interval.is_some() {
            continue;
        }
        let one_group = evaluation.clusters.as_ref().is_some_and(|clusters| clusters.groups < 2);
        let reason = if one_group {
            "all examples belong to one group"
        } else if estimate.n < 2 {
            "there is one example"
        } else if metric.pooled {
            "resampling does not tell how far off it is, or its plugin is not there"
        } else if estimate.stddev == Some(0.0) {
            "all scores are the same and its range has no end"
        } else {
            "its scores are too large for one"
        };
        by_reason.entry(reason).or_default().push(title_of(metric));
    }
    let sentence = |(reason, names): (&str, Vec<String>)| {
        let has = if names.len() == 1 { "has" } else { "have" };
        format!("{} {has} no interval: {reason}", names.join(", "))
    };
    by_reason.into_iter().map(sentence).collect()
}
