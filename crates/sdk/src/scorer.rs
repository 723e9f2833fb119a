//! Scorers: cases to scores.

use std::sync::Arc;

use qeval_core::{Case, Estimator, Score, Subject};

use crate::{Descriptor, Failure};

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

/// Scores of one batch: one column for each metric of the scorer, one score for each case.
pub type Columns = Vec<Vec<Score>>;

/// Scores cases. A language model that judges is a scorer too.
pub trait Scorer: Send + Sync {
    /// Name and version.
    fn descriptor(&self) -> Descriptor;

    /// The metrics it computes, in the order of its columns.
    fn metrics(&self) -> &[MetricDescriptor];

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

    fn score(&self, cases: &[Case<'_>]) -> Result<Columns, Failure> {
        (**self).score(cases)
    }
}
