//! What happens while an evaluation runs. The pipeline prints nothing; whoever runs it shows this.

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// So many examples are scored and handed to the store.
    Progress {
        /// Examples so far.
        examples: u64,
    },
    /// An evaluation is whole on disk.
    Stored {
        /// Its id.
        id: String,
    },
}
