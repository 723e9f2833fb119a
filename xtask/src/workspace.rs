//! Where things are: the root of the workspace, the target folder, the packages.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell;

/// The folders of this workspace.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The folder of the root `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Where Cargo builds.
    pub(crate) target: PathBuf,
    /// `cargo metadata` of the members alone.
    pub(crate) members: Value,
}

impl Workspace {
    /// Finds the folders, wherever the command was started.
    pub(crate) fn open() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("this package lies in a folder of the workspace")
            .to_owned();
        let members = metadata(&root, &["--no-deps"])?;
        let target = members["target_directory"]
            .as_str()
            .context("`cargo metadata` names no target directory")?
            .into();
        Ok(Self { root, target, members })
    }

    /// `cargo metadata` with all dependencies, as the lock file fixes them.
    pub(crate) fn dependencies(&self) -> Result<Value> {
        metadata(&self.root, &["--locked"])
    }

    /// A call of Cargo in the root folder.
    pub(crate) fn cargo(&self, args: &[&str]) -> Command {
        cargo(&self.root, args)
    }

    /// The program `qeval` of a profile, `debug` or `release`.
    pub(crate) fn qeval(&self, profile: &str) -> PathBuf {
        self.target.join(profile).join("qeval")
    }

    /// Name and folder of every member, the folder relative to the root, with `/`.
    pub(crate) fn packages(&self) -> Vec<(&Value, String)> {
        let packages = self.members["packages"].as_array();
        packages
            .into_iter()
            .flatten()
            .map(|package| (package, folder(&self.root, package)))
            .collect()
    }
}

fn cargo(root: &Path, args: &[&str]) -> Command {
    // `cargo run` says which Cargo it is, so that one toolchain does all.
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root).args(args);
    command
}

fn metadata(root: &Path, args: &[&str]) -> Result<Value> {
    let mut command = cargo(root, &["metadata", "--quiet", "--format-version", "1"]);
    let text = shell::output(command.args(args))?;
    serde_json::from_str(&text).context("`cargo metadata` printed something else than JSON")
}

fn folder(root: &Path, package: &Value) -> String {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().unwrap_or(manifest);
    let relative = folder.strip_prefix(root).unwrap_or(folder);
    relative.to_string_lossy().replace('\\', "/")
}
