//! Splits text at the word boundaries of Unicode.
//!
//! tantivy's own splitter ends a word at everything that is neither letter nor digit, which cuts
//! `can't` in two, cuts words of Hindi at their vowel signs, and makes a whole Chinese sentence
//! one word.

use std::vec;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::{UnicodeSegmentation, UnicodeWords};

use super::Language;

/// The words of Unicode, with what a language cuts off them.
#[derive(Clone)]
pub(super) struct Words {
    language: Option<Language>,
    /// Whether Chinese, Japanese and Korean text becomes pairs of characters.
    pairs: bool,
    token: Token,
}

impl Words {
    pub(super) fn new(language: Option<Language>, pairs: bool) -> Self {
        Self { language, pairs, token: Token::default() }
    }
}

pub(super) struct WordStream<'a> {
    source: Source<'a>,
    language: Option<Language>,
    token: &'a mut Token,
}

enum Source<'a> {
    Words(UnicodeWords<'a>),
    Pairs(vec::IntoIter<String>),
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        let source = if self.pairs {
            Source::Pairs(with_pairs(text).into_iter())
        } else {
            Source::Words(text.unicode_words())
        };
        WordStream { source, language: self.language, token: &mut self.token }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let paired;
        let word = match &mut self.source {
            Source::Words(words) => words.next(),
            Source::Pairs(words) => {
                paired = words.next();
                paired.as_deref()
            }
        };
        let Some(word) = word else { return false };
        let text = &mut self.token.text;
        text.clear();
        match self.language {
            Some(Language::English) => text.push_str(without_possessive(word)),
            Some(Language::French) => text.push_str(without_article(word, &FRENCH)),
            Some(Language::Italian) => text.push_str(without_article(word, &ITALIAN)),
            Some(Language::Turkish) => text.extend(word.chars().map(small_i)),
            _ => text.push_str(word),
        }
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

const APOSTROPHES: [char; 3] = ['\'', '\u{2019}', '\u{ff07}'];

fn without_possessive(word: &str) -> &str {
    word.strip_suffix(['s', 'S'])
        .and_then(|word| word.strip_suffix(APOSTROPHES))
        .filter(|word| !word.is_empty())
        .unwrap_or(word)
}

/// What French elides before a vowel.
const FRENCH: [&str; 13] =
    ["l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"];

/// What Italian elides before a vowel.
const ITALIAN: [&str; 21] = [
    "l", "d", "c", "m", "t", "s", "v", "un", "gl", "all", "dall", "dell", "nell", "sull", "coll",
    "agl", "dagl", "degl", "negl", "sugl", "quell",
];

fn without_article<'a>(word: &'a str, articles: &[&str]) -> &'a str {
    match word.split_once(APOSTROPHES) {
        Some((article, noun))
            if !noun.is_empty() && articles.iter().any(|a| a.eq_ignore_ascii_case(article)) =>
        {
            noun
        }
        _ => word,
    }
}

/// Turkish has two letters i, with a dot and without, each with its own capital.
fn small_i(letter: char) -> char {
    match letter {
        'I' => 'ı',
        'İ' => 'i',
        other => other,
    }
}

/// The words of a text. Characters of Chinese, Japanese and Korean that stand side by side become
/// pairs that overlap; one that stands alone stays.
fn with_pairs(text: &str) -> Vec<String> {
    // A wide or narrow form must be replaced before pairs are made: it may become one character
    // with its neighbour.
    let text: String = text.nfkc().collect();
    let mut words = Vec::new();
    let mut run = String::new();
    let mut end = 0;
    for (start, word) in text.unicode_word_indices() {
        let characters = word.chars().next().is_some_and(is_cjk);
        if !run.is_empty() && (start != end || !characters) {
            push_pairs(&run, &mut words);
            run.clear();
        }
        if characters {
            run.push_str(word);
        } else {
            words.push(word.to_owned());
        }
        end = start + word.len();
    }
    push_pairs(&run, &mut words);
    words
}

fn push_pairs(run: &str, words: &mut Vec<String>) {
    let characters: Vec<&str> = run.graphemes(true).collect();
    match characters.as_slice() {
        [] => {}
        [one] => words.push((*one).to_owned()),
        several => words.extend(several.windows(2).map(<[&str]>::concat)),
    }
}

/// Han, Hiragana, Katakana and Hangul.
fn is_cjk(character: char) -> bool {
    matches!(
        u32::from(character),
        0x1100..=0x11ff
            | 0x2e80..=0x2fdf
            | 0x3005..=0x3007
            | 0x3021..=0x302f
            | 0x3031..=0x30ff
            | 0x3130..=0x318f
            | 0x31a0..=0x31bf
            | 0x31f0..=0x31ff
            | 0x3400..=0x4dbf
            | 0x4e00..=0x9fff
            | 0xa960..=0xa97f
            | 0xac00..=0xd7ff
            | 0xf900..=0xfaff
            | 0x1_b000..=0x1_b16f
            | 0x2_0000..=0x3_ffff
    )
}
