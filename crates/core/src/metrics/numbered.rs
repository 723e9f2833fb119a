//! Texts whose words are numbers: equal words have equal numbers, so that counting, matching and
//! alignment never look at letters again.

use std::{hash::BuildHasher, ops::Range};

use hashbrown::{DefaultHashBuilder, HashTable};

/// Gives each distinct word a number, from 0, in the order in which they are met.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    /// Where each word stands in `bytes`.
    places: Vec<Range<usize>>,
    bytes: Vec<u8>,
}

impl Numbers {
    /// The number of a word.
    pub(crate) fn number(&mut self, word: &[u8]) -> u32 {
        let Self { hasher, table, places, bytes } = self;
        let same = |&number: &u32| bytes[places[number as usize].clone()] == *word;
        let hash = |word: &[u8]| hasher.hash_one(word);
        let known = table.find(hash(word), same);
        if let Some(&number) = known {
            return number;
        }
        let number = u32::try_from(places.len()).expect("memory ends before numbers do");
        let start = bytes.len();
        bytes.extend_from_slice(word);
        places.push(start..bytes.len());
        let again = |&number: &u32| hash(&bytes[places[number as usize].clone()]);
        table.insert_unique(hash(word), number, again);
        number
    }

    /// How many distinct words there were.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }
}

/// The numbers of the words of a text, line by line. What a line is depends on who cuts the text.
#[derive(Debug, Default)]
pub(crate) struct NumberedText {
    words: Vec<u32>,
    /// Where each line ends in `words`.
    ends: Vec<usize>,
}

impl NumberedText {
    pub(crate) fn push(&mut self, word: u32) {
        self.words.push(word);
    }

    pub(crate) fn end_line(&mut self) {
        self.ends.push(self.words.len());
    }

    /// The words of all lines.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words of each line.
    pub(crate) fn lines(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.words[std::mem::replace(&mut start, end)..end])
    }
}
