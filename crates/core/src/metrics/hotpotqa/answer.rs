//! The answer of HotpotQA.

use super::Match;
use crate::{
    Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored,
    metrics::squad::Answer,
};

/// Answers that are right or wrong as a whole.
const CLOSED: [&str; 3] = ["yes", "no", "noanswer"];

/// Exact match of the answer.
///
/// # Definition
/// 1 if prediction and reference are equal after SQuAD's normalisation, else 0. HotpotQA has one
/// reference; of several the best counts.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// A missing prediction scores 0. An example without references is unscored.
///
/// # Equals
/// `em` of `hotpot_evaluate_v1.py`. Yang et al., "HotpotQA" (2018).
pub static HOTPOTQA_EM: Definition = Definition {
    name: "HotpotQA.EM",
    synonyms: &[],
    summary: "the normalised answer equals the reference",
    equals: "HotpotQA, hotpot_evaluate_v1.py: em",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: em,
};

/// Token F1 of the answer, which is 0 where *yes* or *no* is confused with anything else.
///
/// # Definition
/// Token F1 of SQuAD 1.1. Where prediction or reference normalises to "yes", "no" or "noanswer" and
/// the other differs, all of F1, precision and recall are 0, whatever words they share.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HOTPOTQA_EM`]. Two sides without a word score 0, although they match exactly.
///
/// # Equals
/// `f1` of `hotpot_evaluate_v1.py`.
pub static HOTPOTQA_F1: Definition = Definition {
    name: "HotpotQA.F1",
    summary: "token F1 of the answer, 0 where yes or no is confused",
    equals: "HotpotQA, hotpot_evaluate_v1.py: f1",
    score: f1,
    ..HOTPOTQA_EM
};

/// Token precision of the answer.
///
/// # Definition
/// Share of the predicted words that the reference has, by the rules of [`HOTPOTQA_F1`].
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HOTPOTQA_F1`].
///
/// # Equals
/// `prec` of `hotpot_evaluate_v1.py`.
pub static HOTPOTQA_PRECISION: Definition = Definition {
    name: "HotpotQA.Precision",
    summary: "share of the answer's words that the reference has",
    equals: "HotpotQA, hotpot_evaluate_v1.py: prec",
    score: precision,
    ..HOTPOTQA_EM
};

/// Token recall of the answer.
///
/// # Definition
/// Share of the reference's words that the prediction has, by the rules of [`HOTPOTQA_F1`].
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HOTPOTQA_F1`].
///
/// # Equals
/// `recall` of `hotpot_evaluate_v1.py`.
pub static HOTPOTQA_RECALL: Definition = Definition {
    name: "HotpotQA.Recall",
    summary: "share of the reference's words that the answer has",
    equals: "HotpotQA, hotpot_evaluate_v1.py: recall",
    score: recall,
    ..HOTPOTQA_EM
};

fn em(_: &Metric, case: &Case<'_>) -> Score {
    best(case, |answer| f64::from(answer.exact))
}

fn f1(_: &Metric, case: &Case<'_>) -> Score {
    best(case, |answer| answer.words.f1)
}

fn precision(_: &Metric, case: &Case<'_>) -> Score {
    best(case, |answer| answer.words.precision)
}

fn recall(_: &Metric, case: &Case<'_>) -> Score {
    best(case, |answer| answer.words.recall)
}

/// How an answer compares with one reference.
pub(super) struct Comparison {
    pub(super) exact: bool,
    pub(super) words: Match,
}

/// The best over the references of what `value` makes of the comparison.
pub(super) fn best(case: &Case<'_>, value: impl Fn(&Comparison) -> f64) -> Score {
    let answers = case.squad_answers();
    let prediction = answers.prediction();
    let values = answers.references().map(|reference| value(&compare(prediction, reference)));
    values.reduce(f64::max).ok_or(Unscored::NoReference)
}

fn compare(prediction: Answer<'_>, reference: Answer<'_>) -> Comparison {
    let exact = prediction.equals(reference);
    let confused = !exact && CLOSED.iter().any(|word| prediction.is(word) || reference.is(word));
    let words = if confused {
        Match::default()
    } else {
        let overlap = prediction.overlap(reference);
        Match::new(overlap.precision(), overlap.recall())
    };
    Comparison { exact, words }
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check;

    #[test]
    fn closed_answers_are_right_or_wrong() {
        check("HotpotQA.EM", "Yes!", &["yes"], 1.0);
        check("HotpotQA.F1", "yes", &["yes it is"], 0.0);
        check("HotpotQA.F1", "no answer", &["answer"], 2.0 / 3.0);
        check("HotpotQA.F1", "noanswer", &["noanswer x"], 0.0);
        check("HotpotQA.Precision", "red car", &["red"], 0.5);
        check("HotpotQA.Recall", "red car", &["red"], 1.0);
        check("HotpotQA.EM", "", &["the"], 1.0);
        check("HotpotQA.F1", "", &["the"], 0.0);
    }
}
