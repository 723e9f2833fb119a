//! Metrics of machine translation as sacrebleu computes them: BLEU, chrF and TER.
//!
//! Each compares an answer with all references of its example. None is a mean of examples: each
//! example gives counts, and the counts of all together make the number. Values go from 0 to 100,
//! as they are printed everywhere.

pub mod bleu;
pub mod chrf;
pub mod ter;
pub mod tokenize;

mod cut;
mod edits;
mod ngrams;
mod vocabulary;

use std::borrow::Cow;

use super::normalize::is_blank;
use crate::{Kind, Metric};

/// A parameter that is off by default.
const SWITCH: Kind = Kind::Choice(&["no", "yes"]);

/// Whether a [`SWITCH`] is on.
fn is_on(metric: &Metric, parameter: &str) -> bool {
    metric.choice(parameter) == "yes"
}

/// The text in lower case, if that is asked for.
fn folded(text: &str, lowercase: bool) -> Cow<'_, str> {
    if lowercase { text.to_lowercase().into() } else { text.into() }
}

/// The text without the blanks at its end.
fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => text.trim_end_matches(is_blank).into(),
        Cow::Owned(mut text) => {
            text.truncate(text.trim_end_matches(is_blank).len());
            text.into()
        }
    }
}

/// Sums each column of statistics. All of them are whole numbers, so that their order does not
/// matter.
fn sums(columns: &[&[f64]]) -> Vec<f64> {
    columns.iter().map(|column| column.iter().sum()).collect()
}

/// Whether the columns are of no example at all.
fn is_nothing(columns: &[&[f64]]) -> bool {
    columns.first().is_none_or(|column| column.is_empty())
}

#[cfg(test)]
mod testing {
    //! Texts that are hard to cut, for the properties of all three metrics.

    use proptest::prelude::*;

    /// A few words, of which two texts will have some in common.
    pub(super) fn words() -> impl Strategy<Value = String> {
        "([a-d]{1,2}|[A-C]|[.,'!-]|1|\u{e9}|\u{4e00}|[ \u{3000}\u{1c}]){0,16}"
    }

    /// Any text at all.
    pub(super) fn hostile() -> impl Strategy<Value = String> {
        "\\PC*|[ -~]*|[\\x00-\\x7f\u{80}-\u{2ff}\u{2000}-\u{206f}\u{3000}-\u{30ff}.,'&;-]*"
    }
}
