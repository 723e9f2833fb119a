//! When a passage holds a quote: both are written in one way, and the quote stands there as whole
//! words.

use unicode_normalization::UnicodeNormalization;

/// A text that quotes are looked for in.
#[derive(Clone, Debug)]
pub struct Searchable(String);

impl Searchable {
    /// Prepares a text.
    pub fn new(text: &str) -> Self {
        Self(normalize(text))
    }

    /// Whether the text holds the quote. Where the quote leaves something out (`...`, `[...]`), its
    /// pieces stand there one after the other.
    pub fn holds(&self, quote: &str) -> bool {
        let quote = normalize(quote);
        let mut rest = Rest { text: &self.0, from: 0 };
        let mut pieces = quote.split("...").map(trim).filter(|piece| !piece.is_empty()).peekable();
        pieces.peek().is_some() && pieces.all(|piece| rest.take(piece))
    }
}

/// What is behind the pieces that were found.
struct Rest<'a> {
    text: &'a str,
    from: usize,
}

impl Rest<'_> {
    /// Takes the text up to the end of the first place where the piece stands as whole words.
    fn take(&mut self, piece: &str) -> bool {
        let mut from = self.from;
        while let Some(found) = self.text[from..].find(piece) {
            let (start, end) = (from + found, from + found + piece.len());
            if self.is_between_words(start) && self.is_between_words(end) {
                self.from = end;
                return true;
            }
            from = start + self.text[start..].chars().next().map_or(1, char::len_utf8);
        }
        false
    }

    fn is_between_words(&self, at: usize) -> bool {
        let before = self.text[..at].chars().next_back();
        let after = self.text[at..].chars().next();
        !(before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric))
    }
}

/// What stands around a piece and is no part of it: a quote may end with a comma that is the
/// writer's own.
fn trim(piece: &str) -> &str {
    piece.trim_matches(|c: char| c.is_whitespace() || ",.;:!?-()[]".contains(c))
}

/// The text in NFKC and lower case, with one kind of dash, single blanks, and neither quotation
/// marks nor characters that nobody sees.
fn normalize(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    // Lower case may undo the composition: `İ` becomes two characters.
    for c in text.nfkc().flat_map(char::to_lowercase).nfkc() {
        match c {
            _ if c.is_whitespace() => {
                if !normal.ends_with(' ') {
                    normal.push(' ');
                }
            }
            _ if is_dropped(c) => {}
            '\u{2010}'..='\u{2015}' | '\u{2212}' => normal.push('-'),
            _ => normal.push(c),
        }
    }
    normal
}

/// Quotation marks and apostrophes, and what nobody sees.
fn is_dropped(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '`' | '\u{b4}' | '\u{2018}'..='\u{201f}'
            | '\u{ab}' | '\u{bb}' | '\u{2039}' | '\u{203a}'
            | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PASSAGE: &str = "Employees get 15\u{a0}working days\nof leave \u{2013} \u{201c}half \
                           days\u{201d} count half, and the party\u{2019}s of\u{fb01}ce pays.";

    #[test]
    fn writing_does_not_matter() {
        let passage = Searchable::new(PASSAGE);
        for quote in [
            "15 working days of leave",
            "Employees  get 15 Working days,",
            "leave - half days count half",
            "days of leave \u{2014} 'half days'",
            "the party's office pays",
            "Employees get ... of leave",
            "employees [\u{2026}] count half",
        ] {
            assert!(passage.holds(quote), "{quote}");
        }
    }

    #[test]
    fn words_matter() {
        let passage = Searchable::new(PASSAGE);
        for quote in [
            "16 working days of leave",
            "5 working days of leave",
            "15 working day",
            "the part",
            "count half ... 15 working days",
            "",
            "...",
        ] {
            assert!(!passage.holds(quote), "{quote}");
        }
    }

    #[test]
    fn a_later_place_counts_where_the_first_is_inside_a_word() {
        assert!(Searchable::new("party art").holds("art"));
        assert!(!Searchable::new("party").holds("art"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_looked_for_in_any(text in any::<String>(), quote in any::<String>()) {
            let _ = Searchable::new(&text).holds(&quote);
        }

        #[test]
        fn words_of_a_text_stand_in_it(words in prop::collection::vec("[a-zé]{1,6}", 1..8)) {
            let text = words.join(" ");
            prop_assert!(Searchable::new(&text).holds(&words[words.len() / 2..].join("\n")));
        }
    }
}
