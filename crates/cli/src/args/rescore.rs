//! The arguments of `qeval rescore`.

use std::path::PathBuf;

use clap::Args as Group;

use super::{Changes, Format};

/// `qeval rescore`.
#[derive(Debug, Group)]
pub(crate) struct Rescore {
    /// The evaluation with the answers: an id, a folder, or a label (`LABEL:SYSTEM`), which is its newest.
    pub(crate) evaluation: String,
    /// The file that declares the evaluation with the metrics that are wanted; its reader is not asked.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) changes: Changes,
    /// Folder with the stored evaluation.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// Refuse a file that declares a plugin: plugins run code.
    #[arg(long)]
    pub(crate) no_plugins: bool,
    /// How the report is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}
