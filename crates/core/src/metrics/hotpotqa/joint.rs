//! Answer and supporting facts of HotpotQA together.

use super::{Match, answer, facts, facts::HOTPOTQA_SP_EM};
use crate::{Case, Definition, Metric, Need, Score};

/// Whether both the answer and the supporting facts are right.
///
/// # Definition
/// [`HOTPOTQA_EM`](answer::HOTPOTQA_EM) times [`HOTPOTQA_SP_EM`].
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// A missing prediction scores 0. An example without references is unscored.
///
/// # Equals
/// `joint_em` of `hotpot_evaluate_v1.py`. Yang et al., "HotpotQA" (2018).
pub static HOTPOTQA_JOINT_EM: Definition = Definition {
    name: "HotpotQA.Joint-EM",
    summary: "both the answer and the supporting facts are right",
    equals: "HotpotQA, hotpot_evaluate_v1.py: joint_em",
    needs: &[Need::References, Need::Judgments],
    score: em,
    ..HOTPOTQA_SP_EM
};

/// F1 of answer and supporting facts together.
///
/// # Definition
/// Harmonic mean of [`HOTPOTQA_JOINT_PRECISION`] and [`HOTPOTQA_JOINT_RECALL`].
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HOTPOTQA_JOINT_EM`]; 0 where precision and recall are 0.
///
/// # Equals
/// `joint_f1` of `hotpot_evaluate_v1.py`.
pub static HOTPOTQA_JOINT_F1: Definition = Definition {
    name: "HotpotQA.Joint-F1",
    summary: "F1 of answer and supporting facts together",
    equals: "HotpotQA, hotpot_evaluate_v1.py: joint_f1",
    score: f1,
    ..HOTPOTQA_JOINT_EM
};

/// Precision of answer and supporting facts together.
///
/// # Definition
/// The product of [`HOTPOTQA_PRECISION`](answer::HOTPOTQA_PRECISION) and
/// [`HOTPOTQA_SP_PRECISION`](facts::HOTPOTQA_SP_PRECISION).
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HOTPOTQA_JOINT_EM`].
///
/// # Equals
/// `joint_prec` of `hotpot_evaluate_v1.py`.
pub static HOTPOTQA_JOINT_PRECISION: Definition = Definition {
    name: "HotpotQA.Joint-Precision",
    summary: "precision of the answer times precision of the citations",
    equals: "HotpotQA, hotpot_evaluate_v1.py: joint_prec",
    score: precision,
    ..HOTPOTQA_JOINT_EM
};

/// Recall of answer and supporting facts together.
///
/// # Definition
/// The product of [`HOTPOTQA_RECALL`](answer::HOTPOTQA_RECALL) and
/// [`HOTPOTQA_SP_RECALL`](facts::HOTPOTQA_SP_RECALL).
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`HOTPOTQA_JOINT_EM`].
///
/// # Equals
/// `joint_recall` of `hotpot_evaluate_v1.py`.
pub static HOTPOTQA_JOINT_RECALL: Definition = Definition {
    name: "HotpotQA.Joint-Recall",
    summary: "recall of the answer times recall of the supporting facts",
    equals: "HotpotQA, hotpot_evaluate_v1.py: joint_recall",
    score: recall,
    ..HOTPOTQA_JOINT_EM
};

fn em(_: &Metric, case: &Case<'_>) -> Score {
    let facts = facts::compare(case).exact;
    answer::best(case, |answer| f64::from(answer.exact && facts))
}

fn f1(_: &Metric, case: &Case<'_>) -> Score {
    best(case, |joint| joint.f1)
}

fn precision(_: &Metric, case: &Case<'_>) -> Score {
    best(case, |joint| joint.precision)
}

fn recall(_: &Metric, case: &Case<'_>) -> Score {
    best(case, |joint| joint.recall)
}

fn best(case: &Case<'_>, value: fn(Match) -> f64) -> Score {
    let facts = facts::compare(case).facts;
    answer::best(case, |answer| {
        let precision = answer.words.precision * facts.precision;
        value(Match::new(precision, answer.words.recall * facts.recall))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Case, Example, Metric, Prediction, Score};

    fn score(metric: &str, answer: &str, cited: &[&str]) -> Score {
        let example = Example {
            references: vec!["red car".into()],
            gold_passages: vec!["A#0".into()],
            ..Example::default()
        };
        let citations = cited.iter().map(|&id| id.to_owned()).collect();
        let prediction = Prediction { citations, ..Prediction::answer(answer) };
        metric.parse::<Metric>().unwrap().score(&Case::new(&example).with_prediction(&prediction))
    }

    #[test]
    fn both_must_be_right() {
        assert_eq!(score("HotpotQA.Joint-EM", "the red car", &["A#0"]), Ok(1.0));
        assert_eq!(score("HotpotQA.Joint-EM", "the red car", &["A#1"]), Ok(0.0));
        assert_eq!(score("HotpotQA.Joint-Precision", "red", &["A#0", "A#1"]), Ok(0.5));
        assert_eq!(score("HotpotQA.Joint-Recall", "red", &["A#0", "A#1"]), Ok(0.5));
        assert_eq!(score("HotpotQA.Joint-F1", "red", &["A#0", "A#1"]), Ok(0.5));
        assert_eq!(score("HotpotQA.Joint-F1", "red", &[]), Ok(0.0));
    }

    proptest! {
        #[test]
        fn scores_are_in_range(answer in "\\PC{0,9}|(red|car|yes| ){0,4}") {
            for name in ["EM", "F1", "Precision", "Recall"] {
                for part in ["", "SP-", "Joint-"] {
                    let score = score(&format!("HotpotQA.{part}{name}"), &answer, &["A#0"]);
                    prop_assert!((0.0..=1.0).contains(&score.unwrap()));
                }
            }
        }
    }
}
