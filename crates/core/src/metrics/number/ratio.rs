//! Fractions that are written with a slash: `1/2`, `2 1/2`.

use super::scan::Scanner;
use crate::metrics::digits::digit;

/// More digits than a part of a fraction has.
const MANY: usize = 10;

impl Scanner<'_> {
    /// The fraction that the plain digits from `start` to here begin, as its parts; nothing is taken
    /// where it is none. What has a second slash is a date or a path.
    pub(super) fn ratio(&mut self, start: usize) -> Option<(u64, u64)> {
        if start > 0 && is_slash(self.chars[start - 1]) {
            return None;
        }
        let first = self.whole(start, self.at)?;
        if self.peek(0).is_some_and(is_slash) {
            let (denominator, end) = self.denominator(self.at + 1)?;
            self.at = end;
            return Some((first, denominator));
        }
        // A whole number and a part of one.
        if self.peek(0) != Some(' ') {
            return None;
        }
        let from = self.at + 1;
        let slash = from + self.digits_at(from);
        let numerator = self.whole(from, slash)?;
        if !self.chars.get(slash).copied().is_some_and(is_slash) {
            return None;
        }
        let (denominator, end) = self.denominator(slash + 1)?;
        if numerator >= denominator {
            return None;
        }
        self.at = end;
        Some((first.checked_mul(denominator)?.checked_add(numerator)?, denominator))
    }

    /// Goes over a fraction by 0, whose first part ends here: it is no number, nor are its parts.
    pub(super) fn skip_by_zero(&mut self, start: usize) -> bool {
        let begins = start == 0 || !is_slash(self.chars[start - 1]);
        if !begins || !self.peek(0).is_some_and(is_slash) {
            return false;
        }
        let zero = self.part(self.at + 1).filter(|(denominator, _)| *denominator == 0);
        if let Some((_, end)) = zero {
            self.at = end;
        }
        zero.is_some()
    }

    /// A number above 0 behind the slash, and where it ends.
    fn denominator(&self, from: usize) -> Option<(u64, usize)> {
        self.part(from).filter(|(denominator, _)| *denominator > 0)
    }

    fn part(&self, from: usize) -> Option<(u64, usize)> {
        let end = from + self.digits_at(from);
        let denominator = self.whole(from, end)?;
        let next = |ahead: usize| self.chars.get(end + ahead).copied();
        let goes_on = next(0).is_some_and(|c| self.locale.decimal(c) || self.locale.groups(c))
            && next(1).is_some_and(|c| digit(c).is_some());
        (!goes_on && !next(0).is_some_and(is_slash)).then_some((denominator, end))
    }

    /// The number of some digits.
    fn whole(&self, from: usize, to: usize) -> Option<u64> {
        if from == to || to - from >= MANY {
            return None;
        }
        let digits = self.chars[from..to].iter().map(|&c| digit(c));
        digits
            .map(|value| value.map(u64::from))
            .try_fold(0, |number, value| Some(number * 10 + value?))
    }
}

fn is_slash(c: char) -> bool {
    // With the slash that `½` is taken apart with, and the sign of division.
    matches!(c, '/' | '\u{2044}' | '\u{2215}')
}
