//! Cutting a text at blanks and signs, as the rules of mteval and tercom have it.
//!
//! The scripts put blanks around signs with a row of regular expressions and split the result.
//! Blanks are all that those add, so every token is a piece of the text, and one pass finds them.
//! What has to be remembered is how expressions consume what they match: in `1..2` the first stop
//! is the character before the second one, and cannot be cut off by the same expression.

use super::is_blank;

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

impl Rules {
    /// Calls `token` with each token of a text.
    pub(super) fn cut<'a>(&self, text: &'a str, mut token: impl FnMut(&'a [u8])) {
        let bytes = text.as_bytes();
        let mut before = if self.padded { Before::Other } else { Before::Nothing };
        let (mut start, mut at) = (0, 0);
        while let Some(&byte) = bytes.get(at) {
            let (class, size) = self.class(text, at, byte);
            let next = at + size;
            let (alone, then) = match class {
                Class::Plain | Class::Wide => (false, Before::Other),
                Class::Digit => (false, Before::Digit),
                Class::Blank => {
                    if start < at {
                        token(&bytes[start..at]);
                    }
                    start = next;
                    (false, Before::Other)
                }
                Class::Alone => (true, Before::Other),
                Class::Stop if before == Before::Other => (true, Before::Consumed),
                Class::Stop => (self.ends_stop(text, next), Before::Other),
                Class::Dash => (before == Before::Digit, Before::Other),
                Class::Apostrophe => {
                    if start < at && self.is_possessive(&bytes[next..]) {
                        token(&bytes[start..at]);
                        start = at;
                    }
                    (false, Before::Other)
                }
            };
            if alone {
                if start < at {
                    token(&bytes[start..at]);
                }
                token(&bytes[at..next]);
                start = next;
            }
            before = then;
            at = next;
        }
        if start < at {
            token(&bytes[start..at]);
        }
    }

    /// Class and size of the character at `at`, whose first byte is given.
    fn class(&self, text: &str, at: usize, byte: u8) -> (Class, usize) {
        match self.bytes[usize::from(byte)] {
            Class::Wide => {
                let c = text[at..].chars().next().expect("a character begins at its first byte");
                let class = if is_blank(c) { Class::Blank } else { (self.wide)(c) };
                (class, c.len_utf8())
            }
            class => (class, 1),
        }
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

/// Classes in which the given bytes are of one class each, Python's blanks are blanks, and the
/// rest is plain or begins a character that is not ASCII.
pub(super) const fn classes<const N: usize>(given: [(&[u8], Class); N]) -> [Class; 256] {
    let mut classes = [Class::Plain; 256];
    let mut byte = 0;
    while byte < 256 {
        if byte >= 0x80 {
            classes[byte] = Class::Wide;
        } else if is_blank(byte as u8 as char) {
            classes[byte] = Class::Blank;
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
