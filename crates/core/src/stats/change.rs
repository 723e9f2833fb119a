//! How far two means lie apart: of two systems on the same examples, or of one system on two
//! datasets.

use std::{cmp::Ordering, ops::AddAssign};

use super::{
    bootstrap,
    interval::{self, MANY, RESAMPLES},
    power,
    resample::{Item, sum, totals},
};
use crate::Interval;

/// Independent units below which nothing is decided: if all of five pairs differ in the same
/// direction, chance alone does that once in sixteen times.
pub(super) const FEWEST: usize = 6;

/// From one mean to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The first mean.
    pub before: f64,
    /// The second mean.
    pub after: f64,
    /// Scored examples: those of the pairs, or of the second sample.
    pub n: u64,
    /// Interval of [`difference`](Self::difference); `None` below six independent units.
    pub interval: Option<Interval>,
    /// Interval of [`ratio`](Self::ratio).
    pub ratio_interval: Option<Interval>,
    /// Standard error of the difference; `None` below six independent units.
    pub error: Option<f64>,
    /// The smallest difference that so many examples show with a probability of 80 %, at the
    /// level of the interval; `None` also where nothing differs, which says nothing of it.
    pub detectable: Option<f64>,
}

impl Change {
    /// The second mean less the first.
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }

    /// The second mean divided by the first; `None` where that is 0.
    pub fn ratio(&self) -> Option<f64> {
        ratio(self.before, self.after)
    }

    /// Whether the interval of the difference leaves 0 out.
    pub fn is_decided(&self) -> bool {
        self.interval.is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0)
    }
}

/// An independent unit: an example, or all examples of a dialog or document.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unit {
    /// How many examples.
    pub n: u64,
    /// Sum of their scores before.
    pub before: f64,
    /// Sum of their scores after.
    pub after: f64,
}

/// The change from one system to another on the same examples; `None` without an example.
/// Intervals come from the paired bootstrap over the units, whose percentiles are expanded as those of
/// a mean are; above 20,000 units from the normal approximation. Where fewer than six units differ they
/// hold 0 (and the ratio's 1), as no exact test would tell the systems apart. The order of the units
/// does not matter.
pub fn paired(units: &[Unit], seed: u64) -> Option<Change> {
    let (drawn_from, turned) = either_way(units);
    let units: Vec<Unit> = drawn_from.iter().map(|unit| unit.turned_if(turned)).collect();
    let total = sum(&units);
    let (before, after) = (total.mean_before()?, total.mean_after()?);
    let n = total.n as f64;
    // The difference without each unit, from its own: a group that has most examples moves it far.
    let without = |unit: &Unit| {
        let rest = (total.n - unit.n) as f64;
        let difference = (total.after - unit.after - (total.before - unit.before)) / rest;
        (after - before - difference) * (units.len() - 1) as f64 / units.len() as f64
    };
    // Each unit's share in the error of the logarithm of the ratio.
    let logarithmic = |unit: &Unit| {
        let of = unit.n as f64;
        ((unit.after - of * after) / after - (unit.before - of * before) / before) / n
    };
    let resamples = || {
        let both = |total: Unit| Some((total.mean_before()?, total.mean_after()?));
        let drawn = totals(&drawn_from, seed, RESAMPLES).into_iter();
        drawn.filter_map(|total| both(total.turned_if(turned))).collect()
    };
    let errors = Errors {
        bootstrap: (units.len() <= MANY).then_some("paired bootstrap"),
        units: units.len(),
        difference: jackknife(units.iter().map(without)),
        ratio: error(units.iter().map(logarithmic)),
    };
    let mut change = change(before, after, total.n, errors, seed, resamples);
    // Resamples of a few units that differ, all in one direction, never come to 0; chance does.
    let differing = units.iter().filter(|unit| unit.before.to_bits() != unit.after.to_bits());
    if differing.count() < FEWEST {
        let with = |interval: Option<Interval>, none: f64| {
            interval.map(|interval| Interval {
                low: interval.low.min(none),
                high: interval.high.max(none),
                ..interval
            })
        };
        change.interval = with(change.interval, 0.0);
        change.ratio_interval = with(change.ratio_interval, 1.0);
    }
    Some(change)
}

/// The change of one system from one dataset to another: `before` of the units of the first,
/// `after` of those of the second. The rest is as in [`paired`].
pub fn unpaired(first: &[Unit], second: &[Unit], seed: u64) -> Option<Change> {
    let (first, second) = (in_order(first), in_order(second));
    let (from, to) = (sum(&first), sum(&second));
    let (before, after) = (from.mean_before()?, to.mean_after()?);
    let residuals = |divisors: [f64; 2]| {
        let left = |unit: &Unit| (unit.before - unit.n as f64 * before) / from.n as f64;
        let right = |unit: &Unit| (unit.after - unit.n as f64 * after) / to.n as f64;
        let (left, right) = (error(first.iter().map(left)), error(second.iter().map(right)));
        Some((left? / divisors[0]).hypot(right? / divisors[1]))
    };
    let few = first.len().max(second.len()) <= MANY;
    let errors = Errors {
        bootstrap: few.then_some("bootstrap"),
        units: first.len().min(second.len()),
        difference: residuals([1.0; 2]),
        ratio: residuals([before, after]),
    };
    let resamples = || {
        // Two datasets are drawn from independently.
        let pairs =
            totals(&first, seed, RESAMPLES).into_iter().zip(totals(&second, !seed, RESAMPLES));
        pairs.filter_map(|(from, to)| Some((from.mean_before()?, to.mean_after()?))).collect()
    };
    Some(change(before, after, to.n, errors, seed, resamples))
}

/// How the intervals are made.
#[derive(Clone, Copy)]
struct Errors {
    /// Name of the resampling; `None` for the normal approximation.
    bootstrap: Option<&'static str>,
    /// Independent units.
    units: usize,
    /// Standard error of the difference; `None` where the units are too few.
    difference: Option<f64>,
    /// Of the logarithm of the ratio.
    ratio: Option<f64>,
}

fn change(
    before: f64,
    after: f64,
    n: u64,
    errors: Errors,
    seed: u64,
    resamples: impl FnOnce() -> Vec<(f64, f64)>,
) -> Change {
    let known = errors.difference.is_some();
    let (interval, ratio_interval) = match errors.bootstrap {
        _ if !known => (None, None),
        Some(method) => {
            let ends = bootstrap::around(bootstrap::expanded(errors.units));
            let of = |numbers| interval::percentiles_at(ends, method, seed, RESAMPLES, numbers);
            let drawn = resamples();
            let differences = drawn.iter().map(|(before, after)| after - before).collect();
            let ratios = drawn.iter().filter_map(|&(before, after)| ratio(before, after));
            (of(differences), ratio(before, after).and_then(|_| of(ratios.collect())))
        }
        None => {
            let around = |error| interval::normal(after - before, error);
            let log = errors.ratio.filter(|error| error.is_finite());
            let ratio = log.zip(ratio(before, after)).filter(|&(_, ratio)| ratio > 0.0);
            let ratio = ratio.map(|(error, ratio)| {
                let interval = interval::normal(ratio.ln(), error);
                Interval { low: interval.low.exp(), high: interval.high.exp(), ..interval }
            });
            (errors.difference.map(around), ratio)
        }
    };
    Change {
        before,
        after,
        n,
        interval,
        ratio_interval,
        error: errors.difference,
        detectable: errors
            .difference
            .filter(|&error| error > 0.0)
            .map(|error| power::detectable_of_few(error, errors.units as u64)),
    }
}

fn ratio(before: f64, after: f64) -> Option<f64> {
    (before != 0.0).then(|| after / before)
}

/// Standard error of a sum of independent residuals; `None` where they are too few.
fn error(residuals: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let units = residuals.len() as f64;
    let squares = residuals.map(|residual| residual * residual).fold(0.0, |sum, s| sum + s);
    (units >= FEWEST as f64).then(|| (squares * units / (units - 1.0)).sqrt())
}

impl Unit {
    /// With the systems in the other order.
    fn turned_if(self, turned: bool) -> Self {
        if turned { Self { before: self.after, after: self.before, ..self } } else { self }
    }

    fn mean_before(self) -> Option<f64> {
        (self.n > 0).then(|| self.before / self.n as f64)
    }

    fn mean_after(self) -> Option<f64> {
        (self.n > 0).then(|| self.after / self.n as f64)
    }
}

/// The units in an order that is the same for both orders of the systems, so that they have the same
/// resamples: those of one order, and whether it is the other one.
fn either_way(units: &[Unit]) -> (Vec<Unit>, bool) {
    let forth = in_order(units);
    let back = in_order(&units.iter().map(|unit| unit.turned_if(true)).collect::<Vec<_>>());
    let order = forth
        .iter()
        .zip(&back)
        .map(|(a, b)| a.before.total_cmp(&b.before).then(a.after.total_cmp(&b.after)));
    match order.into_iter().find(|order| order.is_ne()) {
        Some(Ordering::Greater) => (back, true),
        _ => (forth, false),
    }
}

impl AddAssign for Unit {
    fn add_assign(&mut self, other: Self) {
        self.n += other.n;
        self.before += other.before;
        self.after += other.after;
    }
}

impl Item for Unit {
    fn times(self, count: u64) -> Self {
        let times = |sum: f64| sum * count as f64;
        Self { n: self.n * count, before: times(self.before), after: times(self.after) }
    }
}

/// Standard error from the deviations of the number without each unit; `None` where they are too few.
fn jackknife(deviations: impl ExactSizeIterator<Item = f64> + Clone) -> Option<f64> {
    let units = deviations.len() as f64;
    let centre = deviations.clone().fold(0.0, |sum, d| sum + d) / units;
    let squares = deviations.map(|d| (d - centre).powi(2)).fold(0.0, |sum, s| sum + s);
    (units >= FEWEST as f64).then(|| (squares * units / (units - 1.0)).sqrt())
}

/// Units in an order that depends on what they hold alone.
fn in_order(units: &[Unit]) -> Vec<Unit> {
    let mut units = units.to_vec();
    units.sort_by(|a, b| {
        let sums = || a.before.total_cmp(&b.before).then(a.after.total_cmp(&b.after));
        Ord::cmp(&a.n, &b.n).then_with(sums)
    });
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(before: f64, after: f64) -> Unit {
        Unit { n: 1, before, after }
    }

    fn grid(n: u32) -> Vec<Unit> {
        (0..n).map(|i| unit(f64::from(i % 2), f64::from(i % 5 % 2))).collect()
    }

    #[test]
    fn a_pair_that_never_differs_has_no_width() {
        let units: Vec<Unit> = (0..50).map(|i| unit(f64::from(i % 2), f64::from(i % 2))).collect();
        let change = paired(&units, 7).unwrap();
        let interval = change.interval.unwrap();
        assert_eq!((change.difference(), interval.low, interval.high), (0.0, 0.0, 0.0));
        assert_eq!((change.ratio(), change.is_decided()), (Some(1.0), false));
        assert_eq!(change.detectable, None);
    }

    #[test]
    fn both_orders_have_the_same_resamples() {
        let of = |i: u32| unit(f64::from(i * 7 % 11) / 11.0, f64::from(i * 5 % 13) / 13.0);
        let units: Vec<Unit> = (0..50).map(of).collect();
        let turned: Vec<Unit> = units.iter().map(|unit| unit.turned_if(true)).collect();
        let (there, back) = (paired(&units, 7).unwrap(), paired(&turned, 7).unwrap());
        let (there, back) = (there.interval.unwrap(), back.interval.unwrap());
        assert!((there.low + back.high).abs() < 1e-12 && (there.high + back.low).abs() < 1e-12);
    }

    #[test]
    fn a_few_that_differ_decide_nothing() {
        let of = |differing: usize| {
            let unit = |i: usize| unit(0.0, if i < differing { 1.0 } else { 0.0 });
            paired(&(0..40).map(unit).collect::<Vec<_>>(), 7).unwrap()
        };
        assert!(of(6).is_decided() && !of(5).is_decided() && !of(1).is_decided());
        assert_eq!(of(5).interval.map(|interval| interval.low), Some(0.0));
    }

    #[test]
    fn the_bootstrap_agrees_with_theory() {
        let few = paired(&grid(2_000), 7).unwrap();
        let many = paired(&grid(40_000), 7).unwrap();
        assert_eq!(many.interval.unwrap().method, "normal");
        let width = |interval: Option<Interval>| interval.map(|i| i.high - i.low).unwrap();
        for (few, many) in
            [(few.interval, many.interval), (few.ratio_interval, many.ratio_interval)]
        {
            let factor = width(few) / width(many) / 20_f64.sqrt();
            assert!((factor - 1.0).abs() < 0.1, "{factor}");
        }
        assert!((few.difference() + 0.1).abs() < 1e-12 && few.is_decided());
        // Standard error of the difference of two shares in the same 2000 examples.
        let error = (0.5_f64 * 0.5 + 0.4 * 0.6 - 2.0 * (0.2 - 0.2)).sqrt() / 2_000_f64.sqrt();
        assert!((few.detectable.unwrap() / (2.801_585 * error) - 1.0).abs() < 0.01);
    }

    #[test]
    fn order_does_not_matter_and_too_little_has_no_interval() {
        let units = grid(31);
        let back: Vec<Unit> = units.iter().rev().copied().collect();
        assert_eq!(paired(&units, 7), paired(&back, 7));
        assert_eq!(unpaired(&units, &back, 7), unpaired(&back, &units, 7));
        let five = paired(&[unit(0.0, 1.0); 5], 7).unwrap();
        assert_eq!((five.difference(), five.interval, five.is_decided()), (1.0, None, false));
        assert!(paired(&[unit(0.0, 1.0); 6], 7).unwrap().is_decided());
        assert_eq!(paired(&[], 7), None);
        assert_eq!(paired(&[unit(0.0, 1.0), unit(0.0, 0.0)], 7).unwrap().ratio(), None);
    }

    #[test]
    fn two_samples_are_drawn_apart() {
        let change = unpaired(&grid(400), &grid(100), 7).unwrap();
        assert_eq!((change.before, change.after, change.n), (0.5, 0.4, 100));
        let theory = (0.25_f64 / 400.0 + 0.24 / 100.0).sqrt();
        assert!((change.detectable.unwrap() / (2.801_585 * theory) - 1.0).abs() < 0.02);
        let interval = change.interval.unwrap();
        let half = (interval.high - interval.low) / 2.0 / 1.96;
        assert!((half / theory - 1.0).abs() < 0.1, "{half} {theory}");
    }
}
