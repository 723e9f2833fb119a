//! A sum that does not depend on the order of its terms.

use super::wide::{Scaled, Wide, times_power_of_two};

/// Sum of scores in fixed point: integer addition is associative, so every partition of the terms
/// gives the same bits.
///
/// A term is rounded to a multiple of 2^-60, which is exact for most scores. What that leaves of
/// small terms, and terms above 2^32, are kept exactly beside it, and taken into account where they
/// matter: any sum of finite terms has a relative error below 2^-40.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExactSum {
    /// In units of 2^-60.
    units: i128,
    /// Terms that were rounded.
    rounded: u64,
    beside: Option<Box<Beside>>,
}

/// What does not fit into the units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Beside {
    wide: Wide,
    /// Whether there is more than what rounding has left.
    large: bool,
}

const STEP: i32 = -60;

const SCALE: f64 = (1_u64 << 60) as f64;

/// Terms up to this size go into the units, of which there may then be 2^34.
const LARGEST: f64 = (1_u64 << 32) as f64;

impl ExactSum {
    /// Adds a finite term.
    pub fn add(&mut self, term: f64) {
        debug_assert!(term.is_finite(), "a score is never NaN or infinite");
        if term.abs() > LARGEST {
            self.add_large(term);
            return;
        }
        let scaled = term * SCALE;
        if let Some(units) = whole(scaled) {
            self.add_units(units.into());
        } else {
            self.add_rounded(term, scaled);
        }
    }

    /// Adds the terms of another sum.
    pub fn merge(&mut self, other: &Self) {
        self.add_units(other.units);
        self.rounded += other.rounded;
        if let Some(other) = &other.beside {
            let beside = self.beside.get_or_insert_default();
            beside.wide.merge(&other.wide);
            beside.large |= other.large;
        }
    }

    /// The sum, rounded once; infinite where no float is as large.
    pub fn value(&self) -> f64 {
        self.scaled().value()
    }

    /// The sum divided by `n`. It is finite, also where the sum is too large for a float.
    pub fn mean(&self, n: u64) -> f64 {
        let Scaled { mantissa, exponent } = self.scaled();
        times_power_of_two(mantissa / n as f64, exponent)
    }

    fn scaled(&self) -> Scaled {
        let narrow = Scaled { mantissa: self.units as f64, exponent: STEP };
        let Some(beside) = &self.beside else { return narrow };
        // The error of each is at most half a unit.
        let negligible = u128::from(self.rounded) << 40;
        if !beside.large && negligible <= self.units.unsigned_abs() {
            return narrow;
        }
        let mut whole = beside.wide;
        whole.add_units(self.units, STEP);
        whole.scaled()
    }

    fn add_units(&mut self, units: i128) {
        if let Some(sum) = self.units.checked_add(units) {
            self.units = sum;
        } else {
            let beside = self.beside.get_or_insert_default();
            beside.wide.add_units(units, STEP);
            beside.large = true;
        }
    }

    #[cold]
    fn add_rounded(&mut self, term: f64, scaled: f64) {
        let units = nearest(scaled);
        self.add_units(units);
        // Below 2^-8 a float can have bits that the units do not have.
        let left = scaled - units as f64;
        if left != 0.0 {
            self.rounded += 1;
            let wide = &mut self.beside.get_or_insert_default().wide;
            wide.add(term);
            wide.add_units(-units, STEP);
        }
    }

    #[cold]
    fn add_large(&mut self, term: f64) {
        let beside = self.beside.get_or_insert_default();
        beside.wide.add(term);
        beside.large = true;
    }
}

/// Units that need no rounding and fit into 64 bits, as most scores are: 128 bits cost more than
/// the sum.
#[expect(clippy::cast_possible_truncation, reason = "a float cast to an integer saturates")]
#[expect(clippy::float_cmp, reason = "only what is exactly the same needs no rounding")]
fn whole(scaled: f64) -> Option<i64> {
    let units = scaled as i64;
    (units as f64 == scaled && units != i64::MAX).then_some(units)
}

/// The nearest integer, of two the even one.
#[expect(clippy::cast_possible_truncation, reason = "a float cast to an integer saturates")]
fn nearest(scaled: f64) -> i128 {
    scaled.round_ties_even() as i128
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "sums are exact")]
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

    /// Terms of all sizes, some of them opposite to each other.
    fn terms() -> impl Strategy<Value = f64> {
        let any = any::<f64>().prop_filter("finite", |term| term.is_finite());
        let some = prop::sample::select(vec![1e300, -1e300, 5e-324, 1e18, 0.1, -0.1, 1.7e308]);
        prop_oneof![any, some, -2.0..2.0_f64, -1e-9..1e-9_f64, -1e12..1e12_f64]
    }

    /// A sum in decimal digits, which knows nothing of limbs and of two's complement.
    struct Big;

    impl Big {
        /// The exact sum as a float: the decimal digits are read by the standard library.
        fn sum(terms: &[f64]) -> f64 {
            let side = |negative: bool| {
                let terms = terms.iter().filter(|term| term.is_sign_negative() == negative);
                terms.fold(vec![0; 1500], |digits, &term| Self::plus(digits, term.abs()))
            };
            let (plus, minus) = (side(false), side(true));
            if plus.iter().rev().ge(minus.iter().rev()) {
                Self::float(&Self::less(&plus, &minus))
            } else {
                -Self::float(&Self::less(&minus, &plus))
            }
        }

        /// Digits with the last place of 10^-1080 first.
        fn plus(mut digits: Vec<u8>, term: f64) -> Vec<u8> {
            let text = format!("{term:.1080}").replace('.', "");
            let mut carry = 0;
            for (place, digit) in digits.iter_mut().enumerate() {
                let other = text.bytes().rev().nth(place).map_or(0, |byte| byte - b'0');
                let sum = *digit + other + carry;
                (*digit, carry) = (sum % 10, sum / 10);
            }
            digits
        }

        fn less(from: &[u8], digits: &[u8]) -> Vec<u8> {
            let mut borrow = 0;
            let place = |(&from, &digit): (&u8, &u8)| {
                let left = 10 + from - digit - borrow;
                borrow = u8::from(left < 10);
                left % 10
            };
            from.iter().zip(digits).map(place).collect()
        }

        fn float(digits: &[u8]) -> f64 {
            let text: String = digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect();
            format!("{text}e-1080").parse().unwrap()
        }
    }

    #[test]
    fn a_sum_is_exact_where_floats_are_not() {
        let tenths = sum(&[0.1; 10]);
        assert!((tenths.value() - 1.0).abs() < 1e-16);
        assert!((sum(&[1e9, 0.25, -1e9]).value() - 0.25).abs() < 1e-17);
    }

    #[test]
    fn large_and_small_terms_are_summed_too() {
        assert_eq!(sum(&[1e18; 12]).mean(12), 1e18);
        assert_eq!(sum(&[1.7e308; 4]).mean(4), 1.7e308);
        assert_eq!(sum(&[1.7e308; 9]).value(), f64::INFINITY);
        assert_eq!(sum(&[1e300, 1.0, -1e300]).value(), 1.0);
        assert_eq!(sum(&[5e-324; 3]).value(), 1.5e-323);
        assert_eq!(sum(&[1e-30; 2]).mean(2), 1e-30);
        assert_eq!(sum(&[-1e25, 1e9]).value(), -1e25 + 1e9);
    }

    proptest! {
        #[test]
        fn whole_units_are_the_nearest(float in any::<f64>(), size in -4..70_i32) {
            let near = (float % 8.0).mul_add(size.into(), 2_f64.powi(size));
            for scaled in [float, near, near.round(), near.round() + 0.5, -near] {
                if scaled.is_finite() {
                    let units = whole(scaled).map(i128::from);
                    prop_assert!(units.is_none_or(|units| units == nearest(scaled)), "{scaled}");
                    let fits = scaled.fract() == 0.0 && scaled.abs() < 9e18;
                    prop_assert!(units.is_some() || !fits, "{scaled}");
                }
            }
        }

        #[test]
        fn a_sum_is_what_rational_numbers_give(
            terms in prop::collection::vec(terms(), 0..30),
            more in 0..9_u64,
        ) {
            let n = terms.len() as u64 + more + 1;
            let (found, expected) = (sum(&terms), Big::sum(&terms));
            let close = |found: f64, expected: f64| {
                found == expected || (found - expected).abs() <= 2_f64.powi(-40) * expected.abs()
            };
            prop_assert!(close(found.value(), expected), "{} {expected}", found.value());
            let mean = found.mean(n);
            prop_assert!(mean.is_finite());
            if expected.is_finite() && (expected / n as f64).is_normal() {
                prop_assert!(close(mean, expected / n as f64), "{mean} {expected}");
            }
        }

        #[test]
        fn any_order_gives_the_same_bits(
            (terms, mixed) in prop::collection::vec(terms(), 0..30)
                .prop_flat_map(|terms| (Just(terms.clone()), Just(terms).prop_shuffle())),
            cut in 0..30_usize,
        ) {
            let (left, right) = mixed.split_at(cut.min(mixed.len()));
            let mut merged = sum(right);
            merged.merge(&sum(left));
            prop_assert_eq!(merged.value().to_bits(), sum(&terms).value().to_bits());
            prop_assert_eq!(merged, sum(&terms));
        }

        #[test]
        fn any_partition_gives_the_same_bits(
            terms in prop::collection::vec(-2.0..2.0_f64, 0..40),
            cut in 0..40_usize,
        ) {
            let (left, right) = terms.split_at(cut.min(terms.len()));
            let mut merged = sum(right);
            merged.merge(&sum(left));
            prop_assert_eq!(merged, sum(&terms));
        }
    }
}
