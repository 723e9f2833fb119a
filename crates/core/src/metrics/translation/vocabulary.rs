//! Words as numbers, so that they are compared and counted as such.

/// The words seen so far, numbered from 0 in the order of their first appearance.
#[derive(Debug)]
pub(super) struct Vocabulary<'a> {
    words: Vec<Word<'a>>,
    places: Places,
}

#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    bytes: &'a [u8],
    hash: u64,
}

impl<'a> Vocabulary<'a> {
    /// No word yet, with room for about as many as a text of this size has.
    pub(super) fn with_room(bytes: usize) -> Self {
        Self { words: Vec::with_capacity(bytes / 8), places: Places::new(bytes / 8) }
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The number of a word, which is added if it is new.
    pub(super) fn add(&mut self, bytes: &'a [u8]) -> u32 {
        let hash = hash(bytes);
        let known = |number: u32| self.words[number as usize].is(bytes, hash);
        match self.places.find(hash, known) {
            Ok(number) => number,
            Err(place) => {
                let number = number(self.words.len());
                self.words.push(Word { bytes, hash });
                self.places.fill(place, number);
                if self.places.are_too_few_for(self.words.len()) {
                    self.places = Places::new(self.words.len() * 2);
                    for (number, word) in (0..).zip(&self.words) {
                        if let Err(place) = self.places.find(word.hash, |_| false) {
                            self.places.fill(place, number);
                        }
                    }
                }
                number
            }
        }
    }

    /// The number of a word, if it was added.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<u32> {
        let hash = hash(bytes);
        self.places.find(hash, |number| self.words[number as usize].is(bytes, hash)).ok()
    }
}

impl Word<'_> {
    fn is(self, bytes: &[u8], hash: u64) -> bool {
        self.hash == hash && self.bytes == bytes
    }
}

/// Where the numbers of a table lie: at the first free place from the one that a hash names.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// A power of two of them.
    places: Vec<u32>,
}

/// Stands at a free place, and for no number.
pub(super) const NONE: u32 = u32::MAX;

impl Places {
    /// Free places, at most half of which will be taken by so many numbers.
    pub(super) fn new(numbers: usize) -> Self {
        let mut places = Self::default();
        places.reset(numbers);
        places
    }

    /// Frees all places and makes enough of them.
    pub(super) fn reset(&mut self, numbers: usize) {
        self.places.clear();
        self.places.resize((numbers * 2).next_power_of_two().max(16), NONE);
    }

    fn are_too_few_for(&self, numbers: usize) -> bool {
        numbers * 2 > self.places.len()
    }

    /// The number for which `known` holds, or the free place where it would lie.
    #[expect(clippy::cast_possible_truncation, reason = "the low bits name a place")]
    pub(super) fn find(&self, hash: u64, known: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let last = self.places.len() - 1;
        let mut place = hash as usize & last;
        loop {
            match self.places[place & last] {
                NONE => return Err(place & last),
                number if known(number) => return Ok(number),
                _ => place += 1,
            }
        }
    }

    /// Puts a number at a free place.
    pub(super) fn fill(&mut self, place: usize, number: u32) {
        self.places[place] = number;
    }
}

/// A count as a number of a table.
pub(super) fn number(count: usize) -> u32 {
    let number = u32::try_from(count).ok().filter(|&number| number != NONE);
    number.expect("no text has four thousand million words")
}

/// Hash of eight bytes: both halves of their product with an odd number, folded.
pub(super) fn mixed(bits: u64) -> u64 {
    let (low, high) = (bits ^ 0x9e37_79b9_7f4a_7c15).carrying_mul(0xd6e8_feb8_6659_fd93, 0);
    low ^ high
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let mut rest = bytes;
    while let Some((eight, after)) = rest.split_first_chunk() {
        hash = mixed(hash ^ u64::from_le_bytes(*eight));
        rest = after;
    }
    mixed(hash ^ few(rest))
}

/// Fewer than eight bytes as a number.
fn few(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_have_the_numbers_of_a_map(words in prop::collection::vec("[ab]{0,20}", 0..80)) {
            let mut vocabulary = Vocabulary::with_room(0);
            let mut map = HashMap::new();
            for word in &words {
                let count = map.len();
                let expected = *map.entry(word).or_insert(count);
                prop_assert_eq!(vocabulary.add(word.as_bytes()) as usize, expected);
            }
            prop_assert_eq!(vocabulary.len(), map.len());
            for (word, &number) in &map {
                prop_assert_eq!(vocabulary.find(word.as_bytes()), Some(number as u32));
            }
            prop_assert_eq!(vocabulary.find(b"c"), None);
        }
    }
}
