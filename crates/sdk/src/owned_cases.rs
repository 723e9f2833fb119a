//! Cases that own their parts.

use qeval_core::{Case, Example, JudgedRanking, Passage, Prediction};

/// Cases with all that they borrow, as they arrive on the plugin's side of the boundary.
#[derive(Debug, Default)]
pub struct OwnedCases {
    pub(crate) examples: Vec<Example>,
    pub(crate) predictions: Vec<Option<Prediction>>,
    pub(crate) passages: Vec<Vec<Passage>>,
    pub(crate) rankings: Vec<Option<JudgedRanking>>,
}

impl OwnedCases {
    /// Calls `work` with the cases, in order.
    pub fn with_cases<T>(&self, work: impl FnOnce(&[Case<'_>]) -> T) -> T {
        let passages: Vec<Vec<&Passage>> =
            self.passages.iter().map(|passages| passages.iter().collect()).collect();
        let cases: Vec<Case<'_>> = self
            .examples
            .iter()
            .zip(&self.predictions)
            .zip(&passages)
            .zip(&self.rankings)
            .map(|(((example, prediction), passages), ranking)| {
                let mut case = Case::new(example).with_passages(passages);
                case.prediction = prediction.as_ref();
                case.ranking = ranking.as_ref();
                case
            })
            .collect();
        work(&cases)
    }
}
