//! The scorer of a plugin as an ordinary one, wherever it runs.

use qeval_core::{Case, Subject};
use qeval_sdk::{
    Asked, Columns, Descriptor, Failure, Input, Merge, Merged, MetricDescriptor, PluginDescriptor,
    Scorer, Scores, WorkedExample, answer, batch, groups, testing,
};

use crate::carrier::Carrier;

/// The scorer of a plugin.
#[derive(Debug)]
pub(crate) struct PluginScorer {
    descriptor: Descriptor,
    metrics: Vec<MetricDescriptor>,
    inputs: Vec<Input>,
    examples: Vec<WorkedExample>,
    expected: Vec<answer::Expected>,
    carrier: Carrier,
}

impl PluginScorer {
    /// A scorer with these metrics, each of which the descriptor has.
    pub(crate) fn new(descriptor: &PluginDescriptor, asked: &[Asked], carrier: Carrier) -> Self {
        let plugin = carrier.plugin.as_str();
        let metric = |asked: &Asked| {
            let found = descriptor.metrics.iter().find(|metric| metric.name == asked.name);
            found.expect("only what the descriptor has is asked for").named(plugin, &asked.column)
        };
        let metrics: Vec<MetricDescriptor> = asked.iter().map(metric).collect();
        let zipped = asked.iter().zip(&metrics);
        Self {
            descriptor: Descriptor::new(plugin, &descriptor.version, &descriptor.summary),
            inputs: descriptor.distinct_inputs(),
            examples: testing::examples_of(descriptor, asked),
            expected: zipped.map(|(a, m)| answer::Expected::of(a.column.clone(), m)).collect(),
            metrics,
            carrier,
        }
    }

    /// A missing prediction has the worst score, as with every metric. A plugin that says that
    /// the example does not apply is right all the same.
    fn score_missing_predictions(&self, cases: &[Case<'_>], columns: &mut Columns) {
        for (metric, scores) in self.metrics.iter().zip(columns) {
            let (Subject::Answer, Some(worst)) = (metric.subject, metric.worst()) else { continue };
            for (case, score) in cases.iter().zip(scores) {
                if case.prediction.is_none() && score.is_ok() {
                    *score = Ok(worst);
                }
            }
        }
    }
}

impl Scorer for PluginScorer {
    fn descriptor(&self) -> Descriptor {
        self.descriptor.clone()
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.metrics
    }

    fn inputs(&self) -> Vec<Input> {
        self.inputs.clone()
    }

    fn examples(&self) -> Vec<WorkedExample> {
        self.examples.clone()
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        let answer = self.carrier.call(batch::encode(cases, &self.inputs)?)?;
        let ids: Vec<&str> = cases.iter().map(|case| case.example.id.as_str()).collect();
        let mut scores = answer::decode(&answer, &self.expected, &ids)
            .map_err(|failure| self.carrier.named(&failure))?;
        self.score_missing_predictions(cases, &mut scores.columns);
        Ok(scores)
    }

    fn finish(&self, metric: usize, merged: &[Merged]) -> Result<Vec<Option<f64>>, Failure> {
        let statistics: Vec<(String, Merge)> =
            self.metrics[metric].statistics.iter().map(|s| (s.name.clone(), s.merge)).collect();
        let asked = groups::encode(&self.expected[metric].name, &statistics, merged)?;
        let numbers = groups::decode_values(&self.carrier.finish(asked)?, merged.len());
        let in_range = |numbers| self.expected[metric].check_numbers(numbers);
        numbers.and_then(in_range).map_err(|failure| self.carrier.named(&failure))
    }
}
