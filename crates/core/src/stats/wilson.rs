//! Intervals of shares, and of scores of which nothing is known but their range.

use super::interval::{LEVEL, Z};
use crate::Interval;

/// Wilson's score interval for `successes` out of `n` independent trials; `None` for no trial.
///
/// Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).
pub fn wilson(successes: u64, n: u64) -> Option<Interval> {
    if n == 0 {
        return None;
    }
    let (low, high) = ends(successes as f64 / n as f64, n as f64);
    Some(interval(low, high))
}

/// The interval of the mean of `units` independent ones that all have the same mean, which is within
/// the range of the metric; `None` where the range is open.
///
/// Scores of a range vary at most as those that lie at its ends alone, and these are shares. So this
/// is Wilson's interval of the share that has that mean: too wide rather than too narrow.
pub(super) fn of_constant(mean: f64, units: u64, range: (f64, f64)) -> Option<Interval> {
    let width = range.1 - range.0;
    let share = (mean - range.0) / width;
    if !(width.is_finite() && width > 0.0 && (0.0..=1.0).contains(&share)) {
        return None;
    }
    let (low, high) = ends(share, units as f64);
    Some(interval(
        range.0 + width * low,
        if high >= 1.0 { range.1 } else { range.0 + width * high },
    ))
}

/// Both ends for a share of `n` trials.
fn ends(share: f64, n: f64) -> (f64, f64) {
    let z2 = Z * Z;
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let low = if share <= 0.0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { (centre + half).min(1.0) };
    (low, high)
}

fn interval(low: f64, high: f64) -> Interval {
    Interval { low, high, level: LEVEL, method: "wilson", seed: None, resamples: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_at_the_edges() {
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
    fn equal_scores_have_the_interval_of_a_share() {
        let of = |mean, units, range| of_constant(mean, units, range).map(|i| (i.low, i.high));
        let share = |k, n| wilson(k, n).map(|i| (i.low, i.high));
        assert_eq!(of(1.0, 10, (0.0, 1.0)), share(10, 10));
        assert_eq!(of(0.5, 10, (0.0, 1.0)), share(5, 10));
        // From -1 to 1, in the middle.
        let (low, high) = of(0.0, 10, (-1.0, 1.0)).unwrap();
        assert!((low + high).abs() < 1e-15 && (high - 0.526_8).abs() < 1e-4, "{high}");
        for range in [(0.0, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY), (0.0, 0.0)] {
            assert_eq!(of(0.5, 10, range), None);
        }
        assert_eq!(of(1.5, 10, (0.0, 1.0)), None);
    }
}
