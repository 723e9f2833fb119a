//! Dates.
//!
//! A date says a month and, if given, a day and a year; a year alone is a plain number. Where the
//! order of day and month cannot be known (`05/07/1953`), or the century (`26/07/53`), the date is
//! the list of all it can mean.

use crate::{
    read,
    token::{Token, digits_at, glued_at, hyphen_at, symbol_at, word_at},
    unit,
};
use std::fmt;

/// The months, in order.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// One meaning of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The year; below zero for years BC.
    year: Option<i32>,
    /// The month, 1 to 12.
    month: u8,
    /// The day of the month.
    day: Option<u8>,
}

/// A date: all that it can mean. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Date(Vec<Reading>);

impl Date {
    /// A date with the given parts, or nothing where there is no such day.
    fn of(year: Option<i32>, month: u8, day: Option<u8>) -> Option<Self> {
        let day = Reading { year, month, day };
        day.exists().then(|| Self(vec![day]))
    }

    /// Whether this date says all that `asked` says, and perhaps more.
    pub(crate) fn states(&self, asked: &Self) -> bool {
        let pairs = |stated: &Reading| asked.0.iter().any(|day| stated.states(*day));
        self.0.iter().any(pairs)
    }

    /// Whether this date is in the year `asked`.
    pub(crate) fn states_year(&self, asked: i128) -> bool {
        self.0.iter().any(|day| day.year.is_some_and(|year| i128::from(year) == asked))
    }

    /// This date with another day, if it has a day and the other one exists.
    pub(crate) fn on_day(&self, day: u8) -> Option<Self> {
        let moved = |old: &Reading| Reading { day: old.day.map(|_| day), ..*old };
        let days = self.0.iter().map(moved).filter(|new| new.day.is_some() && new.exists());
        let days: Vec<Reading> = days.collect();
        (!days.is_empty()).then_some(Self(days))
    }
}

impl Reading {
    /// Whether the calendar has this day.
    fn exists(self) -> bool {
        let leap = |year: i32| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match self.month {
            2 if self.year.is_none_or(leap) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return false,
        };
        self.day.is_none_or(|day| (1..=length).contains(&day))
    }

    /// Whether this says all that `asked` says.
    fn states(self, asked: Self) -> bool {
        self.month == asked.month
            && asked.year.is_none_or(|year| self.year == Some(year))
            && asked.day.is_none_or(|day| self.day == Some(day))
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = MONTHS.get(usize::from(self.month).wrapping_sub(1)).unwrap_or(&"?");
        match (self.year, self.day) {
            (Some(year), None) if year < 0 => write!(out, "{name} {} BC", -year),
            (Some(year), Some(day)) if year < 0 => write!(out, "{day} {name} {} BC", -year),
            (Some(year), Some(day)) => write!(out, "{year:04}-{:02}-{day:02}", self.month),
            (Some(year), None) => write!(out, "{year:04}-{:02}", self.month),
            (None, Some(day)) => write!(out, "{day} {name}"),
            (None, None) => write!(out, "{name}"),
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, day) in self.0.iter().enumerate() {
            write!(out, "{}{day}", if index > 0 { " or " } else { "" })?;
        }
        Ok(())
    }
}

/// The month that a lower-case word names.
pub(crate) fn month(word: &str) -> Option<u8> {
    let word = if word == "sept" { "sep" } else { word };
    let named = |name: &&str| {
        let short = name.get(..3).filter(|_| word.len() == 3).unwrap_or(name);
        name.eq_ignore_ascii_case(word) || short.eq_ignore_ascii_case(word)
    };
    u8::try_from(MONTHS.iter().position(named)? + 1).ok()
}

/// The month at `at`, the token after it, and whether it may be another word (`may`, `march`).
fn month_at(tokens: &[Token], at: usize) -> Option<(u8, usize, bool)> {
    let word = word_at(tokens, at)?;
    let number = month(word)?;
    let doubtful = tokens[at].text == word && matches!(word, "may" | "march" | "mar");
    let dot = symbol_at(tokens, at + 1) == Some('.') && glued_at(tokens, at + 1) && word.len() < 5;
    let next = at + 1 + usize::from(dot);
    Some((number, next + usize::from(hyphen_at(tokens, next)), doubtful))
}

/// The year at `at`, perhaps after a comma or `of`, and the token after it.
fn year_at(tokens: &[Token], at: usize) -> Option<(i32, usize)> {
    let comma = symbol_at(tokens, at) == Some(',') || word_at(tokens, at) == Some("of");
    let place = at + usize::from(comma);
    let raw = digits_at(tokens, place)?;
    let year: i32 = raw.parse().ok().filter(|year| (1..=9999).contains(year))?;
    match tokens.get(place + 1).map(|token| token.text.as_str()) {
        Some("BC" | "BCE") => return Some((-year, place + 2)),
        Some("AD" | "CE") => return Some((year, place + 2)),
        _ => {}
    }
    let plain = raw.len() == 4 && (1000..3000).contains(&year);
    (plain && unit::after(tokens, place + 1).is_none()).then_some((year, place + 1))
}

/// The number of one or two digits at `at`, as a day.
fn small_at(tokens: &[Token], at: usize) -> Option<u8> {
    digits_at(tokens, at).filter(|raw| raw.len() <= 2)?.parse().ok()
}

/// Reads a date that begins with the month: `July 26, 1953`, `July 1953`, `July 10-15`.
pub(crate) fn month_first(tokens: &[Token], at: usize) -> Option<(Vec<Date>, usize)> {
    let (month, start, doubtful) = month_at(tokens, at)?;
    if let Some((year, next)) = year_at(tokens, start).filter(|_| !doubtful) {
        return Some((vec![Date::of(Some(year), month, None)?], next));
    }
    let start = start + usize::from(word_at(tokens, start) == Some("the"));
    let read = read::read(tokens, start, false)?;
    let first = read.value.as_whole().and_then(|day| u8::try_from(day).ok())?;
    let written = read.ordinal || (1..=2).contains(&read.digits);
    let clock = symbol_at(tokens, read.next) == Some(':') && glued_at(tokens, read.next);
    if !written || clock || (!read.ordinal && unit::after(tokens, read.next).is_some()) {
        return None;
    }
    let mut next = read.next + usize::from(hyphen_at(tokens, read.next));
    let range = matches!(symbol_at(tokens, read.next), Some('-' | '–'))
        || word_at(tokens, read.next) == Some("to");
    let free =
        |place: usize| month_at(tokens, place).is_none() && unit::after(tokens, place).is_none();
    let second =
        small_at(tokens, read.next + 1).filter(|day| range && *day > first && free(read.next + 2));
    if second.is_some() {
        next = read.next + 2;
    }
    let year = year_at(tokens, next);
    if doubtful && year.is_none() {
        return None;
    }
    let (year, next) = year
        .map_or((None, if second.is_some() { next } else { read.next }), |(year, next)| {
            (Some(year), next)
        });
    let mut dates = vec![Date::of(year, month, Some(first))?];
    dates.extend(second.and_then(|day| Date::of(year, month, Some(day))));
    Some((dates, next))
}

/// Reads what follows a day: `26th of July, 1953` from `of` on.
pub(crate) fn after_day(tokens: &[Token], at: usize, day: u8) -> Option<(Date, usize)> {
    let mut place = at + usize::from(hyphen_at(tokens, at));
    place += usize::from(word_at(tokens, place) == Some("day"));
    let of = word_at(tokens, place) == Some("of");
    let (month, next, doubtful) = month_at(tokens, place + usize::from(of))?;
    let year = year_at(tokens, next);
    if doubtful && year.is_none() && !of {
        return None;
    }
    // The hyphen that `month_at` passes over belongs to the date only where a year follows it.
    let end = next - usize::from(next > 0 && hyphen_at(tokens, next - 1));
    let (year, next) = year.map_or((None, end), |(year, next)| (Some(year), next));
    Some((Date::of(year, month, Some(day))?, next))
}

/// Reads a date of digits: `1953-07-26`, `26/07/1953`, `26.07.1953`, `1953-07`, `07/1953`.
pub(crate) fn numeric(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let raw = digits_at(tokens, at)?;
    if let [a, b, c] = raw.split('.').collect::<Vec<_>>()[..] {
        return from_parts([a, b, c], '.').map(|date| (date, at + 1));
    }
    let separator = symbol_at(tokens, at + 1).filter(|c| matches!(c, '-' | '/'))?;
    let joined = |place: usize| {
        symbol_at(tokens, place) == Some(separator)
            && glued_at(tokens, place)
            && glued_at(tokens, place + 1)
    };
    let second = digits_at(tokens, at + 2).filter(|_| joined(at + 1))?;
    if joined(at + 3) {
        let third = digits_at(tokens, at + 4)?;
        let date = from_parts([raw, second, third], separator)?;
        let stamp = word_at(tokens, at + 5) == Some("t")
            && glued_at(tokens, at + 5)
            && digits_at(tokens, at + 6).is_some();
        return Some((date, at + 5 + usize::from(stamp)));
    }
    let (year, month) = match (raw.len(), second.len()) {
        (4, 2) if separator == '-' => (raw, second),
        (1..=2, 4) if separator == '/' => (second, raw),
        _ => return None,
    };
    let year = year.parse().ok().filter(|year| (1000..3000).contains(year))?;
    Some((Date::of(Some(year), month.parse().ok()?, None)?, at + 3))
}

/// The date that three numbers stand for, in every order they can be read.
fn from_parts(parts: [&str; 3], separator: char) -> Option<Date> {
    let [a, b, c] = parts.map(|part| part.parse::<i32>().ok().filter(|_| part.len() <= 4));
    let (a, b, c) = (a?, b?, c?);
    let years = match parts.map(str::len) {
        [4, 1..=2, 1..=2] => return with_year(a, &[(b, c)]),
        [1..=2, 1..=2, 4] => return with_year(c, &[(b, a), (a, b)]),
        [1..=2, 1..=2, 2] if separator == '/' => [1900 + c, 2000 + c],
        _ => return None,
    };
    let days = years.iter().filter_map(|year| with_year(*year, &[(b, a), (a, b)]));
    let days: Vec<Reading> = days.flat_map(|date| date.0).collect();
    (!days.is_empty()).then_some(Date(days))
}

/// The date of a year and of pairs of month and day, without those that do not exist.
fn with_year(year: i32, pairs: &[(i32, i32)]) -> Option<Date> {
    let mut days: Vec<Reading> = Vec::new();
    for (month, day) in pairs {
        let (Ok(month), Ok(day)) = (u8::try_from(*month), u8::try_from(*day)) else { continue };
        let day = Reading { year: Some(year), month, day: Some(day) };
        if day.exists() && !days.contains(&day) {
            days.push(day);
        }
    }
    (!days.is_empty()).then_some(Date(days))
}

#[cfg(test)]
mod tests {
    use crate::figures::figures;

    #[test]
    fn dates_are_read() {
        #[rustfmt::skip]
        let cases = [
            ("July 26, 1953", "1953-07-26"), ("July 26,1953", "1953-07-26"),
            ("the 26th of July, 1953", "1953-07-26"), ("26 July 1953", "1953-07-26"),
            ("26-Jul-1953", "1953-07-26"), ("Jul. 26th 1953", "1953-07-26"),
            ("the twenty-sixth of July", "26 July"), ("July the 26th", "26 July"),
            ("26th day of July 1953", "1953-07-26"), ("1953-07-26", "1953-07-26"),
            ("1953/07/26", "1953-07-26"), ("26.07.1953", "1953-07-26"),
            ("26/07/1953", "1953-07-26"), ("05/07/1953", "1953-07-05 or 1953-05-07"),
            ("05/05/1953", "1953-05-05"), ("26/07/53", "1953-07-26 or 2053-07-26"),
            ("July 1953", "1953-07"), ("July, 1953", "1953-07"), ("1953-07", "1953-07"),
            ("07/1953", "1953-07"), ("26 July", "26 July"), ("29 February 2023", "29|2023-02"),
            ("29 February 2024", "2024-02-29"), ("May 5", "5 May"),
            ("5 may 2020", "2020-05-05"), ("at 18 may apply", "18"), ("may 5 people", "5"),
            ("in July", ""), ("July 15 days", "15 days"),
            ("July 10-15, 2024", "2024-07-10|2024-07-15"),
            ("10-15 July 2024", "2024-07-10|2024-07-15"), ("15 March 44 BC", "15 March 44 BC"),
            ("1953-07-26T10:30:00Z", "1953-07-26|10:30"), ("Sept. 3", "3 September"),
            ("2020-13-45", "2020|13|45"), ("July 26 - 5 August", "26 July|5 August"),
        ];
        for (text, expected) in cases {
            let shown: Vec<_> = figures(text).iter().map(ToString::to_string).collect();
            assert_eq!(shown.join("|"), expected, "{text}");
        }
    }
}
