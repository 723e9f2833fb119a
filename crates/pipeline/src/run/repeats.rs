//! Questions that are asked several times: the score of an example is the mean over its repeats.

use qeval_core::{Score, Stage, stats::ExactSum};
use qeval_sdk::ScorePart;
use qeval_store::{RepeatedColumn, RepeatsInfo};

use super::{
    answers::Answer,
    rows::Batch,
    scores::{StagePart, StageScores},
};
use crate::{Plan, plan::System};

/// What a reader gave for the examples of a batch when it was asked once.
#[derive(Default)]
pub(super) struct Asked<'a> {
    pub(super) integrated: Option<Vec<Answer<'a>>>,
    pub(super) isolated: Option<Vec<Answer<'a>>>,
}

impl<'a> Asked<'a> {
    /// The answers in a stage.
    pub(super) fn of(&self, stage: Stage) -> Option<&[Answer<'a>]> {
        match stage {
            Stage::Retrieval => None,
            Stage::Isolated => self.isolated.as_deref(),
            Stage::Integrated => self.integrated.as_deref(),
        }
    }
}

/// Of the answers to one question, one that failed does not stand first: the first one is stored.
pub(super) fn put_given_first(asked: &mut [Asked<'_>]) {
    let Some((first, others)) = asked.split_first_mut() else { return };
    for other in others {
        let stages = [
            (&mut first.integrated, &mut other.integrated),
            (&mut first.isolated, &mut other.isolated),
        ];
        for (first, other) in stages {
            for (first, other) in first.iter_mut().flatten().zip(other.iter_mut().flatten()) {
                if first.is_err() && other.is_ok() {
                    std::mem::swap(first, other);
                }
            }
        }
    }
}

/// The scores of a stage that has several answers to each question, one after the other in `each`: the
/// means over those that have a score, with each of them as a part.
pub(super) fn joined(
    first: StageScores,
    each: &[Vec<Score>],
    answers: &[Option<&[Answer<'_>]>],
    width: usize,
) -> StageScores {
    let StageScores { mut scores, mut parts } = first;
    for (index, score) in scores.iter_mut().enumerate() {
        let given: Vec<f64> = values(each, index).collect();
        let Some(mean) = mean(&given) else { continue };
        *score = Ok(mean);
        let (example, place) = (index / width, index % width);
        for (scores, answers) in each.iter().zip(answers) {
            let text = answers.and_then(|answers| match &answers[example] {
                Ok(prediction) => prediction.as_ref().map(|prediction| prediction.text.clone()),
                Err(failure) => Some(failure.to_string()),
            });
            let part = ScorePart {
                metric: 0,
                case: example,
                value: scores[index].as_ref().ok().copied(),
                label: Some("repeat".to_owned()),
                text: text.filter(|text| !text.is_empty()),
            };
            parts.push(StagePart { example, place, part });
        }
    }
    StageScores { scores, parts }
}

/// The scores of one example and metric, over the repeats that have one.
fn values(each: &[Vec<Score>], index: usize) -> impl Iterator<Item = f64> {
    each.iter().filter_map(move |scores| scores[index].as_ref().ok().copied())
}

/// How the scores of each column differ from repeat to repeat.
#[derive(Debug, Default)]
pub(super) struct Spread(Vec<OfColumn>);

#[derive(Debug, Default)]
struct OfColumn {
    /// For each repeat.
    means: Vec<Mean>,
    /// Variances of single examples.
    variances: Mean,
}

#[derive(Debug, Default)]
struct Mean {
    sum: ExactSum,
    n: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum.add(value);
        self.n += 1;
    }

    fn merge(&mut self, other: &Self) {
        self.sum.merge(&other.sum);
        self.n += other.n;
    }

    fn value(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum.mean(self.n))
    }
}

impl Spread {
    /// Adds the scores of a batch, where its questions were asked several times.
    pub(super) fn add(&mut self, batch: &Batch<'_>) {
        let (each, width) = (batch.repeats, batch.columns.len());
        if each.is_empty() {
            return;
        }
        self.0.resize_with(width, OfColumn::default);
        for index in 0..batch.records.len() * width {
            let column = &mut self.0[index % width];
            column.means.resize_with(each.len(), Mean::default);
            for (mean, scores) in column.means.iter_mut().zip(each) {
                if let Ok(score) = scores[index] {
                    mean.add(score);
                }
            }
            if let Some(variance) = variance(&values(each, index).collect::<Vec<_>>()) {
                column.variances.add(variance);
            }
        }
    }

    /// Adds those of the next batch.
    pub(super) fn merge(&mut self, next: Self) {
        self.0.resize_with(self.0.len().max(next.0.len()), OfColumn::default);
        for (all, more) in self.0.iter_mut().zip(next.0) {
            all.means.resize_with(all.means.len().max(more.means.len()), Mean::default);
            all.means.iter_mut().zip(&more.means).for_each(|(all, more)| all.merge(more));
            all.variances.merge(&more.variances);
        }
    }

    /// What is stored of it.
    pub(super) fn info(&self, plan: &Plan, system: &System) -> Option<RepeatsInfo> {
        let repeats = self.0.first()?.means.len() as u64;
        let columns = plan.columns(system).into_iter().zip(&self.0);
        let column = |((stage, _, column), found): ((Stage, usize, String), &OfColumn)| {
            let means: Vec<Option<f64>> = found.means.iter().map(Mean::value).collect();
            let known: Vec<f64> = means.iter().copied().flatten().collect();
            (stage != Stage::Retrieval).then(|| RepeatedColumn {
                column,
                stddev: variance(&known).map(f64::sqrt),
                stddev_within: found.variances.value().map(f64::sqrt),
                means,
            })
        };
        Some(RepeatsInfo { repeats, columns: columns.filter_map(column).collect() })
    }
}

/// The variance that a sample says its population has; `None` of fewer than two numbers.
fn variance(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: Vec<f64> = values.iter().map(|value| (value - mean) * (value - mean)).collect();
    Some(sum(&squares).value() / (values.len() - 1) as f64)
}

/// The mean. Of equal numbers it is that number, which a sum that is rounded may miss.
fn mean(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    let equal = values.iter().all(|value| value.to_bits() == first.to_bits());
    Some(if equal { first } else { sum(values).mean(values.len() as u64) })
}

fn sum(values: &[f64]) -> ExactSum {
    let mut sum = ExactSum::default();
    for &value in values {
        sum.add(value);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variance_is_that_of_a_sample() {
        assert_eq!(variance(&[1.0]), None);
        assert_eq!(variance(&[0.1, 0.1, 0.1]), Some(0.0));
        assert_eq!(variance(&[0.0, 1.0, 1.0, 0.0]), Some(1.0 / 3.0));
        assert_eq!((mean(&[0.1; 3]), mean(&[]), mean(&[0.0, 1.0])), (Some(0.1), None, Some(0.5)));
    }
}
