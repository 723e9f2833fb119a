//! The best of the first answers that a reader gives.

use super::squad::{Answer, Answers};
use crate::{
    Candidate, Case, Cutoff, Definition, Estimator, Kind, Metric, Parameter, Score, Subject,
    Unscored,
};

/// `unanswerable`: what a question without a reference is worth.
const UNANSWERABLE: Parameter = Parameter {
    name: "unanswerable",
    kind: Kind::Choice(&["score", "null", "one"]),
    summary: "an example without a reference: right if an answer is blank, unscored, or always right",
};

/// `blank`: whether a blank answer is one of the first k.
const BLANK: Parameter = Parameter {
    name: "blank",
    kind: Kind::Choice(&["keep", "drop"]),
    summary: "blank answers to a question that has a reference: they count as answers, or are left out",
};

/// Exact match of any of the first k answers.
///
/// # Definition
/// 1 if one of the first k answers equals a reference after SQuAD's normalisation, else 0; without a
/// cutoff all answers count. The answers are the prediction's candidates. A prediction without
/// candidates is one answer.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// An example without a reference has one reference that is blank; `unanswerable=null` leaves it out,
/// with `unanswerable=one` any prediction is right. With `blank=drop` blank answers are taken out
/// before the first k are counted, where the example has a reference. Haystack 1.x is the default.
/// The numbers of Haystack 0.10's reader are those with `unanswerable=null,blank=drop`; its numbers
/// of a pipeline have `blank=drop` with the cutoff 1 and `unanswerable=one,blank=drop` without one.
///
/// # Edge cases
/// Every reference counts, also one that normalises to nothing, which `EM` leaves out where there
/// are others. A missing prediction scores 0. Null where `blank=drop` leaves no answer, at which
/// Haystack 0.10 stops with an error.
///
/// # Equals
/// `top_n_em` of FARM and Haystack, `top_k_em` of Haystack 0.10's `EvalAnswers`, `exact_match` of
/// Haystack 1.x's `EvaluationResult`.
pub static TOP_EM: Definition = Definition {
    name: "Top-EM",
    synonyms: &[],
    summary: "one of the first k answers equals a reference",
    equals: "Haystack: top_n_em; 0.10: top_k_em; 1.x: exact_match",
    subject: Subject::Answer,
    needs: &[],
    cutoff: Cutoff::Optional,
    parameters: &[UNANSWERABLE, BLANK],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: top_em,
};

/// Best token F1 of the first k answers.
///
/// # Definition
/// The highest token F1 of one of the first k answers with a reference, by the rules of [`TOP_EM`].
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// Those of [`TOP_EM`].
///
/// # Edge cases
/// As [`TOP_EM`]. Two sides without a word score 1.
///
/// # Equals
/// `top_n_f1` of FARM and Haystack, `top_k_f1` of Haystack 0.10's `EvalAnswers`, `f1` of Haystack
/// 1.x's `EvaluationResult`.
pub static TOP_F1: Definition = Definition {
    name: "Top-F1",
    summary: "best token F1 of the first k answers",
    equals: "Haystack: top_n_f1; 0.10: top_k_f1; 1.x: f1",
    score: top_f1,
    ..TOP_EM
};

fn top_em(metric: &Metric, case: &Case<'_>) -> Score {
    best(metric, case, |answer, reference| f64::from(answer.equals(reference)))
}

fn top_f1(metric: &Metric, case: &Case<'_>) -> Score {
    best(metric, case, |answer, reference| answer.overlap(reference).f1(1.0))
}

/// The best of all pairs of an answer and a reference.
fn best(
    metric: &Metric,
    case: &Case<'_>,
    compare: impl Fn(Answer<'_>, Answer<'_>) -> f64,
) -> Score {
    let answerable = case.example.answerable();
    match metric.choice("unanswerable") {
        "null" if !answerable => return Err(Unscored::NoReference),
        "one" if !answerable => return Ok(1.0),
        _ => {}
    }
    let drop = answerable && metric.choice("blank") == "drop";
    // A missing prediction is a wrong answer.
    let Some(prediction) = case.prediction else { return Ok(0.0) };
    let given = prediction.answers();
    let kept = given.iter().filter(|answer| !drop || !answer.abstains()).take(metric.depth());
    let mut texts: Vec<&str> = kept.map(|Candidate { text, .. }| text.as_str()).collect();
    let number = texts.len();
    if answerable {
        texts.extend(case.example.reference_texts());
    } else {
        texts.push("");
    }
    let normalized = Answers::new("", texts.into_iter());
    let answers = || normalized.references().take(number);
    let references = || normalized.references().skip(number);
    let pairs = answers().flat_map(|answer| references().map(move |reference| (answer, reference)));
    let scores = pairs.map(|(answer, reference)| compare(answer, reference));
    let nothing = || Unscored::NotApplicable("all answers are blank".to_owned());
    scores.reduce(f64::max).ok_or_else(nothing)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Candidate, Case, Example, Metric, Prediction, Score, Unscored};

    fn score(metric: &str, answers: &[&str], references: &[&str]) -> Score {
        let candidates: Vec<Candidate> = answers.iter().map(|&text| text.into()).collect();
        let prediction = Prediction::first_of(candidates);
        let references = references.iter().map(|&text| text.into()).collect();
        let example = Example { references, ..Example::default() };
        let metric: Metric = metric.parse().unwrap();
        metric.score(&Case::new(&example).with_prediction(&prediction))
    }

    #[test]
    fn the_best_of_the_first_answers_counts() {
        let answers = ["river Tajo", "", "the Ebro!"];
        assert_eq!(score("Top-EM@1", &answers, &["Ebro", "Tajo"]), Ok(0.0));
        assert_eq!(score("Top-EM@2", &answers, &["Ebro", "Tajo"]), Ok(0.0));
        assert_eq!(score("Top-EM", &answers, &["Ebro", "Tajo"]), Ok(1.0));
        assert_eq!(score("Top-EM(blank=drop)@2", &answers, &["Ebro"]), Ok(1.0));
        assert_eq!(score("Top-F1@2", &answers, &["Tajo", "Ebro"]), Ok(2.0 / 3.0));
        assert_eq!(score("Top-EM@1", &["the"], &["a", "b"]), Ok(1.0));
    }

    #[test]
    fn no_answer_is_an_answer() {
        assert_eq!(score("Top-EM@1", &["x", ""], &[]), Ok(0.0));
        assert_eq!(score("Top-F1@2", &["x", ""], &[]), Ok(1.0));
        assert_eq!(score("Top-F1(blank=drop)@2", &["x", ""], &[]), Ok(1.0));
        assert_eq!(score("Top-EM(unanswerable=one)@1", &["x"], &[]), Ok(1.0));
        let null = score("Top-EM(unanswerable=null)@1", &[""], &[]);
        assert_eq!(null, Err(Unscored::NoReference));
        let nothing = score("Top-F1(blank=drop)", &["", " "], &["x"]);
        assert!(matches!(nothing, Err(Unscored::NotApplicable(_))));
    }

    #[test]
    fn a_prediction_without_candidates_is_one_answer() {
        let example = Example { references: vec!["Ebro".into()], ..Example::default() };
        let metric: Metric = "Top-EM@3".parse().unwrap();
        let prediction = Prediction::answer("the Ebro");
        assert_eq!(metric.score(&Case::new(&example).with_prediction(&prediction)), Ok(1.0));
        assert_eq!(metric.score(&Case::new(&example)), Ok(0.0));
        assert_eq!(score("Top-EM", &[], &[]), Ok(1.0));
    }

    proptest! {
        #[test]
        fn more_answers_are_never_worse(
            answers in prop::collection::vec("\\PC{0,6}|[aA_.' nTHe(]{0,6}", 1..5),
            references in prop::collection::vec("\\PC{0,6}|[aA_.' nTHe(]{0,6}", 0..4),
        ) {
            let texts: Vec<&str> = answers.iter().map(String::as_str).collect();
            let mut references: Vec<&str> = references.iter().map(String::as_str).collect();
            for name in ["Top-EM", "Top-F1"] {
                let scores: Vec<f64> = (1..=texts.len())
                    .map(|k| score(&format!("{name}@{k}"), &texts, &references).unwrap())
                    .collect();
                prop_assert!(scores.is_sorted());
                prop_assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
                prop_assert_eq!(scores.last().copied(), score(name, &texts, &references).ok());
                references.reverse();
                prop_assert_eq!(scores.first().copied(),
                    score(&format!("{name}@1"), &texts, &references).ok());
            }
        }

        #[test]
        fn one_answer_is_that_of_squad(answer in "[aA_.' nTHe(]{0,8}", reference in "[b-d]{1,4}") {
            for (top, name) in [("Top-EM@1", "EM"), ("Top-F1@1", "F1")] {
                prop_assert_eq!(
                    score(top, &[&answer], &[&reference]),
                    score(name, &[&answer], &[&reference])
                );
            }
        }
    }
}
