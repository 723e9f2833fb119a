//! HotpotQA's metrics: the answer, the sentences that support it, and both together.
//!
//! A supporting fact is written `title#sentence`. The gold ones are the gold passages of the
//! example, the predicted ones the citations of the prediction.

pub mod answer;
pub mod facts;
pub mod joint;

/// Precision, recall and F1 of one example.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Match {
    precision: f64,
    recall: f64,
    f1: f64,
}

impl Match {
    /// F1 of these two; 0 where both are 0.
    fn new(precision: f64, recall: f64) -> Self {
        let sum = precision + recall;
        let f1 = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
        Self { precision, recall, f1 }
    }
}
