//! The arguments of `qeval explain`.

use std::path::PathBuf;

use clap::Args as Group;

use super::{Corpus, Format};

/// `qeval explain`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:\n  \
    qeval explain hr-assistant:stale leave-3 --corpus policies.jsonl\n  \
    qeval explain main q17 -m F1 -m MRR@10\n  \
    qeval explain main q17 --stage integrated --format json")]
pub(crate) struct Explain {
    /// The evaluation: its id, its folder, its label, or label:system.
    #[arg(value_name = "EVALUATION")]
    pub(crate) evaluation: String,
    /// Id of the example.
    #[arg(value_name = "ID")]
    pub(crate) example: String,
    /// Only this metric, by its name or its column; may be given several times.
    #[arg(short = 'm', long = "metric", value_name = "METRIC")]
    pub(crate) metrics: Vec<String>,
    /// Only this stage: retrieval, isolated or integrated.
    #[arg(long, value_name = "STAGE")]
    pub(crate) stage: Option<String>,
    /// The dataset of the example, where several have its id.
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
    #[command(flatten)]
    pub(crate) corpus: Corpus,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the explanation is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}
