//! NQ-open's metric: exact match on decomposed text.

use super::{normalize, squad::Answers};
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored};

/// Exact match as the open-domain scripts of Google have it (ORQA, REALM, EfficientQA).
///
/// # Definition
/// 1 if the normalised prediction equals a normalised reference, else 0. Texts are decomposed first
/// (NFD), then normalised as in SQuAD: an accent is a character of its own and stays.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// After decomposing, *á* alone is the article *a* with an accent, and the *a* is removed. Every
/// reference counts, also one that normalises to nothing. A missing prediction scores 0. An example
/// without references is unscored, where the script stops with an error.
///
/// # Equals
/// `is_correct` of ORQA's `eval_utils.py`. Lee et al., "Latent Retrieval" (2019). DPR's reader and
/// its followers do not decompose: theirs is [`SQUAD1_EM`](super::exact_match::SQUAD1_EM).
pub static NQ_OPEN_EM: Definition = Definition {
    name: "NQ-open.EM",
    synonyms: &[],
    summary: "EM of NQ-open: texts are decomposed before they are normalised",
    equals: "NQ-open, ORQA eval_utils.py: is_correct",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: exact_match,
};

fn exact_match(_: &Metric, case: &Case<'_>) -> Score {
    let references = case.example.reference_texts();
    if references.len() == 0 {
        return Err(Unscored::NoReference);
    }
    let append = normalize::append_nq_open;
    let answers = Answers::made_by(append, case.prediction_text(), references);
    let prediction = answers.prediction();
    Ok(f64::from(answers.references().any(|reference| reference.equals(prediction))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::metrics::testing::{check, check_hostile};

    #[test]
    fn accents_are_characters() {
        check("NQ-open.EM", "caf\u{e9}", &["the cafe\u{301}"], 1.0);
        check("EM", "caf\u{e9}", &["the cafe\u{301}"], 0.0);
        check("NQ-open.EM", "\u{e1} cat", &["\u{301} cat"], 1.0);
        check("NQ-open.EM", "a", &["the", "x"], 1.0);
    }

    proptest! {
        #[test]
        fn any_text_is_scored(
            prediction in "\\PC{0,12}|[aA_.' nTHe(]{0,12}",
            references in prop::collection::vec("\\PC{0,9}|[aA_.' nTHe(]{0,9}", 1..4),
        ) {
            check_hostile("NQ-open.EM", &prediction, &references);
        }
    }
}
