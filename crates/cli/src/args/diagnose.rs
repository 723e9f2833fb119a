//! The arguments of `qeval diagnose`.

use std::path::PathBuf;

use clap::Args as Group;

use super::Format;

/// `qeval diagnose`.
#[derive(Debug, Group)]
pub(crate) struct Diagnose {
    /// The evaluation: its id, its folder, its label, or label:system.
    pub(crate) evaluation: String,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the diagnosis is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}
