//! The metrics, one file each, and the text rules that several of them share.

pub mod choice;
pub mod contains;
pub mod date;
pub mod exact_match;
pub mod number;
pub mod pattern;
pub mod set;
pub mod token_f1;
pub mod top_answers;
pub mod verdict;
pub mod yes_no;

pub mod abstention;
pub mod calibration;
pub mod risk_coverage;

pub mod alce;
pub mod coqa;
pub mod curated_trec;
pub mod drop;
pub mod farm;
pub mod hotpotqa;
pub mod kilt;
pub mod natural_questions;
pub mod nq_open;
pub mod quac;
pub mod squad;
pub mod triviaqa;

pub mod error_rate;
pub mod rouge;
pub mod translation;

pub mod all_recall;
pub mod alpha_ndcg;
pub mod answer_recall;
pub mod average_precision;
pub mod bpref;
pub mod counts;
pub mod expected_reciprocal_rank;
pub mod gain;
pub mod geometric;
pub mod graded;
pub mod haystack;
pub mod inferred_average_precision;
pub mod interpolated_precision;
pub mod judged;
pub mod ndcg;
pub mod ndcg_points;
pub mod precision;
pub mod r_precision;
pub mod rank_biased_precision;
pub mod recall;
pub mod reciprocal_rank;
pub mod relative_precision;
pub mod set_retrieval;
pub mod success;
pub mod utility;

pub mod normalize;
pub mod words;

mod assignment;
mod confidence;
mod digits;
mod edit_distance;
pub(crate) mod language;
mod lcs;
mod leave_one_out;
pub(crate) mod numbered;
mod python_regex;
mod token;
mod typed;

#[cfg(test)]
pub(crate) mod testing {
    //! One door for the tables of the metrics' tests.

    use crate::{Case, Example, JudgedRanking, Metric, Prediction};

    /// The metric gives `expected` for this prediction and these references.
    pub(crate) fn check(metric: &str, prediction: &str, references: &[&str], expected: f64) {
        let example = Example {
            references: references.iter().map(|&text| text.into()).collect(),
            ..Example::default()
        };
        let prediction = Prediction::answer(prediction);
        let score = metric
            .parse::<Metric>()
            .unwrap()
            .score(&Case::new(&example).with_prediction(&prediction));
        let close = score.as_ref().is_ok_and(|score| (score - expected).abs() < 1e-15);
        assert!(close, "{metric}: {score:?} for {:?}, {references:?}", prediction.text);
    }

    /// The metric is in its range, and does not depend on the order of the references.
    pub(crate) fn check_hostile(metric: &str, prediction: &str, references: &[String]) {
        let metric: Metric = metric.parse().unwrap();
        let prediction = Prediction::answer(prediction);
        let score = |references: &mut dyn Iterator<Item = &String>| {
            let references = references.map(|text| text.as_str().into()).collect();
            let example = Example { references, ..Example::default() };
            metric.score(&Case::new(&example).with_prediction(&prediction))
        };
        let forth = score(&mut references.iter());
        let back = score(&mut references.iter().rev());
        let (low, high) = metric.definition().range;
        assert!(forth.as_ref().is_ok_and(|score| (low..=high).contains(score)) || forth.is_err());
        assert_eq!(forth, back, "{metric}: {references:?}");
    }

    /// The metric gives `expected` for these grades by rank (`-` for unjudged) and these positive
    /// grades of all judged passages.
    pub(crate) fn check_ranking(metric: &str, grades: &str, ideal: &[i32], expected: Option<f64>) {
        let ranking = JudgedRanking {
            grades: grades.split_whitespace().map(|grade| grade.parse().ok()).collect(),
            ideal: ideal.to_vec(),
            zeros: Some(grades.split_whitespace().filter(|&grade| grade == "0").count()),
            subtopics: None,
        };
        let example = Example::default();
        let score =
            metric.parse::<Metric>().unwrap().score(&Case::new(&example).with_ranking(&ranking));
        let close = match (&score, expected) {
            (Ok(score), Some(expected)) => (score - expected).abs() < 1e-15,
            (score, expected) => score.is_err() && expected.is_none(),
        };
        assert!(close, "{metric}: {score:?} for {grades}");
    }
}
