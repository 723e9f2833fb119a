//! The passages of an evaluation, for verbs that show their texts.

use std::path::PathBuf;

use clap::Args as Group;

/// Where the passages are.
#[derive(Debug, Group)]
pub(crate) struct Corpus {
    /// The passages, whose texts no evaluation stores.
    #[arg(long, value_name = "FILE")]
    pub(crate) corpus: Option<PathBuf>,
    /// Format of the passages; `qeval list components` lists them.
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub(crate) corpus_format: String,
}
