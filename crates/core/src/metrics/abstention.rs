//! Whether a system knows when to answer: answered or abstained, by answerable or not.
//!
//! Every example falls into one of four cells. The metrics here are shares of that table; the
//! question whether an answer is right is left to others.

mod decisions;

pub use decisions::{Decision, Decisions, Rate};

use crate::{Case, Cutoff, Definition, Estimator, Metric, Pooled, Score, Subject, Unscored};

/// Share of examples that were answered.
///
/// # Definition
/// 1 if the system gave an answer, 0 if it abstained. Papers on selective prediction call the mean
/// *coverage*.
///
/// # Range
/// 0 to 1. More is better only together with a metric of the answers: a system that always answers
/// has 1.
///
/// # Edge cases
/// A missing prediction counts as not answered.
///
/// # Equals
/// Coverage. El-Yaniv and Wiener, "On the Foundations of Noise-free Selective Classification"
/// (2010).
pub static ANSWERED: Definition = Definition {
    name: "Answered",
    synonyms: &["Coverage"],
    summary: "share of examples that were answered and not abstained from",
    equals: "coverage in selective prediction",
    subject: Subject::Answer,
    needs: &[],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: answered,
};

/// Share of examples on which the decision to answer was right.
///
/// # Definition
/// 1 if the system answered an answerable question or abstained from an unanswerable one, else 0.
///
/// # Range
/// 0 to 1.
///
/// # Edge cases
/// A missing prediction is a wrong decision, whatever the question.
///
/// # Equals
/// The accuracy of the table; no script prints it.
pub static NO_ANSWER_ACCURACY: Definition = Definition {
    name: "NoAnswer.Accuracy",
    summary: "share of examples on which answering or abstaining was the right decision",
    equals: "accuracy of answered or abstained by answerable or not",
    synonyms: &[],
    score: accuracy,
    ..ANSWERED
};

/// Share of abstentions that were right.
///
/// # Definition
/// Abstentions from unanswerable questions / all abstentions. An example is unanswerable if it has
/// no reference. The statistics of an example are the four cells of the table, of which one is 1.
///
/// # Range
/// 0 to 1.
///
/// # Edge cases
/// An example that was answered has no score of its own; it changes nothing. Without an abstention
/// there is no number. A missing prediction counts in the wrong cell of its row: answered where the
/// question is unanswerable, abstained where it is answerable. So leaving one out never helps.
///
/// # Equals
/// Precision of the class "no answer", as in scikit-learn's `precision_score`, but no number where
/// that gives 0 with a warning.
pub static NO_ANSWER_PRECISION: Definition = Definition {
    name: "NoAnswer.Precision",
    synonyms: &["NoAns.Precision"],
    summary: "share of abstentions that were on unanswerable questions",
    equals: "precision of the class \"no answer\"",
    estimator: Estimator::Pooled(&PRECISION),
    score: |_, case| Decisions::of(case).precision().ok_or_else(|| none("it was answered")),
    ..ANSWERED
};

/// Share of unanswerable questions from which the system abstained.
///
/// # Definition
/// Abstentions from unanswerable questions / all unanswerable questions.
///
/// # Range
/// 0 to 1.
///
/// # Edge cases
/// An answerable example has no score of its own; it changes nothing. Missing predictions as in
/// [`NO_ANSWER_PRECISION`].
///
/// # Equals
/// Recall of the class "no answer". It is also the `NoAns_exact` of `evaluate-v2.0.py` where no
/// answer normalises to nothing.
pub static NO_ANSWER_RECALL: Definition = Definition {
    name: "NoAnswer.Recall",
    synonyms: &["NoAns.Recall"],
    summary: "share of unanswerable questions from which the system abstained",
    equals: "recall of the class \"no answer\"",
    estimator: Estimator::Pooled(&RECALL),
    score: |_, case| Decisions::of(case).recall().ok_or_else(|| none("it is answerable")),
    ..ANSWERED
};

/// Harmonic mean of [`NO_ANSWER_PRECISION`] and [`NO_ANSWER_RECALL`].
///
/// # Definition
/// 2 r / (a + u), with r right abstentions, a abstentions and u unanswerable questions.
///
/// # Range
/// 0 to 1.
///
/// # Edge cases
/// An answerable example that was answered has no score of its own. Without an abstention and
/// without an unanswerable question there is no number. Missing predictions as in
/// [`NO_ANSWER_PRECISION`].
///
/// # Equals
/// F1 of the class "no answer".
pub static NO_ANSWER_F1: Definition = Definition {
    name: "NoAnswer.F1",
    synonyms: &["NoAns.F1"],
    summary: "F1 of abstaining from the unanswerable questions",
    equals: "F1 of the class \"no answer\"",
    estimator: Estimator::Pooled(&F1),
    score: |_, case| Decisions::of(case).f1().ok_or_else(|| none("it is answerable and answered")),
    ..ANSWERED
};

static PRECISION: Pooled =
    Pooled { names: &CELLS, of: cells, finish: |_, cells| Decisions::sum(cells).precision() };

static RECALL: Pooled =
    Pooled { names: &CELLS, of: cells, finish: |_, cells| Decisions::sum(cells).recall() };

static F1: Pooled =
    Pooled { names: &CELLS, of: cells, finish: |_, cells| Decisions::sum(cells).f1() };

/// The cells of the table, in the order of the fields of [`Decisions`].
const CELLS: [&str; 4] = [
    "answered_answerable",
    "answered_unanswerable",
    "abstained_answerable",
    "abstained_unanswerable",
];

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn answered(_: &Metric, case: &Case<'_>) -> Score {
    Ok(f64::from(case.prediction.is_some_and(|prediction| !prediction.abstained)))
}

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn accuracy(_: &Metric, case: &Case<'_>) -> Score {
    let Decisions { answered_answerable, abstained_unanswerable, .. } = Decisions::of(case);
    Ok((answered_answerable + abstained_unanswerable) as f64)
}

#[expect(clippy::unnecessary_wraps, reason = "all metrics have one type")]
fn cells(_: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    let decisions = Decisions::of(case);
    let cells = [
        decisions.answered_answerable,
        decisions.answered_unanswerable,
        decisions.abstained_answerable,
        decisions.abstained_unanswerable,
    ];
    Ok(cells.map(|count| count as f64).to_vec())
}

fn none(reason: &str) -> Unscored {
    Unscored::NotApplicable(format!("the example does not count here: {reason}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction};

    /// Whether the example is answerable, and what the system did: answered, abstained, nothing.
    type Row = (bool, Option<bool>);

    fn scores(name: &str, rows: &[Row]) -> (Option<f64>, Vec<Score>) {
        let metric: Metric = name.parse().unwrap();
        let Estimator::Pooled(pooled) = metric.definition().estimator else { panic!("{name}") };
        let mut columns = vec![Vec::new(); pooled.names.len()];
        let mut scores = Vec::new();
        for &(answerable, answered) in rows {
            let references = if answerable { vec!["x".into()] } else { vec![] };
            let example = Example { references, ..Example::default() };
            let prediction = match answered {
                Some(true) => Some(Prediction::answer("y")),
                Some(false) => Some(Prediction::abstention()),
                None => None,
            };
            let mut case = Case::new(&example);
            case.prediction = prediction.as_ref();
            let statistics = (pooled.of)(&metric, &case).unwrap();
            columns.iter_mut().zip(statistics).for_each(|(column, value)| column.push(value));
            scores.push(metric.score(&case));
        }
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        ((pooled.finish)(&metric, &columns), scores)
    }

    #[test]
    fn the_table_has_four_cells() {
        let rows = [
            (true, Some(true)),
            (true, Some(true)),
            (true, Some(false)),
            (false, Some(false)),
            (false, Some(false)),
            (false, Some(true)),
        ];
        assert_eq!(scores("NoAnswer.Precision", &rows).0, Some(2.0 / 3.0));
        assert_eq!(scores("NoAnswer.Recall", &rows).0, Some(2.0 / 3.0));
        assert_eq!(scores("NoAnswer.F1", &rows).0, Some(2.0 / 3.0));
        let own: Vec<Option<f64>> =
            scores("NoAnswer.F1", &rows).1.into_iter().map(Result::ok).collect();
        assert_eq!(own, [None, None, Some(0.0), Some(1.0), Some(1.0), Some(0.0)]);
    }

    #[test]
    fn a_missing_prediction_is_in_the_wrong_cell() {
        assert_eq!(scores("NoAnswer.Recall", &[(false, None), (false, Some(false))]).0, Some(0.5));
        assert_eq!(
            scores("NoAnswer.Precision", &[(true, None), (false, Some(false))]).0,
            Some(0.5)
        );
        assert_eq!(scores("NoAnswer.Recall", &[(true, None)]).0, None);
    }

    proptest! {
        #[test]
        fn the_number_is_that_of_the_definition(
            rows in prop::collection::vec((any::<bool>(), any::<Option<bool>>()), 0..30),
        ) {
            // The same by sets: which examples were abstained from, and which should have been.
            let abstained: Vec<usize> = (0..rows.len())
                .filter(|&i| matches!(rows[i], (_, Some(false)) | (true, None)))
                .collect();
            let should: Vec<usize> = (0..rows.len()).filter(|&i| !rows[i].0).collect();
            let both = abstained.iter().filter(|i| should.contains(i)).count() as f64;
            let precision = (!abstained.is_empty()).then(|| both / abstained.len() as f64);
            let recall = (!should.is_empty()).then(|| both / should.len() as f64);
            prop_assert_eq!(scores("NoAnswer.Precision", &rows).0, precision);
            prop_assert_eq!(scores("NoAnswer.Recall", &rows).0, recall);
            let found = scores("NoAnswer.F1", &rows).0;
            match (precision, recall) {
                (None, None) => prop_assert_eq!(found, None),
                (Some(p), Some(r)) if p + r > 0.0 => {
                    prop_assert!((found.unwrap() - 2.0 * p * r / (p + r)).abs() < 1e-12);
                }
                _ => prop_assert_eq!(found, Some(0.0)),
            }
        }
    }
}
