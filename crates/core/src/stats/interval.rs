//! Confidence intervals.
//!
//! Three methods, chosen by what is scored and named beside the numbers: Wilson's for shares of
//! independent examples, which holds at the edges where resampling cannot; the percentile
//! bootstrap over examples, or over groups where examples come in dialogs or documents; and the
//! normal approximation where there is so much data that the bootstrap agrees with it to three
//! digits and only costs time.

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

use super::Group;
use crate::{Estimator, Interval};

/// Probability with which an interval holds the truth.
pub const LEVEL: f64 = 0.95;

/// Resamples of the bootstrap.
pub const RESAMPLES: u32 = 1000;

/// Quantile of the normal distribution at (1 + [`LEVEL`]) / 2.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// Units above which the normal approximation replaces the bootstrap.
pub(super) const MANY: usize = 20_000;

/// Wilson's score interval for `successes` out of `n` independent trials; `None` for no trial.
///
/// Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).
pub fn wilson(successes: u64, n: u64) -> Option<Interval> {
    if n == 0 {
        return None;
    }
    let (n, p) = (n as f64, successes as f64 / n as f64);
    let z2 = Z * Z;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let low = if successes == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if p >= 1.0 { 1.0 } else { (centre + half).min(1.0) };
    Some(Interval { low, high, level: LEVEL, method: "wilson", seed: None, resamples: None })
}

/// Interval of a mean of independent scores, in ascending order where there are at most [`MANY`].
pub(super) fn of_mean(
    sorted: &[f64],
    mean: f64,
    stddev: Option<f64>,
    seed: u64,
) -> Option<Interval> {
    let stddev = stddev?;
    if let Some(ones) = ones(sorted) {
        return wilson(ones, sorted.len() as u64);
    }
    if sorted.len() > MANY {
        return Some(normal(mean, stddev / (sorted.len() as f64).sqrt()));
    }
    let n = sorted.len();
    let largest = sorted.iter().fold(0.0_f64, |largest, score| largest.max(score.abs()));
    // Where the sum could leave the floats, each score is divided instead of it.
    let fits = largest <= f64::MAX / n as f64;
    let (each, whole) = if fits { (1.0, n as f64) } else { (n as f64, 1.0) };
    let resample = |stream: &mut Pcg64Mcg| {
        Some((0..n).map(|_| sorted[below(stream, n)] / each).sum::<f64>() / whole)
    };
    bootstrap("bootstrap", seed, RESAMPLES, resample)
}

/// How many scores are 1, where each is 0 or 1.
#[expect(clippy::float_cmp, reason = "a share is made of exact zeros and ones")]
fn ones(scores: &[f64]) -> Option<u64> {
    let ones = scores.iter().filter(|&&score| score == 1.0).count();
    let zeros = scores.iter().filter(|&&score| score == 0.0).count();
    (ones + zeros == scores.len()).then_some(ones as u64)
}

/// Interval of a metric whose groups are the independent units.
pub(super) fn of_groups(groups: &[Group], estimator: Estimator, seed: u64) -> Option<Interval> {
    if groups.len() < 2 {
        return None;
    }
    let mut drawn: Vec<&Group> = Vec::with_capacity(groups.len());
    let resample = |stream: &mut Pcg64Mcg| {
        drawn.clear();
        drawn.extend((0..groups.len()).map(|_| &groups[below(stream, groups.len())]));
        of(estimator, &mut drawn.iter().copied())
    };
    bootstrap("bootstrap over groups", seed, RESAMPLES, resample)
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

/// Percentile bootstrap. Each resample has a random stream of its own, so that the result does
/// not depend on the order in which they are drawn.
pub(super) fn bootstrap(
    method: &'static str,
    seed: u64,
    resamples: u32,
    mut resample: impl FnMut(&mut Pcg64Mcg) -> Option<f64>,
) -> Option<Interval> {
    let values = (0..resamples).filter_map(|index| resample(&mut stream(seed, index)));
    percentiles(method, seed, resamples, values.collect())
}

/// The interval between the outer percentiles of the numbers that resamples have.
pub(super) fn percentiles(
    method: &'static str,
    seed: u64,
    resamples: u32,
    mut values: Vec<f64>,
) -> Option<Interval> {
    values.sort_unstable_by(f64::total_cmp);
    Some(Interval {
        low: percentile(&values, (1.0 - LEVEL) / 2.0)?,
        high: percentile(&values, f64::midpoint(1.0, LEVEL))?,
        level: LEVEL,
        method,
        seed: Some(seed),
        resamples: Some(resamples),
    })
}

pub(super) fn stream(seed: u64, index: u32) -> Pcg64Mcg {
    // The two halves keep streams of neighbouring seeds and resamples apart; the generator's own
    // output function does the mixing.
    let mut stream = Pcg64Mcg::new((u128::from(seed) << 64) | (u128::from(index) << 1) | 1);
    stream.next_u64();
    stream.next_u64();
    stream
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

    #[test]
    fn wilson_holds_at_the_edges() {
        let interval = |k, n| wilson(k, n).map(|i| (i.low, i.high)).unwrap();
        // Values of `scipy.stats.binomtest(k, n).proportion_ci(method="wilson")`.
        for (k, n, low, high) in [
            (0, 10, 0.0, 0.277_532_799_862_889_6),
            (10, 10, 0.722_467_200_137_110_4, 1.0),
            (24, 34, 0.538_310_902_052_855_6, 0.831_653_693_295_775_7),
        ] {
            let (found_low, found_high) = interval(k, n);
            assert!((found_low - low).abs() < 1e-9, "{k}/{n}: {found_low}");
            assert!((found_high - high).abs() < 1e-9, "{k}/{n}: {found_high}");
        }
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn the_bootstrap_agrees_with_theory() {
        // 400 scores, uniform on a grid: the standard error of the mean is known.
        let scores: Vec<f64> = (0..400).map(|i| f64::from(i % 100) / 99.0).collect();
        let mut sorted = scores.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let interval = of_mean(&sorted, 0.5, Some(0.2917), 7).unwrap();
        assert_eq!(interval.method, "bootstrap");
        let half = (interval.high - interval.low) / 2.0;
        assert!((half / (Z * 0.2917 / 20.0) - 1.0).abs() < 0.1, "{half}");
    }

    #[test]
    fn one_group_has_no_interval() {
        assert_eq!(of_groups(&[Group::default()], Estimator::Mean, 7), None);
    }

    #[test]
    fn percentiles_interpolate() {
        assert_eq!(percentile(&[0.0, 1.0, 2.0], 0.25), Some(0.5));
        assert_eq!(percentile(&[3.0], 0.975), Some(3.0));
        assert_eq!(percentile(&[], 0.5), None);
    }
}
