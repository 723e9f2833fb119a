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
    let mut folded = Vec::new();
    append_folded(text, &mut folded);
    let folded = String::from_utf8(folded).expect("what is written is whole characters");
    let words = folded.split(' ').filter(|word| !word.is_empty() && !is_article(word.as_bytes()));
    words.collect::<Vec<_>>().join(" ")
}

/// Appends the text in lower case, without punctuation and with a space for each blank. What is
/// left of the normalisation is to drop empty words and articles, between spaces.
pub(crate) fn append_folded(text: &str, output: &mut Vec<u8>) {
    if !text.is_ascii() {
        unicode(&text.to_lowercase(), output);
    } else if !fold_ascii(text.as_bytes(), output) {
        unicode(&text.to_ascii_lowercase(), output);
    }
}

/// Whether a normalised word is an article.
pub(crate) fn is_article(word: &[u8]) -> bool {
    matches!(word, b"a" | b"an" | b"the")
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

/// What the fast path does with a byte: its lower-case form, or one of the two below.
const ACTIONS: [u8; 256] = actions();
const BLANK: u8 = b' ';
const DELETE: u8 = 0xff;

const fn actions() -> [u8; 256] {
    let mut actions = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        actions[byte as usize] = if byte.is_ascii_punctuation() {
            DELETE
        } else if is_blank(byte as char) {
            BLANK
        } else {
            byte.to_ascii_lowercase()
        };
        byte += 1;
    }
    actions
}

/// Folds ASCII a byte at a time and without a branch: most answers are nothing else. False, with
/// nothing appended, where a control character ends a word and stays.
fn fold_ascii(text: &[u8], output: &mut Vec<u8>) -> bool {
    let first = output.len();
    // One byte more than the text: a byte is written before it is known whether it stays.
    output.resize(first + text.len() + 1, 0);
    let target = &mut output[first..];
    let mut end = 0;
    let mut plain = true;
    for &byte in text {
        let action = ACTIONS[usize::from(byte)];
        target[end] = action;
        end += usize::from(action != DELETE);
        plain &= action >= BLANK && action != 0x7f;
    }
    output.truncate(if plain { first + end } else { first });
    plain
}

/// The whole normalisation of any text that is in lower case already.
fn unicode(lower: &str, output: &mut Vec<u8>) {
    let first = output.len();
    let mut start = first;
    for c in lower.chars().filter(|c| !c.is_ascii_punctuation()) {
        if is_word(c) {
            push(output, c);
            continue;
        }
        end_word(output, first, start);
        if is_blank(c) {
            blank(output, first);
        } else {
            push(output, c);
        }
        start = output.len();
    }
    end_word(output, first, start);
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
fn end_word(output: &mut Vec<u8>, first: usize, start: usize) {
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
        fn the_fast_path_equals_the_exact_one(text in "[\\x00-\\x7f]*|[ -~]*") {
            let mut exact = b"the".to_vec();
            unicode(&text.to_lowercase(), &mut exact);
            prop_assert_eq!(format!("the{}", squad(&text)).into_bytes(), exact);
        }
    }
}
