//! QuAC's metrics: F1 against several annotators, and the share of questions and of dialogs in
//! which the system does as well as a person.
//!
//! The numbers are those of the official scorer. It removes articles, not stop words; it compares
//! with all references but one in turn and averages; and it leaves out questions on which the
//! annotators agree too little.

pub mod labels;
pub mod unanswerable;

use super::{leave_one_out, squad::Answers};
use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject, Unscored,
    stats::Group,
};

/// The answer text that means "the passage does not say".
const CANNOT_ANSWER: &str = "CANNOTANSWER";

const MIN_F1: Parameter = Parameter {
    name: "min_f1",
    kind: Kind::Number { min: 0.0, max: 1.0, default: 0.4 },
    summary: "human F1 below which a question is left out",
};

/// Token F1 against several annotators.
///
/// # Definition
/// With one reference its F1 (SQuAD 1.1's). With more, the mean over i of the best F1 over the
/// references other than i. Where at least half of the annotators say CANNOTANSWER that is the
/// only reference, and only exactly that prediction scores 1; otherwise those annotators are left
/// out.
///
/// # Edge cases
/// Null where the references' own F1, computed in the same way, is below `min_f1`. A missing
/// prediction scores 0, also on such a question.
///
/// # Equals
/// `f1` of QuAC's `scorer.py`. Choi et al., "QuAC: Question Answering in Context" (2018).
pub static QUAC_F1: Definition = Definition {
    name: "QuAC.F1",
    synonyms: &[],
    summary: "token F1 against several annotators, leaving one out in turn",
    equals: "QuAC, scorer.py: f1",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[MIN_F1],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: f1,
};

/// Share of questions that are answered at least as well as people do (human equivalence score).
///
/// # Definition
/// 1 if [`QUAC_F1`] is at least the F1 of the references among themselves, else 0.
///
/// # Edge cases
/// As [`QUAC_F1`].
///
/// # Equals
/// `HEQ` of QuAC's `scorer.py`.
pub static HEQ_Q: Definition = Definition {
    name: "HEQ-Q",
    synonyms: &["HEQQ"],
    summary: "share of questions answered at least as well as people do",
    equals: "QuAC, scorer.py: HEQ",
    score: heq_q,
    ..QUAC_F1
};

/// Share of dialogs in which every question is answered at least as well as people do.
///
/// # Definition
/// A turn scores 1 unless it spoils its dialog; the metric is the share of dialogs whose turns all
/// score 1. It is no mean of examples, so its interval is over dialogs.
///
/// # Edge cases
/// A question that [`QUAC_F1`] leaves out spoils nothing: a dialog of such questions is good. A
/// missing prediction spoils the dialog. An example without a group is a dialog of its own.
///
/// # Equals
/// `DHEQ` of QuAC's `scorer.py`.
pub static HEQ_D: Definition = Definition {
    name: "HEQ-D",
    synonyms: &["HEQD", "DHEQ"],
    summary: "share of dialogs in which every question is answered at least as well as people do",
    equals: "QuAC, scorer.py: DHEQ",
    needs: &[Need::References, Need::Groups],
    estimator: Estimator::Groups(good_dialogs),
    score: heq_d,
    ..QUAC_F1
};

fn f1(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(counted(metric, case)?.prediction_f1)
}

fn heq_q(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(f64::from(counted(metric, case)?.human_level()))
}

fn heq_d(metric: &Metric, case: &Case<'_>) -> Score {
    match counted(metric, case) {
        Ok(agreement) => Ok(f64::from(agreement.human_level())),
        Err(Unscored::LowAgreement) => Ok(1.0),
        Err(unscored) => Err(unscored),
    }
}

#[expect(clippy::float_cmp, reason = "a sum of ones is exact")]
fn good_dialogs(dialogs: &mut dyn Iterator<Item = &Group>) -> Option<f64> {
    let (mut all, mut good) = (0_u64, 0_u64);
    for dialog in dialogs {
        all += 1;
        good += u64::from(dialog.sum() == dialog.n as f64);
    }
    (all > 0).then(|| good as f64 / all as f64)
}

/// The agreement of a question that the scorer counts.
fn counted(metric: &Metric, case: &Case<'_>) -> Result<Agreement, Unscored> {
    let agreement = agreement(case.prediction_text(), case.example.reference_texts())
        .ok_or(Unscored::NoReference)?;
    if agreement.human_f1 < metric.number("min_f1") {
        return Err(Unscored::LowAgreement);
    }
    Ok(agreement)
}

/// How well a prediction agrees with the annotators, and they with each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// F1 of the prediction, leaving one reference out in turn; in 0..=1.
    pub prediction_f1: f64,
    /// F1 of the references among themselves; 1 where there is one only.
    pub human_f1: f64,
    /// Plain best F1 over the references, which the scorer reports as a diagnostic.
    pub best_f1: f64,
}

impl Agreement {
    /// Whether the prediction does at least as well as the annotators among themselves.
    pub fn human_level(&self) -> bool {
        self.prediction_f1 >= self.human_f1
    }
}

/// Compares a prediction with the annotators' answers; `None` without an answer.
pub fn agreement<'a>(
    prediction: &str,
    references: impl Iterator<Item = &'a str>,
) -> Option<Agreement> {
    let references = settle(references.collect());
    if references.is_empty() {
        return None;
    }
    let scores = pairwise(prediction, &references);
    Some(Agreement {
        prediction_f1: leave_one_out::mean(&scores),
        human_f1: human_f1(&references),
        best_f1: scores.iter().copied().fold(0.0, f64::max),
    })
}

/// Lets the annotators settle whether the question can be answered: a tie says it cannot.
pub fn settle(references: Vec<&str>) -> Vec<&str> {
    let cannot = references.iter().filter(|&&text| text == CANNOT_ANSWER).count();
    if cannot == 0 {
        references
    } else if cannot >= references.len() - cannot {
        vec![CANNOT_ANSWER]
    } else {
        references.into_iter().filter(|&text| text != CANNOT_ANSWER).collect()
    }
}

/// F1 of a text with each reference.
fn pairwise(text: &str, references: &[&str]) -> Vec<f64> {
    let answers = Answers::new(text, references.iter().copied());
    let prediction = answers.prediction();
    let pairs = references.iter().zip(answers.references());
    pairs
        .map(|(&reference, answer)| {
            if reference == CANNOT_ANSWER {
                f64::from(text == CANNOT_ANSWER)
            } else {
                prediction.overlap(answer).f1(0.0)
            }
        })
        .collect()
}

fn human_f1(references: &[&str]) -> f64 {
    let scores: Vec<Vec<f64>> = references.iter().map(|text| pairwise(text, references)).collect();
    leave_one_out::among(references.len(), |i, j| scores[i][j]).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Example, metrics::testing::check};

    #[test]
    fn each_reference_is_left_out_in_turn() {
        check("QuAC.F1", "blue", &["blue", "blue", "red"], 1.0);
        check("QuAC.F1", "red", &["blue", "blue", "red"], 2.0 / 3.0);
        check("QuAC.F1", "CANNOTANSWER", &["CANNOTANSWER", "blue"], 1.0);
        check("QuAC.F1", "cannotanswer.", &["CANNOTANSWER", "blue"], 0.0);
        check("QuAC.F1", "blue", &["CANNOTANSWER", "blue", "blue"], 1.0);
        check("HEQ-Q", "red", &["blue", "blue", "red"], 1.0);
        check("HEQ-Q", "green", &["blue", "blue", "red"], 0.0);
    }

    #[test]
    fn a_question_without_agreement_counts_for_nothing_but_its_dialog() {
        let example =
            Example { references: vec!["blue".into(), "red".into()], ..Example::default() };
        let prediction = crate::Prediction::answer("blue");
        let case = Case::new(&example).with_prediction(&prediction);
        let score = |name: &str| name.parse::<Metric>().unwrap().score(&case);
        assert_eq!(score("QuAC.F1"), Err(Unscored::LowAgreement));
        assert_eq!(score("HEQ-D"), Ok(1.0));
        assert_eq!(score("QuAC.F1(min_f1=0)"), Ok(0.5));
        // The script looks for the prediction first.
        let missing = |name: &str| name.parse::<Metric>().unwrap().score(&Case::new(&example));
        assert_eq!((missing("QuAC.F1"), missing("HEQ-D")), (Ok(0.0), Ok(0.0)));
    }
}
