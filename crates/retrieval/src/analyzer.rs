//! Analyzers: text to terms, the same way for passages and for queries.

use std::{fmt, str::FromStr};

use tantivy::tokenizer::{
    Language, LowerCaser, Stemmer, StopWordFilter, TextAnalyzer, Token, TokenStream, Tokenizer,
    WhitespaceTokenizer,
};
use unicode_segmentation::{UnicodeSegmentation, UnicodeWords};

/// How text becomes terms.
///
/// The names are those of Lucene and Elasticsearch, and so is what they do, except where it is
/// said below. No analyzer normalises Unicode: text that is composed in two ways gives two terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Analyzer {
    /// Words in lower case: no stop words are removed, nothing is stemmed.
    ///
    /// A word is what stands between two word boundaries of Unicode (UAX #29) and has a letter or
    /// a digit in it. `can't`, `3.5` and `a:b` are one word, `x-ray` is two, each Chinese character is
    /// one, an emoji is none.
    #[default]
    Standard,
    /// The words of `standard`, prepared for English.
    ///
    /// A possessive `'s` is cut off, the 33 stop words of Lucene are removed, and the rest is
    /// stemmed with the English stemmer of Snowball (Porter2; Lucene has the older Porter).
    English,
    /// What stands between spaces, tabs and line ends, as it is: for text that has been split
    /// already. White space outside ASCII does not split.
    Whitespace,
}

/// A name that no analyzer has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an analyzer, expected `standard`, `english` or `whitespace`")]
pub struct UnknownAnalyzer(String);

/// Lucene's list for English.
const STOP_WORDS: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

impl Analyzer {
    /// All analyzers.
    pub const ALL: [Self; 3] = [Self::Standard, Self::English, Self::Whitespace];

    /// Its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::English => "english",
            Self::Whitespace => "whitespace",
        }
    }

    /// The terms of a text, in its order and as often as they occur.
    pub fn terms(self, text: &str) -> Vec<String> {
        terms(&mut self.tokenizer(), text)
    }

    pub(crate) fn tokenizer(self) -> TextAnalyzer {
        let words = |possessive| Words { possessive, token: Token::default() };
        match self {
            Self::Standard => {
                TextAnalyzer::builder(words(Possessive::Keep)).filter(LowerCaser).build()
            }
            Self::English => TextAnalyzer::builder(words(Possessive::Cut))
                .filter(LowerCaser)
                .filter(StopWordFilter::remove(STOP_WORDS.map(str::to_owned)))
                .filter(Stemmer::new(Language::English))
                .build(),
            Self::Whitespace => TextAnalyzer::builder(WhitespaceTokenizer::default()).build(),
        }
    }
}

impl fmt::Display for Analyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Analyzer {
    type Err = UnknownAnalyzer;

    fn from_str(name: &str) -> Result<Self, UnknownAnalyzer> {
        Self::ALL
            .into_iter()
            .find(|analyzer| analyzer.name() == name)
            .ok_or_else(|| UnknownAnalyzer(name.to_owned()))
    }
}

pub(crate) fn terms(tokenizer: &mut TextAnalyzer, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    tokenizer.token_stream(text).process(&mut |token| terms.push(token.text.clone()));
    terms
}

/// Splits text at the word boundaries of Unicode.
///
/// tantivy's own splitter ends a word at everything that is neither letter nor digit, which cuts
/// `can't` in two, cuts words of Hindi at their vowel signs, and makes a whole Chinese sentence
/// one word.
#[derive(Clone)]
struct Words {
    possessive: Possessive,
    token: Token,
}

#[derive(Clone, Copy)]
enum Possessive {
    Keep,
    Cut,
}

struct WordStream<'a> {
    words: UnicodeWords<'a>,
    possessive: Possessive,
    token: &'a mut Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream {
            words: text.unicode_words(),
            possessive: self.possessive,
            token: &mut self.token,
        }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.words.next() else { return false };
        let word = match self.possessive {
            Possessive::Keep => word,
            Possessive::Cut => without_possessive(word),
        };
        self.token.text.clear();
        self.token.text.push_str(word);
        // Neither the index nor the queries use positions; tantivy wants them to grow.
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

fn without_possessive(word: &str) -> &str {
    word.strip_suffix(['s', 'S'])
        .and_then(|word| word.strip_suffix(['\'', '\u{2019}', '\u{ff07}']))
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(analyzer: Analyzer, text: &str, terms: &[&str]) {
        assert_eq!(analyzer.terms(text), terms, "{analyzer} on `{text}`");
    }

    #[test]
    fn standard_keeps_every_word_in_lower_case() {
        check(
            Analyzer::Standard,
            "The Dogs can't run, e.g. 3.5 km!",
            &["the", "dogs", "can't", "run", "e.g", "3.5", "km"],
        );
        check(
            Analyzer::Standard,
            "X-ray snake_case a/b ÉCOLE",
            &["x", "ray", "snake_case", "a", "b", "école"],
        );
        check(
            Analyzer::Standard,
            "東京 हिन्दी 👍 \"AND\" (title:x y)",
            &["東", "京", "हिन्दी", "and", "title:x", "y"],
        );
    }

    #[test]
    fn english_cuts_possessives_stop_words_and_endings() {
        check(
            Analyzer::English,
            "The pilot's flying machines are in the pilots’ hangars",
            &["pilot", "fli", "machin", "pilot", "hangar"],
        );
        check(Analyzer::English, "NASA’S AND it's", &["nasa"]);
        check(Analyzer::English, "to be or not to be", &[]);
    }

    #[test]
    fn whitespace_changes_nothing() {
        check(
            Analyzer::Whitespace,
            " The\tpilot's\u{3000}(42)\n👍 ",
            &["The", "pilot's\u{3000}(42)", "👍"],
        );
    }

    #[test]
    fn text_without_words_has_no_terms() {
        for analyzer in [Analyzer::Standard, Analyzer::English] {
            check(analyzer, "", &[]);
            check(analyzer, " \n\t?!… — 👍🏽 \u{0}", &[]);
        }
    }

    #[test]
    fn parsing_undoes_display() {
        for analyzer in Analyzer::ALL {
            assert_eq!(analyzer.to_string().parse(), Ok(analyzer));
        }
        assert_eq!(
            "English".parse::<Analyzer>().unwrap_err().to_string(),
            "`English` is not an analyzer, expected `standard`, `english` or `whitespace`"
        );
    }
}
