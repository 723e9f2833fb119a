//! Answers that count only where the pages are right.

use super::{EVIDENCE, downstream, provenance, rouge};
use crate::{Case, Definition, Metric, Need, Score};

/// Accuracy of the answers that rest on the right pages.
///
/// # Definition
/// [`KILT_ACCURACY`](downstream::KILT_ACCURACY) where
/// [`KILT_RPREC`](provenance::KILT_RPREC) is 1, else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// A blank prediction scores 0, and so does a missing one. Null where either of the two is null.
///
/// # Equals
/// `KILT-accuracy` of KILT's `eval_downstream.py`. Petroni et al., "KILT" (2021).
pub static KILT_JOINT_ACCURACY: Definition = Definition {
    name: "KILT.Joint-Accuracy",
    synonyms: &["KILT-Accuracy"],
    summary: "accuracy of the answers that rest on the right pages",
    equals: "KILT, eval_downstream.py: KILT-accuracy",
    needs: &[Need::References, Need::Judgments, Need::OptionalColumn(EVIDENCE)],
    score: accuracy,
    ..downstream::KILT_ACCURACY
};

/// Exact match of the answers that rest on the right pages.
///
/// # Definition
/// [`KILT_EM`](downstream::KILT_EM) where [`KILT_RPREC`](provenance::KILT_RPREC) is 1, else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`KILT_JOINT_ACCURACY`].
///
/// # Equals
/// `KILT-em` of KILT's `eval_downstream.py`.
pub static KILT_JOINT_EM: Definition = Definition {
    name: "KILT.Joint-EM",
    synonyms: &["KILT-EM"],
    summary: "exact match of the answers that rest on the right pages",
    equals: "KILT, eval_downstream.py: KILT-em",
    score: em,
    ..KILT_JOINT_ACCURACY
};

/// Token F1 of the answers that rest on the right pages.
///
/// # Definition
/// [`KILT_F1`](downstream::KILT_F1) where [`KILT_RPREC`](provenance::KILT_RPREC) is 1, else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`KILT_JOINT_ACCURACY`].
///
/// # Equals
/// `KILT-f1` of KILT's `eval_downstream.py`.
pub static KILT_JOINT_F1: Definition = Definition {
    name: "KILT.Joint-F1",
    synonyms: &["KILT-F1"],
    summary: "token F1 of the answers that rest on the right pages",
    equals: "KILT, eval_downstream.py: KILT-f1",
    score: f1,
    ..KILT_JOINT_ACCURACY
};

/// ROUGE-L of the answers that rest on the right pages.
///
/// # Definition
/// [`KILT_ROUGE_L`](rouge::KILT_ROUGE_L) where [`KILT_RPREC`](provenance::KILT_RPREC) is 1, else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`KILT_JOINT_ACCURACY`].
///
/// # Equals
/// `KILT-rougel` of KILT's `eval_downstream.py`.
pub static KILT_JOINT_ROUGE_L: Definition = Definition {
    name: "KILT.Joint-ROUGE-L",
    synonyms: &["KILT-ROUGE-L"],
    summary: "ROUGE-L of the answers that rest on the right pages",
    equals: "KILT, eval_downstream.py: KILT-rougel",
    score: rouge_l,
    ..KILT_JOINT_ACCURACY
};

fn accuracy(metric: &Metric, case: &Case<'_>) -> Score {
    joint(downstream::accuracy, metric, case)
}

fn em(metric: &Metric, case: &Case<'_>) -> Score {
    joint(downstream::em, metric, case)
}

fn f1(metric: &Metric, case: &Case<'_>) -> Score {
    joint(downstream::f1, metric, case)
}

fn rouge_l(metric: &Metric, case: &Case<'_>) -> Score {
    joint(rouge::best, metric, case)
}

fn joint(answer: fn(&Metric, &Case<'_>) -> Score, metric: &Metric, case: &Case<'_>) -> Score {
    let answer = answer(metric, case)?;
    let right = provenance::rprec(metric, case)? >= 1.0;
    Ok(if right { answer } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use crate::{Case, Example, Metric, Prediction};

    #[test]
    fn an_answer_on_wrong_pages_is_wrong() {
        let example = Example {
            references: vec!["Ebro".into()],
            gold_passages: vec!["a".to_owned()],
            ..Example::default()
        };
        for (page, expected) in [("a", 1.0), ("b", 0.0)] {
            let citations = vec![page.to_owned()];
            let prediction = Prediction { citations, ..Prediction::answer("the Ebro") };
            let metric: Metric = "KILT-EM".parse().unwrap();
            let score = metric.score(&Case::new(&example).with_prediction(&prediction));
            assert_eq!(score, Ok(expected));
        }
    }
}
