//! Answer normalisation as SQuAD's scripts do it, to the last code point.
//!
//! The order of the steps matters and is theirs: lower case, delete ASCII punctuation, replace the
//! articles *a*, *an*, *the* by a blank, collapse blanks. So "U.S." becomes "us", "the-cat" stays
//! "thecat" and "A.N." disappears.
//!
//! Two definitions come from Python and differ from Rust's: a word character is a letter, a
//! number or `_` (combining marks and joiners are not), and a blank may be U+001C to U+001F.

pub(crate) mod ascii;
mod mixed;

use std::ops::Range;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::{UnicodeNormalization, is_nfd};

use super::token::Token;

/// Normalises an answer as the scripts of SQuAD 1.1 and 2.0, CoQA, HotpotQA and QuAC do.
///
/// ```
/// assert_eq!(qeval_core::metrics::normalize::squad("The  U.S., (an) Ünion"), "us ünion");
/// ```
pub fn squad(text: &str) -> String {
    joined(append, text)
}

/// Normalises an answer as TriviaQA's script does: punctuation becomes a blank and is not deleted,
/// and the curly and slanted single quotes count as punctuation.
///
/// ```
/// assert_eq!(qeval_core::metrics::normalize::triviaqa("The U.S., it’s"), "u s it s");
/// ```
pub fn triviaqa(text: &str) -> String {
    joined(append_triviaqa, text)
}

/// Normalises an answer as the script of NQ-open does: [`squad`] on the decomposed text (NFD), so
/// that *á* loses its letter as an article and keeps its accent.
pub fn nq_open(text: &str) -> String {
    joined(append_nq_open, text)
}

/// A normalisation: appends the words of a text and notes where they stand.
pub(crate) type Append = fn(&str, &mut Vec<u8>, &mut Vec<Token>);

fn joined(append: Append, text: &str) -> String {
    let (mut bytes, mut tokens) = (Vec::new(), Vec::new());
    append(text, &mut bytes, &mut tokens);
    let words: Vec<&[u8]> = tokens.iter().map(|token| token.of(&bytes)).collect();
    String::from_utf8(words.join(&BLANK)).expect("words are cut at whole characters")
}

/// Appends the words of a normalised text: `tokens` says where in `bytes` they stand. One blank
/// between two of them makes the normalised text.
pub(crate) fn append(text: &str, bytes: &mut Vec<u8>, tokens: &mut Vec<Token>) {
    let (first, first_token) = (bytes.len(), tokens.len());
    if ascii::append(text.as_bytes(), bytes, tokens) {
        return;
    }
    bytes.truncate(first);
    tokens.truncate(first_token);
    if mixed::append(text, bytes, tokens) {
        return;
    }
    unicode(without_punctuation(&text.to_lowercase()), bytes);
    cut(first, bytes, tokens);
}

/// [`append`] for TriviaQA.
pub(crate) fn append_triviaqa(text: &str, bytes: &mut Vec<u8>, tokens: &mut Vec<Token>) {
    let first = bytes.len();
    unicode(text.to_lowercase().chars().map(blank_for_punctuation), bytes);
    cut(first, bytes, tokens);
}

/// [`append`] for NQ-open.
pub(crate) fn append_nq_open(text: &str, bytes: &mut Vec<u8>, tokens: &mut Vec<Token>) {
    if is_nfd(text) {
        append(text, bytes, tokens);
    } else {
        append(&text.nfd().collect::<String>(), bytes, tokens);
    }
}

fn without_punctuation(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_ascii_punctuation())
}

fn blank_for_punctuation(c: char) -> char {
    let punctuation =
        c.is_ascii_punctuation() || matches!(c, '\u{2018}' | '\u{2019}' | '\u{b4}' | '`');
    if punctuation { ' ' } else { c }
}

/// Notes the words of a normalised text, which began at `first`.
fn cut(first: usize, bytes: &[u8], tokens: &mut Vec<Token>) {
    let mut start = first;
    for at in first..=bytes.len() {
        if bytes.get(at).is_none_or(|&byte| byte == BLANK) {
            end_token(start..at, bytes, tokens);
            start = at + 1;
        }
    }
}

/// Notes a word, unless it is empty or an article.
#[inline]
fn end_token(word: Range<usize>, bytes: &[u8], tokens: &mut Vec<Token>) {
    if word.is_empty() {
        return;
    }
    let token = Token::new(word, bytes);
    if !(token.is_short(b"a") || token.is_short(b"an") || token.is_short(b"the")) {
        tokens.push(token);
    }
}

/// Whether a normalised word is an article.
fn is_article(word: &[u8]) -> bool {
    matches!(word, b"a" | b"an" | b"the")
}

/// Whether a look at the text is enough to say that [`squad`] leaves something of it: four letters or
/// digits of ASCII in a row are no article and have no punctuation.
pub(crate) fn surely_keeps_a_word(text: &str) -> bool {
    text.as_bytes().windows(4).any(|four| four.iter().all(u8::is_ascii_alphanumeric))
}

/// Whether Python's `str.split` and `str.strip` take this for a blank.
pub const fn is_blank(c: char) -> bool {
    matches!(c,
        '\u{9}'..='\u{d}' | '\u{1c}'..='\u{20}' | '\u{85}' | '\u{a0}' | '\u{1680}'
        | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Whether Python's `\w` matches: letters, numbers of any kind, and `_`.
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(
        get_general_category(c),
        GeneralCategory::UppercaseLetter
            | GeneralCategory::LowercaseLetter
            | GeneralCategory::TitlecaseLetter
            | GeneralCategory::ModifierLetter
            | GeneralCategory::OtherLetter
            | GeneralCategory::DecimalNumber
            | GeneralCategory::LetterNumber
            | GeneralCategory::OtherNumber
    )
}

pub(super) const BLANK: u8 = b' ';

/// Removes articles and collapses blanks in any text that is in lower case and without punctuation.
fn unicode(text: impl Iterator<Item = char>, output: &mut Vec<u8>) {
    by_rules(text, is_article, output);
}

/// The same with other articles.
pub(super) fn by_rules(
    text: impl Iterator<Item = char>,
    is_article: impl Fn(&[u8]) -> bool,
    output: &mut Vec<u8>,
) {
    let first = output.len();
    let mut start = first;
    for c in text {
        if is_word(c) {
            push(output, c);
            continue;
        }
        end_word(output, first, start, &is_article);
        if is_blank(c) {
            blank(output, first);
        } else {
            push(output, c);
        }
        start = output.len();
    }
    end_word(output, first, start, &is_article);
    if output.len() > first && output.last() == Some(&BLANK) {
        output.pop();
    }
}

fn push(output: &mut Vec<u8>, c: char) {
    output.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Starts a new token, unless one was just started. The text began at `first`.
fn blank(output: &mut Vec<u8>, first: usize) {
    if output.len() > first && output.last() != Some(&BLANK) {
        output.push(BLANK);
    }
}

/// Ends the run of word characters that began at `start`; an article becomes a blank.
fn end_word(output: &mut Vec<u8>, first: usize, start: usize, is_article: impl Fn(&[u8]) -> bool) {
    if is_article(&output[start..]) {
        output.truncate(start);
        blank(output, first);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_steps_are_in_the_order_of_the_script() {
        for (text, normalized) in [
            ("", ""),
            ("the", ""),
            ("The the THE", ""),
            ("U.S.", "us"),
            ("a.", ""),
            ("A.N.", ""),
            ("the-cat", "thecat"),
            ("blue-green", "bluegreen"),
            ("1,000 \t 3.14", "1000 314"),
            ("İzmir", "i\u{307}zmir"),
            ("ΟΔΟΣ", "οδος"),
            ("a\u{301} cat", "\u{301} cat"),
            ("á cat", "á cat"),
            ("the\u{200d}cat", "\u{200d}cat"),
            ("x\u{1c}y\u{a0}z", "x y z"),
            ("“the”", "“ ”"),
            ("snake_case", "snakecase"),
        ] {
            assert_eq!(squad(text), normalized, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_normalised_text_has_no_blank_to_spare(text in "\\PC*|[ -~]*|[\\x00-\\x7f]*") {
            let normalized = squad(&text);
            prop_assert_eq!(normalized.trim_matches(' '), &normalized);
            prop_assert!(!normalized.contains("  "));
            prop_assert!(!normalized.chars().any(|c| c.is_ascii_punctuation()));
        }

        #[test]
        fn a_word_that_is_surely_kept_is_kept(
            text in "\\PC*|[ -~]*|(the|an?|[ .-]|[a-zA-Z0-9 ]{5}){0,4}"
        ) {
            prop_assert!(!surely_keeps_a_word(&text) || !squad(&text).is_empty());
        }

        #[test]
        fn the_fast_paths_equal_the_exact_one(
            text in "[\\x00-\\x7f]*|[ -~]*|\\PC*|(the|an?|[ .€éȺİẞΣ\u{301}\u{212a}\u{a0}\u{1c}“]|[a-zA-Z ]{8}){0,12}"
        ) {
            let mut exact = b"the".to_vec();
            unicode(without_punctuation(&text.to_lowercase()), &mut exact);
            prop_assert_eq!(format!("the{}", squad(&text)).into_bytes(), exact);
        }
    }
}
