//! How short an answer is.

use std::collections::HashSet;

use qeval_sdk::{
    Asked, Descriptor, Failure, Input, MetricDescriptor, Parameter, ParameterKind, Scorer, Scores,
    Setup, core::Case,
};

use crate::Options;

/// The metric `brevity`: the words of the answer in relation to those that are free, at most 1.
#[derive(Debug)]
pub(crate) struct Brevity {
    metrics: Vec<MetricDescriptor>,
    free: Vec<f64>,
    stop_words: HashSet<String>,
}

pub(crate) fn descriptor() -> MetricDescriptor {
    let parameter = Parameter {
        name: "free".to_owned(),
        summary: "words that make one point".to_owned(),
        kind: ParameterKind::Number { min: Some(1.0), max: None, default: 10.0 },
    };
    MetricDescriptor {
        parameters: vec![parameter],
        ..MetricDescriptor::new("brevity", "words of the answer in relation to what is free")
    }
}

impl Brevity {
    pub(crate) fn new(setup: &Setup) -> Result<Self, Failure> {
        let options = Options::of(setup)?;
        let free = |asked: &Asked| asked.number("free");
        Ok(Self {
            metrics: setup.metrics().iter().map(|_| descriptor()).collect(),
            free: setup.metrics().iter().map(free).collect(),
            stop_words: options.stop_words.into_iter().collect(),
        })
    }
}

impl Scorer for Brevity {
    fn descriptor(&self) -> Descriptor {
        Descriptor::new("sample", "0.1.0", "How short an answer is")
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.metrics
    }

    fn inputs(&self) -> Vec<Input> {
        vec![Input::Prediction]
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        let words = |case: &Case<'_>| {
            let words = case.prediction_text().split_whitespace();
            words.filter(|word| !self.stop_words.contains(*word)).count() as f64
        };
        let column =
            |free: &f64| cases.iter().map(|case| Ok((words(case) / free).min(1.0))).collect();
        Ok(Scores::from(self.free.iter().map(column).collect::<Vec<_>>()))
    }
}
