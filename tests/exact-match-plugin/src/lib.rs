//! The built-in metric `EM` as a plugin, library and program: it computes what is built in, so the
//! time that it takes more is what the boundary costs.

use qeval_sdk::{
    Descriptor, Failure, MetricDescriptor, Plugin, Scorer, Scores, WorkedExample,
    core::{Case, Metric},
};

/// The plugin.
pub fn plugin() -> Plugin {
    Plugin::of::<ExactMatch>()
}

qeval_sdk::export!(plugin);

/// The metric `em`.
#[derive(Debug)]
pub struct ExactMatch {
    metric: Metric,
    metrics: Vec<MetricDescriptor>,
}

impl Default for ExactMatch {
    fn default() -> Self {
        let metric = "EM".parse().expect("it is built in");
        Self { metric, metrics: vec![MetricDescriptor::new("em", "the same as the built-in EM")] }
    }
}

impl Scorer for ExactMatch {
    fn descriptor(&self) -> Descriptor {
        Descriptor::new("exact-match", env!("CARGO_PKG_VERSION"), "EM as a plugin")
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.metrics
    }

    fn examples(&self) -> Vec<WorkedExample> {
        vec![
            WorkedExample::answer("The Eiffel Tower!", &["eiffel tower"], Some(1.0)),
            WorkedExample::answer("a tower", &["eiffel tower", "Tower"], Some(1.0)),
            WorkedExample::answer("the tower", &["eiffel tower"], Some(0.0)),
        ]
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        Ok(vec![cases.iter().map(|case| self.metric.score(case)).collect()].into())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_examples_hold() {
        qeval_sdk::testing::assert_good(&super::ExactMatch::default());
    }
}
