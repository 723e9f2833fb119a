//! `cargo xtask plugins`: the example plugins.

use anyhow::{Result, ensure};

use crate::{shell, workspace::Workspace};

/// Build every package in plugins/
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Build with optimisations.
    #[arg(long)]
    release: bool,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let mut build = workspace.cargo(&["build", "--locked"]);
    let packages = workspace.packages();
    let plugins = packages.iter().filter(|(_, folder)| folder.starts_with("plugins/"));
    let names: Vec<&str> = plugins.filter_map(|(package, _)| package["name"].as_str()).collect();
    ensure!(!names.is_empty(), "there is no package in plugins/");
    build.args(names.iter().flat_map(|name| ["-p", name]));
    if args.release {
        build.arg("--release");
    }
    shell::run(&mut build)
}
