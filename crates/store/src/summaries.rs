//! Summaries, computed from the scores as they lie on disk.
//!
//! They are a cache: whoever has the scores and the manifest gets the same numbers, bit by bit. For
//! pooled metrics of plugins that is so where the plugin is there, which makes their numbers.

pub(crate) mod streamed;

use std::{borrow::Cow, collections::HashMap};

use qeval_core::{
    Estimate, Estimator, Metric, Summary,
    stats::{BuiltInPooling, Column, Intervals, PooledColumn, Pooling, estimate, estimate_pooled},
};

use crate::{
    Labels, MetricColumn, PluginPooling, PoolingFailure, Scores, WithoutPlugins, pooling::OfPlugin,
};

/// Name of the table in the folder of an evaluation.
pub(crate) const FILE: &str = "summaries.parquet";

/// Summarises every metric column of `scores` that `metrics` describes, in the order of
/// `metrics`: over all examples, then over each dataset where there are several, then over each
/// value of each slice. Slices are in the order of their columns, values in byte order, and the
/// examples without a value come last. The mean of a pooled metric of a plugin is missing: without
/// the plugin nobody knows it.
pub fn summarize(scores: &Scores, metrics: &[MetricColumn], intervals: Intervals) -> Vec<Summary> {
    let groupings = Groupings::new(scores);
    let own = metrics.iter().filter(|metric| metric.statistic_of.is_none());
    let known = own.filter_map(|metric| Some((metric, scores.metric(&metric.column)?)));
    known
        .flat_map(|(metric, column)| {
            let statistics: Vec<&[Option<f64>]> = statistics(metric, metrics)
                .filter_map(|statistic| scores.metric(&statistic.column))
                .collect();
            groupings.summarize(metric, column, &statistics, intervals, &WithoutPlugins).0
        })
        .collect()
}

/// The statistics that a metric pools, in their order.
pub(crate) fn statistics<'a>(
    metric: &'a MetricColumn,
    metrics: &'a [MetricColumn],
) -> impl Iterator<Item = &'a MetricColumn> {
    metrics.iter().filter(|other| other.statistic_of.as_deref() == Some(metric.column.as_str()))
}

/// How the examples are grouped; the same for every metric.
pub(crate) struct Groupings {
    clusters: Option<Clusters>,
    /// All examples, then the datasets, then the slices.
    parts: Vec<Part>,
}

/// The examples that one summary is about.
#[derive(Default)]
struct Part {
    dataset: Option<String>,
    slice: Option<String>,
    slice_value: Option<String>,
    /// `None` for all of them.
    rows: Option<Vec<usize>>,
}

impl Groupings {
    /// The groupings of `scores`, whatever metric columns it has.
    pub(crate) fn new(scores: &Scores) -> Self {
        let mut parts = vec![Part::default()];
        for (dataset, rows) in scores.datasets.iter().flat_map(by_value) {
            parts.push(Part { dataset, rows: Some(rows), ..Part::default() });
        }
        for (slice, labels) in &scores.slices {
            parts.extend(by_value(labels).into_iter().map(|(slice_value, rows)| Part {
                slice: Some(slice.clone()),
                slice_value,
                rows: Some(rows),
                ..Part::default()
            }));
        }
        Self { clusters: Clusters::new(scores), parts }
    }

    /// The summaries of one metric column, which pools these statistics, if any; and those whose
    /// numbers could not be made.
    pub(crate) fn summarize(
        &self,
        metric: &MetricColumn,
        scores: &[Option<f64>],
        statistics: &[&[Option<f64>]],
        intervals: Intervals,
        plugins: &dyn PluginPooling,
    ) -> (Vec<Summary>, Option<PoolingFailure>) {
        let built_in: Option<Metric> = metric.name.parse().ok();
        let column = column(metric, intervals);
        let estimator = column.estimator;
        let of_plugin = OfPlugin { metric, plugins };
        let built_in = match (&built_in, estimator) {
            (Some(metric), Estimator::Pooled(pooled)) => Some(BuiltInPooling { metric, pooled }),
            _ => None,
        };
        let pooling: Option<&dyn Pooling> = match &built_in {
            Some(built_in) => Some(built_in),
            None if !metric.pools.is_empty() => Some(&of_plugin),
            None => None,
        };
        let mut failed: Option<PoolingFailure> = None;
        let mut pooled = |pooling, part: &Part| {
            let of = PooledColumn { column, pooling, scores, statistics };
            let all = || (0..scores.len()).collect();
            let rows: Cow<'_, [usize]> =
                part.rows.as_deref().map_or_else(|| Cow::Owned(all()), Cow::Borrowed);
            let found = estimate_pooled(of, &rows, |row| self.cluster(row));
            if let Some(error) = found.failure {
                let metric = metric.name.clone();
                let first = PoolingFailure { metric, summaries: 0, error };
                failed.get_or_insert(first).summaries += 1;
            }
            found.estimate
        };
        let summary = |part: &Part| Summary {
            metric: metric.column.clone(),
            stage: metric.stage,
            dataset: part.dataset.clone(),
            slice: part.slice.clone(),
            slice_value: part.slice_value.clone(),
            estimate: match pooling {
                Some(pooling) => pooled(pooling, part),
                None => self.mean(column, scores, part),
            },
        };
        let summaries = self.parts.iter().map(summary).collect();
        (summaries, failed)
    }

    fn mean(&self, column: Column<'_>, scores: &[Option<f64>], part: &Part) -> Estimate {
        let example = |row: usize| (scores[row], self.cluster(row));
        match &part.rows {
            None => estimate(column, (0..scores.len()).map(example)),
            Some(rows) => estimate(column, rows.iter().map(|&row| example(row))),
        }
    }

    fn cluster(&self, row: usize) -> Option<&str> {
        self.clusters.as_ref().and_then(|clusters| clusters.get(row))
    }
}

/// The dialogs or documents. Two datasets may use the same names for theirs, so that a name is
/// that of the dataset and that of the group.
#[derive(Clone, Debug)]
pub struct Clusters {
    names: Vec<String>,
    codes: Vec<Option<usize>>,
}

impl Clusters {
    /// Those of the examples; `None` where they belong to none.
    pub fn new(scores: &Scores) -> Option<Self> {
        let groups = scores.groups.as_ref()?;
        let mut names = Vec::new();
        let mut known = HashMap::new();
        let mut code = |dataset: Option<usize>, group: usize| {
            *known.entry((dataset, group)).or_insert_with(|| {
                let dataset = dataset.zip(scores.datasets.as_ref());
                let dataset = dataset.map_or("", |(code, datasets)| &datasets.values()[code]);
                names.push(format!("{dataset}\0{}", groups.values()[group]));
                names.len() - 1
            })
        };
        let codes = (0..groups.len())
            .map(|row| {
                let dataset = scores.datasets.as_ref().and_then(|datasets| datasets.code(row));
                groups.code(row).map(|group| code(dataset, group))
            })
            .collect();
        Some(Self { names, codes })
    }

    /// The cluster of the example in a row. Panics past the last one, as a slice does.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.codes[row].map(|code| self.names[code].as_str())
    }
}

/// What the statistics must know of a metric column.
fn column(metric: &MetricColumn, intervals: Intervals) -> Column<'_> {
    // A metric that isn't built in is a mean, unless it says what it pools.
    let built_in: Option<Metric> = metric.name.parse().ok();
    Column {
        name: &metric.column,
        estimator: built_in.map_or(Estimator::Mean, |metric| metric.definition().estimator),
        range: (metric.min.unwrap_or(f64::NEG_INFINITY), metric.max.unwrap_or(f64::INFINITY)),
        higher_is_better: metric.higher_is_better,
        intervals,
    }
}

/// Whether a metric is anything but the mean of its column.
fn pools(metric: &MetricColumn) -> bool {
    !metric.pools.is_empty()
        || !matches!(column(metric, Intervals::auto(0)).estimator, Estimator::Mean)
}

/// The rows of each value, in byte order; those without a value last.
fn by_value(labels: &Labels) -> Vec<(Option<String>, Vec<usize>)> {
    let mut rows = vec![Vec::new(); labels.values().len() + 1];
    for row in 0..labels.len() {
        rows[labels.code(row).unwrap_or(labels.values().len())].push(row);
    }
    let values = labels.values().iter().cloned().map(Some).chain([None]);
    let mut parts: Vec<_> = values.zip(rows).filter(|(_, rows)| !rows.is_empty()).collect();
    parts.sort_by(|(a, _), (b, _)| (a.is_none(), a).cmp(&(b.is_none(), b)));
    parts
}

#[cfg(test)]
mod tests {
    use qeval_core::Stage;

    use super::*;

    fn metric(column: &str, name: &str) -> MetricColumn {
        MetricColumn {
            column: column.to_owned(),
            name: name.to_owned(),
            stage: Stage::Integrated,
            higher_is_better: true,
            min: Some(0.0),
            max: Some(1.0),
            parameters: serde_json::Map::new(),
            version: "1".to_owned(),
            statistic_of: None,
            pools: Vec::new(),
        }
    }

    fn scores(rows: &[(&str, &str, Option<&str>, Option<f64>)]) -> Scores {
        Scores {
            positions: (0..).take(rows.len()).collect(),
            datasets: Some(rows.iter().map(|row| Some(row.0)).collect()),
            groups: Some(rows.iter().map(|row| Some(row.1)).collect()),
            slices: vec![("lang".to_owned(), rows.iter().map(|row| row.2).collect())],
            metrics: vec![("heq_q".to_owned(), rows.iter().map(|row| row.3).collect())],
            ..Scores::default()
        }
    }

    #[test]
    fn all_examples_then_datasets_then_slices() {
        let scores = scores(&[
            ("b", "x", Some("fr"), Some(1.0)),
            ("a", "y", None, Some(0.0)),
            ("a", "z", Some("de"), None),
            ("b", "x", Some("fr"), Some(0.5)),
        ]);
        let found = summarize(&scores, &[metric("heq_q", "acme.heq")], Intervals::auto(7));
        let found: Vec<_> = found
            .iter()
            .map(|summary| {
                let estimate = &summary.estimate;
                let names = (summary.dataset.as_deref(), summary.slice_value.as_deref());
                (names, estimate.n, estimate.unscored, estimate.mean)
            })
            .collect();
        assert_eq!(
            found,
            [
                ((None, None), 3, 1, Some(0.5)),
                ((Some("a"), None), 1, 1, Some(0.0)),
                ((Some("b"), None), 2, 0, Some(0.75)),
                ((None, Some("de")), 0, 1, None),
                ((None, Some("fr")), 2, 0, Some(0.75)),
                ((None, None), 1, 0, Some(0.0)),
            ]
        );
    }

    #[test]
    fn groups_of_two_datasets_are_not_the_same() {
        // One dialog of each dataset is all right; as one dialog they would not be.
        let rows = [("a", "x", None, Some(1.0)), ("b", "x", None, Some(0.0))];
        let mut scores = scores(&rows);
        let heq_d = metric("heq_q", "HEQ-D");
        let mean = |scores: &Scores| {
            summarize(scores, std::slice::from_ref(&heq_d), Intervals::auto(7))[0].estimate.mean
        };
        assert_eq!(mean(&scores), Some(0.5));
        scores.datasets = None;
        assert_eq!(mean(&scores), Some(0.0));
    }
}
