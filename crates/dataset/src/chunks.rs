//! Chunks: passages of an even size, cut from longer ones.

use std::ops::Range;

use qeval_core::Passage;
use unicode_segmentation::UnicodeSegmentation;

/// How passages are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// Units in a chunk.
    size: usize,
    /// Units that a chunk has in common with the one before.
    overlap: usize,
    unit: ChunkUnit,
}

/// What is never cut in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkUnit {
    /// Words, by the boundaries of Unicode (UAX #29).
    Words,
    /// Sentences, by the boundaries of Unicode (UAX #29).
    Sentences,
    /// What stands between blank lines.
    Paragraphs,
}

/// A way to cut that does not work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidChunks {
    /// Chunks without anything in them.
    #[error("the size of a chunk is 0, expected a number above 0")]
    Size,
    /// Chunks that get nowhere.
    #[error("chunks of `{0}` overlap by `{1}`, expected less than their size")]
    Overlap(u32, u32),
    /// A name that no unit has.
    #[error("`{0}` is not a unit of chunks, expected `words`, `sentences` or `paragraphs`")]
    Unit(String),
}

impl ChunkUnit {
    /// All units.
    pub const ALL: [Self; 3] = [Self::Words, Self::Sentences, Self::Paragraphs];

    /// The word for it in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Sentences => "sentences",
            Self::Paragraphs => "paragraphs",
        }
    }

    /// The unit of that name.
    pub fn from_name(name: &str) -> Result<Self, InvalidChunks> {
        let found = Self::ALL.into_iter().find(|unit| unit.name() == name);
        found.ok_or_else(|| InvalidChunks::Unit(name.to_owned()))
    }

    /// Where the units of a text begin. What stands between two, such as a full stop or a blank,
    /// belongs to the first, but an opening bracket or quotation mark to the second.
    fn starts(self, text: &str) -> Vec<usize> {
        match self {
            Self::Words => {
                let mut end = 0;
                let start = |(start, word): (usize, &str)| {
                    let between = &text[end..start];
                    let blank = between.char_indices().rfind(|(_, c)| c.is_whitespace());
                    let start = blank.map_or(start, |(place, c)| end + place + c.len_utf8());
                    end += between.len() + word.len();
                    start
                };
                text.unicode_word_indices().map(start).collect()
            }
            Self::Sentences => {
                let sentences = text.split_sentence_bound_indices();
                sentences
                    .filter(|(_, text)| !text.trim().is_empty())
                    .map(|(start, _)| start)
                    .collect()
            }
            Self::Paragraphs => {
                let mut starts = Vec::new();
                let (mut start, mut blank) = (0, true);
                for line in text.split_inclusive('\n') {
                    let empty = line.trim().is_empty();
                    if blank && !empty {
                        starts.push(start);
                    }
                    blank = empty;
                    start += line.len();
                }
                starts
            }
        }
    }
}

impl Chunks {
    /// Chunks of so many units, each with the last `overlap` units of the one before.
    pub fn new(size: u32, overlap: u32, unit: ChunkUnit) -> Result<Self, InvalidChunks> {
        match (size, overlap) {
            (0, _) => Err(InvalidChunks::Size),
            _ if overlap >= size => Err(InvalidChunks::Overlap(size, overlap)),
            _ => Ok(Self { size: size as usize, overlap: overlap as usize, unit }),
        }
    }

    /// Cuts each passage. The chunks of the passage `p` are `p#1`, `p#2` and so on, and `p` is
    /// their document; each has the title of the passage. A passage without a unit is one chunk.
    pub fn cut(self, passages: Vec<Passage>) -> Vec<Passage> {
        passages.into_iter().flat_map(|passage| self.cut_one(passage)).collect()
    }

    fn cut_one(self, passage: Passage) -> impl Iterator<Item = Passage> {
        let ranges = self.ranges(&passage.text);
        (1..).zip(ranges).map(move |(number, range): (u32, _)| Passage {
            id: chunk_id(&passage.id, number),
            title: passage.title.clone(),
            text: passage.text[range].trim().to_owned(),
            document: Some(passage.id.clone()),
            superseded_by: passage.superseded_by.as_deref().map(|id| chunk_id(id, 1)),
            metadata: passage.metadata.clone(),
        })
    }

    fn ranges(self, text: &str) -> Vec<Range<usize>> {
        let mut starts = self.unit.starts(text);
        // What stands before the first unit belongs to it.
        match starts.first_mut() {
            None => return std::iter::once(0..text.len()).collect(),
            Some(first) => *first = 0,
        }
        let step = self.size - self.overlap;
        let mut ranges = Vec::new();
        for first in (0..starts.len()).step_by(step) {
            let end = starts.get(first + self.size).copied();
            ranges.push(starts[first]..end.unwrap_or(text.len()));
            // What would follow has been said already.
            if end.is_none() {
                break;
            }
        }
        ranges
    }
}

/// The document of a chunk, by the id of the chunk: what stands before the last `#`, if behind it
/// there is a number. Any other id is its own document.
pub fn document_of_chunk(id: &str) -> &str {
    match id.rsplit_once('#') {
        Some((document, number))
            if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            document
        }
        _ => id,
    }
}

/// The id of a chunk: that of its document, `#`, and its number from 1.
fn chunk_id(document: &str, number: u32) -> String {
    format!("{document}#{number}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, (size, overlap): (u32, u32), unit: ChunkUnit, expected: &[&str]) {
        let passage = Passage { id: "p".to_owned(), text: text.to_owned(), ..Passage::default() };
        let chunks = Chunks::new(size, overlap, unit).unwrap().cut(vec![passage]);
        let texts: Vec<_> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn words_keep_what_follows_them() {
        let text = "One (two), three. \"Four\" five!";
        let words = ChunkUnit::Words;
        check(text, (2, 0), words, &["One (two),", "three. \"Four\"", "five!"]);
        check(text, (3, 1), words, &["One (two), three.", "three. \"Four\" five!"]);
        check(text, (5, 4), words, &[text]);
        check(text, (4, 3), words, &["One (two), three. \"Four\"", "(two), three. \"Four\" five!"]);
        check("東京都", (2, 1), words, &["東京", "京都"]);
        check("", (2, 0), words, &[""]);
        check(" ?! ", (2, 0), words, &["?!"]);
    }

    #[test]
    fn sentences_and_paragraphs_stay_whole() {
        let text = "It cost 3.5 million. Why? Nobody knows.\n\n\nA second\nparagraph.\n \nThird";
        check(
            text,
            (2, 1),
            ChunkUnit::Sentences,
            &[
                "It cost 3.5 million. Why?",
                "Why? Nobody knows.",
                "Nobody knows.\n\n\nA second",
                "A second\nparagraph.",
                "paragraph.\n \nThird",
            ],
        );
        check(
            text,
            (1, 0),
            ChunkUnit::Paragraphs,
            &["It cost 3.5 million. Why? Nobody knows.", "A second\nparagraph.", "Third"],
        );
    }

    #[test]
    fn a_chunk_knows_its_document() {
        let passage = |id: &str, by: Option<&str>| Passage {
            id: id.to_owned(),
            title: "T".to_owned(),
            text: "a b c".to_owned(),
            superseded_by: by.map(str::to_owned),
            ..Passage::default()
        };
        let cut = Chunks::new(2, 0, ChunkUnit::Words).unwrap();
        let chunks = cut.cut(vec![passage("x", Some("y#z")), passage("y#z", None)]);
        let found: Vec<_> = chunks
            .iter()
            .map(|c| (c.id.as_str(), c.document.as_deref().unwrap(), c.superseded_by.as_deref()))
            .collect();
        assert_eq!(
            found,
            [
                ("x#1", "x", Some("y#z#1")),
                ("x#2", "x", Some("y#z#1")),
                ("y#z#1", "y#z", None),
                ("y#z#2", "y#z", None),
            ]
        );
        assert!(chunks.iter().all(|chunk| chunk.title == "T"));
        assert!(chunks.iter().all(|c| document_of_chunk(&c.id) == c.document_id()));
        for id in ["x", "x#", "#y", "x#1a"] {
            assert_eq!(document_of_chunk(id), id);
        }
    }

    #[test]
    fn chunks_that_get_nowhere_are_refused() {
        let unit = ChunkUnit::Words;
        assert_eq!(Chunks::new(0, 0, unit), Err(InvalidChunks::Size));
        assert_eq!(Chunks::new(3, 3, unit), Err(InvalidChunks::Overlap(3, 3)));
        for unit in ChunkUnit::ALL {
            assert_eq!(ChunkUnit::from_name(unit.name()), Ok(unit));
        }
        assert!(ChunkUnit::from_name("word").is_err());
    }

    proptest! {
        #[test]
        fn nothing_but_blanks_is_lost(
            text in "([a-zé東.!?\" \n]|\\PC){0,60}",
            size in 1_u32..6,
            unit in prop::sample::select(ChunkUnit::ALL.to_vec()),
        ) {
            let chunks = Chunks::new(size, 0, unit).unwrap();
            let passage = Passage { text: text.clone(), ..Passage::default() };
            let joined: String = chunks.cut(vec![passage]).into_iter().map(|c| c.text).collect();
            let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(solid(&joined), solid(&text));
        }
    }
}
