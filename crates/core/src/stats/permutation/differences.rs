//! The differences of units as whole numbers, so that equal sums are equal.

use crate::stats::Unit;

/// Bits for the largest score. What lies below is rounding: a float has 53, and a score, a sum of
/// scores and a difference of sums each lose some.
const BITS: i32 = 46;

/// Differences of units, without those that are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::stats) struct Differences {
    /// Their sizes in steps of a common grid, largest first.
    pub(in crate::stats) sizes: Vec<i64>,
    /// How many are positive: the second score is higher.
    pub(in crate::stats) positive: u64,
    /// From where on a sum lies as far out as the one that was seen.
    threshold: i64,
}

impl Differences {
    /// `None` without units, and where a score is no number.
    pub(in crate::stats) fn of(units: &[Unit]) -> Option<Self> {
        let (mut largest, mut widest) = (0.0_f64, 0.0_f64);
        for unit in units {
            if !unit.before.is_finite() || !unit.after.is_finite() {
                return None;
            }
            largest = largest.max(unit.before.abs()).max(unit.after.abs());
            widest = widest.max(difference(unit).abs());
        }
        if units.is_empty() {
            return None;
        }
        // The sum of all sizes must stay far below 2^63, with the tolerance.
        let bits = i32::try_from(usize::BITS - units.len().leading_zeros()).unwrap_or(i32::MAX);
        let exponent = (BITS - magnitude(largest)).min(61 - bits - magnitude(widest));
        let mut steps: Vec<(i64, bool)> = Vec::with_capacity(units.len());
        for unit in units {
            let difference = difference(unit);
            let size = scaled(difference.abs(), exponent);
            if size > 0 {
                steps.push((size, difference > 0.0));
            }
        }
        steps.sort_unstable_by(|a, b| b.cmp(a));
        Some(Self::new(steps))
    }

    /// Makes sizes that lie one step apart, which is rounding, one size.
    fn new(mut steps: Vec<(i64, bool)>) -> Self {
        let mut first = i64::MAX;
        let (mut sum, mut positive) = (0, 0);
        for (size, is_positive) in &mut steps {
            if first - *size > 1 {
                first = *size;
            }
            *size = first;
            positive += u64::from(*is_positive);
            sum += if *is_positive { *size } else { -*size };
        }
        // Each size may be half a step off, in this sum and in the one that it is compared with.
        let tolerance = i64::try_from(steps.len()).unwrap_or(i64::MAX);
        let threshold = sum.abs() - tolerance;
        let sizes = steps.into_iter().map(|(size, _)| size).collect();
        Self { sizes, positive, threshold }
    }

    /// Whether a sum lies as far from 0 as the one that was seen.
    pub(super) fn is_reached_by(&self, sum: i64) -> bool {
        sum.abs() >= self.threshold
    }
}

/// Halves, so that the difference of the largest floats is one. The smallest are no scores.
fn difference(unit: &Unit) -> f64 {
    unit.after / 2.0 - unit.before / 2.0
}

/// The least exponent of 2 with which a power is above `value`.
fn magnitude(value: f64) -> i32 {
    let exponent = i32::try_from(value.to_bits() >> 52 & 0x7ff).unwrap_or_default();
    exponent - 1022
}

/// `value` in steps of 2 to the power of -`exponent`.
#[expect(clippy::cast_possible_truncation, reason = "the exponent is chosen so that it fits")]
fn scaled(value: f64, exponent: i32) -> i64 {
    let half = exponent / 2;
    (value * 2_f64.powi(half) * 2_f64.powi(exponent - half)).round() as i64
}
