//! A plugin as an ordinary scorer, wherever it runs.

use arrow_array::RecordBatch;
use qeval_core::{Case, Subject};
use qeval_sdk::{
    Columns, Descriptor, Failure, Input, MetricDescriptor, PluginDescriptor, Scorer, WorkedExample,
    answer, batch,
};

use crate::{isolated::Isolated, library::Instance, named};

/// What takes a batch to the plugin and brings one back.
#[derive(Debug)]
pub(crate) enum Carrier {
    /// A call.
    InProcess(Instance),
    /// A pipe.
    Process(Box<Isolated>),
}

/// A plugin as a scorer.
#[derive(Debug)]
pub(crate) struct Adapter {
    plugin: String,
    descriptor: Descriptor,
    metrics: Vec<MetricDescriptor>,
    inputs: Vec<Input>,
    examples: Vec<WorkedExample>,
    expected: Vec<answer::Expected>,
    carrier: Carrier,
}

impl Adapter {
    pub(crate) fn new(plugin: &str, descriptor: &PluginDescriptor, carrier: Carrier) -> Self {
        let metrics: Vec<MetricDescriptor> =
            descriptor.metrics.iter().map(|metric| metric.named(plugin)).collect();
        let expected = descriptor.metrics.iter().zip(&metrics);
        Self {
            plugin: plugin.to_owned(),
            descriptor: Descriptor::new(plugin, &descriptor.version, &descriptor.summary),
            inputs: descriptor.distinct_inputs(),
            examples: descriptor.examples.clone(),
            expected: expected
                .map(|(metric, named)| answer::Expected {
                    name: metric.name.clone(),
                    range: named.range,
                })
                .collect(),
            metrics,
            carrier,
        }
    }

    fn call(&self, cases: RecordBatch) -> Result<RecordBatch, Failure> {
        match &self.carrier {
            Carrier::InProcess(instance) => {
                instance.call(cases).map_err(|f| named(&self.plugin, &f))
            }
            Carrier::Process(isolated) => isolated.call(&cases),
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

impl Scorer for Adapter {
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

    fn score(&self, cases: &[Case<'_>]) -> Result<Columns, Failure> {
        let scores = self.call(batch::encode(cases, &self.inputs)?)?;
        let ids: Vec<&str> = cases.iter().map(|case| case.example.id.as_str()).collect();
        let mut columns = answer::decode(&scores, &self.expected, &ids)
            .map_err(|failure| named(&self.plugin, &failure))?;
        self.score_missing_predictions(cases, &mut columns);
        Ok(columns)
    }
}
