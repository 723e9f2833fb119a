//! A line of a journal: `<sum> <start> <key> <answer>`.
//!
//! The sum is the beginning of the SHA-256 of what follows it, in hexadecimal. The start is the
//! place in the file where the group of the line begins; a group is written when all before it is on
//! the disk. So damage can be told from what a kill leaves: a line that is not as it was written is
//! the end of what was never promised, unless a line of a group that begins behind it is whole.
//!
//! The key is `-` in a line that is no answer.

use sha2::{Digest, Sha256};

use super::AnswerKey;

/// Digits of the sum.
const SUM: usize = 16;

/// A line that is as it was written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Where its group begins.
    pub(super) start: u64,
    /// The question; `None` in a line that is no answer.
    pub(super) key: Option<AnswerKey>,
    /// What it says.
    pub(super) value: &'a [u8],
}

/// Appends a line. The value has no line end in it, as JSON has none.
pub(super) fn write(group: &mut Vec<u8>, start: u64, key: Option<AnswerKey>, value: &[u8]) {
    let key = key.map_or_else(|| "-".to_owned(), |AnswerKey(key)| format!("{key:032x}"));
    let mut rest = format!(" {start} {key} ").into_bytes();
    rest.extend_from_slice(value);
    group.extend_from_slice(sum(&rest).as_bytes());
    group.extend_from_slice(&rest);
    group.push(b'\n');
}

/// Takes a line apart, with its line end; `None` where it is not as it was written.
pub(super) fn parse(line: &[u8]) -> Option<Line<'_>> {
    let line = line.strip_suffix(b"\n")?;
    let (found, rest) = line.split_at_checked(SUM)?;
    if found != sum(rest).as_bytes() {
        return None;
    }
    let mut parts = rest.splitn(4, |&byte| byte == b' ').skip(1);
    let mut next = || parts.next();
    let start = std::str::from_utf8(next()?).ok()?.parse().ok()?;
    let key = match next()? {
        b"-" => None,
        key => Some(AnswerKey(u128::from_str_radix(std::str::from_utf8(key).ok()?, 16).ok()?)),
    };
    Some(Line { start, key, value: next()? })
}

fn sum(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let first = digest.first_chunk().expect("a digest has 32 bytes");
    format!("{:016x}", u64::from_be_bytes(*first))
}
