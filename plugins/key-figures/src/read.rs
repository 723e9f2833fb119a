//! Reads a number at a place in the text: digits, English words, or both (`2.5 million`).

use crate::{
    number::{self, Number},
    token::{Kind, Token, digits_at, glued_at, hyphen_at, symbol_at, word_at},
    unit, words,
};

/// The fractions that are one character.
#[rustfmt::skip]
const FRACTIONS: &[(char, i128, i128)] = &[
    ('½', 1, 2), ('⅓', 1, 3), ('⅔', 2, 3), ('¼', 1, 4), ('¾', 3, 4), ('⅕', 1, 5),
    ('⅖', 2, 5),
    ('⅗', 3, 5), ('⅘', 4, 5), ('⅙', 1, 6), ('⅚', 5, 6), ('⅛', 1, 8), ('⅜', 3, 8),
    ('⅝', 5, 8),
    ('⅞', 7, 8),
];

/// A number that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// The number.
    pub(crate) value: Number,
    /// The token after it.
    pub(crate) next: usize,
    /// The multiplier it was written with (`5 million`), or 1.
    pub(crate) scale: i128,
    /// Whether it says a place in an order (`26th`).
    pub(crate) ordinal: bool,
    /// How many digits it has, if it is digits and nothing else.
    pub(crate) digits: usize,
    /// Whether it is a part of one, so that `a` or `of a` may stand before its unit.
    pub(crate) part: bool,
}

impl Read {
    /// A number with nothing special about it.
    pub(crate) const fn new(value: Number, next: usize) -> Self {
        Self { value, next, scale: 1, ordinal: false, digits: 0, part: false }
    }
}

/// Reads the number at `at`; `money` says that a currency stands before it.
pub(crate) fn read(tokens: &[Token], at: usize, money: bool) -> Option<Read> {
    let mut read = from_digits(tokens, at).or_else(|| words::from_words(tokens, at))?;
    if read.ordinal {
        return Some(read);
    }
    if let Some((part, next)) = and_part(tokens, read.next).filter(|_| read.scale == 1)
        && let Some(value) = read.value.plus(&part)
    {
        read = Read::new(value, next);
    }
    for _ in 0..2 {
        let Some((factor, next)) = multiplier(tokens, &read, money) else { break };
        let value = read.value.times(factor, 1).unwrap_or(read.value);
        read = Read { scale: read.scale.saturating_mul(factor), ..Read::new(value, next) };
    }
    Some(read)
}

/// Reads the part that is added to a number: `and a half`, `and three quarters`.
pub(crate) fn and_part(tokens: &[Token], at: usize) -> Option<(Number, usize)> {
    if word_at(tokens, at) != Some("and") {
        return None;
    }
    let count = match word_at(tokens, at + 1)? {
        "a" | "an" | "one" => 1,
        word => words::index_of(words::SMALL, word).filter(|count| *count > 1)?,
    };
    let (bottom, next) = words::part_word(tokens, at + 2, count > 1)?;
    Number::ratio(count, bottom).filter(|part| part.is_within(&Number::whole(1))).map(|n| (n, next))
}

/// Reads a number that begins with digits or with a character such as `½`.
fn from_digits(tokens: &[Token], at: usize) -> Option<Read> {
    if let Some((value, next)) = fraction(tokens, at) {
        return Some(Read { part: true, ..Read::new(value, next) });
    }
    let raw = digits_at(tokens, at)?;
    let mut read = Read::new(number::literal(raw)?, at + 1);
    if raw.bytes().all(|byte| byte.is_ascii_digit()) {
        read.digits = raw.len();
    }
    let gap = usize::from(hyphen_at(tokens, at + 1));
    let spaced = gap == 1 || !glued_at(tokens, at + 1) || symbol_at(tokens, at + 1).is_some();
    if let Some((part, next)) = fraction(tokens, at + 1 + gap)
        && read.digits > 0
        && spaced
        && part.is_within(&Number::whole(1))
        && let Some(value) = read.value.plus(&part)
    {
        return Some(Read::new(value, next));
    }
    let suffix = word_at(tokens, at + 1).filter(|_| glued_at(tokens, at + 1));
    if matches!(suffix, Some("st" | "nd" | "rd" | "th")) && read.digits > 0 {
        read = Read { ordinal: true, ..Read::new(read.value, at + 2) };
    }
    Some(read)
}

/// Reads `1/2` or `½`. A date such as `1/2/1953` and years such as `2023/24` are no fraction.
fn fraction(tokens: &[Token], at: usize) -> Option<(Number, usize)> {
    if let Some(symbol) = symbol_at(tokens, at) {
        let (_, top, bottom) = FRACTIONS.iter().find(|(c, ..)| *c == symbol)?;
        return Some((Number::ratio(*top, *bottom)?, at + 1));
    }
    let touching = glued_at(tokens, at + 1) && glued_at(tokens, at + 2);
    let slash = |place: usize| symbol_at(tokens, place) == Some('/');
    if !touching || !slash(at + 1) || (slash(at + 3) && glued_at(tokens, at + 3)) {
        return None;
    }
    let (top, bottom) = (digits_at(tokens, at)?, digits_at(tokens, at + 2)?);
    if top.len().max(bottom.len()) > 4 || (top.len() == 4 && bottom.len() == 2) {
        return None;
    }
    Some((Number::ratio(top.parse().ok()?, bottom.parse().ok()?)?, at + 3))
}

/// Reads what multiplies the number before: `k`, `million`, `bn`, `dozen`.
fn multiplier(tokens: &[Token], read: &Read, money: bool) -> Option<(i128, usize)> {
    let mut at = read.next;
    if read.part {
        at += usize::from(word_at(tokens, at) == Some("of"));
        at += usize::from(matches!(word_at(tokens, at), Some("a" | "an")));
    }
    at += usize::from(hyphen_at(tokens, at));
    let word = word_at(tokens, at)?;
    let singular = word.strip_suffix('s').unwrap_or(word);
    if let Some(size) = words::scale(singular) {
        return Some((size, at + 1));
    }
    match singular {
        "hundred" => return Some((100, at + 1)),
        "dozen" => return Some((12, at + 1)),
        _ => {}
    }
    let after_digits = at > 0 && tokens[at - 1].kind == Kind::Number;
    let touching = glued_at(tokens, at);
    let money = money
        || (touching
            && unit::after(tokens, at + 1).is_some_and(|(units, _)| unit::is_money(units)));
    let size = match tokens[at].text.as_str() {
        "k" | "K" if touching || money => 1000,
        "M" if touching || money => 1_000_000,
        "m" if money => 1_000_000,
        "mn" | "mln" | "Mn" => 1_000_000,
        "bn" | "bln" | "Bn" => 1_000_000_000,
        "b" | "B" if money => 1_000_000_000,
        "tn" | "trn" | "Tn" => 1_000_000_000_000,
        "t" | "T" if money => 1_000_000_000_000,
        _ => return None,
    };
    let ends = !glued_at(tokens, at + 1) || symbol_at(tokens, at + 1).is_some();
    (after_digits && ends).then_some((size, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::split;

    #[test]
    fn numbers_are_read() {
        #[rustfmt::skip]
        let cases = [
            ("15", "15"), ("fifteen", "15"), ("twenty-five", "25"), ("twenty five", "25"),
            ("two hundred and fifty", "250"), ("a hundred and one", "101"),
            ("one million two hundred thousand and five", "1200005"), ("a dozen", "12"),
            ("two dozen", "24"), ("half a dozen", "6"), ("half a million", "500000"),
            ("half", "0.5"), ("a quarter of a million", "250000"), ("one and a half", "1.5"),
            ("two and three quarters", "2.75"), ("two-thirds", "2/3"), ("a third of it", "1/3"),
            ("1/2", "0.5"), ("½", "0.5"), ("1 1/2", "1.5"), ("1½", "1.5"), ("2-1/2", "2.5"),
            ("6k", "6000"), ("2.5 million", "2500000"), ("5M", "5000000"),
            ("5bn", "5000000000"), ("5m euros", "5000000"), ("5m wide", "5"), ("5m€", "5000000"),
            ("two point five million", "2500000"), ("fifteen hundred", "1500"),
            ("nineteen fifty-three", "1953"), ("10 lakh", "1000000"),
            ("twenty twenty-four", "2024"), ("26th", "26th"), ("third", "3th"),
            ("twenty-sixth", "26th"), ("twenty-second", "22th"), ("thirty second", "30"),
            ("two hundredth", "200th"), ("one thousandth", "1000th"), ("zero", "0"),
            ("twice", "2"), ("once a year", "1"), ("one", "1"), ("two millions", "2000000"),
            ("ten and eleven", "10"), ("one two", "1"), ("2k19", "2"),
        ];
        for (text, expected) in cases {
            let read = read(&split(text), 0, false).unwrap_or_else(|| panic!("{text}"));
            let shown = format!("{}{}", read.value, if read.ordinal { "th" } else { "" });
            assert_eq!(shown, expected, "{text}");
        }
    }
}
