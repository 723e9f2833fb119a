//! Tables and runs as trec_eval reads them: what it takes without a word is taken, and where it stops
//! there is an error.

use std::{collections::BTreeMap, path::Path};

use qeval_core::Hits;
use qeval_dataset::verbatim;

use super::{
    super::{Stop, refused},
    TrecVersion,
};

/// A run.
pub(super) struct Retrieved {
    /// The hits of each topic, as they come.
    pub(super) topics: BTreeMap<String, Hits>,
    /// The tag of its last line.
    pub(super) tag: String,
}

/// Reads a table whose lines have `N` columns.
pub(super) fn table<const N: usize>(
    path: &Path,
    version: TrecVersion,
    expected: &str,
    mut take: impl FnMut([&str; N]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let text = verbatim::text(path)?;
    let mut nothing = true;
    for (number, line) in lines(&text, version) {
        let mut columns = columns(line);
        let row = std::array::from_fn(|_| columns.next().unwrap_or_default());
        if row.iter().any(|column| column.is_empty()) || columns.next().is_some() {
            return Err(malformed(path, number, expected));
        }
        take(row)?;
        nothing = false;
    }
    if nothing { Err(empty(path)) } else { Ok(()) }
}

pub(super) fn run(path: &Path, version: TrecVersion) -> Result<Retrieved, Stop> {
    let text = verbatim::text(path)?;
    let mut topics: BTreeMap<String, Hits> = BTreeMap::new();
    let mut tag = "";
    for (number, line) in lines(&text, version) {
        let mut columns = columns(line);
        let mut next = || columns.next();
        let (Some(topic), Some(_), Some(document), Some(_), Some(score), Some(last)) =
            (next(), next(), next(), next(), next(), next())
        else {
            return Err(malformed(path, number, "topic Q0 document rank score tag"));
        };
        tag = last;
        let hits = match topics.get_mut(topic) {
            Some(hits) => hits,
            None => topics.entry(topic.to_owned()).or_default(),
        };
        hits.push(document, stored(real(score), version))
            .map_err(|error| refused(format!("topic `{topic}`: {error}")))?;
    }
    if topics.is_empty() {
        return Err(empty(path));
    }
    Ok(Retrieved { topics, tag: tag.to_owned() })
}

/// The lines that say something, counted as the program counts them. Comments are for the later
/// version alone.
fn lines(text: &str, version: TrecVersion) -> impl Iterator<Item = (usize, &str)> {
    let says = move |line: &&str| {
        let line = line.trim_start_matches(is_space);
        !(line.is_empty() || version == TrecVersion::Ten && line.starts_with('#'))
    };
    (1..).zip(text.split('\n').filter(says))
}

fn columns(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_space).filter(|column| !column.is_empty())
}

/// What C calls a space.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}')
}

/// A score as the program keeps it: the earlier version has 32 bits for it.
fn stored(score: f64, version: TrecVersion) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "this is what the program does")]
    let single = |score: f64| f64::from(score as f32);
    if version == TrecVersion::Nine { single(score) } else { score }
}

/// The number that a text begins with, as C's `atof` reads it; 0 where it begins with none.
pub(super) fn real(text: &str) -> f64 {
    if let Ok(number) = text.parse() {
        return number;
    }
    if let Some(number) = hexadecimal(text) {
        return number;
    }
    let ends = text.char_indices().map(|(end, _)| end).rev();
    ends.filter_map(|end| text.get(..end)).find_map(|head| head.parse().ok()).unwrap_or(0.0)
}

/// The hexadecimal number that a text begins with, as in `0x1.8p3`.
fn hexadecimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut rest = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"))?;
    let (mut mantissa, mut exponent, mut digits, mut point) = (0_u64, 0_i32, 0, false);
    while let Some(character) = rest.chars().next() {
        if let Some(digit) = character.to_digit(16) {
            digits += 1;
            if mantissa >> 59 == 0 {
                mantissa = mantissa << 4 | u64::from(digit);
                exponent -= if point { 4 } else { 0 };
            } else {
                // Behind the digits that are kept it only matters whether there is anything.
                mantissa |= u64::from(digit > 0);
                exponent = exponent.saturating_add(if point { 0 } else { 4 });
            }
        } else if character == '.' && !point {
            point = true;
        } else {
            break;
        }
        rest = &rest[character.len_utf8()..];
    }
    if digits == 0 {
        return None;
    }
    if let Some(power) = rest.strip_prefix(['p', 'P']) {
        exponent = exponent.saturating_add(whole(power));
    }
    // In two steps, neither of which leaves the range alone.
    let exponent = exponent.clamp(-2200, 2200);
    let magnitude =
        mantissa as f64 * 2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

/// The whole number that a text begins with, as C's `atol` reads it.
pub(super) fn whole(text: &str) -> i32 {
    let digits = text.trim_start_matches(['+', '-']);
    let signs = text.len() - digits.len();
    if signs > 1 {
        return 0;
    }
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let magnitude = digits[..length].bytes().fold(0_i32, |number, digit| {
        number.saturating_mul(10).saturating_add(i32::from(digit - b'0'))
    });
    if text.starts_with('-') { -magnitude } else { magnitude }
}

fn malformed(path: &Path, line: usize, expected: &str) -> Stop {
    refused(format!("line {line} of `{}` is malformed, expected `{expected}`", path.display()))
}

fn empty(path: &Path) -> Stop {
    refused(format!("`{}` has nothing in it", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_reads_them() {
        for (text, number) in [
            ("1e-3", 0.001),
            ("abc", 0.0),
            ("2.5x", 2.5),
            ("-7é", -7.0),
            ("inf", f64::INFINITY),
            ("1e", 1.0),
            ("0x10", 16.0),
            ("-0X1.8p3z", -12.0),
            ("0x.1", 0.0625),
            ("0x1p-1074", 5e-324),
            ("0x20000000000001", 9_007_199_254_740_993_u64 as f64),
            ("0x10000000000000000000000000001p-112", 1.0),
            ("0x1p99999", f64::INFINITY),
            ("0x", 0.0),
            ("0xg", 0.0),
        ] {
            assert_eq!(real(text).to_bits(), number.to_bits(), "{text}");
        }
        for (text, number) in [("2", 2), ("-1", -1), ("+3x", 3), ("x", 0), ("--1", 0), ("1.9", 1)] {
            assert_eq!(whole(text), number, "{text}");
        }
        assert_eq!(whole("99999999999"), i32::MAX);
    }
}
