//! Right and wrong answers of two systems to the same questions.

use super::distributions::coin_p;

/// McNemar's test. It looks only at examples on which one of two systems is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McNemar {
    /// Examples on which the first system is right and the second is wrong.
    pub only_first: u64,
    /// Examples on which the second is right and the first is wrong.
    pub only_second: u64,
    /// The p-value, two-sided, above 0 and at most 1.
    pub p: f64,
    /// Whether it is the exact one, of the binomial distribution. It always is: the approximation
    /// by the chi-square distribution saves nothing here.
    pub exact: bool,
}

/// The exact test of whether one of two systems is right more often, from the numbers of examples
/// on which only one of them is.
///
/// Equals `mcnemar(table, exact=True)` of statsmodels, and the paired randomisation test on scores
/// of 0 and 1.
///
/// McNemar, "Note on the Sampling Error of the Difference between Correlated Proportions or
/// Percentages" (1947).
///
/// ```
/// use qeval_core::stats::mcnemar;
///
/// // Of five questions that only one system answers, it is always the second.
/// assert_eq!(mcnemar(0, 5).p, 0.0625);
/// ```
pub fn mcnemar(only_first: u64, only_second: u64) -> McNemar {
    let p = coin_p(only_first, only_first + only_second);
    McNemar { only_first, only_second, p, exact: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Unit, sign_flip};

    #[test]
    fn it_is_the_randomisation_test_on_zeros_and_ones() {
        for (first, second) in [(0, 0), (3, 3), (1, 12), (40, 61)] {
            let unit = |before, after| Unit { n: 1, before, after };
            let mut units = vec![unit(1.0, 0.0); first];
            units.extend(vec![unit(0.0, 1.0); second]);
            units.extend([unit(1.0, 1.0), unit(0.0, 0.0)]);
            let test = mcnemar(first as u64, second as u64);
            assert_eq!(Some(test.p), sign_flip(&units, 7, 100).map(|test| test.p));
            assert!(test.exact);
        }
    }
}
