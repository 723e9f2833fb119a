//! Answers that are lists, as QAMPARI has them: written one after the other with commas between.

use std::collections::BTreeSet;

use super::{OUTPUT, output, ways};
use crate::{
    Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject, Unscored,
    metrics::normalize::{self, is_blank},
};

/// Share of the listed answers that are right.
///
/// # Definition
/// The prediction, without dots and then commas at its end, is cut at commas; each part is
/// normalised as in SQuAD, and empty ones are dropped. The score is the share of parts that are an
/// answer: an item of a reference, or its text where it has none.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `output`: `whole` takes the prediction as it is; `cleaned` takes its first line without
/// citations such as `[1]`, as ALCE's program does before it calls the metric.
///
/// # Edge cases
/// A part that stands twice counts twice. Without a part the score is 0, and so it is for a missing
/// prediction. An example without references is unscored.
///
/// # Equals
/// `qampari_prec` of ALCE's `eval.py`. Gao et al., "Enabling Large Language Models to Generate Text
/// with Citations" (2023); Amouyal et al., "QAMPARI" (2023).
pub static QAMPARI_PRECISION: Definition = Definition {
    name: "QAMPARI.Precision",
    synonyms: &[],
    summary: "share of the listed answers that are right",
    equals: "ALCE, eval.py: qampari_prec",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[OUTPUT],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: precision,
};

/// Share of the right answers that are listed.
///
/// # Definition
/// The share of references of which one item, or the text where there is none, is a part of
/// [`QAMPARI_PRECISION`].
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `output`: as [`QAMPARI_PRECISION`].
///
/// # Edge cases
/// As [`QAMPARI_PRECISION`].
///
/// # Equals
/// `qampari_rec` of ALCE's `eval.py`.
pub static QAMPARI_RECALL: Definition = Definition {
    name: "QAMPARI.Recall",
    summary: "share of the right answers that are listed",
    equals: "ALCE, eval.py: qampari_rec",
    score: recall,
    ..QAMPARI_PRECISION
};

/// Recall for which five right answers are enough.
///
/// # Definition
/// min(5, references found) / min(5, references).
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `output`: as [`QAMPARI_PRECISION`].
///
/// # Edge cases
/// As [`QAMPARI_RECALL`].
///
/// # Equals
/// `qampari_rec_top5` of ALCE's `eval.py`.
pub static QAMPARI_RECALL_5: Definition = Definition {
    name: "QAMPARI.Recall-5",
    summary: "share of the right answers that are listed; five are enough",
    equals: "ALCE, eval.py: qampari_rec_top5",
    score: recall_5,
    ..QAMPARI_PRECISION
};

/// Harmonic mean of precision and recall.
///
/// # Definition
/// That of [`QAMPARI_PRECISION`] and [`QAMPARI_RECALL`]; 0 where both are 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `output`: as [`QAMPARI_PRECISION`].
///
/// # Edge cases
/// As [`QAMPARI_PRECISION`].
///
/// # Equals
/// `qampari_f1` of ALCE's `eval.py`.
pub static QAMPARI_F1: Definition = Definition {
    name: "QAMPARI.F1",
    summary: "F1 of the listed answers",
    equals: "ALCE, eval.py: qampari_f1",
    score: f1,
    ..QAMPARI_PRECISION
};

/// Harmonic mean of precision and the recall for which five are enough.
///
/// # Definition
/// That of [`QAMPARI_PRECISION`] and [`QAMPARI_RECALL_5`]; 0 where both are 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// `output`: as [`QAMPARI_PRECISION`].
///
/// # Edge cases
/// As [`QAMPARI_PRECISION`].
///
/// # Equals
/// `qampari_f1_top5` of ALCE's `eval.py`.
pub static QAMPARI_F1_5: Definition = Definition {
    name: "QAMPARI.F1-5",
    summary: "F1 of the listed answers; five right ones are enough",
    equals: "ALCE, eval.py: qampari_f1_top5",
    score: f1_5,
    ..QAMPARI_PRECISION
};

fn precision(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(compare(metric, case)?.precision)
}

fn recall(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(compare(metric, case)?.recall(usize::MAX))
}

fn recall_5(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(compare(metric, case)?.recall(5))
}

fn f1(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(compare(metric, case)?.f1(usize::MAX))
}

fn f1_5(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(compare(metric, case)?.f1(5))
}

/// A list compared with the references.
struct Comparison {
    precision: f64,
    found: usize,
    references: usize,
}

impl Comparison {
    fn recall(&self, enough: usize) -> f64 {
        self.found.min(enough) as f64 / self.references.min(enough) as f64
    }

    fn f1(&self, enough: usize) -> f64 {
        let (precision, recall) = (self.precision, self.recall(enough));
        if precision + recall == 0.0 {
            return 0.0;
        }
        2.0 * precision * recall / (precision + recall)
    }
}

fn compare(metric: &Metric, case: &Case<'_>) -> Result<Comparison, Unscored> {
    let references = &case.example.references;
    if references.is_empty() {
        return Err(Unscored::NoReference);
    }
    let text = output(metric, case);
    let text = text.trim_end_matches(is_blank).trim_end_matches('.').trim_end_matches(',');
    let parts: Vec<String> =
        text.split(',').map(normalize::squad).filter(|part| !part.is_empty()).collect();
    let listed: BTreeSet<&str> = parts.iter().map(String::as_str).collect();
    let mut answers = BTreeSet::new();
    let mut found = 0;
    for reference in references {
        let ways: Vec<String> = ways(reference).map(normalize::squad).collect();
        found += usize::from(ways.iter().any(|way| listed.contains(way.as_str())));
        answers.extend(ways);
    }
    let right = parts.iter().filter(|part| answers.contains(*part)).count();
    let precision = if parts.is_empty() { 0.0 } else { right as f64 / parts.len() as f64 };
    Ok(Comparison { precision, found, references: references.len() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction, Reference, metrics::testing::check};

    #[test]
    fn a_list_is_cut_at_commas() {
        let rivers = ["Ebro", "Duero", "Tajo"];
        check("QAMPARI.Precision", "the Ebro, Duero, Rhine,.", &rivers, 2.0 / 3.0);
        check("QAMPARI.Recall", "the Ebro, Duero, Rhine.", &rivers, 2.0 / 3.0);
        check("QAMPARI.Precision", "Ebro, Ebro, Rhine, ,", &rivers, 2.0 / 3.0);
        check("QAMPARI.Recall", "Ebro, Ebro", &rivers, 1.0 / 3.0);
        check("QAMPARI.F1", "Ebro", &rivers, 0.5);
        check("QAMPARI.F1", "", &rivers, 0.0);
        let many = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];
        check("QAMPARI.Recall-5", "a1, a2, a3, a4", &many, 0.8);
        check("QAMPARI.Recall-5", "a1, a2, a3, a4, a5, a6", &many, 1.0);
        check("QAMPARI.F1-5", "a1, a2, a3, a4, a5, a6", &many, 1.0);
        check("QAMPARI.Precision(output=cleaned)", "a1 [1], a2 [2]\nx", &many, 1.0);
    }

    #[test]
    fn the_end_is_stripped_and_empty_parts_are_dropped() {
        // Blanks, then dots, then commas, each once; what normalises to nothing is no part.
        for list in ["Ebro, Rhine", "Ebro, Rhine., \n", "Ebro, Rhine,..", "Ebro,, a, Rhine , .,"] {
            check("QAMPARI.Precision", list, &["ebro"], 0.5);
            check("QAMPARI.Recall", list, &["ebro"], 1.0);
        }
        check("QAMPARI.Precision", "Ebro\nRhine", &["ebro"], 0.0);
        check("QAMPARI.Precision(output=cleaned)", "Ebro\nRhine", &["ebro"], 1.0);
        check("QAMPARI.Precision", "Ebro [1], Rhine", &["ebro"], 0.0);
        check("QAMPARI.F1", "..., ,", &["ebro"], 0.0);
    }

    #[test]
    fn five_of_few_answers_are_all_of_them() {
        let few = ["a1", "a2", "a3"];
        check("QAMPARI.Recall-5", "a1, a2", &few, 2.0 / 3.0);
        check("QAMPARI.F1-5", "a1, a2", &few, 2.0 * (2.0 / 3.0) / (1.0 + 2.0 / 3.0));
        // An answer that stands twice among the references is found twice.
        check("QAMPARI.Recall", "a1", &["a1", "A1", "a2"], 2.0 / 3.0);
    }

    #[test]
    fn each_answer_has_several_names() {
        let reference = |names: [&str; 2]| Reference {
            items: names.map(str::to_owned).to_vec(),
            ..Reference::default()
        };
        let references = vec![reference(["Duero", "Douro"]), reference(["Tajo", "Tejo"])];
        let example = Example { references, ..Example::default() };
        let prediction = Prediction::answer("Douro, Duero, Ebro");
        let case = Case::new(&example).with_prediction(&prediction);
        let score = |name: &str| name.parse::<Metric>().unwrap().score(&case);
        assert_eq!(score("QAMPARI.Precision"), Ok(2.0 / 3.0));
        assert_eq!(score("QAMPARI.Recall"), Ok(0.5));
    }

    proptest! {
        #[test]
        fn scores_are_in_range(
            prediction in "\\PC{0,12}|[ab,. ]{0,12}",
            references in prop::collection::vec("\\PC{0,4}|[ab]{0,2}", 1..4),
        ) {
            let references = references.iter().map(|text| text.as_str().into()).collect();
            let example = Example { references, ..Example::default() };
            let prediction = Prediction::answer(prediction.as_str());
            for name in ["Precision", "Recall", "Recall-5", "F1", "F1-5"] {
                let metric: Metric = format!("QAMPARI.{name}(output=cleaned)").parse().unwrap();
                let score = metric.score(&Case::new(&example).with_prediction(&prediction));
                prop_assert!((0.0..=1.0).contains(&score.unwrap()));
            }
        }
    }
}
