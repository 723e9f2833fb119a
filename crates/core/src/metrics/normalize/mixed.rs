//! The normalisation of texts with some letters outside ASCII: the stretches between them are still
//! folded eight bytes at a time.

use std::ops::Range;

use super::{
    BLANK,
    ascii::{self, ACTIONS, DELETE, STAYS},
    end_token, is_article, is_blank, is_word,
};
use crate::metrics::token::Token;

/// More bytes than the small letters of eight characters can have.
const ROOM: usize = 128;

/// Appends the text without punctuation and with small letters to `bytes`, and its words to
/// `tokens`. False, and nothing is appended, for the one letter whose small form depends on the
/// letters around it.
pub(super) fn append(text: &str, bytes: &mut Vec<u8>, tokens: &mut Vec<Token>) -> bool {
    if text.contains('Σ') {
        return false;
    }
    let end = bytes.len();
    let mut words = Words { bytes, tokens, end, token: end, word: end };
    let mut rest = text;
    while !rest.is_empty() {
        words.make_room(rest.len());
        rest = match rest.as_bytes().first_chunk().and_then(|eight| words.eight(*eight)) {
            Some(()) => &rest[8..],
            None => words.each(rest),
        };
    }
    words.finish();
    true
}

/// Words while they are written.
struct Words<'a> {
    /// Longer than what is written.
    bytes: &'a mut Vec<u8>,
    tokens: &'a mut Vec<Token>,
    /// Where the next byte goes.
    end: usize,
    /// Where the stretch between blanks begins that is being written.
    token: usize,
    /// Where the last stretch of letters and numbers in it begins: only a whole one is an article.
    word: usize,
}

impl Words<'_> {
    fn make_room(&mut self, rest: usize) {
        if self.bytes.len() < self.end + ROOM {
            self.bytes.resize(self.end + rest + ROOM, 0);
        }
    }

    /// Takes eight bytes, if they are letters, digits and spaces of ASCII.
    fn eight(&mut self, eight: [u8; 8]) -> Option<()> {
        let folded = ascii::fold(u64::from_le_bytes(eight))?;
        let start = self.end;
        self.bytes[start..start + 8].copy_from_slice(&folded.to_le_bytes());
        let mut blanks = ascii::equal(folded, BLANK);
        while blanks != 0 {
            self.end = start + (blanks.trailing_zeros() / 8) as usize;
            self.blank();
            blanks &= blanks - 1;
        }
        self.end = start + 8;
        Some(())
    }

    /// Takes the first characters, eight bytes of them or a little more, and gives the others.
    fn each<'t>(&mut self, text: &'t str) -> &'t str {
        let mut taken = 0;
        for c in text.chars() {
            if taken >= 8 {
                break;
            }
            taken += c.len_utf8();
            match u8::try_from(c).map_or(STAYS, |byte| ACTIONS[usize::from(byte)]) {
                DELETE => {}
                STAYS => c.to_lowercase().for_each(|c| self.put(c)),
                BLANK => self.blank(),
                letter => {
                    self.bytes[self.end] = letter;
                    self.end += 1;
                }
            }
        }
        &text[taken..]
    }

    /// Takes a character that is lower case already.
    fn put(&mut self, c: char) {
        if is_blank(c) {
            self.blank();
            return;
        }
        let stands_alone = !is_word(c);
        if stands_alone {
            self.end_word();
        }
        self.end += c.encode_utf8(&mut self.bytes[self.end..]).len();
        if stands_alone {
            self.word = self.end;
        }
    }

    fn blank(&mut self) {
        self.end_word();
        self.push(self.token..self.end);
        self.bytes[self.end] = BLANK;
        self.end += 1;
        (self.token, self.word) = (self.end, self.end);
    }

    /// An article is a blank, also beside signs that are none.
    fn end_word(&mut self) {
        if is_article(&self.bytes[self.word..self.end]) {
            self.push(self.token..self.word);
            (self.token, self.word) = (self.end, self.end);
        }
    }

    fn push(&mut self, token: Range<usize>) {
        end_token(token, self.bytes, self.tokens);
    }

    fn finish(mut self) {
        self.end_word();
        self.push(self.token..self.end);
        self.bytes.truncate(self.end);
    }
}
