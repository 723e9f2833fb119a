//! FARM's metrics of extractive readers: where an answer stands, not what it says.

use crate::{
    Candidate, Case, Cutoff, Definition, Estimator, Metric, Prediction, Reference, Score, Subject,
    Unscored,
    families::farm::{NO_ANSWER, Span, f1},
};

/// Whether the best answer stands where an annotator's does.
///
/// # Definition
/// 1 if the place of the first answer, its first and its last code point, is that of a reference,
/// else 0. A blank answer says that there is none, and so does a blank reference; an example without
/// references has one such reference.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// A missing prediction scores 0. Null for a reference or an answer whose place in the context is
/// not known. FARM averages examples with and without an answer apart as well: slice by whether they
/// are answerable.
///
/// # Equals
/// `EM` of FARM's `squad` in `metrics.py`, on spans of code points and not of its model's tokens: two
/// spans that begin and end with a token are equal in both or in neither.
pub static FARM_EM: Definition = Definition {
    name: "FARM.EM",
    synonyms: &[],
    summary: "the best answer stands where a reference does",
    equals: "FARM, metrics.py: squad, EM",
    subject: Subject::Answer,
    needs: &[],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: farm_em,
};

/// How much the best answer's place and that of an annotator have in common.
///
/// # Definition
/// With p and r the shares of common code points in the first answer and in a reference,
/// F1 = 2pr / (p + r); the best over the references. Two sides that say that there is no answer
/// score 1, one such side scores 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`FARM_EM`]. An answer that is the first code point of the context is compared by its
/// beginning alone, as FARM does.
///
/// # Equals
/// `f1` of FARM's `squad`, on spans of code points. On the tokens of a model, as FARM has them, long
/// words count as much as short ones, so that its numbers differ from these unless the spans that
/// are given count tokens.
pub static FARM_F1: Definition = Definition {
    name: "FARM.F1",
    summary: "how much the places of the best answer and a reference have in common",
    equals: "FARM, metrics.py: squad, f1",
    score: farm_f1,
    ..FARM_EM
};

/// Whether one of the first k answers touches an annotator's.
///
/// # Definition
/// 1 if one of the first k answers has an F1 above 0 ([`FARM_F1`]) with a reference, else 0;
/// without a cutoff all answers count.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`FARM_F1`]. One common code point is enough.
///
/// # Equals
/// `top_n_accuracy` of FARM's `squad`.
pub static FARM_TOP_ACCURACY: Definition = Definition {
    name: "FARM.Top-Accuracy",
    summary: "one of the first k answers touches a reference",
    equals: "FARM, metrics.py: squad, top_n_accuracy",
    cutoff: Cutoff::Optional,
    score: farm_top_accuracy,
    ..FARM_EM
};

fn farm_em(_: &Metric, case: &Case<'_>) -> Score {
    let (answers, references) = (answers(case, 1)?, references(case)?);
    Ok(f64::from(answers.iter().any(|answer| references.contains(answer))))
}

fn farm_f1(_: &Metric, case: &Case<'_>) -> Score {
    best(case, 1)
}

fn farm_top_accuracy(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(f64::from(best(case, metric.depth())? > 0.0))
}

fn best(case: &Case<'_>, number: usize) -> Score {
    let (answers, references) = (answers(case, number)?, references(case)?);
    let pairs = answers.iter().flat_map(|&answer| references.iter().map(move |&r| (answer, r)));
    Ok(pairs.map(|(answer, reference)| f1(answer, reference)).fold(0.0, f64::max))
}

/// Places of the first answers.
fn answers(case: &Case<'_>, number: usize) -> Result<Vec<Span>, Unscored> {
    let given = case.prediction.map(Prediction::answers).unwrap_or_default();
    given.iter().take(number).map(place_of_answer).collect()
}

fn place_of_answer(answer: &Candidate) -> Result<Span, Unscored> {
    match &answer.span {
        _ if answer.abstains() => Ok(NO_ANSWER),
        Some(span) => Ok((index(span.start), index(span.end) - 1)),
        None => Err(nowhere("an answer")),
    }
}

fn references(case: &Case<'_>) -> Result<Vec<Span>, Unscored> {
    let references = &case.example.references;
    if references.is_empty() {
        return Ok(vec![NO_ANSWER]);
    }
    references.iter().map(place_of_reference).collect()
}

fn place_of_reference(Reference { text, start, .. }: &Reference) -> Result<Span, Unscored> {
    if text.trim().is_empty() {
        return Ok(NO_ANSWER);
    }
    let start = index(start.ok_or_else(|| nowhere("a reference"))?);
    Ok((start, start.saturating_add(index(text.chars().count())) - 1))
}

fn nowhere(what: &str) -> Unscored {
    Unscored::NotApplicable(format!("the place of {what} in the context is not known"))
}

fn index(place: usize) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Example;

    /// Answers and references, each with its first code point and its text.
    fn score(metric: &str, answers: &[(usize, &str)], references: &[(usize, &str)]) -> Score {
        let candidate = |&(start, text): &(usize, &str)| Candidate {
            span: Some(start..start + text.chars().count()),
            ..text.into()
        };
        let reference =
            |&(start, text): &(usize, &str)| Reference { start: Some(start), ..text.into() };
        let prediction = Prediction::first_of(answers.iter().map(candidate).collect());
        let references = references.iter().map(reference).collect();
        let example = Example { references, ..Example::default() };
        let metric: Metric = metric.parse().unwrap();
        metric.score(&Case::new(&example).with_prediction(&prediction))
    }

    #[test]
    fn places_are_compared() {
        let references = [(4, "four"), (20, "twenty")];
        assert_eq!(score("FARM.EM", &[(4, "four"), (0, "x")], &references), Ok(1.0));
        assert_eq!(score("FARM.EM", &[(0, "x"), (4, "four")], &references), Ok(0.0));
        assert_eq!(score("FARM.F1", &[(6, "ur x")], &references), Ok(0.5));
        assert_eq!(score("FARM.Top-Accuracy", &[(0, "x"), (25, "y!")], &references), Ok(1.0));
        assert_eq!(score("FARM.Top-Accuracy@1", &[(0, "x"), (25, "y!")], &references), Ok(0.0));
        assert_eq!(score("FARM.EM", &[(0, "")], &[]), Ok(1.0));
        assert_eq!(score("FARM.F1", &[(0, "")], &references), Ok(0.0));
        assert_eq!(score("FARM.F1", &[(7, "x")], &[(7, "")]), Ok(0.0));
    }

    #[test]
    fn an_unknown_place_is_unscored() {
        let example = Example { references: vec!["four".into()], ..Example::default() };
        let metric: Metric = "FARM.F1".parse().unwrap();
        let placed = Prediction { span: Some(0..1), ..Prediction::answer("x") };
        let of = |example, prediction| {
            metric.score(&Case::new(example).with_prediction(prediction)).map_err(|e| e.to_string())
        };
        let expected = |what: &str| Err(format!("the place of {what} in the context is not known"));
        assert_eq!(of(&example, &placed), expected("a reference"));
        assert_eq!(of(&Example::default(), &Prediction::answer("x")), expected("an answer"));
    }

    proptest! {
        #[test]
        fn any_places_are_scored(
            spans in prop::collection::vec((any::<usize>(), any::<usize>(), "[a ]{0,2}"), 0..4),
            starts in prop::collection::vec((any::<usize>(), "\\PC{0,3}"), 0..4),
        ) {
            let candidate = |(start, end, text): (usize, usize, String)| Candidate {
                text, span: Some(start..end), ..Candidate::default()
            };
            let prediction = Prediction::first_of(spans.into_iter().map(candidate).collect());
            let reference = |(start, text)| Reference { text, start: Some(start), items: vec![] };
            let references = starts.into_iter().map(reference).collect();
            let example = Example { references, ..Example::default() };
            let case = Case::new(&example).with_prediction(&prediction);
            let score = |name: &str| name.parse::<Metric>().unwrap().score(&case).unwrap();
            let (em, f1) = (score("FARM.EM"), score("FARM.F1"));
            prop_assert!((0.0..=1.0).contains(&f1) && em <= 1.0);
            prop_assert!(score("FARM.Top-Accuracy") >= score("FARM.Top-Accuracy@1"));
        }
    }
}
