//! The arguments of `qeval compare`.

use std::path::PathBuf;

use clap::Args as Group;

use super::Format;

/// `qeval compare`.
#[derive(Debug, Group)]
pub(crate) struct Compare {
    /// The evaluations: each an id, a folder, a label, or label:system; the first is the baseline. A
    /// label with several systems stands for all of them.
    #[arg(required = true, value_name = "EVALUATION")]
    pub(crate) evaluations: Vec<String>,
    /// Only this metric or column; may be given several times.
    #[arg(short, long = "metric", value_name = "METRIC")]
    pub(crate) metrics: Vec<String>,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the comparison is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}
