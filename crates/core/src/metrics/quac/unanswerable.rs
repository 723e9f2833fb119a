//! How well a system knows what the passage does not say.

use super::{CANNOT_ANSWER, QUAC_F1, counted, settle};
use crate::{Case, Definition, Metric, Score, Unscored};

/// Accuracy on the questions that the passage does not answer.
///
/// # Definition
/// Over the questions whose annotators settle on CANNOTANSWER: 1 if the prediction is exactly that,
/// else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `min_f1`: of no effect, because such a question has one reference.
///
/// # Edge cases
/// A missing prediction scores 0 on such a question. Null for a question with an answer; such
/// questions do not count, so that without any other there is no number, where the script divides
/// by zero.
///
/// # Equals
/// `unanswerable_acc` of QuAC's `scorer.py`. Choi et al., "QuAC: Question Answering in Context"
/// (2018).
pub static QUAC_UNANSWERABLE: Definition = Definition {
    name: "QuAC.Unanswerable",
    summary: "accuracy on the questions that the passage does not answer",
    equals: "QuAC, scorer.py: unanswerable_acc",
    score,
    ..QUAC_F1
};

fn score(metric: &Metric, case: &Case<'_>) -> Score {
    let references = settle(case.example.reference_texts().collect());
    if references.is_empty() {
        return Err(Unscored::NoReference);
    }
    if references != [CANNOT_ANSWER] {
        return Err(Unscored::NotApplicable("the question has an answer".to_owned()));
    }
    Ok(counted(metric, case)?.prediction_f1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Example, metrics::testing::check};

    #[test]
    fn only_questions_without_an_answer_count() {
        check("QuAC.Unanswerable", "CANNOTANSWER", &["CANNOTANSWER"], 1.0);
        check("QuAC.Unanswerable", "cannotanswer", &["CANNOTANSWER", "x"], 0.0);
        let metric: Metric = "QuAC.Unanswerable".parse().unwrap();
        let of = |references: &[&str]| {
            let references = references.iter().map(|&text| text.into()).collect();
            metric.score(&Case::new(&Example { references, ..Example::default() }))
        };
        // A missing prediction is wrong where any prediction counts.
        assert_eq!(of(&["CANNOTANSWER"]), Ok(0.0));
        assert!(matches!(of(&["x"]), Err(Unscored::NotApplicable(_))));
    }
}
