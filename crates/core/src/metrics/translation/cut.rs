//! Cutting a text at blanks and signs, as the rules of mteval and tercom have it.
//!
//! The scripts put blanks around signs with a row of regular expressions and split the result.
//! Blanks are all that those add, so every token is a piece of the text, and one pass finds them.
//! What has to be remembered is how expressions consume what they match: in `1..2` the first stop
//! is the character before the second one, and cannot be cut off by the same expression.

use std::ops::Range;

use super::is_blank;
use crate::metrics::normalize::ascii::{HIGH, eight as eight_times, within};

/// What a character does to the tokens around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Belongs to the token around it.
    Plain,
    /// Stands between tokens.
    Blank,
    /// Belongs to its token, and holds a stop or a dash that touches it.
    Digit,
    /// Is a token.
    Alone,
    /// Is a token unless it touches a digit, as in `1,000`.
    Stop,
    /// Is a token after a digit.
    Dash,
    /// Begins a token in `'s`.
    Apostrophe,
    /// The first byte of a character that is not ASCII.
    Wide,
}

/// A set of rules.
#[derive(Debug)]
pub(super) struct Rules {
    /// Classes of the bytes.
    pub(super) bytes: [Class; 256],
    /// Class of a character that is neither ASCII nor a blank.
    pub(super) wide: fn(char) -> Class,
    /// Whether the text is taken as if blanks stood around it. Otherwise the expressions, which
    /// look for two characters, find nothing before the first and nothing after the last one.
    pub(super) padded: bool,
}

/// What stands before a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Digit,
    /// A stop that was cut off as the second character of a match.
    Consumed,
    Other,
}

/// How a character cuts the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Nothing,
    /// Before it.
    Before,
    /// On both sides, to be a token.
    Token,
    /// On both sides, to be none.
    Gap,
}

impl Rules {
    /// Calls `token` with the place of each token of a text.
    pub(super) fn cut(&self, text: &str, mut token: impl FnMut(Range<usize>)) {
        let bytes = text.as_bytes();
        let has_words = self.bytes[usize::from(b'a')] == Class::Plain;
        let mut before = if self.padded { Before::Other } else { Before::Nothing };
        let (mut start, mut at) = (0, 0);
        while let Some(&byte) = bytes.get(at) {
            if has_words && byte.is_ascii_alphabetic() {
                at += letters(&bytes[at..]);
                before = Before::Other;
                // What mostly comes next.
                if bytes.get(at) == Some(&b' ') {
                    token(start..at);
                    at += 1;
                    start = at;
                }
                continue;
            }
            let (class, size) = self.class(text, at, byte);
            let next = at + size;
            let (cut, then) = match class {
                Class::Blank => (Cut::Gap, Before::Other),
                Class::Digit => (Cut::Nothing, Before::Digit),
                Class::Alone => (Cut::Token, Before::Other),
                Class::Stop if before == Before::Other => (Cut::Token, Before::Consumed),
                Class::Stop if self.ends_stop(text, next) => (Cut::Token, Before::Other),
                Class::Dash if before == Before::Digit => (Cut::Token, Before::Other),
                Class::Apostrophe if self.is_possessive(&bytes[next..]) => {
                    (Cut::Before, Before::Other)
                }
                Class::Plain | Class::Wide | Class::Stop | Class::Dash | Class::Apostrophe => {
                    (Cut::Nothing, Before::Other)
                }
            };
            if cut != Cut::Nothing {
                if start < at {
                    token(start..at);
                }
                if cut == Cut::Token {
                    token(at..next);
                }
                start = if cut == Cut::Before { at } else { next };
            }
            before = then;
            at = next;
        }
        if start < at {
            token(start..at);
        }
    }

    /// Class and size of the character at `at`, whose first byte is given.
    #[inline]
    fn class(&self, text: &str, at: usize, byte: u8) -> (Class, usize) {
        match self.bytes[usize::from(byte)] {
            Class::Wide => self.wide_class(&text[at..]),
            class => (class, 1),
        }
    }

    /// The same for the first character of a text, which is not ASCII.
    fn wide_class(&self, text: &str) -> (Class, usize) {
        let c = text.chars().next().expect("the text begins with the character");
        let class = if is_blank(c) { Class::Blank } else { (self.wide)(c) };
        (class, c.len_utf8())
    }

    /// Whether a stop that was not cut off by what is before it is cut off by what comes after.
    fn ends_stop(&self, text: &str, next: usize) -> bool {
        match text.as_bytes().get(next) {
            Some(&byte) => self.class(text, next, byte).0 != Class::Digit,
            None => self.padded,
        }
    }

    /// Whether what follows an apostrophe is an `s` and the end of the word.
    fn is_possessive(&self, after: &[u8]) -> bool {
        match after {
            [b's'] => self.padded,
            [b's', byte, ..] => *byte == b' ' || self.bytes[usize::from(*byte)] == Class::Alone,
            _ => false,
        }
    }
}

/// How many ASCII letters a text begins with, or eight if there are more.
#[inline]
fn letters(text: &[u8]) -> usize {
    let Some(eight) = text.first_chunk() else {
        return text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    };
    let bytes = u64::from_le_bytes(*eight);
    let lower = bytes & !HIGH | eight_times(0x20);
    let letters = within(lower, b'a', b'z') & !bytes;
    ((letters ^ HIGH).trailing_zeros() / 8) as usize
}

/// Classes in which the given bytes are of one class each, Python's blanks are blanks, and the
/// rest is plain or begins a character that is not ASCII.
pub(super) const fn classes<const N: usize>(given: [(&[u8], Class); N]) -> [Class; 256] {
    let mut classes = [Class::Plain; 256];
    let mut byte = 0_u8;
    loop {
        if !byte.is_ascii() {
            classes[byte as usize] = Class::Wide;
        } else if is_blank(byte as char) {
            classes[byte as usize] = Class::Blank;
        }
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    let mut set = 0;
    while set < N {
        let (bytes, class) = given[set];
        let mut i = 0;
        while i < bytes.len() {
            classes[bytes[i] as usize] = class;
            i += 1;
        }
        set += 1;
    }
    classes
}
