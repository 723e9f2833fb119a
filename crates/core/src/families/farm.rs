//! FARM's metrics of extractive readers, which compare places and not texts.
//!
//! A span is the first and the last token of an answer; (-1, -1) stands for no answer.

use crate::arithmetic::mean;

/// First and last token.
pub type Span = (i64, i64);

/// The span that means no answer.
pub const NO_ANSWER: Span = (-1, -1);

/// One question: the candidates of the reader from the best, and the labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Candidates, best first.
    pub candidates: Vec<Span>,
    /// Spans of the annotators.
    pub labels: Vec<Span>,
}

/// The metrics of some questions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Share of questions whose best candidate is a label; 0 without a question.
    pub em: f64,
    /// Mean F1 of the best candidate; `None` without a question, for which FARM has NaN.
    pub f1: Option<f64>,
    /// Share of questions with a candidate that touches a label; `None` without a question.
    pub top_n_accuracy: Option<f64>,
    /// How many questions there are.
    pub total: usize,
}

/// The metrics of all questions, of those with an answer, and of those without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// All questions.
    pub all: Metrics,
    /// Questions without [`NO_ANSWER`] among their labels.
    pub text_answer: Metrics,
    /// Questions with [`NO_ANSWER`] among their labels.
    pub no_answer: Metrics,
}

/// A question without a candidate or without a label, at which FARM stops with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("question {0} has no candidate or no label")]
pub struct Incomplete(pub usize);

/// `squad` of FARM's `metrics.py`.
pub fn squad(questions: &[Question]) -> Result<Split, Incomplete> {
    let empty = |question: &Question| question.candidates.is_empty() || question.labels.is_empty();
    if let Some(index) = questions.iter().position(empty) {
        return Err(Incomplete(index));
    }
    let unanswerable = |question: &&Question| question.labels.contains(&NO_ANSWER);
    Ok(Split {
        all: metrics(questions.iter()),
        text_answer: metrics(questions.iter().filter(|question| !unanswerable(question))),
        no_answer: metrics(questions.iter().filter(unanswerable)),
    })
}

fn metrics<'a>(questions: impl Iterator<Item = &'a Question>) -> Metrics {
    let (mut exact, mut f1s, mut found) = (0_usize, Vec::new(), Vec::new());
    for Question { candidates, labels } in questions {
        let best = candidates.first();
        exact += usize::from(best.is_some_and(|best| labels.contains(best)));
        f1s.push(best.map_or(0.0, |&best| best_f1(best, labels)));
        found.push(f64::from(candidates.iter().any(|&span| best_f1(span, labels) > 0.0)));
    }
    let total = f1s.len();
    let em = if total == 0 { 0.0 } else { exact as f64 / total as f64 };
    Metrics { em, f1: mean(&f1s), top_n_accuracy: mean(&found), total }
}

fn best_f1(span: Span, labels: &[Span]) -> f64 {
    labels.iter().map(|&label| f1(span, label)).fold(0.0, f64::max)
}

/// F1 of the tokens of two spans. A span whose ends add up to 0 is compared by its start alone.
pub fn f1(span: Span, label: Span) -> f64 {
    let is_zero = |(start, end): Span| start.checked_add(end) == Some(0);
    if is_zero(span) || is_zero(label) {
        return f64::from(span.0 == label.0);
    }
    let common = length((span.0.max(label.0), span.1.min(label.1)));
    if common == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (common / length(span), common / length(label));
    (2.0 * precision * recall) / (precision + recall)
}

/// How many tokens there are from the first to the last.
fn length((start, end): Span) -> f64 {
    if start > end { 0.0 } else { end as f64 - start as f64 + 1.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spans_are_compared_by_their_tokens() {
        for (span, label, expected) in [
            ((3, 6), (3, 6), 1.0),
            ((3, 6), (5, 8), 0.5),
            ((3, 4), (5, 8), 0.0),
            (NO_ANSWER, NO_ANSWER, 1.0),
            (NO_ANSWER, (3, 4), 0.0),
            ((0, 0), (0, 5), 1.0),
            ((0, 0), NO_ANSWER, 0.0),
            ((6, 3), (3, 6), 0.0),
            ((i64::MAX, i64::MAX), (i64::MIN, i64::MAX), 0.0),
        ] {
            assert!((f1(span, label) - expected).abs() < 1e-9, "{span:?} {label:?}");
        }
    }

    #[test]
    fn questions_without_an_answer_are_counted_apart() {
        let question = |candidates: &[Span], labels: &[Span]| Question {
            candidates: candidates.to_vec(),
            labels: labels.to_vec(),
        };
        let split =
            squad(&[question(&[NO_ANSWER, (3, 4)], &[(3, 4)]), question(&[(7, 8)], &[(7, 8)])]);
        let split = split.unwrap();
        assert_eq!(
            (split.all.em, split.all.f1, split.all.top_n_accuracy),
            (0.5, Some(0.5), Some(1.0))
        );
        assert_eq!((split.no_answer.em, split.no_answer.f1, split.no_answer.total), (0.0, None, 0));
        assert_eq!(squad(&[question(&[], &[(1, 2)])]), Err(Incomplete(0)));
    }

    proptest! {
        #[test]
        fn f1_is_symmetric_and_in_range(
            (a, b, c, d) in (-3_i64..9, -3_i64..9, -3_i64..9, -3_i64..9),
        ) {
            let value = f1((a, b), (c, d));
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert_eq!(value.to_bits(), f1((c, d), (a, b)).to_bits());
        }
    }
}
