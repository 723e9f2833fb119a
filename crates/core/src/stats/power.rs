//! How much data a difference needs to be seen.

use super::{
    LEVEL,
    distributions::{normal_quantile, student_quantile},
};

/// The probability with which a difference is to be seen, where none is chosen.
pub const POWER: f64 = 0.8;

/// The smallest true difference of two means that a paired test at level `alpha` sees with
/// probability `power`, from the standard deviation of the differences of single units and their
/// number. `None` without units, and for probabilities that are not between 0 and 1.
///
/// It uses the normal approximation. Below 30 units it is somewhat too small.
///
/// ```
/// use qeval_core::stats::detectable;
///
/// let detectable = detectable(0.5, 1_000, 0.05, 0.8).unwrap();
/// assert!((detectable - 0.0443).abs() < 1e-4);
/// ```
pub fn detectable(stddev: f64, units: u64, alpha: f64, power: f64) -> Option<f64> {
    let errors = errors(alpha, power)?;
    (units > 0 && stddev.is_finite()).then(|| errors * stddev / (units as f64).sqrt())
}

/// The same at the level of intervals and with the usual power, from the standard error of the difference
/// of so many units, at least two: by Student's distribution, whose tails matter where units are few.
pub(super) fn detectable_of_few(error: f64, units: u64) -> f64 {
    let quantile = |p| student_quantile(p, units - 1);
    (quantile(f64::midpoint(1.0, LEVEL)) + quantile(POWER)) * error
}

/// How many units a paired test at level `alpha` needs to see the true difference `effect` with
/// probability `power`, from the standard deviation of the differences of single units. At least
/// 2. `None` for an effect of 0, for probabilities that are not between 0 and 1, and where the
/// number is above 2^63.
///
/// The normal approximation, with the usual term for what Student's distribution needs more of
/// (Guenther, "Sample Size Formulas for Normal Theory T Tests", 1981).
pub fn needed(effect: f64, stddev: f64, alpha: f64, power: f64) -> Option<u64> {
    let errors = errors(alpha, power)?;
    let level = normal_quantile(1.0 - alpha / 2.0);
    let units = (errors * stddev / effect).powi(2) + level * level / 2.0;
    let fits = stddev >= 0.0 && units < 9.0e18;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a number of units"
    )]
    fits.then(|| (units.ceil() as u64).max(2))
}

/// Standard errors between 0 and a difference that is seen.
fn errors(alpha: f64, power: f64) -> Option<f64> {
    let inside = |p: f64| p > 0.0 && p < 1.0;
    let errors = (inside(alpha) && inside(power))
        .then(|| normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power))?;
    (errors > 0.0).then_some(errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_what_detects() {
        // statsmodels.stats.power.TTestPower().solve_power(effect, power=0.8, alpha=0.05):
        // 199.4, 33.4 and 15.0 for effects of 0.2, 0.5 and 0.778.
        assert_eq!(needed(0.2, 1.0, 0.05, 0.8), Some(199));
        assert_eq!(needed(-0.5, 1.0, 0.05, 0.8), Some(34));
        assert_eq!(needed(0.778, 1.0, 0.05, 0.8), Some(15));
        let units = needed(0.01, 0.5, 0.05, 0.9).unwrap();
        let effect = detectable(0.5, units, 0.05, 0.9).unwrap();
        assert!((effect / 0.01 - 1.0).abs() < 1e-3, "{units} {effect}");
    }

    #[test]
    fn what_cannot_be_said_is_not() {
        assert_eq!(needed(0.0, 1.0, 0.05, 0.8), None);
        assert_eq!(needed(0.0, 0.0, 0.05, 0.8), None);
        assert_eq!(needed(f64::NAN, 1.0, 0.05, 0.8), None);
        assert_eq!(needed(1e-300, 1.0, 0.05, 0.8), None);
        assert_eq!(needed(0.1, 1.0, 0.0, 0.8), None);
        assert_eq!(needed(0.1, 0.0, 0.05, 0.8), Some(2));
        assert_eq!(detectable(1.0, 0, 0.05, 0.8), None);
        assert_eq!(detectable(1.0, 10, 0.05, 1.0), None);
        assert_eq!(detectable(0.0, 10, 0.05, 0.8), Some(0.0));
    }
}
