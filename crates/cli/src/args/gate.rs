//! The arguments of `qeval gate`, and what every verb takes that decides gates.

use std::path::PathBuf;

use clap::Args as Group;

use super::Format;

/// `qeval gate`.
#[derive(Debug, Group)]
#[command(after_help = "Exit code 3: a gate failed.\n\nExamples:\n  \
    qeval gate main\n  \
    qeval gate main --file gates.toml --junit gates.xml --failing-examples 20\n  \
    qeval gate main --annotations --markdown summary.md")]
pub(crate) struct Gate {
    /// The evaluation: its id, its folder, its label (which stands for all its systems), or
    /// label:system.
    pub(crate) evaluation: String,
    /// Decide the gates of this file; default: those that the evaluation was made with.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) outputs: GateOutputs,
    /// Folder of the evaluations.
    #[arg(long, default_value = "results")]
    pub(crate) results: PathBuf,
    /// How the decisions are printed.
    #[arg(long, value_enum, default_value = "terminal")]
    pub(crate) format: Format,
}

/// Where decisions go besides.
#[derive(Debug, Default, Group)]
pub(crate) struct GateOutputs {
    /// Write the gates as JUnit's XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Append the gates to this file as Markdown: the summary of a check.
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Print gates that fail or warn on stderr as commands that GitHub's workflows read.
    #[arg(long)]
    pub(crate) annotations: bool,
    /// Show so many examples that speak against each gate that fails or warns.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) failing_examples: usize,
}
