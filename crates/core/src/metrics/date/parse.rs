//! The forms of a date. Each looks at the tokens from their first on, and says how what stands there
//! would read and what follows it. There may be no such day.

use super::{
    Date, Year,
    tokens::{Token, Unit},
};

/// What a form reads at the front, and the tokens behind it.
type Found<'a> = Option<(Date, &'a [Token])>;

/// The first date of a text. Where a form finds a day that does not exist, all of what it read is no
/// date: "31 April 2000" does not say April 2000.
pub(super) fn first(tokens: &[Token], day_first: bool) -> Option<Date> {
    if let [Token::Month(month)] = tokens {
        return Some(Date { month: Some(*month), ..Date::default() });
    }
    let mut start = 0;
    while start < tokens.len() {
        match at(tokens, start, day_first) {
            Some((date, rest)) => match date.valid() {
                Some(date) => return Some(date),
                None => start = tokens.len() - rest.len(),
            },
            None => start += 1,
        }
    }
    None
}

fn at(tokens: &[Token], start: usize, day_first: bool) -> Found<'_> {
    let rest = &tokens[start..];
    // The second number of `31.2.1953` or of `26-28 July` begins no date by numbers.
    if start > 0 && matches!(tokens[start - 1], Token::Tie(_)) {
        return day_month(rest);
    }
    let by_number = || year_first(rest).or_else(|| numeric(rest, day_first));
    let by_name = || day_month(rest).or_else(|| month_day(rest)).or_else(|| month_year(rest));
    units(rest).or_else(by_number).or_else(by_name).or_else(|| bare_year(rest))
}

/// 1953年7月26日, or a part of it.
fn units(tokens: &[Token]) -> Found<'_> {
    let mut date = Date::default();
    let mut rest = tokens;
    while let [Token::Number { value, digits }, Token::Unit(unit), after @ ..] = rest {
        match unit {
            Unit::Year if date == Date::default() => date.year = Some(year(*value, *digits)?),
            Unit::Month if date.month.is_none() && date.day.is_none() => {
                date.month = Some(small(*value));
            }
            Unit::Day if date.day.is_none() => date.day = Some(small(*value)),
            _ => break,
        }
        rest = after;
    }
    (date != Date::default()).then_some((date, rest))
}

/// 1953-07-26, 1953-07.
fn year_first(tokens: &[Token]) -> Found<'_> {
    let [Token::Number { value, digits: 4 }, rest @ ..] = tokens else { return None };
    let year = Some(year(*value, 4)?);
    match rest {
        [
            Token::Tie(a),
            Token::Number { value: month, digits: 1 | 2 },
            Token::Tie(b),
            Token::Number { value: day, digits: 1 | 2 },
            rest @ ..,
        ] if a == b && parts_date(*a) => {
            Some((Date { year, month: Some(small(*month)), day: Some(small(*day)) }, rest))
        }
        [_, _, Token::Tie('-' | '/' | '.'), ..] => None,
        // 1939-45 are years.
        [Token::Tie('-'), Token::Number { value: month @ 1..=12, digits: 2 }, rest @ ..] => {
            Some((Date { year, month: Some(small(*month)), day: None }, rest))
        }
        _ => None,
    }
}

/// 26.7.1953 and 26. 7. 1953 in either order, 7/1953.
fn numeric(tokens: &[Token], day_first: bool) -> Found<'_> {
    let [Token::Number { value: first, digits: 1 | 2 }, rest @ ..] = tokens else { return None };
    let first = Some(small(*first));
    match rest {
        [
            Token::Tie(a) | Token::Sign(a),
            Token::Number { value: second, digits: 1 | 2 },
            Token::Tie(b) | Token::Sign(b),
            Token::Number { value, digits: digits @ (2 | 4) },
            rest @ ..,
        ] if a == b && parts_date(*a) => {
            let year = Some(year(*value, *digits)?);
            let second = Some(small(*second));
            let day_month = Date { year, month: second, day: first };
            let month_day = Date { year, month: first, day: second };
            let (date, other) =
                if day_first { (day_month, month_day) } else { (month_day, day_month) };
            Some((date.valid().or(other.valid()).unwrap_or(date), rest))
        }
        [Token::Tie(a), Token::Number { value, digits: 4 }, rest @ ..] if parts_date(*a) => {
            Some((Date { year: Some(year(*value, 4)?), month: first, day: None }, rest))
        }
        _ => None,
    }
}

/// 26 July 1953, 26. Juli, 26-Jul-1953, 5 Sept., 2001.
fn day_month(tokens: &[Token]) -> Found<'_> {
    let [Token::Number { value: day, digits: 1 | 2 }, rest @ ..] = tokens else { return None };
    // A large number with a comma is another number: `page 45, July 1953`.
    let signs: &[char] = if *day > 31 { &['.', '-', '/'] } else { &['.', '-', '/', ','] };
    let [Token::Month(month), rest @ ..] = after_sign(rest, signs) else {
        return None;
    };
    let (year, rest) = perhaps_year(after_month(rest), rest);
    Some((Date { year, month: Some(*month), day: Some(small(*day)) }, rest))
}

/// July 26, 1953; Jul. 26.
fn month_day(tokens: &[Token]) -> Found<'_> {
    let [Token::Month(month), rest @ ..] = tokens else { return None };
    let [Token::Number { value: day, digits: 1 | 2 }, rest @ ..] = after_sign(rest, &['.', '-'])
    else {
        return None;
    };
    if let [Token::BeforeChrist, ..] = rest {
        return None;
    }
    let (year, rest) = perhaps_year(after_sign(rest, &[',', '.', '-']), rest);
    Some((Date { year, month: Some(*month), day: Some(small(*day)) }, rest))
}

/// July 1953.
fn month_year(tokens: &[Token]) -> Found<'_> {
    let [Token::Month(month), rest @ ..] = tokens else { return None };
    let rest = after_month(rest);
    let long = matches!(rest, [Token::Number { digits: 3 | 4, .. }, ..]);
    let (year, rest) = year_after(rest)?;
    let certain = long || matches!(year, Year::Full(..0));
    certain.then_some((Date { year: Some(year), month: Some(*month), day: None }, rest))
}

/// 1953; 44 BC.
fn bare_year(tokens: &[Token]) -> Found<'_> {
    let (year, rest) = match tokens {
        [Token::Number { .. }, Token::BeforeChrist, ..] => year_after(tokens)?,
        [Token::Number { value: 1000..=2999, digits: 4 }, rest @ ..] if !ties_two(rest) => {
            year_after(tokens)?
        }
        _ => return None,
    };
    Some((Date { year: Some(year), ..Date::default() }, rest))
}

/// Whether a number is the first of three that are no date.
fn ties_two(rest: &[Token]) -> bool {
    matches!(rest, [Token::Tie(_), _, Token::Tie(_), ..])
}

fn parts_date(sign: char) -> bool {
    matches!(sign, '-' | '/' | '.')
}

/// What follows the name of a month, which may be cut short: `Sept., 2001`.
fn after_month(tokens: &[Token]) -> &[Token] {
    after_sign(after_sign(tokens, &['.']), &['-', '/', ','])
}

fn after_sign<'a>(tokens: &'a [Token], signs: &[char]) -> &'a [Token] {
    match tokens {
        [Token::Sign(sign), rest @ ..] if signs.contains(sign) => rest,
        _ => tokens,
    }
}

/// The year at the front of `tokens`, and what follows; where there is none, `rest` follows.
fn perhaps_year<'a>(tokens: &'a [Token], rest: &'a [Token]) -> (Option<Year>, &'a [Token]) {
    year_after(tokens).map_or((None, rest), |(year, rest)| (Some(year), rest))
}

/// The year at the front, and what follows.
fn year_after(tokens: &[Token]) -> Option<(Year, &[Token])> {
    match tokens {
        [Token::Number { value, .. }, Token::BeforeChrist, rest @ ..] => {
            (*value > 0).then(|| (Year::Full(-i32::from(*value)), rest))
        }
        // The hour of a time, or a number with a fraction.
        [Token::Number { .. }, Token::Tie(':' | '.' | ','), ..] => None,
        [Token::Number { value, digits: digits @ 2..=4 }, rest @ ..] => {
            Some((year(*value, *digits)?, rest))
        }
        _ => None,
    }
}

fn year(value: u16, digits: u8) -> Option<Year> {
    match (digits, u8::try_from(value)) {
        (2, Ok(short)) => Some(Year::Short(short)),
        (3 | 4, _) if value > 0 => Some(Year::Full(i32::from(value))),
        _ => None,
    }
}

/// A month or a day, of which there may be none.
fn small(value: u16) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}
