//! A word of a normalised text, made to be compared.

use std::ops::Range;

/// Where a word stands in a buffer, with its first eight bytes: most words are no longer, and are
/// compared without a look at the buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    start: usize,
    length: usize,
    /// The first eight bytes; those that the word lacks are zero.
    key: u64,
}

impl Token {
    #[inline]
    pub(crate) fn new(word: Range<usize>, bytes: &[u8]) -> Self {
        let length = word.len();
        let key = if let Some(eight) = bytes[word.start..].first_chunk() {
            let key = u64::from_le_bytes(*eight);
            if length < 8 { key & ((1 << (8 * length)) - 1) } else { key }
        } else {
            let mut eight = [0; 8];
            eight[..length].copy_from_slice(&bytes[word.clone()]);
            u64::from_le_bytes(eight)
        };
        Self { start: word.start, length, key }
    }

    /// Whether it is this word, of at most eight bytes.
    #[inline]
    pub(crate) const fn is_short(self, word: &[u8]) -> bool {
        self.length == word.len() && self.key == key(word)
    }

    /// The word. The buffer must be the one that the token was made of.
    #[inline]
    pub(crate) fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.start + self.length]
    }

    /// A number that equal words share and few others do.
    pub(crate) fn hash(self, bytes: &[u8]) -> u64 {
        let mut hash = mix(self.key, self.length as u64);
        if self.length > 8 {
            let (eights, rest) = self.of(bytes)[8..].as_chunks();
            for eight in eights {
                hash = mix(hash, u64::from_le_bytes(*eight));
            }
            for &byte in rest {
                hash = mix(hash, u64::from(byte));
            }
        }
        hash
    }

    /// Whether two words of one buffer are the same.
    #[inline]
    pub(crate) fn equals(self, other: Self, bytes: &[u8]) -> bool {
        self.key == other.key
            && self.length == other.length
            && (self.length <= 8 || self.of(bytes)[8..] == other.of(bytes)[8..])
    }
}

/// The key of a word of at most eight bytes.
const fn key(word: &[u8]) -> u64 {
    let mut eight = [0; 8];
    let (head, _) = eight.split_at_mut(word.len());
    head.copy_from_slice(word);
    u64::from_le_bytes(eight)
}

/// Both halves of a product, in which each bit depends on many of `left` and `right`.
#[expect(clippy::cast_possible_truncation, reason = "the lower half is what remains")]
fn mix(left: u64, right: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(left ^ right.wrapping_mul(ODD)) * u128::from(ODD);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn tokens_are_equal_where_their_bytes_are(
            left in prop::collection::vec(0_u8..2, 0..12),
            right in prop::collection::vec(0_u8..2, 0..12),
        ) {
            let bytes = [left.as_slice(), right.as_slice()].concat();
            let first = Token::new(0..left.len(), &bytes);
            let second = Token::new(left.len()..bytes.len(), &bytes);
            prop_assert_eq!(first.of(&bytes), left.as_slice());
            prop_assert_eq!(first.equals(second, &bytes), left == right);
            prop_assert!(second.equals(second, &bytes));
        }
    }
}
