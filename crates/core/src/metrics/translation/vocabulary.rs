//! Words as numbers, so that they are compared and counted as such.

use std::ops::Range;

/// The words seen so far, numbered from 0 in the order of their first appearance.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary<'a> {
    words: Vec<&'a [u8]>,
    numbers: Numbers,
}

impl<'a> Vocabulary<'a> {
    /// No word yet, with room for about as many as a text of this size has.
    pub(super) fn with_room(bytes: usize) -> Self {
        let words = bytes / 6;
        Self { words: Vec::with_capacity(words), numbers: Numbers::with_room(words) }
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The number of a word that stands in a text; it is added if it is new.
    pub(super) fn add(&mut self, text: &'a str, place: Range<usize>) -> u32 {
        let (key, word) = key(text, place);
        let number = if word.len() <= SHORT {
            self.numbers.add(key, |_| true)
        } else {
            self.numbers.add(key, |number| self.words[number as usize] == word)
        };
        if number as usize == self.words.len() {
            self.words.push(word);
        }
        number
    }

    /// The number of a word that stands in a text, if it was added.
    #[inline]
    pub(super) fn find(&self, text: &str, place: Range<usize>) -> Option<u32> {
        let (key, word) = key(text, place);
        if word.len() <= SHORT {
            self.numbers.find(key, |_| true)
        } else {
            self.numbers.find(key, |number| self.words[number as usize] == word)
        }
    }
}

/// Bytes of a word that fit into its key, beside its length.
const SHORT: usize = 7;

/// A number for a word: if it is short, its bytes and its length, so that no other word has the
/// same; else a hash, which no short word has.
#[inline]
fn key(text: &str, place: Range<usize>) -> (u64, &[u8]) {
    let word = &text.as_bytes()[place.clone()];
    let length = word.len();
    if length > SHORT {
        return (hash(word) | 0xff << 56, word);
    }
    // The length of a word is hard to guess, so there is no branch for each.
    let bytes = match text.as_bytes()[place.start..].first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight) & !(u64::MAX << (8 * length)),
        None => word.iter().rfold(0, |key, &byte| key << 8 | u64::from(byte)),
    };
    (bytes | (length as u64) << 56, word)
}

fn hash(word: &[u8]) -> u64 {
    let (eights, rest) = word.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let eights = eights.iter().chain([&last]);
    eights.fold(0, |hash, eight| mixed(hash ^ u64::from_le_bytes(*eight)))
}

/// Keys, numbered from 0 in the order in which they were added: a hash table whose entry lies at
/// the first free place from the one that its key names.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    /// The numbers where they lie. The places are a power of two, and at most half are taken.
    places: Vec<u32>,
    /// The keys at the same places.
    keys: Vec<u64>,
    count: u32,
}

/// Stands at a free place.
const FREE: u32 = u32::MAX;

impl Numbers {
    /// No key yet, with room for so many.
    pub(super) fn with_room(keys: usize) -> Self {
        let mut numbers = Self::default();
        numbers.reset(keys);
        numbers
    }

    /// Forgets all keys, and makes room for so many.
    pub(super) fn reset(&mut self, keys: usize) {
        let places = (keys * 4).next_power_of_two().max(16);
        self.count = 0;
        self.places.clear();
        self.places.resize(places, FREE);
        // What stands at a free place does not matter.
        self.keys.resize(places, 0);
    }

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// The number of a key, which is added if there is none for which `same` holds too.
    #[inline]
    pub(super) fn add(&mut self, key: u64, same: impl Fn(u32) -> bool) -> u32 {
        let (number, place) = self.look_up(key, same);
        if number != FREE {
            return number;
        }
        let number = self.count;
        self.count += 1;
        assert!(self.count < FREE, "no text has four thousand million words");
        self.places[place] = number;
        self.keys[place] = key;
        if self.len() * 2 > self.places.len() {
            self.grow();
        }
        number
    }

    /// The number of a key for which `same` holds too.
    #[inline]
    pub(super) fn find(&self, key: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let (number, _) = self.look_up(key, same);
        (number != FREE).then_some(number)
    }

    /// The number of a key and its place, or [`FREE`] and the place where it would lie.
    #[expect(clippy::cast_possible_truncation, reason = "the low bits name a place")]
    #[inline]
    fn look_up(&self, key: u64, same: impl Fn(u32) -> bool) -> (u32, usize) {
        let last = self.places.len() - 1;
        let mut place = mixed(key) as usize & last;
        loop {
            let number = self.places[place];
            if number == FREE || self.keys[place] == key && same(number) {
                return (number, place);
            }
            place = (place + 1) & last;
        }
    }

    fn grow(&mut self) {
        let mut larger = Self::with_room(self.places.len());
        let taken = self.places.iter().zip(&self.keys).filter(|&(&number, _)| number != FREE);
        for (&number, &key) in taken {
            let (_, place) = larger.look_up(key, |_| false);
            larger.places[place] = number;
            larger.keys[place] = key;
        }
        larger.count = self.count;
        *self = larger;
    }
}

/// Hash of eight bytes: both halves of their product with an odd number, folded.
#[inline]
fn mixed(bits: u64) -> u64 {
    let (low, high) = (bits ^ 0x9e37_79b9_7f4a_7c15).carrying_mul(0xd6e8_feb8_6659_fd93, 0);
    low ^ high
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_have_the_numbers_of_a_map(words in prop::collection::vec("[ab]{1,20}", 0..80)) {
            let text = words.concat();
            let mut vocabulary = Vocabulary::with_room(0);
            let mut map = HashMap::new();
            let mut start = 0;
            for word in &words {
                let place = start..start + word.len();
                let count = map.len();
                let expected = *map.entry(word).or_insert(count);
                prop_assert_eq!(vocabulary.add(&text, place.clone()) as usize, expected);
                start = place.end;
            }
            prop_assert_eq!(vocabulary.len(), map.len());
            for word in &words {
                let number = vocabulary.find(word, 0..word.len()).map(|number| number as usize);
                prop_assert_eq!(number, map.get(word).copied());
            }
            prop_assert_eq!(vocabulary.find("c", 0..1), None);
        }
    }
}
