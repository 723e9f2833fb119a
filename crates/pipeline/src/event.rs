//! What happens while an evaluation runs. The pipeline prints nothing; whoever runs it shows this.

use std::path::PathBuf;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The run is over, and so many answers of a live reader were needed.
    Answers {
        /// Its name.
        reader: String,
        /// Questions that it was asked.
        asked: u64,
        /// Answers to them, which are kept for later runs.
        kept: u64,
        /// Answers of earlier runs, which were used again.
        earlier: u64,
        /// Where they are kept.
        path: PathBuf,
    },
    /// An evaluation is whole on disk.
    Stored {
        /// Its id.
        id: String,
    },
}
