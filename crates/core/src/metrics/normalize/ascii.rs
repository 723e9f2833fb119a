//! The fast path of the normalisation: ASCII, eight bytes at a time.
//!
//! Most answers are letters, digits and spaces. Eight such bytes are folded as one number and cut
//! at its spaces; only eights with punctuation go byte by byte.

use super::{BLANK, end_token, is_blank};
use crate::metrics::token::Token;

/// A number that has this byte eight times.
pub(crate) const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The highest bit of each byte: all the answers below are such bits.
pub(crate) const HIGH: u64 = eight(0x80);

/// What is done with a byte: its lower-case form, or one of the two below.
pub(super) const ACTIONS: [u8; 256] = actions();
pub(super) const DELETE: u8 = 0xff;
pub(super) const STAYS: u8 = 0xfe;

const fn actions() -> [u8; 256] {
    let mut actions = [STAYS; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_punctuation() {
            actions[byte as usize] = DELETE;
        } else if is_blank(byte as char) {
            actions[byte as usize] = BLANK;
        } else if byte.is_ascii_alphanumeric() {
            actions[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    actions
}

/// Appends the words of a text, as [`append`](super::append) does. False where a byte is no ASCII
/// or a control character, which ends a word and stays; what was appended so far is of no use.
pub(super) fn append(text: &[u8], bytes: &mut Vec<u8>, tokens: &mut Vec<Token>) -> bool {
    let mut end = bytes.len();
    let mut start = end;
    // More than the text: a byte is written before it is known whether it stays, and the start of
    // a word is read as eight bytes.
    bytes.resize(end + text.len() + 8, 0);
    let (eights, rest) = text.as_chunks::<8>();
    for chunk in eights {
        if let Some(folded) = fold(u64::from_le_bytes(*chunk)) {
            bytes[end..end + 8].copy_from_slice(&folded.to_le_bytes());
            let mut blanks = equal(folded, BLANK);
            while blanks != 0 {
                let at = end + (blanks.trailing_zeros() / 8) as usize;
                end_token(start..at, bytes, tokens);
                start = at + 1;
                blanks &= blanks - 1;
            }
            end += 8;
        } else if !append_each(chunk, &mut start, &mut end, bytes, tokens) {
            return false;
        }
    }
    if !append_each(rest, &mut start, &mut end, bytes, tokens) {
        return false;
    }
    end_token(start..end, bytes, tokens);
    bytes.truncate(end);
    true
}

/// The same byte by byte, for a part of a text; `start` is where the word began, `end` where the
/// next byte goes.
fn append_each(
    text: &[u8],
    start: &mut usize,
    end: &mut usize,
    bytes: &mut [u8],
    tokens: &mut Vec<Token>,
) -> bool {
    let mut stays = false;
    for &byte in text {
        let action = ACTIONS[usize::from(byte)];
        bytes[*end] = action;
        stays |= action == STAYS;
        if action == BLANK {
            end_token(*start..*end, bytes, tokens);
            *start = *end + 1;
        }
        *end += usize::from(action != DELETE);
    }
    !stays
}

/// Eight bytes in lower case, if all are letters, digits and spaces.
pub(super) const fn fold(bytes: u64) -> Option<u64> {
    if bytes & HIGH != 0 {
        return None;
    }
    // A bit more in the high bit's place moves it to bit 5, the one that capitals lack.
    let folded = bytes | within(bytes, b'A', b'Z') >> 2;
    let plain = within(folded, b'a', b'z') | within(folded, b'0', b'9') | equal(folded, BLANK);
    if plain == HIGH { Some(folded) } else { None }
}

/// Which of eight ASCII bytes lie from `low` to `high`.
pub(crate) const fn within(bytes: u64, low: u8, high: u8) -> u64 {
    (bytes + eight(0x80 - low)) & !(bytes + eight(0x7f - high)) & HIGH
}

/// Which of eight ASCII bytes are this one.
pub(super) const fn equal(bytes: u64, byte: u8) -> u64 {
    within(bytes, byte, byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_are_folded_as_each_of_them() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut bytes = *b"aZ 09mXz";
                bytes[place] = byte;
                let plain = byte.is_ascii_alphanumeric() || byte == BLANK;
                let expected = plain.then(|| bytes.to_ascii_lowercase());
                let folded = fold(u64::from_le_bytes(bytes)).map(u64::to_le_bytes);
                assert_eq!(folded.map(Vec::from), expected, "{byte} at {place}");
                if let Some(folded) = folded {
                    let blanks = equal(u64::from_le_bytes(folded), BLANK).to_le_bytes();
                    assert_eq!(blanks, folded.map(|byte| if byte == BLANK { 0x80 } else { 0 }));
                }
            }
        }
    }
}
