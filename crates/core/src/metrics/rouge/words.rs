//! What a word is.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_segmentation::UnicodeSegmentation;

/// Longest word that is not stemmed.
const SHORT: usize = 3;

/// Gives each word of a line as `rouge_score` cuts it: runs of ASCII letters and digits, in lower
/// case. `buffer` is memory that is used again.
pub(super) fn ascii(line: &str, buffer: &mut Vec<u8>, mut word: impl FnMut(&[u8])) {
    let line = ascii_of_others(line);
    buffer.clear();
    buffer.extend(line.bytes().map(|byte| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => byte | 0x20,
        _ => 0,
    }));
    for letters in buffer.split(|&byte| byte == 0).filter(|letters| !letters.is_empty()) {
        word(letters);
    }
}

/// Two letters that are no ASCII become ASCII in lower case: the Kelvin sign, and the Turkish İ,
/// which also gets a dot that ends the word.
fn ascii_of_others(line: &str) -> Cow<'_, str> {
    const KELVIN: char = '\u{212a}';
    const DOTTED_I: char = '\u{130}';
    if line.is_ascii() || !line.contains([KELVIN, DOTTED_I]) {
        return line.into();
    }
    line.replace(KELVIN, "k").replace(DOTTED_I, "i ").into()
}

/// Gives each word of a line as Unicode cuts it, in lower case and composed form.
pub(super) fn unicode(line: &str, mut word: impl FnMut(&[u8])) {
    let lower = line.to_lowercase();
    let composed = if is_nfc(&lower) { lower } else { lower.nfc().collect() };
    composed.unicode_words().for_each(|letters| word(letters.as_bytes()));
}

/// Whether a word is stemmed: it is long enough, and one that the stemmer knows how to treat.
pub(super) fn is_stemmed(word: &[u8]) -> bool {
    word.len() > SHORT && word.iter().all(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        ascii(line, &mut Vec::new(), |word| {
            words.push(String::from_utf8(word.to_vec()).unwrap());
        });
        words
    }

    #[test]
    fn no_other_letter_has_ascii_in_lower_case() {
        for c in '\u{80}'..=char::MAX {
            let lower: String = c.to_lowercase().collect();
            let ascii: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
            assert_eq!(cut(&format!("x{c}")).concat(), format!("x{ascii}"), "{c}");
        }
    }

    #[test]
    fn words_of_unicode_are_of_all_languages() {
        let mut words = Vec::new();
        unicode("Cafe\u{301}, 北京 สวัสดี don't ΟΔΟΣ", |word| {
            words.push(String::from_utf8(word.to_vec()).unwrap());
        });
        assert_eq!(words[..4], ["café", "北", "京", "ส"]);
        assert_eq!(words[words.len() - 2..], ["don't", "οδος"]);
    }
}
