//! What a figure is, and how a text is read into figures.
//!
//! A figure is an amount (a number with a unit, a currency or neither), a date or a time of day.
//! Words such as `about` or `at least` change nothing. What is read and what is not:
//!
//! - A word before a length of time (`15 working days`) is remembered, but such a figure is never
//!   converted: 10 working days are not two weeks.
//! - A range is two figures, and both have its unit: `10-15 days` is 10 days and 15 days.
//! - Parts of one length, mass, time or sum are added: `1 hour 30 minutes` is 90 minutes.
//! - A figure repeated in brackets counts once: `fifteen (15) days`, `two weeks (14 days)`.
//! - Digits in names (`COVID-19`, `B2B`, `v2.1`), web addresses, citations (`[3]`) and `24/7` are
//!   no figures.

use crate::{
    date::Date,
    number::Number,
    pairs, scan,
    time::Time,
    token::{self, Token, symbol_at, word_at},
    unit::{self, Units},
};
use std::fmt;

/// A figure of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure(pub(crate) Kind);

/// The kinds of figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number, perhaps with a unit.
    Amount(Amount),
    /// A date with a month. A year alone is an amount without a unit.
    Date(Date),
    /// A time of day.
    Time(Time),
}

/// A number, perhaps with a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Amount {
    /// The number.
    pub(crate) value: Number,
    /// What the unit can mean, if there is one.
    pub(crate) unit: Option<Units>,
    /// The word before the unit that keeps it from being converted, such as `working`.
    pub(crate) qualifier: Option<&'static str>,
}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Amount(amount) => amount.fmt(out),
            Self::Date(date) => date.fmt(out),
            Self::Time(time) => time.fmt(out),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = &self.value;
        let Some([first, ..]) = self.unit else { return value.fmt(out) };
        let single = value.as_whole() == Some(1);
        let name = if single { first.one } else { first.many };
        match (first.group, self.qualifier) {
            ("decade", _) => write!(out, "{value}s"),
            ("ordinal", _) => {
                let whole = value.as_whole().unwrap_or_default();
                let ending = match (whole % 10, whole % 100) {
                    (_, 11..=13) => "th",
                    (1, _) => "st",
                    (2, _) => "nd",
                    (3, _) => "rd",
                    _ => "th",
                };
                write!(out, "{value}{ending}")
            }
            (_, Some(qualifier)) => write!(out, "{value} {qualifier} {name}"),
            (_, None) => {
                write!(out, "{value} {name}")?;
                // `5 pounds` may be a mass or a sum of money.
                let mut others = self.unit.iter().flat_map(|units| units.iter());
                let other = others.find(|unit| unit.is_money() != first.is_money());
                other.map_or(Ok(()), |unit| write!(out, " or {}", unit.many))
            }
        }
    }
}

/// A figure and where it stands in the text.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its first token.
    pub(crate) start: usize,
    /// The token after it.
    pub(crate) end: usize,
    /// The figure.
    pub(crate) kind: Kind,
    /// The multiplier it was written with, or 1.
    pub(crate) scale: i128,
    /// How many digits it has, if it is digits and nothing else.
    pub(crate) digits: usize,
    /// Whether its currency stands before it.
    pub(crate) prefixed: bool,
}

impl Entry {
    /// The number, if this is an amount without a unit.
    fn bare(&self) -> Option<&Number> {
        match &self.kind {
            Kind::Amount(Amount { value, unit: None, .. }) => Some(value),
            _ => None,
        }
    }
}

/// Reads the figures of a text, in their order.
#[must_use]
pub fn figures(text: &str) -> Vec<Figure> {
    let tokens = token::split(text);
    let mut entries = scan::entries(&tokens);
    share_backward(&tokens, &mut entries);
    share_forward(&tokens, &mut entries);
    let mut joined: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        if let Some(last) = joined.last_mut() {
            if is_repeat(&tokens, last, &entry) {
                last.end = entry.end + 1;
                continue;
            }
            if add_part(&tokens, last, &entry) {
                continue;
            }
        }
        joined.push(entry);
    }
    joined.into_iter().map(|entry| Figure(entry.kind)).collect()
}

/// Whether the two figures are the ends of a range, or a choice: `10-15`, `10 or 15`.
///
/// `listed` says that the second of them got its unit from such a figure, so that a comma is
/// enough: `5, 10 or 15 days`.
fn is_linked(tokens: &[Token], first: &Entry, second: &Entry, listed: bool) -> bool {
    let joint = match second.start.checked_sub(first.end) {
        Some(1) => first.end,
        // As in `two-to-three weeks`.
        Some(3) if token::hyphen_at(tokens, first.end) => first.end + 1,
        _ => return false,
    };
    match (symbol_at(tokens, joint), word_at(tokens, joint)) {
        (Some('-' | '–' | '/'), _) | (_, Some("to" | "or" | "through")) => true,
        (Some(','), _) => listed,
        (_, Some("and")) => {
            let before = first.start.checked_sub(1).and_then(|at| word_at(tokens, at));
            matches!(before, Some("between" | "from"))
        }
        _ => false,
    }
}

/// Gives the first figure of a range what only the last one says: `10-15 days`, `5 to 10 million`.
fn share_backward(tokens: &[Token], entries: &mut [Entry]) {
    let mut listed = false;
    for at in (1..entries.len()).rev() {
        let (head, tail) = entries.split_at_mut(at);
        let (Some(first), Some(second)) = (head.last_mut(), tail.first()) else { return };
        if !is_linked(tokens, first, second, listed) {
            listed = false;
            continue;
        }
        listed = false;
        let open = first.prefixed || first.bare().is_some();
        if let (Kind::Amount(amount), Kind::Amount(last)) = (&mut first.kind, &second.kind)
            && open
            && first.scale == 1
            && second.scale > 1
            && let Some(scaled) = amount.value.times(second.scale, 1)
            && scaled.is_within(&last.value)
        {
            amount.value = scaled;
            first.scale = second.scale;
        }
        let Some(value) = first.bare() else { continue };
        let day = value.as_whole().filter(|_| (1..=2).contains(&first.digits));
        let kind = match &second.kind {
            Kind::Amount(Amount { unit, qualifier, .. }) => {
                let shared = unit.filter(|units| *units != unit::ORDINAL && *units != unit::DECADE);
                let amount =
                    |_| Amount { value: value.clone(), unit: *unit, qualifier: *qualifier };
                shared.map(amount).map(Kind::Amount)
            }
            Kind::Date(date) => {
                day.and_then(|day| date.on_day(u8::try_from(day).ok()?)).map(Kind::Date)
            }
            Kind::Time(time) => day.and_then(|hour| time.at_hour(hour)).map(Kind::Time),
        };
        if let Some(kind) = kind {
            first.kind = kind;
            listed = true;
        }
    }
}

/// Gives the last figure of a range what only the first one says: `$10-15`, `2019-20`.
fn share_forward(tokens: &[Token], entries: &mut [Entry]) {
    for at in 1..entries.len() {
        let (head, tail) = entries.split_at_mut(at);
        let (Some(first), Some(second)) = (head.last(), tail.first_mut()) else { return };
        let Some(value) = second.bare().filter(|_| is_linked(tokens, first, second, false)) else {
            continue;
        };
        if let (Kind::Amount(Amount { unit: unit @ Some(_), .. }), true) =
            (&first.kind, first.prefixed)
        {
            second.kind =
                Kind::Amount(Amount { value: value.clone(), unit: *unit, qualifier: None });
            second.prefixed = true;
        } else if let (Some(year), Some(short)) =
            (first.bare().and_then(Number::as_whole), value.as_whole())
            && (first.digits, second.digits) == (4, 2)
            && year % 100 < short
            && symbol_at(tokens, first.end).is_some()
        {
            let value = Number::whole(year - year % 100 + short);
            second.kind = Kind::Amount(Amount { value, unit: None, qualifier: None });
        }
    }
}

/// Whether the second figure repeats the first in brackets: `fifteen percent (15%)`, `two weeks
/// (14 days)`.
fn is_repeat(tokens: &[Token], first: &Entry, second: &Entry) -> bool {
    let brackets = first.end + 1 == second.start
        && symbol_at(tokens, first.end) == Some('(')
        && symbol_at(tokens, second.end) == Some(')');
    brackets && pairs::key(&first.kind) == pairs::key(&second.kind)
}

/// Adds the second figure to the first where it is a smaller part of the same whole, as in
/// `1 hour and 30 minutes`; says whether it did.
fn add_part(tokens: &[Token], first: &mut Entry, second: &Entry) -> bool {
    let gap = second.start.saturating_sub(first.end);
    let joined = gap == 0
        || (gap == 1
            && (symbol_at(tokens, first.end) == Some(',')
                || word_at(tokens, first.end) == Some("and")));
    let start = first.start.checked_sub(1).and_then(|at| word_at(tokens, at));
    let (Kind::Amount(whole), Kind::Amount(part)) = (&mut first.kind, &second.kind) else {
        return false;
    };
    let (Some(large), Some(small)) = (whole.unit, part.unit) else { return false };
    let plain = whole.qualifier.is_none() && part.qualifier.is_none() && start != Some("between");
    if !joined || !plain || !(unit::is_time(large) || unit::is_money(large) || can_add(large)) {
        return false;
    }
    let pairs = large.iter().flat_map(|a| small.iter().map(move |b| (*a, *b)));
    let mut pairs = pairs.filter(|(a, b)| a.group == b.group && a.size != b.size);
    let Some((a, b)) = pairs.next() else { return false };
    let one = |value: &Number| value.times(b.size.0, b.size.1)?.times(a.size.1, a.size.0);
    let Some(share) = one(&part.value).filter(|share| share.is_within(&Number::whole(1))) else {
        return false;
    };
    let Some(sum) = whole.value.plus(&share).filter(|_| whole.value.as_whole() > Some(0)) else {
        return false;
    };
    // The sum is counted in the smaller unit, unless that would change what the unit can mean.
    let fine = sum.times(a.size.0, a.size.1).and_then(|sum| sum.times(b.size.1, b.size.0));
    match fine.filter(|_| large.len() == 1 && small.len() == 1) {
        Some(value) => (whole.value, whole.unit) = (value, part.unit),
        None => whole.value = sum,
    }
    first.end = second.end;
    true
}

/// Whether parts of these units are commonly written one after the other: `5 feet 10 inches`.
fn can_add(units: Units) -> bool {
    units.iter().any(|unit| matches!(unit.group, "length" | "mass"))
}
