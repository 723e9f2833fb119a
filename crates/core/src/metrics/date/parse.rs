//! The forms of a date. Each looks at the tokens from their first on.

use super::{
    Date, Year,
    tokens::{Token, Unit},
};

/// The first date of a text.
pub(super) fn first(tokens: &[Token], day_first: bool) -> Option<Date> {
    if let [Token::Month(month)] = tokens {
        return Some(Date { month: Some(*month), ..Date::default() });
    }
    (0..tokens.len()).find_map(|start| {
        let rest = &tokens[start..];
        // The second number of `31.2.1953` or of `26-28 July` begins no date by numbers.
        if start > 0 && matches!(tokens[start - 1], Token::Tie(_)) {
            return day_month(rest);
        }
        let by_number = || year_first(rest).or_else(|| numeric(rest, day_first));
        let by_name = || day_month(rest).or_else(|| month_day(rest)).or_else(|| month_year(rest));
        units(rest).or_else(by_number).or_else(by_name).or_else(|| bare_year(rest))
    })
}

/// 1953年7月26日, or a part of it.
fn units(tokens: &[Token]) -> Option<Date> {
    let mut date = Date::default();
    let mut rest = tokens;
    while let [Token::Number { value, digits }, Token::Unit(unit), after @ ..] = rest {
        match unit {
            Unit::Year if date == Date::default() => date.year = Some(year(*value, *digits)?),
            Unit::Month if date.month.is_none() && date.day.is_none() => date.month = small(*value),
            Unit::Day if date.day.is_none() => date.day = small(*value),
            _ => break,
        }
        rest = after;
    }
    date.valid().filter(|date| *date != Date::default())
}

/// 1953-07-26, 1953-07.
fn year_first(tokens: &[Token]) -> Option<Date> {
    let [Token::Number { value, digits: 4 }, rest @ ..] = tokens else { return None };
    let year = Some(year(*value, 4)?);
    match rest {
        [
            Token::Tie(a),
            Token::Number { value: month, digits: 1 | 2 },
            Token::Tie(b),
            Token::Number { value: day, digits: 1 | 2 },
            ..,
        ] if a == b && parts_date(*a) => {
            Date { year, month: small(*month), day: small(*day) }.valid()
        }
        [_, _, Token::Tie('-' | '/' | '.'), ..] => None,
        [Token::Tie('-'), Token::Number { value: month, digits: 2 }, ..] => {
            Date { year, month: small(*month), day: None }.valid()
        }
        _ => None,
    }
}

/// 26.7.1953 and 26. 7. 1953 in either order, 7/1953.
fn numeric(tokens: &[Token], day_first: bool) -> Option<Date> {
    let [Token::Number { value: first, digits: 1 | 2 }, rest @ ..] = tokens else { return None };
    let first = small(*first);
    match rest {
        [
            Token::Tie(a) | Token::Sign(a),
            Token::Number { value: second, digits: 1 | 2 },
            Token::Tie(b) | Token::Sign(b),
            Token::Number { value, digits: digits @ (2 | 4) },
            ..,
        ] if a == b && parts_date(*a) => {
            let year = Some(year(*value, *digits)?);
            let second = small(*second);
            let day_month = Date { year, month: second, day: first }.valid();
            let month_day = Date { year, month: first, day: second }.valid();
            if day_first { day_month.or(month_day) } else { month_day.or(day_month) }
        }
        [Token::Tie(a), Token::Number { value, digits: 4 }, ..] if parts_date(*a) => {
            Date { year: Some(year(*value, 4)?), month: first, day: None }.valid()
        }
        _ => None,
    }
}

/// 26 July 1953, 26. Juli, 26-Jul-1953, 5 Sept., 2001.
fn day_month(tokens: &[Token]) -> Option<Date> {
    let [Token::Number { value: day, digits: 1 | 2 }, rest @ ..] = tokens else { return None };
    let [Token::Month(month), rest @ ..] = after_sign(rest, &['.', '-', '/', ',']) else {
        return None;
    };
    let year = year_after(after_month(rest));
    Date { year, month: Some(*month), day: small(*day) }.valid()
}

/// July 26, 1953; Jul. 26.
fn month_day(tokens: &[Token]) -> Option<Date> {
    let [Token::Month(month), rest @ ..] = tokens else { return None };
    let [Token::Number { value: day, digits: 1 | 2 }, rest @ ..] = after_sign(rest, &['.', '-'])
    else {
        return None;
    };
    let year = year_after(after_sign(rest, &[',', '.', '-']));
    Date { year, month: Some(*month), day: small(*day) }.valid()
}

/// July 1953.
fn month_year(tokens: &[Token]) -> Option<Date> {
    let [Token::Month(month), rest @ ..] = tokens else { return None };
    let rest = after_month(rest);
    let long = matches!(rest, [Token::Number { digits: 3 | 4, .. }, ..]);
    let year = year_after(rest).filter(|year| long || matches!(year, Year::Full(..0)))?;
    Date { year: Some(year), month: Some(*month), day: None }.valid()
}

/// 1953; 44 BC.
fn bare_year(tokens: &[Token]) -> Option<Date> {
    let year = match tokens {
        [Token::Number { .. }, Token::BeforeChrist, ..] => year_after(tokens)?,
        [Token::Number { value: 1000..=2999, digits: 4 }, rest @ ..] if !ties_two(rest) => {
            year_after(tokens)?
        }
        _ => return None,
    };
    Some(Date { year: Some(year), ..Date::default() })
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

/// The year at the front.
fn year_after(tokens: &[Token]) -> Option<Year> {
    match tokens {
        [Token::Number { value, .. }, Token::BeforeChrist, ..] => {
            (*value > 0).then(|| Year::Full(-i32::from(*value)))
        }
        // The hour of a time, or a number with a fraction.
        [Token::Number { .. }, Token::Tie(':' | '.' | ','), ..] => None,
        [Token::Number { value, digits: digits @ 2..=4 }, ..] => year(*value, *digits),
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

fn small(value: u16) -> Option<u8> {
    u8::try_from(value).ok()
}
