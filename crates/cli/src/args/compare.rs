//! The arguments of `qeval compare`.

use std::path::PathBuf;

use clap::{Args as Group, ValueEnum};

use super::{Format, named};

/// `qeval compare`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:\n  \
    qeval compare main candidate -m F1 -m EM\n  \
    qeval compare pair:a pair:b --by language --changed 10\n  \
    qeval compare main candidate -m F1 --margin 0.01\n  \
    qeval compare bm25 reranked-1 reranked-2 -m nDCG@10 --correction tukey")]
pub(crate) struct Compare {
    /// The evaluations: each an id, a folder, a label, or label:system; the first is the baseline. A
    /// label with several systems stands for all of them.
    #[arg(required = true, value_name = "EVALUATION")]
    pub(crate) evaluations: Vec<String>,
    /// Only this metric or column; may be given several times. What is not shown needs no correction.
    #[arg(short, long = "metric", value_name = "METRIC")]
    pub(crate) metrics: Vec<String>,
    /// Only the metrics of this stage.
    #[arg(long, value_parser = named::STAGES)]
    pub(crate) stage: Option<String>,
    /// Also by the values of this slice; may be given several times.
    #[arg(long = "by", value_name = "SLICE")]
    pub(crate) slices: Vec<String>,
    /// How p-values are corrected for being many.
    #[arg(long, value_enum, default_value = "holm")]
    pub(crate) correction: Correction,
    /// Say whether each system is no worse than the ones before it, but for this difference.
    #[arg(long, value_name = "DIFFERENCE", value_parser = named::margin)]
    pub(crate) margin: Option<f64>,
    /// How many of the examples that lost most, and of those that gained most, are shown.
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    pub(crate) changed: usize,
    /// Compare also what should not be compared: other references, another corpus, other judgments.
    #[arg(long)]
    pub(crate) anyway: bool,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the comparison is printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}

/// How p-values are corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Correction {
    /// Holm's, over all pairs of systems, metrics and slices that are shown.
    Holm,
    /// Tukey's honestly significant differences, over the pairs of one metric; for many systems.
    Tukey,
    /// Not at all.
    None,
}
