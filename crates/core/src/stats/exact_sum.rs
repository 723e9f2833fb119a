//! A sum that does not depend on the order of its terms.

/// Sum of scores in fixed point: integer addition is associative, so every partition of the terms
/// gives the same bits.
///
/// A term is rounded to a multiple of 2^-60. For scores in 0..=1 the error of a mean is below
/// 2^-61; terms up to 2^40 in size are summed a million million times without overflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactSum(i128);

const SCALE: f64 = (1_u64 << 60) as f64;

impl ExactSum {
    /// Adds a finite term.
    pub fn add(&mut self, term: f64) {
        debug_assert!(term.is_finite(), "a score is never NaN or infinite");
        #[expect(clippy::cast_possible_truncation, reason = "a float cast to an integer saturates")]
        let units = (term * SCALE).round_ties_even() as i128;
        self.0 = self.0.saturating_add(units);
    }

    /// Adds the terms of another sum.
    pub fn merge(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }

    /// The sum, rounded once.
    pub fn value(self) -> f64 {
        self.0 as f64 / SCALE
    }

    /// The sum divided by `n`.
    pub fn mean(self, n: u64) -> f64 {
        self.0 as f64 / n as f64 / SCALE
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(terms: &[f64]) -> ExactSum {
        let mut sum = ExactSum::default();
        for &term in terms {
            sum.add(term);
        }
        sum
    }

    #[test]
    fn a_sum_is_exact_where_floats_are_not() {
        let tenths = sum(&[0.1; 10]);
        assert!((tenths.value() - 1.0).abs() < 1e-16);
        assert!((sum(&[1e9, 0.25, -1e9]).value() - 0.25).abs() < 1e-17);
    }

    proptest! {
        #[test]
        fn any_partition_gives_the_same_bits(
            terms in prop::collection::vec(-2.0..2.0_f64, 0..40),
            cut in 0..40_usize,
        ) {
            let (left, right) = terms.split_at(cut.min(terms.len()));
            let mut merged = sum(right);
            merged.merge(sum(left));
            prop_assert_eq!(merged, sum(&terms));
        }
    }
}
