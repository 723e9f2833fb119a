//! A plugin for qeval: does an answer give the figures of the reference?
//!
//! `15 working days` answers `15 days`, `6 thousand dollars` answers `$6,000`, and `10 days` does
//! not answer `15 days`, although a word-based metric likes it. What a figure is, is said in
//! `figures.rs`; when two of them are the same, in `compare.rs`.

mod compare;
mod date;
mod figures;
mod money;
mod names;
mod number;
mod pairs;
mod read;
mod scan;
mod time;
mod token;
mod unit;
mod words;

pub use compare::{explain, score};
pub use figures::{Figure, figures};

use qeval_sdk::{
    Descriptor, Failure, MetricDescriptor, Scorer, Scores, WorkedExample,
    core::{Case, Score, Unscored},
};

/// The metric `key_figures`.
#[derive(Debug)]
pub struct KeyFigures {
    metrics: Vec<MetricDescriptor>,
}

impl Default for KeyFigures {
    fn default() -> Self {
        let summary = "how far the answer gives the amounts, dates and times of a reference";
        Self { metrics: vec![MetricDescriptor::new("key_figures", summary)] }
    }
}

impl Scorer for KeyFigures {
    fn descriptor(&self) -> Descriptor {
        Descriptor::new("key-figures", env!("CARGO_PKG_VERSION"), "Compares the figures of answers")
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.metrics
    }

    fn examples(&self) -> Vec<WorkedExample> {
        [
            ("15 working days", "15 days", Some(1.0)),
            ("10 working days", "15 days", Some(0.0)),
            ("$6,000", "6 thousand dollars", Some(1.0)),
            ("two weeks", "14 days", Some(1.0)),
            ("July 26, 1953", "1953", Some(1.0)),
            ("in July 1953", "July 26, 1953", Some(0.0)),
            ("5 pm", "17:00", Some(1.0)),
            ("3 km, or 10 km by car", "3 km", Some(2.0 / 3.0)),
            ("no idea", "15 days", Some(0.0)),
            ("Albert Einstein", "Einstein", None),
        ]
        .map(|(prediction, reference, score)| {
            WorkedExample::answer(prediction, &[reference], score)
        })
        .into()
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        Ok(Scores::from(vec![cases.iter().map(score_case).collect()]))
    }
}

fn score_case(case: &Case<'_>) -> Score {
    let references: Vec<&str> = case.example.reference_texts().collect();
    if references.is_empty() {
        return Err(Unscored::NoReference);
    }
    score(case.prediction_text(), &references)
        .ok_or_else(|| Unscored::NotApplicable("the reference has no figure".to_owned()))
}

qeval_sdk::export_scorer!(KeyFigures);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_hold() {
        qeval_sdk::testing::assert_good(&KeyFigures::default());
    }
}
