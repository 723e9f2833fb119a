//! Answers that a system gave earlier, too many for memory.

use qeval_dataset::SpilledPredictions;
use qeval_sdk::core::Need;

use super::per_dataset::PerDataset;

/// Predictions files on disk. They are no reader that answers questions in any order: their answers
/// come in the order of the datasets (see `run/joins.rs`).
pub struct SpilledReplay {
    pub(crate) files: PerDataset<SpilledPredictions>,
}

impl SpilledReplay {
    pub(crate) fn new(files: PerDataset<SpilledPredictions>) -> Self {
        Self { files }
    }

    /// Whether any answer says which passages the reader saw.
    pub(crate) fn knows_seen(&self) -> bool {
        self.files.iter().any(|file| file.has().seen)
    }

    /// Whether any answer for a dataset, by its place among all, has what a metric reads beside its
    /// text. A file for all datasets is not taken apart.
    pub(crate) fn has(&self, need: Need, dataset: usize) -> bool {
        self.files.at(dataset).is_some_and(|file| match need {
            Need::Label(label) => file.has().labels.contains(label),
            Need::Confidence => file.has().confidence,
            _ => true,
        })
    }
}
