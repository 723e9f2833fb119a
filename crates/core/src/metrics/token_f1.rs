//! Token F1: how much of a reference's words the prediction has, and how little else.

use super::{language, squad::Answers};
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored};

/// Harmonic mean of precision and recall over the normalised words, best over the references.
///
/// # Definition
/// With the number of common tokens, counted with multiplicity, p = common / predicted,
/// r = common / reference, F1 = 2pr / (p + r); 0 where nothing is common. References that
/// normalise to nothing are left out unless none is left.
///
/// # Parameters
/// Those of [`EM`](super::exact_match::EM).
///
/// # Edge cases
/// Two sides without a token score 1; one such side scores 0.
///
/// # Equals
/// `f1` of `evaluate-v2.0.py`. Rajpurkar et al., "Know What You Don't Know" (2018).
pub static F1: Definition = Definition {
    name: "F1",
    synonyms: &["TokenF1", "token_f1", "f1"],
    summary: "F1 of the normalised words, best over the references",
    equals: "SQuAD 2.0, evaluate-v2.0.py: f1",
    subject: Subject::Answer,
    needs: &[],
    cutoff: Cutoff::Never,
    parameters: language::PARAMETERS,
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: token_f1,
};

/// Token F1 as SQuAD 1.1's script has it: two empty sides score 0.
///
/// # Definition
/// As [`F1`], over all references.
///
/// # Edge cases
/// Where prediction and reference both normalise to nothing EM is 1 and this is 0. An example
/// without references is unscored, where the script stops with an error.
///
/// # Equals
/// `f1` of `evaluate-v1.1.py`. Rajpurkar et al., "SQuAD: 100,000+ Questions" (2016).
pub static SQUAD1_F1: Definition = Definition {
    name: "SQuAD1.F1",
    synonyms: &[],
    summary: "F1 of SQuAD 1.1: two sides without a word score 0",
    equals: "SQuAD 1.1, evaluate-v1.1.py: f1",
    needs: &[Need::References],
    parameters: &[],
    score: squad1_token_f1,
    ..F1
};

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn token_f1(metric: &Metric, case: &Case<'_>) -> Score {
    if metric.is_plain() && case.repeats_reference() {
        return Ok(1.0);
    }
    Ok(language::with_answers(metric, case, best_f1))
}

/// F1 of SQuAD 2.0.
pub(crate) fn best_f1(answers: &Answers) -> f64 {
    let prediction = answers.prediction();
    let mut best: Option<f64> = None;
    for reference in answers.non_empty_references() {
        let f1 = if reference.equals(prediction) {
            return 1.0;
        } else {
            prediction.overlap(reference).f1(1.0)
        };
        best = Some(best.map_or(f1, |best| best.max(f1)));
    }
    best.unwrap_or_else(|| f64::from(prediction.is_empty()))
}

fn squad1_token_f1(_: &Metric, case: &Case<'_>) -> Score {
    let answers = case.squad_answers();
    let prediction = answers.prediction();
    let scores = answers.references().map(|reference| prediction.overlap(reference).f1(0.0));
    scores.reduce(f64::max).ok_or(Unscored::NoReference)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metrics::testing::check;

    #[test]
    fn token_f1() {
        check("F1", "about 6000 hours", &["6000 hours"], 0.8);
        check("F1", "about 6000 dollars", &["6000 hours"], 0.4);
        check("F1", "15 working days", &["15 days"], 0.8);
        check("F1", "10 working days", &["15 days"], 0.4);
        check("F1", "Einstein", &["Albert Einstein"], 2.0 / 3.0);
        check("F1", "July 26, 1953", &["the 26th of July, 1953"], 4.0 / 7.0);
        check("F1", "a b b", &["b b c"], 0.8);
        check("F1", "", &[], 1.0);
        check("F1", "the", &["an"], 1.0);
        check("F1", "Paris", &[], 0.0);
        check("F1", "", &["Paris"], 0.0);
        check("SQuAD1.F1", "the", &["an"], 0.0);
    }

    proptest! {
        #[test]
        fn f1_is_symmetric_and_in_range(a in "[a-d ]{0,12}", b in "[a-d ]{0,12}") {
            let forth = best_f1(&Answers::new(&a, [b.as_str()].into_iter()));
            let back = best_f1(&Answers::new(&b, [a.as_str()].into_iter()));
            prop_assert_eq!(forth.to_bits(), back.to_bits());
            prop_assert!((0.0..=1.0).contains(&forth));
        }

        #[test]
        fn the_order_of_the_references_does_not_matter(
            prediction in "[a-c ]{0,8}",
            mut references in prop::collection::vec("[a-c ]{0,8}", 0..5),
        ) {
            let forth = best_f1(&Answers::new(&prediction, references.iter().map(String::as_str)));
            references.reverse();
            let back = best_f1(&Answers::new(&prediction, references.iter().map(String::as_str)));
            prop_assert_eq!(forth.to_bits(), back.to_bits());
        }
    }
}
