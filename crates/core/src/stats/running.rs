//! One column of scores that streams by, summarised without being kept.

use super::{
    Column, IntervalMethod, interval,
    spread::Sums,
    summary::{Totals, finish, of_few},
    wilson::{of_constant, wilson},
};
use crate::Estimate;

/// The scores of independent examples: what is kept of them does not grow with their number.
///
/// The summary has the bits of the one that [`estimate`](super::estimate) makes of the same scores.
#[derive(Clone, Debug)]
pub struct Running {
    /// All of them, while there are few enough to resample.
    few: Vec<f64>,
    totals: Totals,
    sums: Sums,
    /// How many are 1 and how many are 0.
    ones: u64,
    zeros: u64,
}

impl Default for Running {
    fn default() -> Self {
        let totals = Totals { n: 0, unscored: 0, min: None, max: None };
        Self { few: Vec::new(), totals, sums: Sums::default(), ones: 0, zeros: 0 }
    }
}

impl Running {
    /// Adds the score of one example; `None` where it has none.
    #[expect(clippy::float_cmp, reason = "a share is made of exact zeros and ones")]
    pub fn add(&mut self, score: Option<f64>) {
        let totals = &mut self.totals;
        let Some(score) = score else {
            totals.unscored += 1;
            return;
        };
        totals.n += 1;
        totals.min = Some(totals.min.map_or(score, |min| min.min(score)));
        totals.max = Some(totals.max.map_or(score, |max| max.max(score)));
        self.sums.add(score);
        self.ones += u64::from(score == 1.0);
        self.zeros += u64::from(score == 0.0);
        if totals.n <= interval::MANY as u64 {
            self.few.push(score);
        } else {
            self.few = Vec::new();
        }
    }

    /// The summary of a mean. `None` where the scores lie so close together, or so far from 1, that
    /// their deviation cannot be told without looking at them again, and where many of them are to be
    /// resampled.
    pub fn estimate(self, column: Column<'_>) -> Option<Estimate> {
        let Self { few, totals, sums, ones, zeros } = self;
        if totals.n <= interval::MANY as u64 {
            return Some(of_few(column, few, totals.unscored));
        }
        if column.intervals.method != IntervalMethod::Auto {
            return None;
        }
        let constant = ones == totals.n || zeros == totals.n;
        let spread = sums.spread(totals.n).or_else(|| constant.then(|| sums.constant()))?;
        let mean = spread.sum.mean(totals.n);
        let interval = if ones + zeros == totals.n && column.is_share() {
            wilson(ones, totals.n)
        } else if spread.stddev == Some(0.0) {
            of_constant(mean, totals.n, column.range)
        } else {
            spread.stddev.map(|stddev| interval::normal(mean, stddev / (totals.n as f64).sqrt()))
        };
        Some(finish(column, totals, &spread, Some(mean), interval))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Estimator,
        stats::{Intervals, estimate},
    };

    fn column(higher_is_better: bool) -> Column<'static> {
        let range = (0.0, 1.0);
        Column {
            name: "f1",
            estimator: Estimator::Mean,
            range,
            higher_is_better,
            intervals: Intervals::auto(3),
        }
    }

    #[track_caller]
    fn check(scores: &[Option<f64>], known: bool) {
        let mut running = Running::default();
        for &score in scores {
            running.add(score);
        }
        let expected = estimate(column(true), scores.iter().map(|&score| (score, None)));
        let found = running.estimate(column(true));
        assert_eq!(found.is_some(), known);
        // Equal floats are equal bits here: no zero has a sign, and none is NaN.
        assert!(found.is_none_or(|found| found == expected), "{expected:?}");
    }

    #[test]
    fn many_scores_give_the_bits_that_they_give_together() {
        let many = interval::MANY + 10;
        let of = |score: &dyn Fn(usize) -> Option<f64>| (0..many).map(score).collect::<Vec<_>>();
        check(&of(&|i| (i % 7 != 0).then(|| (i % 11) as f64 / 11.0)), true);
        check(&of(&|i| Some((i * 7919 % many) as f64 / many as f64)), true);
        check(&of(&|i| Some(f64::from(u8::from(i % 3 == 0)))), true);
        check(&of(&|i| Some(if i % 3 == 0 { 0.5 } else { 1.0 })), true);
        check(&of(&|_| None), true);
        check(&of(&|i| (i < 500).then_some(0.25)), true);
        // Nearly all of one value: their squares cancel.
        check(&of(&|_| Some(0.3)), false);
        check(&of(&|i| Some(if i == 4 { 1e-150 } else { 0.5 })), false);
        check(&of(&|i| Some(if i == 4 { 1e-150 } else { 0.0 })), false);
        check(&of(&|_| Some(1.0)), true);
        check(&of(&|_| Some(0.0)), true);
    }

    proptest! {
        #[test]
        fn few_scores_do_too(scores in prop::collection::vec(prop::option::of(0.0..1.0), 0..40)) {
            check(&scores, true);
        }
    }
}
