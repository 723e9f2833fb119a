//! Tells the digits that are no figures: those in names, citations and clauses.

use crate::token::{Token, digits_at, glued_at, latin_at, symbol_at, word_at};

/// The words that may be joined to a number by a hyphen without making it a name: `mid-1953`.
const JOINED: &[&str] =
    &["mid", "pre", "post", "early", "late", "circa", "ca", "sub", "under", "over", "non", "to"];

/// The end of a citation such as `[1]` or `[2, 3]`, which may not begin the text.
pub(crate) fn citation(tokens: &[Token], at: usize) -> Option<usize> {
    if at == 0 || symbol_at(tokens, at) != Some('[') {
        return None;
    }
    let inside = |place: &usize| {
        digits_at(tokens, *place).is_some_and(|raw| raw.len() <= 3)
            || matches!(symbol_at(tokens, *place), Some(',' | '-' | '–'))
    };
    let end = (at + 1..at + 16).find(|place| !inside(place))?;
    (end > at + 1 && symbol_at(tokens, end) == Some(']')).then_some(end + 1)
}

/// Whether the number at `at` is part of a name because of what is before it: `A38`, `COVID-19`.
pub(crate) fn is_name(tokens: &[Token], at: usize) -> bool {
    if digits_at(tokens, at).is_none() || at == 0 || !glued_at(tokens, at) {
        return false;
    }
    let dash = matches!(symbol_at(tokens, at - 1), Some('-' | '_')) && glued_at(tokens, at - 1);
    latin_at(tokens, at - 1)
        || (dash
            && at > 1
            && latin_at(tokens, at - 2)
            && word_at(tokens, at - 2).is_some_and(|word| !JOINED.contains(&word)))
}

/// The end of the run of letters, digits and joining signs that `at` is part of.
pub(crate) fn run_end(tokens: &[Token], at: usize) -> usize {
    let joins = |place: usize| match symbol_at(tokens, place) {
        Some(symbol) => "-_/:()".contains(symbol),
        None => true,
    };
    let mut end = at + 1;
    while glued_at(tokens, end) && joins(end) {
        end += 1;
    }
    end
}

/// Whether a letter in brackets follows, as in `401(k)`.
pub(crate) fn is_clause(tokens: &[Token], at: usize) -> bool {
    symbol_at(tokens, at) == Some('(')
        && glued_at(tokens, at)
        && word_at(tokens, at + 1).is_some_and(|word| word.len() == 1)
        && symbol_at(tokens, at + 2) == Some(')')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::split;

    #[test]
    fn names_and_citations_are_told() {
        #[rustfmt::skip]
        let names = [
            ("A38", 1, true), ("COVID-19", 2, true), ("snake_5", 2, true), ("A 38", 1, false),
            ("mid-1953", 2, false), ("日5", 1, false), ("A-", 1, false), ("5", 0, false),
        ];
        for (text, at, expected) in names {
            assert_eq!(is_name(&split(text), at), expected, "{text}");
        }
        for (text, end) in [("x [1]", Some(4)), ("x [1, 2]", Some(6)), ("x [y]", None)] {
            assert_eq!(citation(&split(text), 1), end, "{text}");
        }
        assert_eq!(citation(&split("[1]"), 0), None);
        assert!(is_clause(&split("401(k)"), 1));
        assert!(!is_clause(&split("15 (a)"), 1));
        assert_eq!(run_end(&split("ISO-9001:2015, 5"), 2), 5);
    }
}
