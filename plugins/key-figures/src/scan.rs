//! Finds the figures of a text, one after the other.

use crate::{
    date,
    figures::{Amount, Entry, Kind},
    names,
    number::Number,
    read::{self, Read},
    time,
    token::{Token, digits_at, glued_at, hyphen_at, latin_at, symbol_at, word_at},
    unit::{self, Units},
};

/// The words before a length of time that keep it from being converted.
const QUALIFIERS: &[&str] = &[
    "working",
    "business",
    "calendar",
    "full",
    "consecutive",
    "paid",
    "unpaid",
    "whole",
    "clear",
    "academic",
    "school",
    "fiscal",
    "vacation",
    "holiday",
    "sick",
    "leave",
    "straight",
    "successive",
    "banking",
    "trading",
    "court",
];

/// The words that may stand between a number and its unit and change nothing.
const FILLERS: &[&str] =
    &["more", "additional", "extra", "further", "whole", "or", "less", "fewer"];

/// What was found at a place in the text.
enum Found {
    /// Figures, and the token after them.
    Figures(Vec<Entry>, usize),
    /// No figure up to the given token.
    Nothing(usize),
}

/// Finds all figures.
pub(crate) fn entries(tokens: &[Token]) -> Vec<Entry> {
    let (mut entries, mut at, mut last_end) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        let next = match find(tokens, at, last_end > 0 && at <= last_end + 1) {
            Found::Figures(found, next) => {
                entries.extend(found);
                last_end = next;
                next
            }
            Found::Nothing(next) => next,
        };
        at = next.max(at + 1);
    }
    entries
}

/// Looks for a figure at `at`; `follows` says that a figure ends there, or one sign before.
fn find(tokens: &[Token], at: usize, follows: bool) -> Found {
    if let Some(next) = names::citation(tokens, at) {
        return Found::Nothing(next);
    }
    if digits_at(tokens, at) == Some("24")
        && symbol_at(tokens, at + 1) == Some('/')
        && digits_at(tokens, at + 2) == Some("7")
    {
        return Found::Nothing(at + 3);
    }
    if !follows && names::is_name(tokens, at) {
        return Found::Nothing(names::run_end(tokens, at));
    }
    let entry = |kind: Kind, end: usize| Entry {
        start: at,
        end,
        kind,
        scale: 1,
        digits: 0,
        prefixed: false,
    };
    if let Some((dates, next)) = date::month_first(tokens, at) {
        let dates = dates.into_iter().map(|date| entry(Kind::Date(date), next));
        return Found::Figures(dates.collect(), next);
    }
    if let Some((date, next)) = date::numeric(tokens, at) {
        return Found::Figures(vec![entry(Kind::Date(date), next)], next);
    }
    if let Some((time, next)) = time::clock(tokens, at) {
        return Found::Figures(vec![entry(Kind::Time(time), next)], next);
    }
    article(tokens, at).or_else(|| amount(tokens, at)).unwrap_or(Found::Nothing(at + 1))
}

/// Reads `an hour and a half`.
fn article(tokens: &[Token], at: usize) -> Option<Found> {
    if !matches!(word_at(tokens, at), Some("a" | "an")) {
        return None;
    }
    let (units, next) = unit::after(tokens, at + 1).filter(|(units, _)| unit::is_time(units))?;
    let (part, next) = read::and_part(tokens, next)?;
    let value = Number::whole(1).plus(&part)?;
    Some(found(at, next, Amount { value, unit: Some(units), qualifier: None }, None, false))
}

/// Makes what was found of an amount.
fn found(start: usize, end: usize, amount: Amount, read: Option<&Read>, prefixed: bool) -> Found {
    let (scale, digits) = read.map_or((1, 0), |read| (read.scale, read.digits));
    let kind = Kind::Amount(amount);
    Found::Figures(vec![Entry { start, end, kind, scale, digits, prefixed }], end)
}

/// Reads an amount, or a date or a time that begins with a number.
fn amount(tokens: &[Token], at: usize) -> Option<Found> {
    let (mut place, mut negative) = sign(tokens, at);
    let money = unit::before(tokens, place);
    if let Some((_, next)) = money {
        place = next;
        if symbol_at(tokens, place) == Some('-') && glued_at(tokens, place + 1) {
            (place, negative) = (place + 1, true);
        }
    }
    let read = read::read(tokens, place, money.is_some())?;
    let value = if negative { read.value.clone().negated() } else { read.value.clone() };
    let simple = money.is_none() && !negative && read.scale == 1;
    if let Some(whole) = read.value.as_whole().filter(|_| simple) {
        let day = u8::try_from(whole).ok().filter(|day| (1..=31).contains(day));
        let entry =
            |kind, end| Entry { start: at, end, kind, scale: 1, digits: 0, prefixed: false };
        if let Some(day) = day.filter(|_| read.ordinal || (1..=2).contains(&read.digits))
            && let Some((date, next)) = date::after_day(tokens, read.next, day)
        {
            return Some(Found::Figures(vec![entry(Kind::Date(date), next)], next));
        }
        if let Some((time, next)) =
            time::after_hour(tokens, read.next, whole).filter(|_| !read.ordinal)
        {
            return Some(Found::Figures(vec![entry(Kind::Time(time), next)], next));
        }
    }
    if read.ordinal {
        let amount = Amount { value, unit: Some(unit::ORDINAL), qualifier: None };
        return Some(found(at, read.next, amount, None, false));
    }
    if let Some((value, next)) = decade(tokens, at, &read).filter(|_| simple) {
        let amount = Amount { value, unit: Some(unit::DECADE), qualifier: None };
        return Some(found(at, next, amount, None, false));
    }
    let next = repeated(tokens, &read).unwrap_or(read.next);
    if let Some((units, _)) = money {
        let more = unit::after(tokens, next).filter(|(units, _)| unit::is_money(units));
        // `$5 CAD` is clearer than `$5`, but `$5` is as clear as `$5 dollars`.
        let units = more.map(|(units, _)| units).filter(|units| units.len() == 1).unwrap_or(units);
        let next = more.map_or(next, |(_, next)| next);
        return Some(found(
            at,
            next,
            Amount { value, unit: Some(units), qualifier: None },
            Some(&read),
            true,
        ));
    }
    if let Some((units, qualifier, next)) = unit_after(tokens, next, read.part) {
        let sum = read::and_part(tokens, next).filter(|_| unit::is_time(units));
        let sum = sum.and_then(|(part, next)| Some((value.plus(&part)?, next)));
        let (value, next) = sum.unwrap_or((value, next));
        return Some(found(
            at,
            next,
            Amount { value, unit: Some(units), qualifier },
            Some(&read),
            false,
        ));
    }
    let number_ends =
        read.next.checked_sub(1).is_some_and(|last| digits_at(tokens, last).is_some());
    let times = word_at(tokens, read.next) == Some("x") && !glued_at(tokens, read.next + 1);
    let letter = latin_at(tokens, read.next) && glued_at(tokens, read.next);
    if number_ends && ((letter && !times) || names::is_clause(tokens, read.next)) {
        return Some(Found::Nothing(names::run_end(tokens, read.next)));
    }
    Some(found(at, next, Amount { value, unit: None, qualifier: None }, Some(&read), false))
}

/// Reads the sign before a number: the place after it, and whether it says `minus`.
fn sign(tokens: &[Token], at: usize) -> (usize, bool) {
    let after_number = at > 0 && digits_at(tokens, at - 1).is_some();
    let free = !glued_at(tokens, at)
        || (at > 0 && symbol_at(tokens, at - 1).is_some_and(|c| "([,;:=".contains(c)));
    let dash =
        symbol_at(tokens, at) == Some('-') && glued_at(tokens, at + 1) && free && !after_number;
    let minus = dash || matches!(word_at(tokens, at), Some("minus" | "negative"));
    (at + usize::from(minus), minus)
}

/// Reads a decade that begins with the number at `at`, such as `1950s`, `1950's` or `the 50s`:
/// its first year and its end. Two digits are of the twentieth century.
fn decade(tokens: &[Token], at: usize, read: &Read) -> Option<(Number, usize)> {
    let before = at.checked_sub(1).map(|place| (symbol_at(tokens, place), word_at(tokens, place)));
    let known =
        matches!(before, Some((Some('\''), _) | (_, Some("the" | "early" | "late" | "mid"))));
    let year = read.value.as_whole().and_then(|year| match read.digits {
        4 => Some(year).filter(|year| (1000..3000).contains(year)),
        2 => Some(1900 + year).filter(|_| known),
        _ => None,
    })?;
    let quote = symbol_at(tokens, read.next) == Some('\'') && glued_at(tokens, read.next);
    let place = read.next + usize::from(quote);
    let ends = word_at(tokens, place) == Some("s") && glued_at(tokens, place);
    (ends && year % 10 == 0).then_some((Number::whole(year), place + 1))
}

/// The end of a number that repeats the one before in brackets: `(15)` in `fifteen (15) days`.
fn repeated(tokens: &[Token], read: &Read) -> Option<usize> {
    if symbol_at(tokens, read.next) != Some('(') {
        return None;
    }
    let again = read::read(tokens, read.next + 1, false)?;
    (again.value == read.value && symbol_at(tokens, again.next) == Some(')'))
        .then_some(again.next + 1)
}

/// Reads the unit after a number with the words before it: the unit, its qualifier and its end.
fn unit_after(
    tokens: &[Token],
    at: usize,
    part: bool,
) -> Option<(Units, Option<&'static str>, usize)> {
    let plus = symbol_at(tokens, at) == Some('+') && glued_at(tokens, at);
    let mut place = at + usize::from(plus);
    if part {
        place += usize::from(word_at(tokens, place) == Some("of"));
        place += usize::from(matches!(word_at(tokens, place), Some("a" | "an")));
    }
    let mut qualifier = None;
    for _ in 0..4 {
        if let Some((units, next)) = unit::after(tokens, place) {
            let word = word_at(tokens, next - 1).unwrap_or_default();
            let working = ["workday", "workdays", "weekday", "weekdays", "workweek", "workweeks"];
            let implied = working.contains(&word).then_some("working");
            let time = unit::is_time(units);
            return (time || qualifier.is_none()).then_some((units, qualifier.or(implied), next));
        }
        let start = place + usize::from(hyphen_at(tokens, place));
        let word = word_at(tokens, start)?;
        match QUALIFIERS.iter().find(|entry| **entry == word) {
            Some(found) => qualifier = Some(*found),
            None if FILLERS.contains(&word) => {}
            None => return None,
        }
        place = start + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::figures::figures;

    #[test]
    fn figures_are_found() {
        #[rustfmt::skip]
        let cases = [
            ("", ""), ("Einstein", ""), ("15 days", "15 days"), ("one day", "1 day"),
            ("15 working days", "15 working days"), ("15 workdays", "15 working days"),
            ("5 full working days", "5 working days"), ("15 more days", "15 days"),
            ("5 working people", "5"), ("12 employees", "12"), ("15-day notice", "15 days"),
            ("$6,000", "6000 USD"), ("6000 dollars", "6000 USD"), ("USD 6000", "6000 USD"),
            ("6 thousand dollars", "6000 USD"), ("6k dollars", "6000 USD"), ("$6k", "6000 USD"),
            ("USD6000", "6000 USD"), ("-$5", "-5 USD"), ("$-5", "-5 USD"), ("$5 CAD", "5 CAD"),
            ("$1.5m", "1500000 USD"), ("5m euros", "5000000 EUR"), ("5m", "5 m"),
            ("15%", "15 %"), ("15 per cent", "15 %"), ("fifteen percent (15%)", "15 %"),
            ("fifteen (15) days", "15 days"), ("half a day", "0.5 days"),
            ("half an hour", "0.5 hours"), ("two and a half hours", "2.5 hours"),
            ("2 hours and a half", "2.5 hours"), ("an hour and a half", "1.5 hours"),
            ("three quarters of an hour", "0.75 hours"), ("1 hour 30 minutes", "90 minutes"),
            ("3h30min", "210 minutes"), ("1 year and 6 months", "18 months"),
            ("5 dollars and 20 cents", "5.2 USD"), ("10-15 days", "10 days|15 days"),
            ("between 10 and 15 days", "10 days|15 days"), ("10 to 15%", "10 %|15 %"),
            ("5, 10 or 15 days", "5 days|10 days|15 days"), ("$10-15", "10 USD|15 USD"),
            ("$5 to 10 million", "5000000 USD|10000000 USD"), ("2019-20", "2019|2020"),
            ("2023/24", "2023|2024"), ("1914–1918", "1914|1918"), ("the 1950s", "1950s"),
            ("the '90s", "1990s"),
            ("in 90s", "90 seconds"), ("10am-5pm", "10:00|17:00"), ("5kg-10kg", "5 kg|10 kg"),
            ("two-to-three weeks", "2 weeks|3 weeks"), ("one-off fee", ""),
            ("the 22nd", "22nd"), ("11th", "11th"), ("COVID-19, B2B", ""), ("Form A38", ""),
            ("ISO-9001:2015 v2.1", ""), ("mid-1953", "1953"), ("4x4 and 3x", "3"),
            ("401(k)", ""), ("is 5 [1][2, 3]", "5"), ("[15]", "15"), ("-5 °C", "-5 °C"),
            ("minus 5 degrees C", "-5 °C"), ("15+ days", "15 days"),
            ("15 or more days", "15 days"), ("15天", "15"), ("http://a.b/15", ""),
            ("192.168.1.1", ""), ("44 BC", "44 BC"), ("about 6000 hours", "6000 hours"),
            ("5 feet 10 inches", "70 inches"), ("6.000,50 €", "6000.5 EUR"), ("1,2,3", "1|2|3"),
            ("3.5 t", "3.5 tonnes"), ("$20 a week", "20 USD"),
            ("5 km (3.1 miles)", "5 km|3.1 miles"), ("$", ""), ("-", ""),
        ];
        for (text, expected) in cases {
            let shown: Vec<_> = figures(text).iter().map(ToString::to_string).collect();
            assert_eq!(shown.join("|"), expected, "{text}");
        }
    }
}
