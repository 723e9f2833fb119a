//! What a word is.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_segmentation::UnicodeSegmentation;

use super::porter;
use crate::metrics::numbered::CutTexts;

/// Longest word that is not stemmed.
const SHORT: usize = 3;

/// Cuts a text as `rouge_score` does: its words are runs of ASCII letters and digits, in lower case.
pub(super) fn ascii(text: &str, texts: &mut CutTexts) {
    let text = ascii_of_others(text);
    let first = texts.bytes.len();
    // The end is a gap, and is filled up to eight bytes.
    texts.bytes.resize(first + text.len() + 8, GAP);
    for (folded, byte) in texts.bytes[first..].iter_mut().zip(text.bytes()) {
        *folded = fold(byte);
    }
    let (mut at, mut start) = (first, first);
    while let Some(eight) = texts.bytes[at..].first_chunk() {
        let mut gaps = gaps(u64::from_le_bytes(*eight));
        while gaps != 0 {
            let end = at + (gaps.trailing_zeros() / 8) as usize;
            if end > start {
                texts.word(start..end);
            }
            if text.as_bytes().get(end - first) == Some(&b'\n') {
                texts.end_line();
            }
            start = end + 1;
            gaps &= gaps - 1;
        }
        at += 8;
    }
    texts.end_line();
}

/// What stands in place of a byte that is no part of a word.
const GAP: u8 = 0;

/// A byte in lower case, or a gap. It is written without branches, so that many bytes are folded
/// at once.
const fn fold(byte: u8) -> u8 {
    let lower = byte | 0x20;
    let letter = lower.wrapping_sub(b'a') < 26;
    let digit = byte.wrapping_sub(b'0') < 10;
    if letter | digit { lower } else { GAP }
}

/// The highest bits of the gaps among eight folded bytes.
const fn gaps(eight: u64) -> u64 {
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    (HIGH - eight) & HIGH
}

/// Two letters that are no ASCII become ASCII in lower case: the Kelvin sign, and the Turkish İ,
/// which also gets a dot that ends the word.
fn ascii_of_others(text: &str) -> Cow<'_, str> {
    const KELVIN: char = '\u{212a}';
    const DOTTED_I: char = '\u{130}';
    if text.is_ascii() || !text.contains([KELVIN, DOTTED_I]) {
        return text.into();
    }
    text.replace(KELVIN, "k").replace(DOTTED_I, "i ").into()
}

/// Cuts a text into the words of Unicode, in lower case and composed form.
pub(super) fn unicode(text: &str, texts: &mut CutTexts) {
    let lower = text.to_lowercase();
    let composed = if is_nfc(&lower) { lower } else { lower.nfc().collect() };
    for line in composed.split('\n') {
        line.unicode_words().for_each(|word| texts.push(word.as_bytes()));
        texts.end_line();
    }
}

/// Stems a word that is long enough, and that the stemmer knows how to treat.
pub(super) fn stem(word: &mut Vec<u8>) {
    if word.len() > SHORT && word.iter().all(u8::is_ascii_alphanumeric) {
        porter::reduce(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(cut: fn(&str, &mut CutTexts), text: &str) -> Vec<String> {
        let mut texts = CutTexts::default();
        cut(text, &mut texts);
        texts.words().map(|word| String::from_utf8(word.to_vec()).unwrap()).collect()
    }

    #[test]
    fn no_other_letter_has_ascii_in_lower_case() {
        for c in '\u{80}'..=char::MAX {
            let lower: String = c.to_lowercase().collect();
            let letters: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
            assert_eq!(cut(ascii, &format!("x{c}")).concat(), format!("x{letters}"), "{c}");
        }
    }

    #[test]
    fn each_byte_is_a_letter_or_a_gap() {
        for byte in 0..=u8::MAX {
            let expected =
                if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { GAP };
            assert_eq!(fold(byte), expected, "{byte}");
        }
        assert_eq!(cut(ascii, "a-BC  longer_words,"), ["a", "bc", "longer", "words"]);
    }

    #[test]
    fn words_of_unicode_are_of_all_languages() {
        let words = cut(unicode, "Cafe\u{301}, 北京 สวัสดี don't ΟΔΟΣ");
        assert_eq!(words[..4], ["café", "北", "京", "ส"]);
        assert_eq!(words[words.len() - 2..], ["don't", "οδος"]);
    }
}
