//! Whether the short answers stand in a long one.

use super::{OUTPUT, output, ways};
use crate::{
    Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored, arithmetic::mean,
    metrics::normalize,
};

/// Share of the wanted short answers that stand in the prediction.
///
/// # Definition
/// A reference is found if one of its items, or its text where it has none, is part of the
/// prediction after SQuAD's normalisation of both. The score is the share of references that are
/// found.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `output`: `whole` takes the prediction as it is; `cleaned` takes its first line without
/// citations such as `[1]`, as ALCE's program does before it calls the metric.
///
/// # Edge cases
/// An answer is part of the text also inside a word, and one that normalises to nothing is part of
/// every text. A missing prediction scores 0. An example without references is unscored.
///
/// # Equals
/// `str_em` of ALCE's `eval.py`, which is STR-EM of ASQA. Gao et al., "Enabling Large Language Models
/// to Generate Text with Citations" (2023); Stelmakh et al., "ASQA" (2022).
pub static ALCE_STR_EM: Definition = Definition {
    name: "ALCE.STR-EM",
    synonyms: &["STR-EM"],
    summary: "share of the wanted short answers that stand in the prediction",
    equals: "ALCE, eval.py: str_em",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[OUTPUT],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: str_em,
};

/// Whether all wanted short answers stand in the prediction.
///
/// # Definition
/// 1 if [`ALCE_STR_EM`] is 1, else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `output`: as [`ALCE_STR_EM`].
///
/// # Edge cases
/// As [`ALCE_STR_EM`].
///
/// # Equals
/// `str_hit` of ALCE's `eval.py`.
pub static ALCE_STR_HIT: Definition = Definition {
    name: "ALCE.STR-Hit",
    synonyms: &["STR-Hit"],
    summary: "whether all wanted short answers stand in the prediction",
    equals: "ALCE, eval.py: str_hit",
    score: str_hit,
    ..ALCE_STR_EM
};

fn str_em(metric: &Metric, case: &Case<'_>) -> Score {
    let text = normalize::squad(&output(metric, case));
    let found = case.example.references.iter().map(|reference| {
        f64::from(ways(reference).any(|way| text.contains(&normalize::squad(way))))
    });
    mean(&found.collect::<Vec<_>>()).ok_or(Unscored::NoReference)
}

fn str_hit(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(f64::from(str_em(metric, case)? >= 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Example, Prediction, Reference,
        metrics::testing::{check, check_hostile},
    };

    #[test]
    fn short_answers_are_looked_for() {
        check("ALCE.STR-EM", "The Ebro and the Duero.", &["ebro", "tajo"], 0.5);
        check("ALCE.STR-Hit", "The Ebro and the Duero.", &["ebro", "tajo"], 0.0);
        check("ALCE.STR-Hit", "The Ebro and the Duero.", &["ebro", "duero"], 1.0);
        check("ALCE.STR-EM", "party", &["art"], 1.0);
        check("ALCE.STR-EM", "", &["the"], 1.0);
        check("ALCE.STR-EM", "Ebro\nTajo", &["ebro", "tajo"], 1.0);
        check("ALCE.STR-EM(output=cleaned)", "Ebro\nTajo", &["ebro", "tajo"], 0.5);
    }

    #[test]
    fn both_sides_are_normalised_in_the_order_of_the_script() {
        // Lower case, then no punctuation, then no articles, then single blanks.
        check("ALCE.STR-EM", "the river  Ebro", &["River. Ebro"], 1.0);
        check("ALCE.STR-EM", "river the Ebro", &["river Ebro"], 1.0);
        check("ALCE.STR-EM", "river-Ebro", &["river Ebro"], 0.0);
        check("ALCE.STR-EM", "T.H.E. Ebro", &["ebro", "the"], 1.0);
        check("ALCE.STR-EM", "Duero", &["a-n"], 1.0);
        check("ALCE.STR-EM", "Duero", &["a n"], 0.0);
        // Cleaning comes first: it is the line as written that is cut, and its brackets that go.
        check("ALCE.STR-EM(output=cleaned)", "Ebro [1] 12", &["ebro 12"], 1.0);
        check("ALCE.STR-EM", "Ebro [1] 12", &["ebro 12"], 0.0);
        check("ALCE.STR-Hit(output=cleaned)", "Ebro[12]3", &["ebro3"], 1.0);
    }

    #[test]
    fn one_way_to_say_it_is_enough() {
        let items = vec!["Duero".to_owned(), "Douro".to_owned()];
        let references = vec![Reference { items, ..Reference::default() }];
        let example = Example { references, ..Example::default() };
        let prediction = Prediction::answer("the Douro");
        let metric: Metric = "ALCE.STR-EM".parse().unwrap();
        assert_eq!(metric.score(&Case::new(&example).with_prediction(&prediction)), Ok(1.0));
    }

    proptest! {
        #[test]
        fn any_text_is_scored(
            prediction in "\\PC{0,12}|[aA_.' nTHe(]{0,12}",
            references in prop::collection::vec("\\PC{0,9}|[aA_.' nTHe(]{0,9}", 1..4),
        ) {
            check_hostile("ALCE.STR-Hit", &prediction, &references);
        }
    }
}
