//! One column of scores, summarised.

use std::collections::BTreeMap;

use super::{Group, Groups, Intervals, interval, spread::Spread};
use crate::{Estimate, Estimator, Interval};

/// The scores of one metric, with what is needed to summarise them.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Name of the column; its resampling is a stream of its own.
    pub name: &'a str,
    /// How examples become one number.
    pub estimator: Estimator,
    /// Lowest and highest value that the metric declares.
    pub range: (f64, f64),
    /// Whether more is better.
    pub higher_is_better: bool,
    /// How its interval is made.
    pub intervals: Intervals,
}

impl<'a> Column<'a> {
    /// A column of zeros and ones, of which more is better.
    pub fn of_shares(name: &'a str, intervals: Intervals) -> Self {
        let (estimator, range) = (Estimator::Mean, (0.0, 1.0));
        Self { name, estimator, range, higher_is_better: true, intervals }
    }
}

impl Column<'_> {
    /// Seed of the column's resampling.
    pub(super) fn stream(&self) -> u64 {
        self.intervals.seed ^ fnv1a(self.name.as_bytes())
    }

    /// The part of an interval that the metric can have; `None` where an end of it is too far away
    /// for a number.
    pub(super) fn in_range(&self, interval: Interval) -> Option<Interval> {
        let low = interval.low.max(self.range.0);
        let high = interval.high.min(self.range.1);
        (low.is_finite() && high.is_finite()).then_some(Interval { low, high, ..interval })
    }
}

/// Summarises the scores of some examples: each with the group it belongs to, where the dataset
/// has groups. An example without a group among others that have one is a group of its own.
///
/// The result depends on the multiset of (group, score) and on the seed alone.
pub fn estimate<'a>(
    column: Column<'_>,
    scores: impl Iterator<Item = (Option<f64>, Option<&'a str>)>,
) -> Estimate {
    let mut values = Vec::new();
    let mut alone: Vec<f64> = Vec::new();
    let mut groups: Groups<&str> = Groups::default();
    let mut unscored = 0;
    for (score, group) in scores {
        match (score, group) {
            (None, _) => unscored += 1,
            (Some(score), Some(key)) => {
                groups.add(key, score);
                values.push(score);
            }
            (Some(score), None) => {
                alone.push(score);
                values.push(score);
            }
        }
    }
    let clustered = groups.iter().any(|group| group.n > 1);
    let units = (clustered || is_corpus(column.estimator)).then(|| {
        let single = |score: f64| {
            let mut group = Group::default();
            group.add(score);
            group
        };
        groups.iter().cloned().chain(alone.iter().copied().map(single)).collect()
    });
    if !column.intervals.is_normal(values.len()) {
        sort(&mut values);
    }
    summarize(column, &values, units.map(in_order).as_deref(), unscored)
}

/// Sorts scores as [`f64::total_cmp`] does: by whole numbers that are in the same order, which takes half
/// of the time.
fn sort(scores: &mut [f64]) {
    // A negative number has its other bits turned, so that they grow with it.
    let turned = |bits: i64| bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed();
    let mut keys: Vec<i64> =
        scores.iter().map(|score| turned(score.to_bits().cast_signed())).collect();
    keys.sort_unstable();
    for (score, key) in scores.iter_mut().zip(keys) {
        *score = f64::from_bits(turned(key).cast_unsigned());
    }
}

/// Groups in an order that does not depend on their names.
fn in_order(groups: Vec<Group>) -> Vec<Group> {
    let mut counts: BTreeMap<(u64, u64), Vec<Group>> = BTreeMap::new();
    for group in groups {
        counts.entry((group.n, group.sum().to_bits())).or_default().push(group);
    }
    counts.into_values().flatten().collect()
}

fn is_corpus(estimator: Estimator) -> bool {
    !matches!(estimator, Estimator::Mean)
}

/// `values` are in ascending order where there are few enough to resample.
fn summarize(
    column: Column<'_>,
    values: &[f64],
    groups: Option<&[Group]>,
    unscored: u64,
) -> Estimate {
    let n = values.len() as u64;
    if n == 0 {
        return Estimate { unscored, ..Estimate::default() };
    }
    let spread = Spread::of(values);
    let plain = spread.sum.mean(n);
    let (mean, interval) = match (groups, column.estimator) {
        (Some(groups), estimator) => {
            (interval::of(estimator, &mut groups.iter()), interval::of_groups(column, groups))
        }
        (None, Estimator::Mean) => {
            (Some(plain), interval::of_mean(column, values, plain, spread.stddev))
        }
        (None, _) => (None, None),
    };
    let totals = Totals {
        n,
        unscored,
        min: values.iter().copied().reduce(f64::min),
        max: values.iter().copied().reduce(f64::max),
    };
    finish(column, totals, &spread, mean, interval)
}

/// Summarises a few scores of independent examples.
pub(super) fn of_few(column: Column<'_>, mut values: Vec<f64>, unscored: u64) -> Estimate {
    sort(&mut values);
    summarize(column, &values, None, unscored)
}

/// What is counted of scores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    pub(super) n: u64,
    pub(super) unscored: u64,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
}

/// The summary of scores that are known by these numbers.
pub(super) fn finish(
    column: Column<'_>,
    Totals { n, unscored, min, max }: Totals,
    Spread { sum, stddev }: &Spread,
    mean: Option<f64>,
    interval: Option<Interval>,
) -> Estimate {
    let interval = interval.and_then(|interval| column.in_range(interval));
    let bound = |value: f64| {
        let bounded = value.is_finite() && !is_corpus(column.estimator);
        bounded.then(|| {
            let mut sum = sum.clone();
            (0..unscored).for_each(|_| sum.add(value));
            sum.mean(n + unscored)
        })
    };
    let (low, high) = (bound(column.range.0), bound(column.range.1));
    let (mean_worst, mean_best) = if column.higher_is_better { (low, high) } else { (high, low) };
    Estimate { n, unscored, mean, stddev: *stddev, min, max, mean_worst, mean_best, interval }
}

/// 64-bit FNV-1a: a fixed hash, so that seeds stay the same in every version.
pub(super) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const F1: Column<'_> = Column {
        name: "f1",
        estimator: Estimator::Mean,
        range: (0.0, 1.0),
        higher_is_better: true,
        intervals: Intervals::auto(7),
    };

    #[test]
    fn unscored_examples_are_counted_and_bounded() {
        let scores = [Some(0.5), None, Some(1.0), None];
        let found = estimate(F1, scores.into_iter().map(|score| (score, None)));
        assert_eq!((found.n, found.unscored), (2, 2));
        assert_eq!(found.mean, Some(0.75));
        assert_eq!((found.mean_worst, found.mean_best), (Some(0.375), Some(0.875)));
        assert_eq!((found.min, found.max), (Some(0.5), Some(1.0)));
        assert!((found.stddev.unwrap() - 0.125_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn scores_are_sorted_by_their_numbers() {
        let mut scores = [0.5, -0.0, f64::MAX, -1e-300, 0.0, -7.0, 5e-324, f64::MIN, 1.0, -7.0];
        let mut expected = scores;
        expected.sort_unstable_by(f64::total_cmp);
        sort(&mut scores);
        assert_eq!(scores.map(f64::to_bits), expected.map(f64::to_bits));
    }

    #[test]
    fn large_scores_have_right_numbers() {
        let open = Column { range: (f64::NEG_INFINITY, f64::INFINITY), ..F1 };
        let of = |scores: &[f64]| estimate(open, scores.iter().map(|&score| (Some(score), None)));
        for unit in [1e9, 1e18, 1e200, 1e-200] {
            let found = of(&[unit, 2.0 * unit, 3.0 * unit]);
            let close =
                |found: Option<f64>, expected: f64| (found.unwrap() / expected - 1.0).abs() < 1e-12;
            assert!(close(found.mean, 2.0 * unit), "{found:?}");
            assert!(close(found.stddev, unit), "{found:?}");
            let interval = found.interval.unwrap();
            assert!(interval.low >= unit && interval.high <= 3.0 * unit, "{interval:?}");
        }
        let most = of(&[f64::MAX, f64::MAX, f64::MAX, -f64::MAX]);
        assert_eq!(most.mean, Some(f64::MAX / 2.0));
        assert!(most.interval.is_some_and(|found| found.high.is_finite()), "{most:?}");
        // No float is as large as this deviation.
        assert_eq!(of(&[f64::MAX, -f64::MAX]).stddev, None);
    }

    #[test]
    fn an_example_without_a_group_is_a_group_of_its_own() {
        let heq_d = Column { estimator: crate::metrics::quac::HEQ_D.estimator, ..F1 };
        let scores = [(1.0, Some("x")), (0.0, Some("x")), (1.0, Some("y")), (1.0, None)];
        let found = estimate(heq_d, scores.iter().map(|&(score, group)| (Some(score), group)));
        assert_eq!(found.mean, Some(2.0 / 3.0));
        assert!(found.interval.is_some());
    }

    #[test]
    fn an_interval_stays_in_the_range() {
        let rare = (0..30_000).map(|i| (Some(if i < 2 { 0.5 } else { 0.0 }), None));
        let interval = estimate(F1, rare).interval.unwrap();
        assert_eq!((interval.method, interval.low.to_bits()), ("normal", 0));
    }

    #[test]
    fn nothing_scored_has_no_mean() {
        let found = estimate(F1, [(None, None)].into_iter());
        assert_eq!((found.n, found.unscored, found.mean), (0, 1, None));
        assert_eq!(found.interval, None);
    }

    #[test]
    fn order_and_group_names_do_not_matter() {
        let scores = [(0.1, "x"), (0.7, "y"), (0.3, "x"), (0.9, "z"), (0.2, "y")];
        let forth = estimate(F1, scores.iter().map(|&(s, g)| (Some(s), Some(g))));
        let renamed = |g| if g == "x" { "zz" } else { g };
        let back = estimate(F1, scores.iter().rev().map(|&(s, g)| (Some(s), Some(renamed(g)))));
        assert_eq!(forth, back);
        assert_eq!(forth.interval.unwrap().method, "expanded bca over groups");
    }
}
