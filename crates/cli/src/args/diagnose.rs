//! The arguments of `qeval diagnose`.

use std::path::PathBuf;

use clap::Args as Group;

use super::{Corpus, Format};

/// `qeval diagnose`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:\n  \
    qeval diagnose hr-assistant:stale --corpus policies.jsonl\n  \
    qeval diagnose main --by topic --examples 10\n  \
    qeval diagnose passages-5 passages-10 passages-20")]
pub(crate) struct Diagnose {
    /// The evaluation: its id, its folder, its label, or label:system. Further ones are of the same
    /// system with other numbers of passages.
    #[arg(required = true, value_name = "EVALUATION")]
    pub(crate) evaluations: Vec<String>,
    /// Also by the values of this slice; may be given several times.
    #[arg(long = "by", value_name = "SLICE")]
    pub(crate) slices: Vec<String>,
    /// How many examples of each cause are shown.
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    pub(crate) examples: usize,
    #[command(flatten)]
    pub(crate) corpus: Corpus,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the diagnosis is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}
