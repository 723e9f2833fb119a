//! DROP's metrics: answers that are lists of spans, in which numbers are compared as numbers.

mod number;
mod span;

use self::span::Span;
use super::{assignment, normalize::is_blank};
use crate::{
    Case, Cutoff, Definition, Estimator, Metric, Need, Reference, Score, Subject, Unscored,
    arithmetic::{mean, round_to_hundredths},
};

/// Whether the spans of the prediction are those of a reference.
///
/// # Definition
/// 1 if prediction and reference have the same normalised spans and equally many, else 0; the best
/// over the references. An answer that is a list has its spans in `items`; the text of any other is
/// its one span. A span is cut at spaces and hyphens; each part is lower-cased, and written as a
/// number if it is one, before or after its punctuation is deleted ("5", "5.0" and "5,0" are
/// numbers); articles are removed.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// A reference whose first span is blank is left out. Where all are, the example is unscored; the
/// script then stops with an error in its table of types. A missing prediction scores 0.
///
/// # Equals
/// `em` of DROP's `drop_eval.py`. Dua et al., "DROP" (2019).
pub static DROP_EM: Definition = Definition {
    name: "DROP.EM",
    synonyms: &[],
    summary: "the spans of the answer are those of a reference, numbers compared as numbers",
    equals: "DROP, drop_eval.py: em",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: em,
};

/// F1 of the spans of the prediction, matched one to one with those of a reference.
///
/// # Definition
/// Each pair of spans has the F1 of its sets of words, or 0 where the reference's span has numbers
/// and shares none. Pairs are chosen so that their sum is largest; it is divided by the number of
/// spans on the longer side and rounded to two decimals. The best over the references counts.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`DROP_EM`]. Words are sets: repeating one does not matter. Two spans without a word have F1
/// 1. Rounding is NumPy's: 0.665 becomes 0.66.
///
/// # Equals
/// `f1` of DROP's `drop_eval.py`.
pub static DROP_F1: Definition = Definition {
    name: "DROP.F1",
    summary: "F1 of the answer's spans, matched one to one with those of a reference",
    equals: "DROP, drop_eval.py: f1",
    score: f1,
    ..DROP_EM
};

fn em(_: &Metric, case: &Case<'_>) -> Score {
    best(case, |prediction, reference| f64::from(equal(prediction, reference)))
}

fn f1(_: &Metric, case: &Case<'_>) -> Score {
    best(case, |prediction, reference| aligned(prediction, reference).unwrap_or(0.0))
}

fn best(case: &Case<'_>, compare: impl Fn(&[Span], &[Span]) -> f64) -> Score {
    let references = &case.example.references;
    if references.is_empty() {
        return Err(Unscored::NoReference);
    }
    let prediction = match case.prediction {
        Some(prediction) => parts(&prediction.text, &prediction.items),
        None => vec![""],
    };
    let prediction = spans(&prediction);
    let scores = references
        .iter()
        .filter(|reference| !begins_blank(reference))
        .map(|reference| compare(&prediction, &spans(&parts(&reference.text, &reference.items))));
    let blank = || Unscored::NotApplicable("every reference is blank".to_owned());
    scores.reduce(f64::max).ok_or_else(blank)
}

fn begins_blank(reference: &Reference) -> bool {
    reference.items.first().unwrap_or(&reference.text).chars().all(is_blank)
}

/// The spans of an answer: its items, or its text where it has none.
fn parts<'a>(text: &'a str, items: &'a [String]) -> Vec<&'a str> {
    if items.is_empty() { vec![text] } else { items.iter().map(String::as_str).collect() }
}

/// Both scores of one prediction against one reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanScore {
    /// Exact match.
    pub em: f64,
    /// F1 of the spans; `None` where neither side has a span, for which the script has NaN.
    pub f1: Option<f64>,
}

/// Compares the spans of a prediction with those of a reference.
pub fn compare(prediction: &[&str], reference: &[&str]) -> SpanScore {
    let (prediction, reference) = (spans(prediction), spans(reference));
    let em = f64::from(equal(&prediction, &reference));
    SpanScore { em, f1: aligned(&prediction, &reference) }
}

/// A span as it is compared.
pub fn normalize(text: &str) -> String {
    Span::new(text).into_text()
}

fn spans(texts: &[&str]) -> Vec<Span> {
    texts.iter().map(|text| Span::new(text)).collect()
}

fn equal(prediction: &[Span], reference: &[Span]) -> bool {
    let all_in = |these: &[Span], those: &[Span]| {
        these.iter().all(|this| those.iter().any(|that| that.text() == this.text()))
    };
    prediction.len() == reference.len()
        && all_in(prediction, reference)
        && all_in(reference, prediction)
}

fn aligned(prediction: &[Span], reference: &[Span]) -> Option<f64> {
    let scores: Vec<Vec<f64>> = (reference.iter())
        .map(|gold| prediction.iter().map(|span| span.f1(gold)).collect())
        .collect();
    let mut chosen = vec![0.0; prediction.len().max(reference.len())];
    for (row, column) in assignment::best(&scores, prediction.len()) {
        chosen[row] = scores[row][column];
    }
    mean(&chosen).map(round_to_hundredths)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction, metrics::testing::check};

    #[test]
    fn numbers_are_compared_as_numbers() {
        check("DROP.EM", "5", &["5.0"], 1.0);
        check("DROP.EM", "5,000", &["5000"], 1.0);
        check("DROP.EM", "5 yards", &["5-yard"], 0.0);
        check("DROP.F1", "5 yards", &["5 yard"], 0.5);
        check("DROP.F1", "6 yard", &["5 yard"], 0.0);
        check("DROP.F1", "yard", &["yard yard"], 1.0);
        check("DROP.F1", "the Bears", &["", "Bears of Chicago"], 0.5);
        check("DROP.F1", "the", &["an"], 1.0);
    }

    #[test]
    fn lists_are_matched_one_to_one() {
        let score = |prediction, reference| compare(prediction, reference);
        assert_eq!(score(&["a b", "b"], &["b", "b"]), SpanScore { em: 1.0, f1: Some(1.0) });
        assert_eq!(score(&["x"], &["x", "y"]), SpanScore { em: 0.0, f1: Some(0.5) });
        assert_eq!(score(&["x y", "x"], &["x", "x y z"]), SpanScore { em: 0.0, f1: Some(0.9) });
        assert_eq!(score(&[], &["x"]), SpanScore { em: 0.0, f1: Some(0.0) });
        assert_eq!(score(&[], &[]), SpanScore { em: 1.0, f1: None });
    }

    #[test]
    fn blank_references_are_no_references() {
        let example = Example { references: vec![" \u{3000}".into()], ..Example::default() };
        let prediction = Prediction::answer("x");
        let case = Case::new(&example).with_prediction(&prediction);
        let score = "DROP.F1".parse::<Metric>().unwrap().score(&case);
        assert!(matches!(score, Err(Unscored::NotApplicable(_))), "{score:?}");
    }

    proptest! {
        #[test]
        fn scores_are_in_range_and_the_order_of_spans_does_not_matter(
            mut prediction in prop::collection::vec("\\PC{0,8}|[ab 1_.٣-]{0,8}", 1..5),
            reference in prop::collection::vec("\\PC{0,8}|[ab 1_.٣-]{0,8}", 1..5),
        ) {
            let texts = |spans: &[String]| -> SpanScore {
                let spans: Vec<&str> = spans.iter().map(String::as_str).collect();
                let reference: Vec<&str> = reference.iter().map(String::as_str).collect();
                compare(&spans, &reference)
            };
            let forth = texts(&prediction);
            prediction.reverse();
            let back = texts(&prediction);
            prop_assert!((0.0..=1.0).contains(&forth.f1.unwrap()));
            prop_assert_eq!(forth.em.to_bits(), back.em.to_bits());
            prop_assert!((forth.f1.unwrap() - back.f1.unwrap()).abs() < 0.011);
        }
    }
}
