//! The arguments of `qeval gate`.

use std::path::PathBuf;

use clap::Args as Group;

use super::Format;

/// `qeval gate`.
#[derive(Debug, Group)]
pub(crate) struct Gate {
    /// The evaluation: its id, its folder, its label, or label:system.
    pub(crate) evaluation: String,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the decisions are printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}
