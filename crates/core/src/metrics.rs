//! The metrics, one file each, and the text rules that several of them share.

pub mod exact_match;
pub mod normalize;
pub mod quac;
pub mod squad;
pub mod token_f1;

pub mod translation;

pub mod average_precision;
pub mod graded;
pub mod ndcg;
pub mod precision;
pub mod recall;
pub mod reciprocal_rank;
pub mod success;

pub mod answer_recall;
pub mod words;

mod token;

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

    /// The metric gives `expected` for these grades by rank (`-` for unjudged) and these positive
    /// grades of all judged passages.
    pub(crate) fn check_ranking(metric: &str, grades: &str, ideal: &[i32], expected: Option<f64>) {
        let ranking = JudgedRanking {
            grades: grades.split_whitespace().map(|grade| grade.parse().ok()).collect(),
            ideal: ideal.to_vec(),
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
