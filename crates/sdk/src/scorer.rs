//! Scorers: cases to scores.

use std::sync::Arc;

use qeval_core::{Case, Estimator, Score, Subject};

use crate::{Descriptor, Failure, Input, WorkedExample};

/// A metric as a scorer offers it.
#[derive(Clone, Debug)]
pub struct MetricDescriptor {
    /// Full name, for example `nDCG@10` or `acme.key_figures`.
    pub name: String,
    /// What it measures, in one sentence.
    pub summary: String,
    /// Version of its definition: a score may change only when this does.
    pub version: String,
    /// What is scored.
    pub subject: Subject,
    /// Lowest and highest value; infinite where the range is open.
    pub range: (f64, f64),
    /// Whether more is better.
    pub higher_is_better: bool,
    /// How the scores of examples become one number.
    pub estimator: Estimator,
}

impl MetricDescriptor {
    /// A metric of answers from 0 to 1, more is better, averaged over the examples; version 1.
    /// Where yours differs, set the field.
    pub fn new(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            summary: summary.into(),
            version: "1".to_owned(),
            subject: Subject::Answer,
            range: (0.0, 1.0),
            higher_is_better: true,
            estimator: Estimator::Mean,
        }
    }

    /// The worst value of the range: what a missing prediction scores. `None` where that side of
    /// the range is open.
    pub fn worst(&self) -> Option<f64> {
        let (low, high) = self.range;
        Some(if self.higher_is_better { low } else { high }).filter(|worst| worst.is_finite())
    }
}

/// Scores of one batch: one column for each metric of the scorer, one score for each case.
pub type Columns = Vec<Vec<Score>>;

/// Scores cases. A language model that judges is a scorer too.
pub trait Scorer: Send + Sync {
    /// Name and version.
    fn descriptor(&self) -> Descriptor;

    /// The metrics it computes, in the order of its columns.
    fn metrics(&self) -> &[MetricDescriptor];

    /// What it reads of each case. A part that is not named here may be empty or `None`.
    fn inputs(&self) -> Vec<Input> {
        vec![Input::Prediction, Input::References]
    }

    /// Small cases with the scores that they must get; see [`testing`](crate::testing).
    fn examples(&self) -> Vec<WorkedExample> {
        Vec::new()
    }

    /// Scores a batch. A failure concerns the whole batch: all its cases are unscored.
    fn score(&self, cases: &[Case<'_>]) -> Result<Columns, Failure>;
}

/// A shared scorer is a scorer.
impl<S: Scorer + ?Sized> Scorer for Arc<S> {
    fn descriptor(&self) -> Descriptor {
        (**self).descriptor()
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        (**self).metrics()
    }

    fn inputs(&self) -> Vec<Input> {
        (**self).inputs()
    }

    fn examples(&self) -> Vec<WorkedExample> {
        (**self).examples()
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Columns, Failure> {
        (**self).score(cases)
    }
}
