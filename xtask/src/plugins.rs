//! `cargo xtask plugins`: the example plugins.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Result, ensure};

use crate::{shell, workspace::Workspace};

/// Build every plugin in plugins/: packages with Cargo, and what has a Makefile with make
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
    shell::run(&mut build)?;
    make(workspace, "all")
}

/// Has make do this for every plugin in C. It is left out, with a word, where the tools for C are
/// not installed.
pub(crate) fn make(workspace: &Workspace, target: &str) -> Result<()> {
    for tool in ["make", "cc"] {
        let mut version = Command::new(tool);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        if !version.status().is_ok_and(|status| status.success()) {
            shell::note(&format!("the plugins in C are left out: there is no `{tool}`"));
            return Ok(());
        }
    }
    for folder in folders_with_makefiles(workspace)? {
        shell::run(Command::new("make").arg("-C").arg(folder).arg(target))?;
    }
    Ok(())
}

fn folders_with_makefiles(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(workspace.root.join("plugins"))? {
        folders.push(entry?.path());
    }
    folders.retain(|folder| folder.join("Makefile").is_file());
    folders.sort();
    Ok(folders)
}
