//! Texts whose words are numbers: equal words have equal numbers, so that counting, matching and
//! alignment never look at letters again.

use std::ops::Range;

use hashbrown::HashTable;

use super::token::Token;

/// Texts as they are cut: the words of all of them in one buffer.
#[derive(Debug, Default)]
pub(crate) struct CutTexts {
    pub(crate) bytes: Vec<u8>,
    words: Vec<Token>,
    /// Where each line ends in `words`.
    lines: Vec<usize>,
    /// Where each text ends in `words` and in `lines`.
    texts: Vec<Place>,
}

/// So many words and lines stand before a place.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    words: usize,
    lines: usize,
}

impl CutTexts {
    /// Room for texts of so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes + bytes / 8),
            words: Vec::with_capacity(bytes / 4),
            ..Self::default()
        }
    }

    /// The next word stands here in `bytes`.
    pub(crate) fn word(&mut self, word: Range<usize>) {
        self.words.push(Token::new(word, &self.bytes));
    }

    /// The next word.
    pub(crate) fn push(&mut self, word: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(word);
        self.word(start..self.bytes.len());
    }

    /// A line ends. What a line is depends on who cuts the text.
    pub(crate) fn end_line(&mut self) {
        self.lines.push(self.words.len());
    }

    /// A text ends.
    pub(crate) fn end_text(&mut self) {
        self.texts.push(Place { words: self.words.len(), lines: self.lines.len() });
    }

    /// The words of all texts.
    pub(crate) fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.words.iter().map(|word| word.of(&self.bytes))
    }

    /// Gives each distinct word a number, from 0.
    pub(crate) fn number(self) -> NumberedTexts {
        let mut numbers = Numbers::with_capacity(self.words.len());
        let words = self.words.iter().map(|&word| numbers.number(word, &self.bytes)).collect();
        let distinct = numbers.distinct.len();
        NumberedTexts { words, lines: self.lines, texts: self.texts, distinct }
    }

    /// Gives words that become the same a common number. `change` is asked once for each distinct
    /// word.
    pub(crate) fn number_changed(mut self, change: impl Fn(&mut Vec<u8>)) -> NumberedTexts {
        let mut numbers = Numbers::with_capacity(self.words.len());
        let mut changed_numbers = Numbers::with_capacity(self.words.len());
        // For each distinct word the number of what it became.
        let mut changed: Vec<u32> = Vec::with_capacity(self.words.len());
        let mut word = Vec::new();
        let mut words = Vec::with_capacity(self.words.len());
        for &token in &self.words {
            let number = numbers.number(token, &self.bytes) as usize;
            if number == changed.len() {
                word.clear();
                word.extend_from_slice(token.of(&self.bytes));
                change(&mut word);
                let start = self.bytes.len();
                self.bytes.extend_from_slice(&word);
                let token = Token::new(start..self.bytes.len(), &self.bytes);
                changed.push(changed_numbers.number(token, &self.bytes));
            }
            words.push(changed[number]);
        }
        let distinct = changed_numbers.distinct.len();
        NumberedTexts { words, lines: self.lines, texts: self.texts, distinct }
    }
}

/// The numbers of distinct words, in the order in which they are met.
struct Numbers {
    table: HashTable<u32>,
    distinct: Vec<Token>,
}

impl Numbers {
    fn with_capacity(words: usize) -> Self {
        Self { table: HashTable::with_capacity(words), distinct: Vec::with_capacity(words) }
    }

    fn number(&mut self, word: Token, bytes: &[u8]) -> u32 {
        let Self { table, distinct } = self;
        let entry = table.entry(
            word.hash(bytes),
            |&number| distinct[number as usize].equals(word, bytes),
            |&number| distinct[number as usize].hash(bytes),
        );
        let next = || u32::try_from(distinct.len()).expect("memory ends before numbers do");
        let number = *entry.or_insert_with(next).get();
        if number as usize == distinct.len() {
            distinct.push(word);
        }
        number
    }
}

/// The numbers of the words of some texts, line by line.
#[derive(Debug)]
pub(crate) struct NumberedTexts {
    words: Vec<u32>,
    lines: Vec<usize>,
    texts: Vec<Place>,
    /// How many distinct words there are: all numbers are smaller.
    pub(crate) distinct: usize,
}

/// The numbers of the words of one text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberedText<'a> {
    pub(crate) words: &'a [u32],
    texts: &'a NumberedTexts,
    start: Place,
    end: Place,
}

impl NumberedTexts {
    /// The texts, in order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = NumberedText<'_>> {
        (0..self.texts.len()).map(|index| self.text(index))
    }

    /// The text of that index.
    pub(crate) fn text(&self, index: usize) -> NumberedText<'_> {
        let start = if index == 0 { Place::default() } else { self.texts[index - 1] };
        let end = self.texts[index];
        NumberedText { words: &self.words[start.words..end.words], texts: self, start, end }
    }
}

impl<'a> NumberedText<'a> {
    /// The words of each line.
    pub(crate) fn lines(self) -> impl Iterator<Item = &'a [u32]> {
        let mut start = self.start.words;
        self.texts.lines[self.start.lines..self.end.lines].iter().map(move |&end| {
            let line = start..end;
            start = end;
            &self.texts.words[line]
        })
    }
}
