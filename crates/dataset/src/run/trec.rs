//! The lines of TREC's runs: `query Q0 passage rank score tag`.
//!
//! The rank column is ignored, as trec_eval does: the order is that of the scores. There may be ten
//! million lines, so nothing is allocated for one, blanks are looked for eight bytes at a time, and
//! a plain decimal number is read without the general way.

use std::ops::Range;

use crate::{Problem, trec};

/// What counts of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) query: &'a str,
    pub(super) passage: &'a str,
    pub(super) score: f64,
}

impl<'a> Line<'a> {
    /// Reads a line; `None` for one that says nothing.
    pub(super) fn parse(line: &'a str) -> Result<Option<Self>, Problem> {
        let bytes = line.as_bytes();
        let mut place = 0;
        let mut next = || column(bytes, &mut place);
        let (Some(query), Some(_), Some(passage), Some(_), Some(score), true) =
            (next(), next(), next(), next(), next(), next().is_some())
        else {
            return if trec::skipped(line) { Ok(None) } else { Err(too_few(line)) };
        };
        let (query, passage, score) = (&line[query], &line[passage], &line[score]);
        if query.starts_with('#') && line.starts_with('#') {
            return Ok(None);
        }
        match number(score) {
            Some(score) => Ok(Some(Self { query, passage, score })),
            None => Err(Problem::new(format!(
                "the score of passage `{passage}` is `{score}`, expected a number"
            ))),
        }
    }
}

#[cold]
fn too_few(line: &str) -> Problem {
    const NAMES: &str = "query Q0 passage rank score tag";
    let problem = trec::columns::<6>(line, NAMES, true).err();
    problem.unwrap_or_else(|| Problem::new("the line has too few columns"))
}

/// The lines of a text without their ends, with the places where they begin.
pub(super) fn lines_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        if rest.is_empty() {
            return None;
        }
        let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = (start, &rest[..length]);
        start = (start + length + 1).min(text.len());
        Some(line)
    })
}

/// Where the next column stands, which begins behind blanks; `place` is behind it then.
#[inline]
fn column(bytes: &[u8], place: &mut usize) -> Option<Range<usize>> {
    let mut start = *place;
    while bytes.get(start)?.is_ascii_whitespace() {
        start += 1;
    }
    *place = blank(bytes, start);
    Some(start..*place)
}

/// Place of the first blank from here on.
#[inline]
fn blank(bytes: &[u8], from: usize) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    let mut place = from;
    while let Some(eight) = bytes.get(place..).and_then(<[u8]>::first_chunk::<8>) {
        let eight = u64::from_le_bytes(*eight);
        // The lowest byte that is set here is the first that is at most a blank.
        let low = eight.wrapping_sub(ONES * 0x21) & !eight & HIGH;
        if low == 0 {
            place += 8;
            continue;
        }
        place += low.trailing_zeros() as usize / 8;
        if bytes[place].is_ascii_whitespace() {
            return place;
        }
        place += 1;
    }
    let rest = bytes[place..].iter().position(u8::is_ascii_whitespace);
    rest.map_or(bytes.len(), |length| place + length)
}

/// The number that a text is; `None` for none, and for NaN.
pub(super) fn number(text: &str) -> Option<f64> {
    plain(text.as_bytes()).or_else(|| text.parse().ok()).filter(|number| !number.is_nan())
}

/// A number of few digits, perhaps with a point: up to 15 digits are exact in a float, as are the
/// powers of ten up to 22, and a division of the two rounds once.
fn plain(bytes: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    if !(1..=15).contains(&digits.len()) {
        return None;
    }
    let (mut whole, mut behind, mut point) = (0_u64, 0, false);
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                whole = whole * 10 + u64::from(byte - b'0');
                behind += usize::from(point);
            }
            b'.' if !point && digits.len() > 1 => point = true,
            _ => return None,
        }
    }
    let value = whole as f64 / POWERS[behind];
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_has_its_columns_whatever_the_blanks() {
        let check = |line: &str, expected: (&str, &str, f64)| {
            let (query, passage, score) = expected;
            assert_eq!(Line::parse(line), Ok(Some(Line { query, passage, score })));
        };
        check("q1 Q0 d1 1 0.5 a", ("q1", "d1", 0.5));
        check("\tq1  Q0\td1 1\u{c}-1e-3 a b c\r", ("q1", "d1", -1e-3));
        check(
            "ä\u{1}b Q0 a-very-long-passage-id-é 1 inf x",
            ("ä\u{1}b", "a-very-long-passage-id-é", f64::INFINITY),
        );
        for line in ["", " \t\r", "# q1 Q0 d1 1 0.5 a", "#q1 Q0 d1 1 0.5 a", "#"] {
            assert_eq!(Line::parse(line), Ok(None), "{line:?}");
        }
        assert!(Line::parse("q1 Q0 d1 1 0.5").is_err());
        assert!(Line::parse(" #1 Q0 d1 1 0.5 a").unwrap().is_some());
    }

    #[test]
    fn lines_are_those_of_the_text() {
        let lines = |text: &'static str| lines_of(text).collect::<Vec<_>>();
        assert_eq!(lines("a\n\nbc"), [(0, "a"), (2, ""), (3, "bc")]);
        assert_eq!(lines("a\n"), [(0, "a")]);
        assert_eq!(lines(""), []);
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_general_way(
            text in prop_oneof!["-?[0-9]{0,9}[.]?[0-9]{0,9}", "[-+0-9.einfa]{0,8}", any::<f64>().prop_map(|n| n.to_string())]
        ) {
            let expected: Option<f64> = text.parse().ok().filter(|n: &f64| !n.is_nan());
            prop_assert_eq!(number(&text).map(f64::to_bits), expected.map(f64::to_bits));
        }

        #[test]
        fn columns_are_those_of_the_general_way(line in "[ \t\r\u{b}\u{c}\u{1}aé𝔘]{0,40}") {
            let expected: Vec<&str> = line.split_ascii_whitespace().collect();
            let mut place = 0;
            let columns = std::iter::from_fn(|| column(line.as_bytes(), &mut place));
            prop_assert_eq!(columns.map(|range| &line[range]).collect::<Vec<_>>(), expected);
        }
    }
}
