//! CoQA's metrics: exact match and F1 against several annotators, leaving one out in turn.

use super::{
    leave_one_out,
    squad::{Answer, Answers},
};
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored};

/// Exact match against several annotators.
///
/// # Definition
/// Each reference gives 1 if it equals the prediction after SQuAD's normalisation, else 0. With one
/// reference that is the score. With more, the mean over i of the best over the references other
/// than i.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// Every reference counts, also one that normalises to nothing; "unknown" is a word like any other.
/// A missing prediction scores 0. An example without references is unscored, where the script stops
/// with an error.
///
/// # Equals
/// `em` of CoQA's `evaluate-v1.0.py`. Reddy et al., "CoQA: A Conversational Question Answering
/// Challenge" (2019).
pub static COQA_EM: Definition = Definition {
    name: "CoQA.EM",
    synonyms: &[],
    summary: "exact match against several annotators, leaving one out in turn",
    equals: "CoQA, evaluate-v1.0.py: em",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: exact_match,
};

/// Token F1 against several annotators.
///
/// # Definition
/// As [`COQA_EM`], with the token F1 of SQuAD 2.0 for each reference.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`COQA_EM`]. Two sides without a word score 1, one such side scores 0.
///
/// # Equals
/// `f1` of CoQA's `evaluate-v1.0.py`.
pub static COQA_F1: Definition = Definition {
    name: "CoQA.F1",
    summary: "token F1 against several annotators, leaving one out in turn",
    equals: "CoQA, evaluate-v1.0.py: f1",
    score: f1,
    ..COQA_EM
};

fn exact_match(_: &Metric, case: &Case<'_>) -> Score {
    leave_out(case.squad_answers(), em_of)
}

fn f1(_: &Metric, case: &Case<'_>) -> Score {
    leave_out(case.squad_answers(), f1_of)
}

fn leave_out(answers: &Answers, compare: fn(Answer<'_>, Answer<'_>) -> f64) -> Score {
    let prediction = answers.prediction();
    let scores: Vec<f64> =
        answers.references().map(|reference| compare(prediction, reference)).collect();
    if scores.is_empty() { Err(Unscored::NoReference) } else { Ok(leave_one_out::mean(&scores)) }
}

fn em_of(prediction: Answer<'_>, reference: Answer<'_>) -> f64 {
    f64::from(prediction.equals(reference))
}

fn f1_of(prediction: Answer<'_>, reference: Answer<'_>) -> f64 {
    prediction.overlap(reference).f1(1.0)
}

/// Both scores of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TurnScore {
    /// Exact match.
    pub em: f64,
    /// Token F1.
    pub f1: f64,
}

/// How well the annotators do among themselves: each reference against all others, on average.
/// `None` below two references, where the script gives up.
pub fn human(references: &[&str]) -> Option<TurnScore> {
    let answers = Answers::new("", references.iter().copied());
    let answers: Vec<Answer<'_>> = answers.references().collect();
    let among = |compare: fn(Answer<'_>, Answer<'_>) -> f64| {
        leave_one_out::among(answers.len(), |i, j| compare(answers[i], answers[j]))
    };
    Some(TurnScore { em: among(em_of)?, f1: among(f1_of)? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction, metrics::testing::check};

    #[test]
    fn each_reference_is_left_out_in_turn() {
        check("CoQA.EM", "yes", &["Yes."], 1.0);
        check("CoQA.EM", "yes", &["yes", "no"], 0.5);
        check("CoQA.EM", "yes", &["yes", "no", "yes"], 1.0);
        check("CoQA.EM", "", &["the", "x"], 0.5);
        check("CoQA.F1", "red car", &["red car", "red"], 5.0 / 6.0);
        check("CoQA.F1", "the", &["", "an"], 1.0);
    }

    #[test]
    fn people_are_compared_with_each_other() {
        assert_eq!(human(&["yes"]), None);
        assert_eq!(human(&["yes", "Yes!"]), Some(TurnScore { em: 1.0, f1: 1.0 }));
        assert_eq!(human(&["red car", "red"]), Some(TurnScore { em: 0.0, f1: 2.0 / 3.0 }));
    }

    proptest! {
        #[test]
        fn scores_are_in_range_and_the_order_of_references_does_not_matter(
            prediction in "\\PC{0,8}|[ab ]{0,6}",
            mut references in prop::collection::vec("\\PC{0,8}|[ab ]{0,6}", 1..5),
        ) {
            for name in ["CoQA.EM", "CoQA.F1"] {
                let metric: Metric = name.parse().unwrap();
                let mut score = || {
                    references.reverse();
                    let texts = references.iter().map(|text| text.as_str().into()).collect();
                    let example = Example { references: texts, ..Example::default() };
                    let prediction = Prediction::answer(prediction.as_str());
                    metric.score(&Case::new(&example).with_prediction(&prediction)).unwrap()
                };
                let (forth, back) = (score(), score());
                prop_assert!((0.0..=1.0).contains(&forth));
                prop_assert!((forth - back).abs() < 1e-12);
            }
        }
    }
}
