//! The verbs of plugins.

use std::{num::NonZeroU64, path::PathBuf};

use clap::{Args as Group, Subcommand, ValueEnum};

/// What can be done with plugins.
#[derive(Debug, Subcommand)]
pub(crate) enum PluginVerb {
    /// Write a new plugin that builds, passes its own test and can be evaluated with
    New(NewPlugin),
    /// Open a plugin, print what it offers, run its examples, try to break it, and measure it
    Check(CheckPlugin),
}

/// `qeval plugin new`.
#[derive(Debug, Group)]
pub(crate) struct NewPlugin {
    /// Its name: a letter, then letters, digits, `_` and `-`.
    pub(crate) name: String,
    /// The language that it is written in.
    #[arg(long, value_enum)]
    pub(crate) lang: Language,
    /// The folder that is made; default: the name.
    #[arg(long)]
    pub(crate) folder: Option<PathBuf>,
    /// The crate `qeval-sdk` as a folder, for a plugin in Rust; default: the published one of this
    /// version.
    #[arg(long)]
    pub(crate) sdk: Option<PathBuf>,
}

/// The languages of new plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// A library, with the crate `qeval-sdk`.
    Rust,
    /// A library, with two headers.
    C,
    /// A program, with the module `qeval_plugin`.
    Python,
}

/// `qeval plugin check`.
#[derive(Debug, Group)]
pub(crate) struct CheckPlugin {
    /// The library or the program, as `path` of `[[plugin]]` names it.
    pub(crate) path: PathBuf,
    /// What runs the program, and its arguments: `--interpreter .venv/bin/python`.
    #[arg(long, num_args = 1.., value_terminator = "--")]
    pub(crate) interpreter: Vec<String>,
    /// Open the library in this process: faster, and a crash ends the check.
    #[arg(long)]
    pub(crate) in_process: bool,
    /// Arguments of the program behind its path, each as `--args=--fast`.
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// Environment variables that its child processes may see.
    #[arg(long, value_name = "NAME", num_args = 1.., value_terminator = "--")]
    pub(crate) environment: Vec<String>,
    /// Millions of bytes that a child process may take; default: three quarters of the machine's
    /// memory.
    #[arg(long)]
    pub(crate) memory_mb: Option<NonZeroU64>,
    /// The options of the plugin, as a JSON object.
    #[arg(long, default_value = "{}")]
    pub(crate) options: String,
    /// How many cases the speed is measured with; 0 for none.
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) cases: usize,
    /// Seconds that it has for a batch.
    #[arg(long, default_value_t = 60.0)]
    pub(crate) timeout_s: f64,
}
