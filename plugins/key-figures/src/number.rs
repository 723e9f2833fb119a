//! Exact numbers.
//!
//! A number is a reduced fraction, so that 0.1, 0.10 and 1/10 are the same and no rounding is
//! ever done. A number with too many digits for that (more than 36) is kept as its digits, without
//! needless zeros: it can be compared and moved by powers of ten, and nothing else.

use std::fmt;

/// The most digits a fraction is made of.
const MOST_DIGITS: usize = 36;

/// The least whole number of more digits than that.
const LEAST_LONG: u128 = 10_u128.pow(36);

/// An exact number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Number {
    /// A reduced fraction; the second part is always above zero.
    Ratio(i128, i128),
    /// A number of too many digits.
    Long {
        /// Whether the number is below zero.
        negative: bool,
        /// The digits before the decimal point, without zeros in front.
        whole: String,
        /// The digits after the decimal point, without zeros at the end.
        part: String,
    },
}

impl Number {
    /// A whole number.
    pub(crate) const fn whole(value: i128) -> Self {
        Self::Ratio(value, 1)
    }

    /// The fraction `top / bottom`, or nothing where it cannot be held.
    pub(crate) fn ratio(top: i128, bottom: i128) -> Option<Self> {
        if bottom == 0 || top == i128::MIN || bottom == i128::MIN {
            return None;
        }
        let (mut a, mut b) = (top.abs(), bottom.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = bottom.signum();
        Some(Self::Ratio(sign * top / a, bottom.abs() / a))
    }

    /// The number with the digits `whole` before the decimal point and `part` after it.
    pub(crate) fn decimal(negative: bool, whole: &str, part: &str) -> Self {
        let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
        if whole.len() + part.len() <= MOST_DIGITS {
            let top = whole
                .bytes()
                .chain(part.bytes())
                .fold(0, |sum, digit| sum * 10 + i128::from(digit.saturating_sub(b'0').min(9)));
            let top = if negative { -top } else { top };
            let bottom = part.bytes().fold(1, |bottom, _| bottom * 10);
            if let Some(number) = Self::ratio(top, bottom) {
                return number;
            }
        }
        Self::Long { negative, whole: whole.to_owned(), part: part.to_owned() }
    }

    /// The number with the other sign.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Ratio(top, bottom) => Self::Ratio(-top, bottom),
            Self::Long { negative, whole, part } => Self::Long { negative: !negative, whole, part },
        }
    }

    /// The sum, or nothing where it cannot be held.
    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        let (Self::Ratio(a, b), Self::Ratio(c, d)) = (self, other) else { return None };
        let top = a.checked_mul(*d)?.checked_add(c.checked_mul(*b)?)?;
        Self::ratio(top, b.checked_mul(*d)?)
    }

    /// The number times `top / bottom`, or nothing where that cannot be held.
    pub(crate) fn times(&self, top: i128, bottom: i128) -> Option<Self> {
        match self {
            Self::Ratio(own_top, own_bottom) => {
                let product = || {
                    // Each pair is reduced first, so that the products stay small.
                    let Self::Ratio(a, b) = Self::ratio(*own_top, bottom)? else { return None };
                    let Self::Ratio(c, d) = Self::ratio(top, *own_bottom)? else { return None };
                    let (top, bottom) = (a.checked_mul(c)?, b.checked_mul(d)?);
                    let most = top.unsigned_abs().max(bottom.unsigned_abs());
                    Self::ratio(top, bottom).filter(|_| most < LEAST_LONG)
                };
                product().or_else(|| {
                    let zeros = zeros_of(top).filter(|_| *own_bottom == 1 && bottom == 1)?;
                    let whole = format!("{}{}", own_top.unsigned_abs(), "0".repeat(zeros));
                    Some(Self::decimal(*own_top < 0, &whole, ""))
                })
            }
            Self::Long { negative, whole, part } => {
                let zeros = zeros_of(top).filter(|_| bottom == 1)?;
                let (moved, rest) = part.split_at(zeros.min(part.len()));
                let whole = format!("{whole}{moved}{}", "0".repeat(zeros - moved.len()));
                Some(Self::decimal(*negative, &whole, rest))
            }
        }
    }

    /// The value, where it is a whole number that can be held.
    pub(crate) const fn as_whole(&self) -> Option<i128> {
        match self {
            Self::Ratio(value, 1) => Some(*value),
            _ => None,
        }
    }

    /// Whether this number is above zero and less than `limit`.
    pub(crate) fn is_within(&self, limit: &Self) -> bool {
        let (Self::Ratio(a, b), Self::Ratio(c, d)) = (self, limit) else { return false };
        let (left, right) = (a.checked_mul(*d), c.checked_mul(*b));
        *a > 0 && matches!((left, right), (Some(left), Some(right)) if left < right)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long { negative, whole, part } => {
                let whole = if whole.is_empty() { "0" } else { whole };
                let (sign, point) =
                    (if *negative { "-" } else { "" }, if part.is_empty() { "" } else { "." });
                write!(out, "{sign}{whole}{point}{part}")
            }
            Self::Ratio(top, bottom) => {
                let Some((scaled, places)) = decimal_places(*top, *bottom) else {
                    return write!(out, "{top}/{bottom}");
                };
                let digits = format!("{:0>width$}", scaled.unsigned_abs(), width = places + 1);
                let (whole, part) = digits.split_at(digits.len() - places);
                let (sign, point) =
                    (if *top < 0 { "-" } else { "" }, if places == 0 { "" } else { "." });
                write!(out, "{sign}{whole}{point}{part}")
            }
        }
    }
}

/// The fraction as a whole number of the smallest power of ten that divides it, and that power.
fn decimal_places(top: i128, bottom: i128) -> Option<(i128, usize)> {
    let mut power = 1_i128;
    for places in 0..=MOST_DIGITS {
        if power % bottom == 0 {
            return Some((top.checked_mul(power / bottom)?, places));
        }
        power = power.checked_mul(10)?;
    }
    None
}

/// How many zeros a power of ten has; nothing for other numbers.
fn zeros_of(value: i128) -> Option<usize> {
    let mut power = 1_i128;
    for zeros in 0..=MOST_DIGITS {
        if power == value {
            return Some(zeros);
        }
        power = power.checked_mul(10)?;
    }
    None
}

/// The number that digits with separators stand for.
///
/// - Groups of three digits are thousands: `6,000`, `6 000`, `6'000`, `1.000.000`; so are the
///   groups of two in `12,34,567`.
/// - One comma before any other count of digits is a decimal comma: `3,14`.
/// - One full stop is always a decimal point, as in English: `1.000` is one.
/// - With two kinds of separator the last is the decimal one: `6.000,50` is `6,000.50`.
///
/// Anything else, such as `192.168.1.1`, is no number.
pub(crate) fn literal(raw: &str) -> Option<Number> {
    let Some((head, tail)) = raw.rsplit_once(|c: char| !c.is_ascii_digit()) else {
        return (!raw.is_empty()).then(|| Number::decimal(false, raw, ""));
    };
    let last = raw.chars().rev().find(|c| !c.is_ascii_digit())?;
    let plain = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    if head.is_empty() || tail.is_empty() {
        return None;
    }
    let Some(first) = head.chars().find(|c| !c.is_ascii_digit()) else {
        let thousands = match last {
            '.' => false,
            ',' => tail.len() == 3 && head.len() <= 3 && !head.starts_with('0'),
            _ => true,
        };
        return Some(if thousands {
            Number::decimal(false, &plain(raw), "")
        } else {
            Number::decimal(false, head, tail)
        });
    };
    if first == last {
        return is_grouped(raw, last).then(|| Number::decimal(false, &plain(raw), ""));
    }
    ((last == '.' || last == ',') && is_grouped(head, first))
        .then(|| Number::decimal(false, &plain(head), tail))
}

/// Whether `separator` cuts the digits into groups as thousands are written.
fn is_grouped(text: &str, separator: char) -> bool {
    let lengths: Vec<usize> = text.split(separator).map(str::len).collect();
    let [first, middle @ .., last] = lengths.as_slice() else { return false };
    let all_digits = text.chars().all(|c| c.is_ascii_digit() || c == separator);
    let threes = (1..=3).contains(first) && middle.iter().all(|length| *length == 3);
    let twos = (1..=2).contains(first) && middle.iter().all(|length| *length == 2);
    all_digits && *last == 3 && (threes || (separator == ',' && twos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read() {
        #[rustfmt::skip]
        let cases = [
            ("15", "15"), ("007", "7"), ("6,000", "6000"), ("6 000", "6000"), ("6'000", "6000"),
            ("6,000.50", "6000.5"), ("6.000,50", "6000.5"), ("1 234,56", "1234.56"),
            ("3,14", "3.14"), ("0,125", "0.125"), ("1234,567", "1234.567"), ("1.000", "1"),
            ("1.000.000", "1000000"), ("1,00,000", "100000"), ("12,34,567", "1234567"),
            ("0.10", "0.1"), ("00.0", "0"),
        ];
        for (raw, expected) in cases {
            assert_eq!(literal(raw).unwrap().to_string(), expected, "{raw}");
        }
        for raw in ["", "1,2,3", "192.168.1.1", "1.5,2.5", "1,234,56.7", "1.2,3.4"] {
            assert_eq!(literal(raw), None, "{raw}");
        }
    }

    #[test]
    fn long_numbers_keep_their_digits() {
        let long = "1".repeat(60);
        assert_eq!(literal(&long).unwrap().to_string(), long);
        assert_eq!(literal(&format!("000{long}.500")).unwrap().to_string(), format!("{long}.5"));
        let shifted =
            literal(&format!("0.{}5", "0".repeat(40))).unwrap().times(1_000_000, 1).unwrap();
        assert_eq!(shifted, Number::ratio(5, 10_i128.pow(35)).unwrap());
        let grown = literal(&"9".repeat(35)).unwrap().times(1_000_000, 1).unwrap();
        assert_eq!(grown, literal(&format!("{}000000", "9".repeat(35))).unwrap());
        assert_eq!(literal(&long).unwrap().times(12, 1), None);
        assert_eq!(literal(&long).unwrap().plus(&Number::whole(1)), None);
    }

    #[test]
    fn arithmetic_is_exact() {
        let half = Number::ratio(-2, -4).unwrap();
        assert_eq!(half.to_string(), "0.5");
        assert_eq!(half.plus(&Number::ratio(1, 3).unwrap()).unwrap().to_string(), "5/6");
        assert_eq!(half.times(60, 1), Some(Number::whole(30)));
        assert_eq!(Number::ratio(1, 0), None);
        assert_eq!(Number::decimal(true, "5", "05").to_string(), "-5.05");
        assert_eq!(Number::whole(5).negated().as_whole(), Some(-5));
        assert!(Number::whole(5).is_within(&Number::whole(6)));
    }
}
