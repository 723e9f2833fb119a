//! The arguments of `qeval explain`.

use std::path::PathBuf;

use clap::Args as Group;

use super::Format;

/// `qeval explain`.
#[derive(Debug, Group)]
pub(crate) struct Explain {
    /// The evaluation: its id, its folder, its label, or label:system.
    pub(crate) evaluation: String,
    /// Id of the example.
    pub(crate) example: String,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the explanation is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}
