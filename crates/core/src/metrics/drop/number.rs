//! Numbers as Python's `float` reads and writes them.

use unicode_general_category::{GeneralCategory, get_general_category};

use crate::metrics::normalize::is_blank;

/// The number that a text is, if it is one: with blanks around it, `_` between digits and the
/// decimal digits of any script; "inf" and "nan" too.
pub(super) fn parse(text: &str) -> Option<f64> {
    let first = text.bytes().next()?;
    let may_begin = |byte: u8| byte.is_ascii_digit() || b"+-.in \t\n\x0b\x0c\rIN".contains(&byte);
    if first < 128 && !may_begin(first) {
        return None;
    }
    let ascii = if text.is_ascii() { text.to_owned() } else { to_ascii(text)? };
    let digits = without_underscores(ascii.trim_matches(['\t', '\n', '\x0b', '\x0c', '\r', ' ']))?;
    digits.parse().ok()
}

/// Decimal digits of all scripts and blanks in ASCII; nothing else may be outside of it.
fn to_ascii(text: &str) -> Option<String> {
    let convert = |c: char| match c {
        _ if c.is_ascii() => Some(c),
        _ if is_blank(c) => Some(' '),
        _ => digit(c),
    };
    text.chars().map(convert).collect()
}

/// The digit 0 to 9 that a decimal number of another script stands for: they come in tens, in
/// order.
fn digit(c: char) -> Option<char> {
    let is_decimal = |c: u32| {
        let category = char::from_u32(c).map(get_general_category);
        category == Some(GeneralCategory::DecimalNumber)
    };
    let code = u32::from(c);
    if !is_decimal(code) {
        return None;
    }
    let before = (1..=code).take_while(|back| is_decimal(code - back)).count();
    char::from_digit(u32::try_from(before % 10).unwrap_or(0), 10)
}

fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let between_digits = |at: usize| is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1));
    let stray = bytes.iter().enumerate().any(|(at, &byte)| byte == b'_' && !between_digits(at));
    (!stray).then(|| text.replace('_', ""))
}

/// As Python writes it: the shortest form that reads back, with an exponent of two digits or more.
pub(super) fn write(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let text = format!("{value:?}");
    match text.split_once('e') {
        None => text,
        Some((digits, exponent)) => match exponent.strip_prefix('-') {
            Some(exponent) => format!("{digits}e-{exponent:0>2}"),
            None => format!("{digits}e+{exponent:0>2}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_written_as_in_python() {
        for (text, written) in [
            ("5", Some("5.0")),
            (" +5. ", Some("5.0")),
            ("\u{a0}.5", Some("0.5")),
            ("1e3", Some("1000.0")),
            ("1e16", Some("1e+16")),
            ("1.25e-7", Some("1.25e-07")),
            ("0.0001", Some("0.0001")),
            ("123456789012345678", Some("1.2345678901234568e+17")),
            ("1_0", Some("10.0")),
            ("1__0", None),
            ("1_", None),
            ("1_.5", None),
            ("\u{ff15}", Some("5.0")),
            ("\u{1d7d9}", Some("1.0")),
            ("nan", Some("nan")),
            ("infinity", Some("inf")),
            ("1e999", Some("inf")),
            ("5\u{1c}", None),
            ("½", None),
            ("0x1", None),
            ("1 2", None),
            ("", None),
            (".", None),
            ("e5", None),
        ] {
            assert_eq!(parse(text).map(write).as_deref(), written, "{text:?}");
        }
    }
}
