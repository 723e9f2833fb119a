//! `cargo xtask test`: all tests, with what they need built first.

use anyhow::Result;

use crate::{plugins, python, shell, workspace::Workspace};

/// Run all tests
///
/// Builds the programs and plugins that tests start, makes a Python environment for the tests
/// that read our Parquet files with other tools (`target/venv`), one with a server of objects
/// (`target/moto`), and runs `cargo test` and the tests
/// of the plugins in C.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Leave out the tests that need Python.
    #[arg(long)]
    no_python: bool,
    /// Arguments for `cargo test`, for example `-- --test golden`.
    #[arg(last = true)]
    cargo: Vec<String>,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    // Cargo does not know that tests start programs and open plugins of other packages.
    shell::run(&mut workspace.cargo(&["build", "--workspace", "--locked"]))?;
    let mut test = workspace.cargo(&["test", "--workspace", "--locked"]);
    test.args(&args.cargo);
    if !args.no_python {
        test.env("QEVAL_PYTHON", python::interpreter(workspace)?);
        test.env("QEVAL_MOTO", python::moto(workspace)?);
    }
    if shell::in_ci() {
        // A snapshot that differs is a failure, never a new file.
        test.env("INSTA_UPDATE", "no");
    }
    shell::run(&mut test)?;
    plugins::make(workspace, "test")
}
