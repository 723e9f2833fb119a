//! The answer of KILT.

use crate::{
    Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored,
    metrics::{normalize::is_blank, squad::Answer},
};

/// Whether the prediction is a reference, letter for letter.
///
/// # Definition
/// 1 if the prediction without blanks around it equals a reference without them, else 0. Nothing is
/// normalised.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// Blank references do not count. A blank prediction scores 0, and so does a missing one. Null for
/// an answer where no reference is left, at which the script stops with an error.
///
/// # Equals
/// `accuracy` of KILT's `eval_downstream.py`. Petroni et al., "KILT" (2021).
pub static KILT_ACCURACY: Definition = Definition {
    name: "KILT.Accuracy",
    synonyms: &[],
    summary: "the prediction equals a reference, letter for letter",
    equals: "KILT, eval_downstream.py: accuracy",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: accuracy,
};

/// Exact match after SQuAD's normalisation.
///
/// # Definition
/// 1 if the normalised prediction equals a normalised reference, else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`KILT_ACCURACY`]. A reference that is not blank and normalises to nothing counts.
///
/// # Equals
/// `em` of KILT's `eval_downstream.py`.
pub static KILT_EM: Definition = Definition {
    name: "KILT.EM",
    summary: "EM of KILT: blank answers are wrong",
    equals: "KILT, eval_downstream.py: em",
    score: em,
    ..KILT_ACCURACY
};

/// Token F1, the best over the references.
///
/// # Definition
/// Token F1 of SQuAD 1.1.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`KILT_EM`]. Two sides without a word score 0.
///
/// # Equals
/// `f1` of KILT's `eval_downstream.py`.
pub static KILT_F1: Definition = Definition {
    name: "KILT.F1",
    summary: "token F1 of KILT: blank answers are wrong",
    equals: "KILT, eval_downstream.py: f1",
    score: f1,
    ..KILT_ACCURACY
};

pub(super) fn accuracy(_: &Metric, case: &Case<'_>) -> Score {
    let prediction = strip(case.prediction_text());
    best(case, |reference, _| f64::from(strip(reference) == prediction))
}

pub(super) fn em(_: &Metric, case: &Case<'_>) -> Score {
    let prediction = case.squad_answers().prediction();
    best(case, |_, reference| f64::from(prediction.equals(reference)))
}

pub(super) fn f1(_: &Metric, case: &Case<'_>) -> Score {
    let prediction = case.squad_answers().prediction();
    best(case, |_, reference| prediction.overlap(reference).f1(0.0))
}

/// The best over the references that are not blank.
fn best(case: &Case<'_>, compare: impl Fn(&str, Answer<'_>) -> f64) -> Score {
    if strip(case.prediction_text()).is_empty() {
        return Ok(0.0);
    }
    let references = case.example.reference_texts().zip(case.squad_answers().references());
    let counting = references.filter(|(text, _)| !strip(text).is_empty());
    let scores = counting.map(|(text, answer)| compare(text, answer));
    scores.reduce(f64::max).ok_or(Unscored::NoReference)
}

fn strip(text: &str) -> &str {
    text.trim_matches(is_blank)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::metrics::testing::{check, check_hostile};

    #[test]
    fn blank_answers_are_wrong() {
        check("KILT.Accuracy", " Ebro ", &["Ebro\u{3000}"], 1.0);
        check("KILT.Accuracy", "ebro", &["Ebro"], 0.0);
        check("KILT.EM", "the ebro", &["Ebro"], 1.0);
        check("KILT.EM", " ", &["a"], 0.0);
        check("KILT.EM", "the", &["a", " "], 1.0);
        check("KILT.F1", "the", &["a", " "], 0.0);
        check("KILT.F1", "river Ebro", &["Ebro"], 2.0 / 3.0);
    }

    proptest! {
        #[test]
        fn any_text_is_scored(
            prediction in "\\PC{0,12}|[aA_.' nTHe(]{0,12}",
            references in prop::collection::vec("\\PC{0,9}|[aA_.' nTHe(]{0,9}", 1..4),
        ) {
            for metric in ["KILT.Accuracy", "KILT.EM", "KILT.F1"] {
                check_hostile(metric, &prediction, &references);
            }
        }
    }
}
