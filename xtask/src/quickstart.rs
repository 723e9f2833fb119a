//! `cargo xtask quickstart`: the README's first command.

use std::process::Command;

use anyhow::Result;

use crate::{shell, workspace::Workspace};

/// Build the program and the example plugin, and run configs/quickstart.toml
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Arguments for `qeval run`, for example `-- --format json`.
    #[arg(last = true)]
    qeval: Vec<String>,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let build = ["build", "--locked", "-p", "qeval-cli", "-p", "key-figures"];
    shell::run(&mut workspace.cargo(&build))?;
    let program = workspace.qeval("debug");
    let built = program.parent().expect("the program lies in the folder of its profile");
    let mut qeval = Command::new(&program);
    // The config's own default is the target folder that Cargo uses unless told otherwise.
    qeval.env("QEVAL_PLUGINS", built);
    qeval.current_dir(&workspace.root).args(["run", "configs/quickstart.toml"]).args(&args.qeval);
    shell::run(&mut qeval)
}
