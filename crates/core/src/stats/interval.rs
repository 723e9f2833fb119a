//! Confidence intervals: which method is taken.
//!
//! Unless the user asks for one, the scores decide: Wilson's interval for shares of independent
//! examples and for what is all the same, where resampling says nothing; the bootstrap with
//! corrected and expanded percentiles over examples, or over groups where examples come in dialogs
//! or documents; and the normal approximation where there is so much data that the bootstrap agrees
//! with it to three digits and only costs time. docs/statistics.md has the coverage of each.

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

use super::{
    Group,
    bootstrap::{Bootstrap, Ends, FEW, Part},
    pooled::{BLOCKS, blocks, half_width},
    resample::{stream, sum},
    summary::Column,
    wide::{exponent, times_power_of_two},
    wilson::{of_constant, wilson},
};
use crate::{Estimator, Interval};

/// Probability with which an interval holds the truth.
pub const LEVEL: f64 = 0.95;

/// Resamples of the bootstrap, unless the user asks for another number.
pub const RESAMPLES: u32 = 2000;

/// Quantile of the normal distribution at (1 + [`LEVEL`]) / 2.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// Units above which the normal approximation replaces the bootstrap.
pub(super) const MANY: usize = 20_000;

/// How the intervals of means are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// Which method.
    pub method: IntervalMethod,
    /// Resamples of a bootstrap; at least one.
    pub resamples: u32,
    /// Seed of the resamples.
    pub seed: u64,
}

/// A method for the intervals of means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntervalMethod {
    /// The scores decide.
    #[default]
    Auto,
    /// The percentiles of resamples, of any number of examples.
    Percentile,
    /// Percentiles corrected for bias and acceleration, of any number of examples.
    Bca,
}

impl IntervalMethod {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Percentile, Self::Bca];

    /// As it is written in a file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Percentile => "percentile",
            Self::Bca => "bca",
        }
    }
}

impl Intervals {
    /// Made as the scores decide.
    pub const fn auto(seed: u64) -> Self {
        Self { method: IntervalMethod::Auto, resamples: RESAMPLES, seed }
    }

    /// Whether so many units are too many to resample.
    pub(super) fn is_normal(self, units: usize) -> bool {
        self.method == IntervalMethod::Auto && units > MANY
    }

    fn ends(self) -> Ends {
        match self.method {
            IntervalMethod::Auto => Ends::ExpandedBca,
            IntervalMethod::Percentile => Ends::Percentile,
            IntervalMethod::Bca => Ends::Bca,
        }
    }

    /// What the bootstrap over examples or over groups is called.
    fn name(self, groups: bool) -> &'static str {
        match (self.method, groups) {
            (IntervalMethod::Auto, false) => "expanded bca",
            (IntervalMethod::Auto, true) => "expanded bca over groups",
            (IntervalMethod::Percentile, false) => "bootstrap",
            (IntervalMethod::Percentile, true) => "bootstrap over groups",
            (IntervalMethod::Bca, false) => "bca",
            (IntervalMethod::Bca, true) => "bca over groups",
        }
    }
}

/// Interval of a mean of independent scores, in ascending order unless they are
/// [too many](Intervals::is_normal); `None` where nothing is known of their spread.
pub(super) fn of_mean(
    column: Column<'_>,
    sorted: &[f64],
    mean: f64,
    stddev: Option<f64>,
) -> Option<Interval> {
    let n = sorted.len();
    let by_lot = column.intervals.method != IntervalMethod::Auto;
    if let Some(ones) = ones(sorted).filter(|_| column.is_share() && !by_lot) {
        return wilson(ones, n as u64);
    }
    if n < 2 || stddev == Some(0.0) {
        return of_constant(mean, n as u64, column.range);
    }
    if column.intervals.is_normal(n) {
        return Some(normal(mean, stddev? / (n as f64).sqrt()));
    }
    // Sums of what is very large leave the floats.
    let largest = sorted.iter().fold(0.0_f64, |largest, score| largest.max(score.abs()));
    let down = if largest > 1e200 { exponent(largest) } else { 0 };
    let scaled: Vec<f64>;
    let scores = if down == 0 {
        sorted
    } else {
        scaled = sorted.iter().map(|&score| times_power_of_two(score, -down)).collect();
        &scaled
    };
    let found = column.bootstrap(false).of_mean(scores)?;
    let [low, high] = [found.low, found.high].map(|end| times_power_of_two(end, down));
    Some(column.widened(Interval { low, high, ..found }, mean, n))
}

/// How many scores are 1, where each is 0 or 1.
#[expect(clippy::float_cmp, reason = "a share is made of exact zeros and ones")]
fn ones(scores: &[f64]) -> Option<u64> {
    let ones = scores.iter().filter(|&&score| score == 1.0).count();
    let zeros = scores.iter().filter(|&&score| score == 0.0).count();
    (ones + zeros == scores.len()).then_some(ones as u64)
}

/// Interval of a metric whose groups are the independent units, which are in an order that depends
/// on what they hold alone.
pub(super) fn of_groups(column: Column<'_>, groups: &[Group]) -> Option<Interval> {
    match column.estimator {
        Estimator::Mean => of_group_means(column, groups),
        Estimator::Groups(finish) => of_all_groups(column, groups, finish),
        Estimator::Pooled(_) => None,
    }
}

/// Of the mean of examples that come in groups.
fn of_group_means(column: Column<'_>, groups: &[Group]) -> Option<Interval> {
    let parts: Vec<Part> =
        groups.iter().map(|group| Part { n: group.n as f64, sum: group.sum() }).collect();
    let total = sum(&parts);
    let (n, mean) = (parts.len(), total.sum / total.n);
    let own = |part: &Part| part.sum / part.n;
    let same = parts.windows(2).all(|pair| own(&pair[0]).to_bits() == own(&pair[1]).to_bits());
    if n < 2 || same {
        // One group says nothing of how groups differ.
        return if n < 2 {
            None
        } else {
            of_constant(own(&parts[0]), n as u64, column.range).map(over_groups)
        };
    }
    if column.intervals.is_normal(n) {
        let residuals = parts.iter().map(|part| (part.sum - mean * part.n) / total.n);
        let squares: f64 = residuals.map(|residual| residual * residual).sum();
        let error = (squares * n as f64 / (n - 1) as f64).sqrt();
        return Some(Interval { method: "normal over groups", ..normal(mean, error) });
    }
    Some(column.widened(column.bootstrap(true).of_mean(&parts)?, mean, n))
}

/// Of a metric that is made of all groups: the percentile bootstrap, and the jackknife where there
/// are many.
fn of_all_groups(
    column: Column<'_>,
    groups: &[Group],
    finish: fn(&mut dyn Iterator<Item = &Group>) -> Option<f64>,
) -> Option<Interval> {
    if groups.len() < 2 {
        return None;
    }
    if let Some(share) = share_of_groups(column, groups, finish) {
        return Some(share);
    }
    let seed = column.stream();
    if groups.len() > MANY {
        let block = blocks(groups.len(), seed);
        let without = |left_out| {
            let kept = groups.iter().zip(&block).filter(|&(_, &block)| block != left_out);
            finish(&mut kept.map(|(group, _)| group))
        };
        let numbers: Vec<f64> = (0..BLOCKS).map(without).collect::<Option<_>>()?;
        let (mean, half) = (finish(&mut groups.iter())?, half_width(&numbers));
        let (low, high) = (mean - half, mean + half);
        let (method, seed) = ("jackknife", Some(seed));
        return Some(Interval { low, high, level: LEVEL, method, seed, resamples: None });
    }
    let mut drawn: Vec<&Group> = Vec::with_capacity(groups.len());
    let resamples = column.intervals.resamples;
    let numbers = (0..resamples).filter_map(|index| {
        let mut stream = stream(seed, index);
        drawn.clear();
        drawn.extend((0..groups.len()).map(|_| &groups[below(&mut stream, groups.len())]));
        finish(&mut drawn.iter().copied())
    });
    percentiles("bootstrap over groups", seed, resamples, numbers.collect())
}

/// Wilson's interval of a number that is the share of the groups which are 1 by themselves, where all of
/// them are, or none: resampling says nothing then.
fn share_of_groups(
    column: Column<'_>,
    groups: &[Group],
    finish: fn(&mut dyn Iterator<Item = &Group>) -> Option<f64>,
) -> Option<Interval> {
    let alone = groups.iter().map(|group| finish(&mut std::iter::once(group)));
    let alone: Vec<f64> = alone.collect::<Option<_>>()?;
    let ones = ones(&alone).filter(|&ones| ones == 0 || ones == alone.len() as u64)?;
    if column.is_share() { wilson(ones, alone.len() as u64).map(over_groups) } else { None }
}

/// Wilson's interval, whose trials are groups.
fn over_groups(interval: Interval) -> Interval {
    Interval { method: "wilson over groups", ..interval }
}

impl Column<'_> {
    /// Whether scores of 0 and 1 are all that the metric could give at its ends.
    pub(super) fn is_share(&self) -> bool {
        self.range == (0.0, 1.0)
    }

    /// The interval of so few units that their resamples do not go far: no narrower than that of a
    /// share of as many.
    fn widened(&self, interval: Interval, mean: f64, units: usize) -> Interval {
        let few = units <= FEW && self.intervals.method == IntervalMethod::Auto;
        let share = few.then(|| of_constant(mean, units as u64, self.range)).flatten();
        share.map_or(interval, |share| Interval {
            low: interval.low.min(share.low),
            high: interval.high.max(share.high),
            ..interval
        })
    }

    fn bootstrap(&self, groups: bool) -> Bootstrap {
        Bootstrap {
            ends: self.intervals.ends(),
            name: self.intervals.name(groups),
            seed: self.stream(),
            resamples: self.intervals.resamples,
        }
    }
}

/// The metric over these groups.
pub(super) fn of(estimator: Estimator, groups: &mut dyn Iterator<Item = &Group>) -> Option<f64> {
    match estimator {
        Estimator::Groups(finish) => finish(groups),
        // Its number is made of other columns than the scores.
        Estimator::Pooled(_) => None,
        Estimator::Mean => {
            let mut all = Group::default();
            groups.for_each(|group| all.merge(group));
            all.mean()
        }
    }
}

pub(super) fn normal(mean: f64, error: f64) -> Interval {
    Interval {
        low: mean - Z * error,
        high: mean + Z * error,
        level: LEVEL,
        method: "normal",
        seed: None,
        resamples: None,
    }
}

/// The interval between the outer percentiles of the numbers that resamples have.
pub(super) fn percentiles(
    method: &'static str,
    seed: u64,
    resamples: u32,
    values: Vec<f64>,
) -> Option<Interval> {
    let outer = [(1.0 - LEVEL) / 2.0, f64::midpoint(1.0, LEVEL)];
    percentiles_at(outer, method, seed, resamples, values)
}

/// The interval between these percentiles, which are expanded or those of the level.
pub(super) fn percentiles_at(
    [low, high]: [f64; 2],
    method: &'static str,
    seed: u64,
    resamples: u32,
    mut values: Vec<f64>,
) -> Option<Interval> {
    values.sort_unstable_by(f64::total_cmp);
    Some(Interval {
        low: percentile(&values, low)?,
        high: percentile(&values, high)?,
        level: LEVEL,
        method,
        seed: Some(seed),
        resamples: Some(resamples),
    })
}

/// A uniform index below `n`, by multiplication; the bias is below n / 2^64.
pub(super) fn below(stream: &mut Pcg64Mcg, n: usize) -> usize {
    let product = u128::from(stream.next_u64()) * n as u128;
    usize::try_from(product >> 64).expect("the high half is below n")
}

/// Percentile of sorted numbers, by linear interpolation between order statistics, as numpy and pandas
/// have it; `q` is from 0 to 1. `None` where there are no numbers.
pub fn percentile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = q * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the place is between 0 and the last index"
    )]
    let index = place.floor() as usize;
    let (low, high) = (sorted[index], sorted[(index + 1).min(last)]);
    let share = place - index as f64;
    let step = high - low;
    // Two neighbours can lie farther apart than a float can say.
    Some(if step.is_finite() { low + step * share } else { low * (1.0 - share) + high * share })
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

    fn groups(scores: &[&[f64]]) -> Vec<Group> {
        let group = |scores: &&[f64]| {
            let mut group = Group::default();
            scores.iter().for_each(|&score| group.add(score));
            group
        };
        scores.iter().map(group).collect()
    }

    #[test]
    fn the_bootstrap_agrees_with_theory() {
        // 400 scores, uniform on a grid: the standard error of the mean is known.
        let mut sorted: Vec<f64> = (0..400).map(|i| f64::from(i % 100) / 99.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        for (method, name) in [
            (IntervalMethod::Auto, "expanded bca"),
            (IntervalMethod::Percentile, "bootstrap"),
            (IntervalMethod::Bca, "bca"),
        ] {
            let column = Column { intervals: Intervals { method, ..F1.intervals }, ..F1 };
            let interval = of_mean(column, &sorted, 0.5, Some(0.2917)).unwrap();
            assert_eq!((interval.method, interval.resamples), (name, Some(RESAMPLES)));
            let half = (interval.high - interval.low) / 2.0;
            assert!((half / (Z * 0.2917 / 20.0) - 1.0).abs() < 0.1, "{name}: {half}");
        }
    }

    #[test]
    fn what_is_all_the_same_has_the_interval_of_a_share() {
        let interval = |scores: &[f64], range| {
            of_mean(Column { range, ..F1 }, scores, scores[0], (scores.len() > 1).then_some(0.0))
        };
        let unit = (0.0, 1.0);
        let ends = |found: Option<Interval>| found.map(|i| (i.low, i.high));
        assert_eq!(interval(&[1.0], unit), wilson(1, 1));
        assert_eq!(ends(interval(&[0.5; 20], unit)), ends(wilson(10, 20)));
        assert_eq!(interval(&[0.5; 20], (0.0, f64::INFINITY)), None);
        // Ones are no shares where a score can be larger.
        let open = Column { range: (0.0, f64::INFINITY), ..F1 };
        let found = of_mean(open, &[0.0, 0.0, 1.0, 1.0], 0.5, Some(0.577)).unwrap();
        assert_eq!((found.method, found.seed, found.resamples), ("expanded bca", None, None));
        let all_right = groups(&[&[1.0, 1.0], &[1.0], &[1.0, 1.0, 1.0]]);
        assert_eq!(ends(of_groups(F1, &all_right)), ends(wilson(3, 3)));
    }

    #[test]
    fn one_group_has_no_interval() {
        assert_eq!(of_groups(F1, &groups(&[&[1.0, 0.0]])), None);
        let heq_d = Column { estimator: crate::metrics::quac::HEQ_D.estimator, ..F1 };
        assert_eq!(of_groups(heq_d, &groups(&[&[1.0, 0.0]])), None);
    }

    /// Many groups have the interval that few have, but for its width.
    #[test]
    fn many_groups_agree_with_few() {
        let some = |count: usize| -> Vec<Group> {
            let group = |i: usize| vec![f64::from(u8::from(i.is_multiple_of(3))); 1 + i % 2];
            let scores: Vec<Vec<f64>> = (0..count).map(group).collect();
            groups(&scores.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        let heq_d = Column { estimator: crate::metrics::quac::HEQ_D.estimator, ..F1 };
        for (column, few_name, many_name) in [
            (F1, "expanded bca over groups", "normal over groups"),
            (heq_d, "bootstrap over groups", "jackknife"),
        ] {
            let [few, many] = [1200, 30_000].map(|count| of_groups(column, &some(count)).unwrap());
            assert_eq!((few.method, many.method), (few_name, many_name));
            let ratio = (few.high - few.low) / (many.high - many.low);
            assert!((0.7..1.4).contains(&(ratio / 5.0)), "{few_name}: {ratio}");
        }
    }

    #[test]
    fn percentiles_interpolate() {
        assert_eq!(percentile(&[0.0, 1.0, 2.0], 0.25), Some(0.5));
        assert_eq!(percentile(&[3.0], 0.975), Some(3.0));
        assert_eq!(percentile(&[], 0.5), None);
    }
}
