//! Distributions that tests and intervals need.

/// Two-sided p-value of `heads` in `tosses` of a fair coin: the probability of a number at least as
/// far from half of them. Above 0, at most 1.
///
/// Only sums, products and quotients are used, so that all machines get the same bits.
pub(super) fn coin_p(heads: u64, tosses: u64) -> f64 {
    let fewer = heads.min(tosses.saturating_sub(heads));
    let middle = tosses / 2;
    if fewer >= middle {
        return 1.0;
    }
    // Probabilities relative to that of the middle, going down from there.
    let (mut term, mut below, mut tail) = (1.0_f64, 0.0, 0.0);
    for number in (0..middle).rev() {
        term *= (number + 1) as f64 / (tosses - number) as f64;
        below += term;
        if number <= fewer {
            tail += term;
            // The rest is smaller than rounding.
            if term <= tail * 1e-18 {
                break;
            }
        }
    }
    // An even number has one middle, an odd number two that are equal.
    let all = if tosses.is_multiple_of(2) { 1.0 + 2.0 * below } else { 2.0 + 2.0 * below };
    (2.0 * tail / all).clamp(f64::MIN_POSITIVE, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins() {
        // scipy.stats.binomtest(heads, tosses).pvalue
        for (heads, tosses, p) in [
            (0, 1, 1.0),
            (0, 2, 0.5),
            (0, 6, 0.03125),
            (9, 30, 0.042_773_945_257_067_68),
            (21, 30, 0.042_773_945_257_067_68),
            (15, 30, 1.0),
            (7, 15, 1.0),
        ] {
            let found = coin_p(heads, tosses);
            assert!((found / p - 1.0).abs() < 1e-12, "{heads} of {tosses}: {found}");
        }
        assert_eq!((coin_p(0, 0), coin_p(0, 1_000_000)), (1.0, f64::MIN_POSITIVE));
    }
}
