//! The metrics of `core` as a scorer.

use qeval_sdk::{
    Columns, Descriptor, Failure, MetricDescriptor, Scorer,
    core::{Case, Metric},
};

/// Version of the built-in metrics' definitions; raised when a score changes on unchanged input.
const VERSION: &str = "1";

/// Some built-in metrics, scored together so that they share what they normalise.
pub(crate) struct Metrics {
    metrics: Vec<Metric>,
    descriptors: Vec<MetricDescriptor>,
}

impl Metrics {
    pub(crate) fn new(metrics: Vec<Metric>) -> Self {
        let descriptors = metrics.iter().map(describe).collect();
        Self { metrics, descriptors }
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

    fn score(&self, cases: &[Case<'_>]) -> Result<Columns, Failure> {
        let column = |metric: &Metric| cases.iter().map(|case| metric.score(case)).collect();
        Ok(self.metrics.iter().map(column).collect())
    }
}
