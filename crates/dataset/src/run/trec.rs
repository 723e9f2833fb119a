//! The lines of TREC's runs: `query Q0 passage rank score tag`.
//!
//! The rank column is ignored, as trec_eval does: the order is that of the scores. There may be ten
//! million lines, so nothing is allocated for one, blanks are looked for eight bytes at a time, and
//! a plain decimal number is read without the general way. A line mostly begins as the one before;
//! then its first two columns need not be looked for at all.

use std::ops::Range;

use crate::{Problem, trec};

/// What counts of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) query: &'a str,
    pub(super) passage: &'a str,
    pub(super) score: f64,
    /// Whether it is known that the line before in the text has the same query.
    pub(super) again: bool,
}

/// What a line says; `None` for one that says nothing.
pub(super) type Read<'a> = Result<Option<Line<'a>>, Problem>;

/// The lines of a text, each with the place where it begins.
pub(super) fn lines_of(text: &str) -> impl Iterator<Item = (usize, Read<'_>)> {
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut before = Head::default();
    std::iter::from_fn(move || {
        let begin = start;
        if begin == bytes.len() {
            return None;
        }
        if let Some(Alike { passage, score, next }) = alike(bytes, begin, &before)
            && let Some(score) = plain(&bytes[score])
        {
            start = next;
            let (query, passage) = (&text[before.query.clone()], &text[passage]);
            return Some((begin, Ok(Some(Line { query, passage, score, again: true }))));
        }
        let length = memchr::memchr(b'\n', &bytes[begin..]);
        let end = length.map_or(bytes.len(), |length| begin + length);
        start = (end + 1).min(bytes.len());
        Some((begin, line(text, begin..end, &mut before)))
    })
}

/// How a line began, up to its passage.
#[derive(Default)]
struct Head {
    whole: Range<usize>,
    query: Range<usize>,
}

/// Where the columns stand in a line that begins as the one before.
struct Alike {
    passage: Range<usize>,
    score: Range<usize>,
    /// Where the next line begins.
    next: usize,
}

/// Reads a line that begins as the one before, with one blank between its columns and none at its
/// end; `None` for any other.
#[inline]
fn alike(bytes: &[u8], begin: usize, before: &Head) -> Option<Alike> {
    let head = &bytes[before.whole.clone()];
    if head.is_empty() || !bytes[begin..].starts_with(head) {
        return None;
    }
    let passage = begin + head.len();
    let rank = behind_blank(bytes, passage)?;
    let score = behind_blank(bytes, rank)?;
    let tag = behind_blank(bytes, score)?;
    let end = control(bytes, tag)?;
    let whole = end > tag && bytes[end] == b'\n';
    whole.then_some(Alike { passage: passage..rank - 1, score: score..tag - 1, next: end + 1 })
}

/// The place behind the blank that ends a column.
#[inline]
fn behind_blank(bytes: &[u8], start: usize) -> Option<usize> {
    let end = control(bytes, start)?;
    (end > start && matches!(bytes[end], b' ' | b'\t')).then_some(end + 1)
}

/// Place of the first byte that is at most a blank; `None` near the end of the text.
#[inline]
fn control(bytes: &[u8], from: usize) -> Option<usize> {
    let mut place = from;
    loop {
        let low = at_most_blank(*bytes.get(place..)?.first_chunk()?);
        if low != 0 {
            return Some(place + low.trailing_zeros() as usize / 8);
        }
        place += 8;
    }
}

/// The lowest byte that is set here is the first that is at most a blank.
#[inline]
fn at_most_blank(eight: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let eight = u64::from_le_bytes(eight);
    eight.wrapping_sub(ONES * 0x21) & !eight & HIGH
}

/// Reads any line of the text, and remembers how it began.
fn line<'a>(text: &'a str, range: Range<usize>, before: &mut Head) -> Read<'a> {
    let bytes = &text.as_bytes()[..range.end];
    let begin = range.start;
    let mut place = begin;
    let mut next = || column(bytes, &mut place);
    let (Some(query), Some(_), Some(passage), Some(_), Some(score), true) =
        (next(), next(), next(), next(), next(), next().is_some())
    else {
        let line = &text[range];
        return if trec::skipped(line) { Ok(None) } else { Err(too_few(line)) };
    };
    if bytes[begin] == b'#' {
        return Ok(None);
    }
    *before = Head { whole: begin..passage.start, query: query.clone() };
    let (query, passage, score) = (&text[query], &text[passage], &text[score]);
    match number(score) {
        Some(score) => Ok(Some(Line { query, passage, score, again: false })),
        None => Err(Problem::new(format!(
            "the score of passage `{passage}` is `{score}`, expected a number"
        ))),
    }
}

#[cold]
fn too_few(line: &str) -> Problem {
    const NAMES: &str = "query Q0 passage rank score tag";
    let problem = trec::columns::<6>(line, NAMES, true).err();
    problem.unwrap_or_else(|| Problem::new("the line has too few columns"))
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
    let mut place = from;
    while let Some(eight) = bytes.get(place..).and_then(<[u8]>::first_chunk) {
        let low = at_most_blank(*eight);
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

    fn one(text: &str) -> Result<Option<Line<'_>>, Problem> {
        let mut lines = lines_of(text);
        let (_, line) = lines.next().unwrap_or((0, Ok(None)));
        assert!(lines.next().is_none());
        line
    }

    #[test]
    fn a_line_has_its_columns_whatever_the_blanks() {
        let check = |line: &str, expected: (&str, &str, f64)| {
            let (query, passage, score) = expected;
            assert_eq!(one(line), Ok(Some(Line { query, passage, score, again: false })));
        };
        check("q1 Q0 d1 1 0.5 a", ("q1", "d1", 0.5));
        check("\tq1  Q0\td1 1\u{c}-1e-3 a b c\r", ("q1", "d1", -1e-3));
        check(
            "ä\u{1}b Q0 a-very-long-passage-id-é 1 inf x",
            ("ä\u{1}b", "a-very-long-passage-id-é", f64::INFINITY),
        );
        for line in ["", " \t\r", "# q1 Q0 d1 1 0.5 a", "#q1 Q0 d1 1 0.5 a", "#"] {
            assert_eq!(one(line), Ok(None), "{line:?}");
        }
        assert!(one("q1 Q0 d1 1 0.5").is_err());
        assert!(one(" #1 Q0 d1 1 0.5 a").unwrap().is_some());
    }

    #[test]
    fn a_column_does_not_reach_into_the_next_line() {
        let faults = |text| lines_of(text).filter(|(_, line)| line.is_err()).count();
        assert_eq!(faults("q1 Q0 d1 1 0.5 a\nq1 Q0\nd1 1 0.5 a\n"), 2);
        assert_eq!(faults("q1 Q0 d1 1 0.5\na\n"), 2);
        assert_eq!(faults("q1\n"), 1);
    }

    type Columns<'a> = (&'a str, &'a str, f64);

    /// What the lines of a text say, one column after the other.
    fn slowly(text: &str) -> Vec<(usize, Option<Columns<'_>>)> {
        let mut start = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let columns: Vec<&str> = line.split_ascii_whitespace().collect();
            let read = match columns[..] {
                [query, _, passage, _, score, _, ..] if !line.starts_with('#') => {
                    number(score).map(|score| (query, passage, score))
                }
                _ => None,
            };
            start += line.len();
            (start - line.len(), read)
        });
        lines.collect()
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
        fn lines_are_those_of_the_general_way(
            lines in prop::collection::vec("(#|[ \t])?(q|q1|é)[ ]{1,2}(Q0|\u{1})[ \u{b}\u{c}]d?[ ][1é] [0-9]\\.?[ ]?[ \r]t?[ \n]", 0..8)
        ) {
            let text = lines.concat();
            let read: Vec<_> = lines_of(&text).map(|(start, line)| (start, line.ok().flatten().map(|l| (l.query, l.passage, l.score)))).collect();
            prop_assert_eq!(read, slowly(&text));
        }
    }
}
