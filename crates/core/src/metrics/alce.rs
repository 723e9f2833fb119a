//! The string metrics of ALCE and ASQA: how many of the wanted short answers a long one contains.
//!
//! A reference is one thing to be said; its `items` are the ways to say it, and without items its
//! text is the only one.

pub mod qampari;
pub mod str_em;

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory, get_general_category};

use super::normalize::is_blank;
use crate::{Case, Kind, Metric, Parameter, Reference};

const OUTPUT: Parameter = Parameter {
    name: "output",
    kind: Kind::Choice(&["whole", "cleaned"]),
    summary: "whether the text is first cut and freed of citations, as ALCE's program does it",
};

/// The predicted text as the parameter wants it.
fn output<'a>(metric: &Metric, case: &Case<'a>) -> Cow<'a, str> {
    let text = case.prediction_text();
    if metric.choice(OUTPUT.name) == "cleaned" { clean(text).into() } else { text.into() }
}

/// The first line without citations such as `[1]`.
fn clean(text: &str) -> String {
    let line = text.trim_matches(is_blank).split('\n').next().unwrap_or_default();
    let line = line.replace("<|im_end|>", "");
    without_numbers(&without_numbers(&line, " ["), "[").replace(" |", "").replace(']', "")
}

/// The text without this opening wherever digits follow, and without these digits.
fn without_numbers(text: &str, opening: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(opening) {
        let after = &rest[at + opening.len()..];
        let tail = after.trim_start_matches(is_digit);
        let end = if tail.len() < after.len() { at } else { at + opening.len() };
        output.push_str(&rest[..end]);
        rest = tail;
    }
    output + rest
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
        || (!c.is_ascii() && get_general_category(c) == GeneralCategory::DecimalNumber)
}

/// The ways to say what a reference wants.
fn ways(reference: &Reference) -> impl Iterator<Item = &str> {
    let alone = reference.items.is_empty().then_some(reference.text.as_str());
    alone.into_iter().chain(reference.items.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_and_later_lines_are_cut() {
        for (text, cleaned) in [
            (" Ebro [1][22].\nDuero", "Ebro."),
            ("[x] a[3]", "[x a"),
            ("a | b<|im_end|>", "a b"),
            ("[[1]", "["),
            ("[٣]", ""),
            ("", ""),
        ] {
            assert_eq!(clean(text), cleaned, "{text:?}");
        }
    }

    /// Each step of the program, in texts that come out differently in another order.
    #[test]
    fn the_steps_come_in_the_order_of_the_program() {
        for (text, cleaned) in [
            // Blanks at both ends go first, so that the first line is not an empty one.
            ("\n\u{a0}\nEbro\nDuero", "Ebro"),
            ("Ebro \nDuero", "Ebro "),
            // Lines end at a line feed alone.
            ("Ebro\r\nDuero", "Ebro\r"),
            ("Ebro\u{2028}Duero\rTajo", "Ebro\u{2028}Duero\rTajo"),
            // The mark of a chat's end is taken out after the cut, and before the citations.
            ("<|im_end|>\nEbro", ""),
            ("Ebro [1<|im_end|>2]", "Ebro"),
            ("Ebro <|im_<|im_end|>end|>", "Ebro <|im_end|>"),
            // A citation takes the blank before it along; what follows it stays.
            ("Ebro [1] Duero[2] Tajo", "Ebro Duero Tajo"),
            ("Ebro  [1]", "Ebro "),
            ("Ebro [1, 2]", "Ebro, 2"),
            ("[ 1] [x] [\u{b2}]", "[ 1 [x [\u{b2}"),
            // One without a blank may be left by the first pass, and is found by the second.
            ("Ebro [[1]1]", "Ebro [1"),
            // A bar goes with the blank before it, after the citations and before the brackets.
            ("Ebro |[1] Duero", "Ebro Duero"),
            ("Ebro [1]| Duero", "Ebro| Duero"),
            ("Ebro ]| Duero", "Ebro | Duero"),
        ] {
            assert_eq!(clean(text), cleaned, "{text:?}");
        }
    }
}
