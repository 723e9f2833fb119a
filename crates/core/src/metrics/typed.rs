//! Answers that are a value and not words: a number, a date, yes or no, a choice.
//!
//! A metric of this kind reads the prediction and each reference as its value and compares the
//! values. Several references are aliases: one of them is enough.

use crate::{Case, Score, Unscored};

/// 1 if the prediction is right by one of the references that `read` can read, else 0.
///
/// Where no reference can be read the example has no score, for the reason `unreadable`: a metric
/// of numbers says nothing of a question that asks for a name.
pub(super) fn best<T>(
    case: &Case<'_>,
    read: impl Fn(&str) -> Option<T>,
    unreadable: &str,
    right: impl Fn(&str, &T) -> bool,
) -> Score {
    if case.example.references.is_empty() {
        return Err(Unscored::NoReference);
    }
    let mut references = case.example.reference_texts().filter_map(read).peekable();
    if references.peek().is_none() {
        return Err(Unscored::NotApplicable(unreadable.to_owned()));
    }
    let prediction = case.prediction_text();
    Ok(f64::from(references.any(|reference| right(prediction, &reference))))
}
