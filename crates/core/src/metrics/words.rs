//! Words as DPR's `SimpleTokenizer` cuts them, and the search for an answer in a text.

mod snippet;

pub use snippet::snippet;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::{UnicodeNormalization, is_nfd};

/// The lower-cased words of a text, in one buffer.
///
/// The text is decomposed (NFD); a run of letters, numbers and marks is a word, and so is each
/// other character that is neither a separator nor a control or format character: "U.S." is four
/// words. Lower case is taken word by word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    text: String,
    ends: Vec<usize>,
}

impl Words {
    /// Cuts a text into words.
    pub fn new(text: &str) -> Self {
        let mut words = Self { text: String::with_capacity(text.len()), ends: Vec::new() };
        if is_nfd(text) {
            words.cut(text.chars());
        } else {
            words.cut(text.nfd());
        }
        words
    }

    fn cut(&mut self, text: impl Iterator<Item = char>) {
        let mut word = String::new();
        for c in text {
            match class(c) {
                Class::Word => word.push(c),
                Class::Single => {
                    self.end(&mut word);
                    word.push(c);
                    self.end(&mut word);
                }
                Class::Gap => self.end(&mut word),
            }
        }
        self.end(&mut word);
    }

    fn end(&mut self, word: &mut String) {
        if word.is_empty() {
            return;
        }
        if word.is_ascii() {
            word.make_ascii_lowercase();
            self.text.push_str(word);
        } else {
            self.text.push_str(&word.to_lowercase());
        }
        self.ends.push(self.text.len());
        word.clear();
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The words, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.word(index))
    }

    fn word(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    /// Whether all words of `answer` stand here, one after the other. An answer without a word
    /// stands everywhere.
    pub fn contain(&self, answer: &Self) -> bool {
        self.position(answer).is_some()
    }

    /// Index of the word at which `answer` first stands.
    pub fn position(&self, answer: &Self) -> Option<usize> {
        let last = self.len().checked_sub(answer.len())?;
        (0..=last).find(|&start| answer.iter().zip(start..).all(|(word, i)| word == self.word(i)))
    }
}

enum Class {
    Word,
    Single,
    Gap,
}

fn class(c: char) -> Class {
    if c.is_ascii_alphanumeric() {
        return Class::Word;
    }
    if c.is_ascii() {
        return if c.is_ascii_graphic() { Class::Single } else { Class::Gap };
    }
    match get_general_category(c) {
        GeneralCategory::UppercaseLetter
        | GeneralCategory::LowercaseLetter
        | GeneralCategory::TitlecaseLetter
        | GeneralCategory::ModifierLetter
        | GeneralCategory::OtherLetter
        | GeneralCategory::DecimalNumber
        | GeneralCategory::LetterNumber
        | GeneralCategory::OtherNumber
        | GeneralCategory::NonspacingMark
        | GeneralCategory::SpacingMark
        | GeneralCategory::EnclosingMark => Class::Word,
        GeneralCategory::SpaceSeparator
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator
        | GeneralCategory::Control
        | GeneralCategory::Format
        | GeneralCategory::Surrogate
        | GeneralCategory::PrivateUse
        | GeneralCategory::Unassigned => Class::Gap,
        _ => Class::Single,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_run_together_and_signs_stand_alone() {
        for (text, words) in [
            ("U.S. x_y", vec!["u", ".", "s", ".", "x", "_", "y"]),
            ("Caf\u{e9} \u{200b}1,000", vec!["cafe\u{301}", "1", ",", "000"]),
            ("  \n", vec![]),
        ] {
            assert_eq!(Words::new(text).iter().collect::<Vec<_>>(), words, "{text:?}");
        }
    }

    #[test]
    fn an_answer_is_found_as_whole_words() {
        for (text, answer, found) in [
            ("The cat sat.", "CAT SAT", true),
            ("The party", "art", false),
            ("anything", " ", true),
            ("", "x", false),
        ] {
            assert_eq!(Words::new(text).contain(&Words::new(answer)), found, "{text:?} {answer:?}");
        }
    }
}
