//! What stands behind the digits of a number: exponents, words that multiply, percent signs.

use super::scan::Scanner;
use crate::metrics::digits::digit;

impl Scanner<'_> {
    /// `e6`, `× 10^6`, `x10⁶`; nothing is taken where it is none.
    pub(super) fn exponent(&mut self) -> Option<i32> {
        let start = self.at;
        let exponent = if matches!(self.peek(0), Some('e' | 'E')) {
            self.at += 1;
            self.signed(digit)
        } else {
            self.power_of_ten()
        };
        let ends = !self.peek(0).is_some_and(char::is_alphabetic);
        let exponent = exponent.filter(|_| ends);
        if exponent.is_none() {
            self.at = start;
        }
        exponent
    }

    /// The exponent of a number that is 10 and a power: `10^5`, `10⁵`; nothing is taken where it is
    /// none.
    pub(super) fn power(&mut self) -> Option<i32> {
        let start = self.at;
        let exponent = if self.peek(0) == Some('^') {
            self.at += 1;
            self.signed(digit)
        } else {
            self.signed(superscript)
        };
        let fraction = self.peek(0).is_some_and(|c| self.locale.decimal(c))
            && self.peek(1).is_some_and(|c| digit(c).is_some());
        let ends = !self.peek(0).is_some_and(char::is_alphabetic) && !fraction;
        let exponent = exponent.filter(|_| ends);
        if exponent.is_none() {
            self.at = start;
        }
        exponent
    }

    fn power_of_ten(&mut self) -> Option<i32> {
        self.blanks();
        if !matches!(self.peek(0), Some('×' | 'x' | 'X' | '*' | '·' | '⋅')) {
            return None;
        }
        self.at += 1;
        self.blanks();
        if self.digits_at(self.at) < 2 || (self.peek(0), self.peek(1)) != (Some('1'), Some('0')) {
            return None;
        }
        self.at += 2;
        if self.peek(0) == Some('^') {
            self.at += 1;
            return self.signed(digit);
        }
        self.signed(superscript)
    }

    /// A whole number with an optional sign.
    fn signed(&mut self, value: fn(char) -> Option<u8>) -> Option<i32> {
        let negative = matches!(self.peek(0), Some('-' | '−' | '⁻'));
        if negative || matches!(self.peek(0), Some('+' | '⁺')) {
            self.at += 1;
        }
        let mut number: Option<i32> = None;
        while let Some(next) = self.peek(0).and_then(value) {
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(i32::from(next)));
            self.at += 1;
        }
        number.map(|number| if negative { -number } else { number })
    }

    fn blanks(&mut self) {
        while matches!(self.peek(0), Some(' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')) {
            self.at += 1;
        }
    }

    /// The powers of ten of the words that follow; only those are taken.
    pub(super) fn magnitude(&mut self) -> i32 {
        let mut power: i32 = 0;
        while let Some(more) = self.multiplier() {
            power = power.saturating_add(more);
        }
        power
    }

    fn multiplier(&mut self) -> Option<i32> {
        if let Some(power) = self.peek(0).and_then(east_asian_power) {
            self.at += 1;
            return Some(power);
        }
        let start = self.at;
        self.blanks();
        let attached = self.at == start;
        let from = self.at;
        while self.peek(0).is_some_and(in_word) {
            self.at += 1;
        }
        let word: String = self.chars[from..self.at].iter().collect();
        let power = match word.as_str() {
            "" => None,
            // A capital stands for a word only where it touches the number: 5 M may be anything.
            "M" if attached => Some(6),
            "B" if attached => Some(9),
            word => self.locale.power(&word.to_lowercase()),
        };
        if power.is_none() {
            self.at = start;
        } else if self.peek(0) == Some('.') && self.peek(1).is_none_or(|c| digit(c).is_none()) {
            // The full stop of `Mio.`.
            self.at += 1;
        }
        power
    }

    /// The power of ten that a sign or word divides by: 2 for percent, 3 for `‰`.
    pub(super) fn percent(&mut self) -> i32 {
        let start = self.at;
        self.blanks();
        let sign = match self.peek(0) {
            Some('%' | '％' | '٪') => 2,
            Some('‰' | '؉') => 3,
            _ => 0,
        };
        if sign > 0 {
            self.at += 1;
            return sign;
        }
        let rest: String = self.chars[self.at..].iter().take(10).collect::<String>().to_lowercase();
        let word = PERCENT_WORDS.iter().find(|word| rest.starts_with(**word));
        self.at = start;
        if word.is_some() { 2 } else { 0 }
    }
}

const PERCENT_WORDS: [&str; 8] = [
    "percent",
    "per cent",
    "prozent",
    "pour cent",
    "por ciento",
    "por cento",
    "per cento",
    "процент",
];

fn in_word(c: char) -> bool {
    !c.is_whitespace() && !c.is_ascii_punctuation() && digit(c).is_none()
}

fn superscript(c: char) -> Option<u8> {
    "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().zip(0..).find(|&(known, _)| known == c).map(|(_, value)| value)
}

fn east_asian_power(c: char) -> Option<i32> {
    match c {
        '百' => Some(2),
        '千' => Some(3),
        '万' | '萬' | '만' => Some(4),
        '亿' | '億' | '억' => Some(8),
        _ => None,
    }
}
