//! The metrics of `core` as a scorer.

use qeval_sdk::{
    Columns, Descriptor, Failure, MetricDescriptor, Scorer, Scores,
    core::{Case, Estimator, Metric},
};

/// Version of the built-in metrics' definitions; raised when a score changes on unchanged input.
const VERSION: &str = "1";

/// Some built-in metrics, scored together so that they share what they normalise.
///
/// A metric that pools statistics has a column for each of them behind its own.
pub(crate) struct Metrics {
    scored: Vec<Metric>,
    descriptors: Vec<MetricDescriptor>,
    /// For each metric the index of its column.
    places: Vec<usize>,
}

impl Metrics {
    pub(crate) fn new(metrics: Vec<Metric>) -> Self {
        let (mut descriptors, mut places) = (Vec::new(), Vec::new());
        for metric in &metrics {
            places.push(descriptors.len());
            descriptors.push(describe(metric));
            let names = metric.pooled().map_or(&[][..], |pooled| pooled.names);
            descriptors.extend(names.iter().map(|name| describe_statistic(metric, name)));
        }
        Self { scored: metrics, descriptors, places }
    }

    /// Index of a metric's column.
    pub(crate) fn place(&self, metric: usize) -> usize {
        self.places[metric]
    }
}

fn describe(metric: &Metric) -> MetricDescriptor {
    let definition = metric.definition();
    MetricDescriptor {
        name: metric.to_string(),
        summary: definition.summary.to_owned(),
        version: VERSION.to_owned(),
        subject: definition.subject,
        range: definition.range,
        higher_is_better: definition.higher_is_better,
        estimator: definition.estimator,
        parameters: Vec::new(),
        inputs: Vec::new(),
        statistics: Vec::new(),
    }
}

fn describe_statistic(metric: &Metric, name: &str) -> MetricDescriptor {
    MetricDescriptor {
        name: format!("{metric}, {name}"),
        summary: format!("a statistic of {metric}"),
        range: (f64::NEG_INFINITY, f64::INFINITY),
        estimator: Estimator::Mean,
        ..describe(metric)
    }
}

impl Scorer for Metrics {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "metrics".to_owned(),
            version: VERSION.to_owned(),
            summary: "the built-in metrics".to_owned(),
        }
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.descriptors
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        let mut columns = Vec::with_capacity(self.descriptors.len());
        for metric in &self.scored {
            columns.push(cases.iter().map(|case| metric.score(case)).collect());
            columns.extend(statistics(metric, cases));
        }
        Ok(columns.into())
    }
}

/// A column for each statistic of a metric.
fn statistics(metric: &Metric, cases: &[Case<'_>]) -> Columns {
    let Some(pooled) = metric.pooled() else { return Vec::new() };
    let mut columns = vec![Vec::with_capacity(cases.len()); pooled.names.len()];
    for case in cases {
        match metric.statistics(pooled, case) {
            Ok(statistics) => {
                debug_assert_eq!(statistics.len(), columns.len(), "{metric}");
                columns.iter_mut().zip(statistics).for_each(|(column, s)| column.push(Ok(s)));
            }
            Err(unscored) => {
                for column in &mut columns {
                    column.push(Err(unscored.clone()));
                }
            }
        }
    }
    columns
}
