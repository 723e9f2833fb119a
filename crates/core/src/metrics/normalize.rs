//! Answer normalisation as SQuAD's scripts do it, to the last code point.
//!
//! The order of the steps matters and is theirs: lower case, delete ASCII punctuation, replace the
//! articles *a*, *an*, *the* by a blank, collapse blanks. So "U.S." becomes "us", "the-cat" stays
//! "thecat" and "A.N." disappears.
//!
//! Two definitions come from Python and differ from Rust's: a word character is a letter, a
//! number or `_` (combining marks and joiners are not), and a blank may be U+001C to U+001F.

use unicode_general_category::{GeneralCategory, get_general_category};

/// Normalises an answer as the scripts of SQuAD 1.1 and 2.0, CoQA, HotpotQA and QuAC do.
///
/// ```
/// assert_eq!(qeval_core::metrics::normalize::squad("The  U.S., (an) Ünion"), "us ünion");
/// ```
pub fn squad(text: &str) -> String {
    let mut output = Collapsed { text: String::with_capacity(text.len()) };
    if text.is_ascii() {
        ascii(text.as_bytes(), &mut output);
    } else {
        unicode(&text.to_lowercase(), &mut output);
    }
    output.finish()
}

/// Whether Python's `str.split` and `str.strip` take this for a blank.
pub fn is_blank(c: char) -> bool {
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

/// Text whose runs of blanks are single spaces, with none at the ends.
struct Collapsed {
    text: String,
}

impl Collapsed {
    /// Starts a new token unless one was just started.
    fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }

    /// Ends the run of word characters that began at byte `start`; an article becomes a blank.
    fn end_word(&mut self, start: usize) {
        if matches!(&self.text[start..], "a" | "an" | "the") {
            self.text.truncate(start);
            self.blank();
        }
    }

    fn finish(mut self) -> String {
        if self.text.ends_with(' ') {
            self.text.pop();
        }
        self.text
    }
}

fn ascii(text: &[u8], output: &mut Collapsed) {
    let mut start = output.text.len();
    for byte in text {
        let c = char::from(byte.to_ascii_lowercase());
        if c.is_ascii_alphanumeric() {
            output.text.push(c);
        } else if !c.is_ascii_punctuation() {
            output.end_word(start);
            if is_blank(c) {
                output.blank();
            } else {
                output.text.push(c);
            }
            start = output.text.len();
        }
    }
    output.end_word(start);
}

fn unicode(lower: &str, output: &mut Collapsed) {
    let mut start = output.text.len();
    for c in lower.chars().filter(|c| !c.is_ascii_punctuation()) {
        if is_word(c) {
            output.text.push(c);
        } else {
            output.end_word(start);
            if is_blank(c) {
                output.blank();
            } else {
                output.text.push(c);
            }
            start = output.text.len();
        }
    }
    output.end_word(start);
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
        fn the_fast_path_equals_the_exact_one(text in "[\\x00-\\x7f]*") {
            let mut exact = Collapsed { text: String::new() };
            unicode(&text.to_lowercase(), &mut exact);
            prop_assert_eq!(squad(&text), exact.finish());
        }
    }
}
