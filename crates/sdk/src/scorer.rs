//! Scorers: cases to scores.

use std::sync::Arc;

use qeval_core::{Case, Estimator, Score, Subject, stats::ExactSum};

use serde::{Deserialize, Serialize};

use crate::{Descriptor, Failure, Input, Parameter, WorkedExample};

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
    /// What can be written in parentheses behind its name. Only metrics of plugins say it here.
    pub parameters: Vec<Parameter>,
    /// What it reads of each case, where that is less than all that the scorer reads; empty where
    /// it is all of that. Only metrics of plugins say it here.
    pub inputs: Vec<Input>,
    /// What each case gives beside its score, where the number over a dataset is made of these and
    /// is no mean of scores. Only metrics of plugins say it here.
    pub statistics: Vec<Statistic>,
}

/// A number that a case gives beside its score, for a metric of a whole dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistic {
    /// Its name: letters, digits, `_` and `-`, a letter first.
    pub name: String,
    /// How those of several cases become one.
    pub merge: Merge,
}

/// How statistics are merged. None of these depends on the order of the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// Their exact sum, rounded once.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// All of them, in ascending order of the examples' ids.
    List,
}

impl Merge {
    /// The word for it in descriptors and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::List => "list",
        }
    }

    /// Merges the values of the examples of a group, of which there is one at least; for a list in
    /// ascending order of the examples' ids.
    pub fn of(self, values: impl Iterator<Item = f64>) -> Vec<f64> {
        match self {
            Self::Sum => {
                let mut sum = ExactSum::default();
                values.for_each(|value| sum.add(value));
                vec![sum.value()]
            }
            Self::Min => values.reduce(f64::min).into_iter().collect(),
            Self::Max => values.reduce(f64::max).into_iter().collect(),
            Self::List => values.collect(),
        }
    }
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
            parameters: Vec::new(),
            inputs: Vec::new(),
            statistics: Vec::new(),
        }
    }

    /// The same for a metric of a whole dataset, with what each case gives beside its score.
    #[must_use]
    pub fn pooling(self, statistics: &[(&str, Merge)]) -> Self {
        let statistic = |&(name, merge): &(&str, Merge)| Statistic { name: name.to_owned(), merge };
        Self { statistics: statistics.iter().map(statistic).collect(), ..self }
    }

    /// The same for a metric that reads less than the scorer does: a file need not have the rest
    /// for it.
    #[must_use]
    pub fn reading(self, inputs: &[Input]) -> Self {
        Self { inputs: inputs.to_vec(), ..self }
    }

    /// Whether the number over a dataset is the mean of the scores.
    pub fn is_mean(&self) -> bool {
        matches!(self.estimator, Estimator::Mean) && self.statistics.is_empty()
    }

    /// The worst value of the range: what a missing prediction scores. `None` where that side of
    /// the range is open.
    pub fn worst(&self) -> Option<f64> {
        let (low, high) = self.range;
        Some(if self.higher_is_better { low } else { high }).filter(|worst| worst.is_finite())
    }
}

/// One column for each metric of a scorer, one score for each case.
pub type Columns = Vec<Vec<Score>>;

/// The scores of one batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// The scores.
    pub columns: Columns,
    /// For each metric its statistics, in its order: one column for each, one number for each case,
    /// which counts where the case has a score. Empty for a metric without statistics, and empty as
    /// a whole where no metric has any.
    pub statistics: Vec<Vec<Vec<f64>>>,
    /// What scores are made of, in any order.
    pub parts: Vec<ScorePart>,
}

/// A part of a score: a claim of an answer and its verdict, for example. All but its place may be
/// absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScorePart {
    /// Index of the metric.
    pub metric: usize,
    /// Index of the case.
    pub case: usize,
    /// A partial value.
    pub value: Option<f64>,
    /// A verdict that can be counted.
    pub label: Option<String>,
    /// Words of explanation.
    pub text: Option<String>,
}

/// Scores without statistics and parts.
impl From<Columns> for Scores {
    fn from(columns: Columns) -> Self {
        Self { columns, ..Self::default() }
    }
}

/// The merged statistics of a group of examples: a dataset, a slice, a resample.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// How many examples are in the group, at least 1.
    pub n: u64,
    /// For each statistic of the metric what its [`Merge`] made: one number, or all of them.
    pub statistics: Vec<Vec<f64>>,
}

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
    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure>;

    /// The number over each group of a metric with statistics, which is given by its index; `None`
    /// where there is none.
    fn finish(&self, _metric: usize, groups: &[Merged]) -> Result<Vec<Option<f64>>, Failure> {
        Ok(vec![None; groups.len()])
    }
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

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        (**self).score(cases)
    }

    fn finish(&self, metric: usize, groups: &[Merged]) -> Result<Vec<Option<f64>>, Failure> {
        (**self).finish(metric, groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_is_exact_and_keeps_lists() {
        let values = [0.1, 1e9, 0.25, -1e9];
        let merged = |merge: Merge| merge.of(values.into_iter());
        assert!((merged(Merge::Sum)[0] - 0.35).abs() < 1e-15);
        assert_eq!((merged(Merge::Min), merged(Merge::Max)), (vec![-1e9], vec![1e9]));
        assert_eq!(merged(Merge::List), values);
        for merge in [Merge::Sum, Merge::Min, Merge::Max, Merge::List] {
            assert_eq!(serde_json::to_value(merge).unwrap(), merge.name());
        }
    }
}
