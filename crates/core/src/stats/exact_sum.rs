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
        self.0 = self.0.saturating_add(units(term * SCALE));
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

/// The nearest integer, of two the even one. Most scores are whole already and fit into 64 bits: to
/// round them, or to make them 128 bits wide at once, costs more than the sum.
#[expect(clippy::cast_possible_truncation, reason = "a float cast to an integer saturates")]
#[expect(clippy::float_cmp, reason = "only what is exactly the same needs no rounding")]
fn units(scaled: f64) -> i128 {
    let narrow = scaled as i64;
    if narrow as f64 == scaled && narrow != i64::MAX {
        i128::from(narrow)
    } else {
        scaled.round_ties_even() as i128
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

    #[expect(clippy::cast_possible_truncation, reason = "a float cast to an integer saturates")]
    fn rounded(scaled: f64) -> i128 {
        scaled.round_ties_even() as i128
    }

    #[test]
    fn a_sum_is_exact_where_floats_are_not() {
        let tenths = sum(&[0.1; 10]);
        assert!((tenths.value() - 1.0).abs() < 1e-16);
        assert!((sum(&[1e9, 0.25, -1e9]).value() - 0.25).abs() < 1e-17);
    }

    proptest! {
        #[test]
        fn units_are_rounded_whatever_their_size(float in any::<f64>(), size in -4..70_i32) {
            let near = (float % 8.0).mul_add(size.into(), 2_f64.powi(size));
            for scaled in [float, near, near.round(), near.round() + 0.5, -near] {
                if scaled.is_finite() {
                    prop_assert_eq!(units(scaled), rounded(scaled));
                }
            }
        }

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
