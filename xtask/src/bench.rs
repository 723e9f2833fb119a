//! `cargo xtask bench`: how fast the product is, against a baseline in the same run.
//!
//! Seconds of one machine say little on another one, and wall time moves with whatever else runs.
//! So every bench gives CPU seconds (user and system, of the process and its children), and their
//! ratio to a baseline that is measured in alternation with it.

mod generator;
pub(crate) mod measure;
pub(crate) mod parse;
mod qa;

use std::path::PathBuf;

use anyhow::Result;

use crate::{shell, workspace::Workspace};

/// Measure CPU time and memory of release builds against a baseline
///
/// Each bench runs the program and its baseline in turns and prints the CPU seconds (user and
/// system), the ratio of the two, and the peak of the resident memory.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bench: `qa` scores answers with EM and F1, against the bare parse of the same file.
    #[arg(value_parser = ["qa"], default_value = "qa")]
    name: String,
    /// A JSONL file with `id`, `prediction` and `answers` to use instead of generated rows.
    #[arg(long)]
    input: Option<PathBuf>,
    /// How many rows to generate.
    #[arg(long, default_value_t = 1_000_000)]
    rows: u64,
    /// How often each side runs.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let build = ["build", "--release", "--locked", "-p", "qeval-cli", "-p", "xtask"];
    shell::run(&mut workspace.cargo(&build))?;
    qa::run(workspace, args)
}
