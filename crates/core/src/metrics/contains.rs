//! Contains: a reference stands in the prediction.

use super::language::{self, ARTICLES, CASE, LANGUAGE, NORMALIZE, PUNCTUATION, UNICODE, WORDS};
use crate::{Case, Cutoff, Definition, Estimator, Kind, Metric, Parameter, Score, Subject};

const BOUNDARY: Parameter = Parameter {
    name: "boundary",
    kind: Kind::Choice(&["word", "none"]),
    summary: "whether the reference must begin and end with whole words",
};

/// Whether a normalised reference stands in the normalised prediction.
///
/// # Definition
/// 1 if the words of one of the references stand in the prediction, one after the other, else 0. It
/// does not ask what else the prediction says, so it suits long answers and rewards them. References
/// that normalise to nothing are left out; where none is left the right answer is no answer.
///
/// # Range
/// 0 or 1.
///
/// # Parameters
/// `boundary=none` also finds "art" in "party". The others are those of EM.
///
/// # Edge cases
/// Normalisation is that of [`EM`](super::exact_match::EM). Each alias is a reference of its own.
///
/// # Equals
/// The "accuracy" of Mallen et al., "When Not to Trust Language Models" (2023), with word boundaries
/// and normalisation.
pub static CONTAINS: Definition = Definition {
    name: "Contains",
    synonyms: &["SubstringMatch"],
    summary: "a normalised reference stands in the normalised prediction",
    equals: "no script; accuracy of Mallen et al. (2023) up to normalisation",
    subject: Subject::Answer,
    needs: &[],
    cutoff: Cutoff::Never,
    parameters: &[BOUNDARY, LANGUAGE, UNICODE, CASE, PUNCTUATION, ARTICLES, WORDS, NORMALIZE],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: contains,
};

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn contains(metric: &Metric, case: &Case<'_>) -> Score {
    let whole = metric.choice(BOUNDARY.name) == "word";
    let right = language::with_answers(metric, case, |answers| {
        let prediction = answers.prediction();
        let mut references = answers.non_empty_references().peekable();
        if references.peek().is_none() {
            return prediction.is_empty();
        }
        if whole {
            return references.any(|reference| prediction.contains(reference));
        }
        let text = prediction.text();
        references.any(|reference| text.contains(&reference.text()))
    });
    Ok(f64::from(right))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metrics::testing::check;

    #[test]
    fn a_reference_stands_in_the_prediction() {
        check("Contains", "It is Paris, of course.", &["paris"], 1.0);
        check("Contains", "the party", &["art"], 0.0);
        check("Contains(boundary=none)", "the party", &["art"], 1.0);
        check("Contains", "15 working days", &["15 days"], 0.0);
        check("Contains", "New York", &["Paris", "york"], 1.0);
        check("Contains", "Paris", &["the"], 0.0);
        check("Contains", "", &[], 1.0);
        check("Contains", "x", &["x y"], 0.0);
        check("Contains(language=zh)", "答案是北京市。", &["北京"], 1.0);
        check("Contains", "答案是北京市。", &["北京"], 0.0);
    }

    proptest! {
        #[test]
        fn words_are_also_text(prediction in "[a-c ]{0,12}|\\PC*", reference in "[a-c ]{0,4}|\\PC{0,3}") {
            let example = crate::Example { references: vec![reference.into()], ..Default::default() };
            let prediction = crate::Prediction::answer(prediction);
            let case = Case::new(&example).with_prediction(&prediction);
            let score = |name: &str| name.parse::<Metric>().unwrap().score(&case).unwrap();
            prop_assert!(score("Contains") <= score("Contains(boundary=none)"));
            prop_assert!(score("EM") <= score("Contains"));
        }
    }
}
