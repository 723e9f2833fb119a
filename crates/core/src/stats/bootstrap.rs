//! Intervals from resamples: percentiles, plain or corrected.
//!
//! The corrections are Efron's for bias and acceleration ("Better Bootstrap Confidence Intervals",
//! 1987), and the expansion of Hesterberg ("What Teachers Should Know About the Bootstrap",
//! 2015): resamples of n units spread too little by the factor (n - 1) / n and have too light tails,
//! so the percentiles are taken as far out as Student's distribution would have them.

mod means;

use super::{
    distributions::{normal_below, normal_quantile, student_quantile},
    interval::{LEVEL, Z},
    resample::{Item, sum},
};
use crate::Interval;
pub(super) use means::FEW;
use means::Means;

/// Which percentiles of the resamples are the ends of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// Those of the level.
    Percentile,
    /// Corrected for bias and acceleration, as `scipy.stats.bootstrap` does.
    Bca,
    /// So corrected, and expanded.
    ExpandedBca,
}

/// Independent units that have a mean.
pub(super) trait Mean: Item {
    /// The mean, of the sum of so many units.
    fn mean(total: Self, units: usize) -> f64;

    /// The mean without this one, where `total` is the sum of all units.
    fn mean_without(self, total: Self, units: usize) -> f64;
}

/// All examples of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Part {
    /// How many.
    pub(super) n: f64,
    /// Sum of their scores.
    pub(super) sum: f64,
}

/// How an interval is made of the resamples of some units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bootstrap {
    pub(super) ends: Ends,
    /// Name of the method.
    pub(super) name: &'static str,
    pub(super) seed: u64,
    pub(super) resamples: u32,
}

impl Bootstrap {
    /// The interval of the mean of at least two units, in an order that depends on their multiset
    /// alone, equal ones together. Up to eight units, every resample counts; above, some are drawn.
    pub(super) fn of_mean<T: Mean>(self, units: &[T]) -> Option<Interval> {
        let means = Means::of(units, self.seed, self.resamples);
        let at = |[low, high]: [f64; 2]| Some((means.at(low)?, means.at(high)?));
        let expanded = expanded(units.len());
        let corrected = |z| Corrected::of(units, &means).and_then(|found| found.ends(z));
        let (low, high) = at(match self.ends {
            Ends::Percentile => around(Z),
            Ends::Bca => corrected(Z).unwrap_or_else(|| around(Z)),
            Ends::ExpandedBca => corrected(expanded).unwrap_or_else(|| around(expanded)),
        })?;
        let drawn = means.are_drawn();
        Some(Interval {
            low,
            high,
            level: LEVEL,
            method: self.name,
            seed: drawn.then_some(self.seed),
            resamples: drawn.then_some(self.resamples),
        })
    }
}

/// Both probabilities of so many standard deviations.
pub(super) fn around(z: f64) -> [f64; 2] {
    [normal_below(-z), normal_below(z)]
}

/// As many standard deviations of resamples as Student's distribution has of so many units.
pub(super) fn expanded(units: usize) -> f64 {
    let n = units as f64;
    student_quantile(f64::midpoint(1.0, LEVEL), units as u64 - 1) * (n / (n - 1.0)).sqrt()
}

/// What the percentiles are corrected by.
#[derive(Clone, Copy, Debug)]
struct Corrected {
    /// By how many standard deviations the median of the resamples lies below the mean.
    bias: f64,
    /// How the spread changes with the mean, from the mean without each unit.
    acceleration: f64,
}

impl Corrected {
    /// `None` where all resamples lie on one side of the mean.
    fn of<T: Mean>(units: &[T], means: &Means) -> Option<Self> {
        let n = units.len();
        let total = sum(units);
        let below = means.share_below(T::mean(total, n));
        if below <= 0.0 || below >= 1.0 {
            return None;
        }
        let without: Vec<f64> = units.iter().map(|unit| unit.mean_without(total, n)).collect();
        let centre = without.iter().sum::<f64>() / n as f64;
        let largest = without.iter().fold(0.0_f64, |most, mean| most.max((centre - mean).abs()));
        let (mut squares, mut cubes) = (0.0, 0.0);
        if largest > 0.0 {
            for mean in without {
                let deviation = (centre - mean) / largest;
                squares += deviation * deviation;
                cubes += deviation * deviation * deviation;
            }
        }
        let acceleration = if squares > 0.0 { cubes / (6.0 * squares.powf(1.5)) } else { 0.0 };
        Some(Self { bias: normal_quantile(below), acceleration })
    }

    /// The probabilities of both ends, where the normal distribution would have them at `z`.
    fn ends(self, z: f64) -> Option<[f64; 2]> {
        let end = |z: f64| {
            let from_median = self.bias + z;
            let slope = 1.0 - self.acceleration * from_median;
            (slope > 0.0).then(|| normal_below(self.bias + from_median / slope))
        };
        Some([end(-z)?, end(z)?])
    }
}

impl Mean for f64 {
    fn mean(total: Self, units: usize) -> f64 {
        total / units as f64
    }

    fn mean_without(self, total: Self, units: usize) -> f64 {
        (total - self) / (units - 1) as f64
    }
}

impl Mean for Part {
    fn mean(total: Self, _: usize) -> f64 {
        total.sum / total.n
    }

    fn mean_without(self, total: Self, _: usize) -> f64 {
        (total.sum - self.sum) / (total.n - self.n)
    }
}

impl Item for Part {
    fn times(self, count: u64) -> Self {
        Self { n: self.n * count as f64, sum: self.sum * count as f64 }
    }
}

impl std::ops::AddAssign for Part {
    fn add_assign(&mut self, other: Self) {
        self.n += other.n;
        self.sum += other.sum;
    }
}
