//! The arguments of `qeval baseline`.

use std::path::PathBuf;

use clap::{Args as Group, Subcommand};

/// `qeval baseline`.
#[derive(Debug, Group)]
pub(crate) struct Baseline {
    #[command(subcommand)]
    pub(crate) verb: BaselineVerb,
}

/// What is done with a baseline.
#[derive(Debug, Subcommand)]
pub(crate) enum BaselineVerb {
    /// Write one evaluation into a file that can be carried
    Export {
        /// The evaluation: its id, its folder, its label, or label:system.
        evaluation: String,
        /// The file to write.
        file: PathBuf,
        /// Take questions, answers and hits along; without them `compare` and `gate` work, and shown
        /// examples have no texts.
        #[arg(long)]
        texts: bool,
        /// Folder of the evaluations.
        #[arg(long, default_value = "results")]
        results: PathBuf,
    },
    /// Put the evaluation of such a file into a results folder
    Import {
        /// The file.
        file: PathBuf,
        /// Folder of the evaluations.
        #[arg(long, default_value = "results")]
        results: PathBuf,
    },
}
