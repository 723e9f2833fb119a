//! A fixed-point number that is wide enough for the sum of any floats.

use std::cmp::Ordering;

/// The exponent of the lowest bit: that of the smallest float.
const LOWEST: i32 = -1074;

/// 2304 bits: the 2098 that one float can have, room for 2^200 of them, and the sign.
const LIMBS: usize = 36;

/// A whole number of 2^-1074 in two's complement. There is one way to write each number, so equal
/// numbers are equal bits, whatever they are the sum of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide([u64; LIMBS]);

/// `mantissa` times 2^`exponent`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scaled {
    pub(super) mantissa: f64,
    pub(super) exponent: i32,
}

impl Default for Wide {
    fn default() -> Self {
        Self([0; LIMBS])
    }
}

impl Wide {
    /// Adds a finite float, exactly.
    pub(super) fn add(&mut self, term: f64) {
        let bits = term.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let biased = usize::try_from((bits >> 52) & 0x7ff).expect("eleven bits");
        let (mantissa, place) = match biased {
            0 => (fraction, 0),
            _ => (fraction | (1 << 52), biased - 1),
        };
        self.add_bits(mantissa.into(), place, term.is_sign_negative());
    }

    /// Adds so many times 2^`exponent`, which is not below the lowest bit.
    pub(super) fn add_units(&mut self, units: i128, exponent: i32) {
        let place = usize::try_from(exponent - LOWEST).expect("not below the lowest bit");
        self.add_bits(units.unsigned_abs(), place, units < 0);
    }

    /// Adds another number.
    pub(super) fn merge(&mut self, other: &Self) {
        let mut carry = false;
        for (limb, &more) in self.0.iter_mut().zip(&other.0) {
            let (sum, first) = limb.overflowing_add(more);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, first || second);
        }
    }

    fn add_bits(&mut self, magnitude: u128, place: usize, negative: bool) {
        let (first, shift) = (place / 64, place % 64);
        let low = magnitude << shift;
        let high = if shift == 0 { 0 } else { magnitude >> (128 - shift) };
        #[expect(clippy::cast_possible_truncation, reason = "the limbs of a wider number")]
        let parts = [low as u64, (low >> 64) as u64, high as u64];
        let mut carry = false;
        for (index, limb) in self.0.iter_mut().enumerate().skip(first) {
            let part = parts.get(index - first).copied();
            if part.is_none() && !carry {
                break;
            }
            let (part, before) = (part.unwrap_or(0), u64::from(carry));
            let (one, two) = if negative {
                (limb.overflowing_sub(part), limb.wrapping_sub(part).overflowing_sub(before))
            } else {
                (limb.overflowing_add(part), limb.wrapping_add(part).overflowing_add(before))
            };
            (*limb, carry) = (two.0, one.1 || two.1);
        }
    }

    /// The number, rounded once to the nearest float, of two the even one.
    pub(super) fn scaled(&self) -> Scaled {
        let negative = self.0[LIMBS - 1] >> 63 == 1;
        let mut magnitude = *self;
        if negative {
            magnitude = Self::default();
            let mut borrow = false;
            for (limb, &own) in magnitude.0.iter_mut().zip(&self.0) {
                let (less, first) = 0_u64.overflowing_sub(own);
                let (less, second) = less.overflowing_sub(u64::from(borrow));
                (*limb, borrow) = (less, first || second);
            }
        }
        let limbs = &magnitude.0;
        let Some(top) = limbs.iter().rposition(|&limb| limb != 0) else {
            return Scaled { mantissa: 0.0, exponent: 0 };
        };
        let bits = top * 64 + 64 - limbs[top].leading_zeros() as usize;
        let dropped = bits.saturating_sub(53);
        let mut mantissa = window(limbs, dropped) & ((1 << 53) - 1);
        if dropped > 0 {
            let half = (limbs[(dropped - 1) / 64] >> ((dropped - 1) % 64)) & 1 == 1;
            let rest = (0..dropped - 1).step_by(64).any(|place| {
                let left = dropped - 1 - place;
                let limb = limbs[place / 64];
                (if left >= 64 { limb } else { limb & ((1 << left) - 1) }) != 0
            });
            let up = half && (rest || mantissa & 1 == 1);
            mantissa += u64::from(up);
        }
        let mantissa = mantissa as f64;
        Scaled {
            mantissa: if negative { -mantissa } else { mantissa },
            exponent: LOWEST + i32::try_from(dropped).expect("a few thousand bits"),
        }
    }
}

/// 64 bits from a place on.
fn window(limbs: &[u64; LIMBS], place: usize) -> u64 {
    let (first, shift) = (place / 64, place % 64);
    let high = limbs.get(first + 1).copied().unwrap_or(0);
    if shift == 0 { limbs[first] } else { (limbs[first] >> shift) | (high << (64 - shift)) }
}

impl Scaled {
    /// As a float: infinite where it is too large.
    pub(super) fn value(self) -> f64 {
        times_power_of_two(self.mantissa, self.exponent)
    }
}

/// `value` times 2^`exponent`, also where that power is no float itself.
pub(super) fn times_power_of_two(value: f64, exponent: i32) -> f64 {
    // A step down that leaves the normal numbers rounds; there must be one of these at most.
    let (mut value, mut left) = (value, exponent);
    loop {
        let step = match left.cmp(&0) {
            Ordering::Equal => return value,
            Ordering::Greater => left.min(1000),
            Ordering::Less => left.max(-900),
        };
        value *= 2_f64.powi(step);
        left -= step;
    }
}

/// The exponent of the leading bit of a finite number that is not 0.
pub(super) fn exponent(value: f64) -> i32 {
    let biased = i32::try_from((value.to_bits() >> 52) & 0x7ff).expect("eleven bits");
    if biased > 0 {
        return biased - 1023;
    }
    // Made a normal number first.
    let biased = ((value * 2_f64.powi(100)).to_bits() >> 52) & 0x7ff;
    i32::try_from(biased).expect("eleven bits") - 1123
}
