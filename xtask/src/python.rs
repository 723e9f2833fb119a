//! The Python packages that tests and conformance read our files with, and that plugins in Python use,
//! in a virtual environment of their own in the target folder.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result};

use crate::{shell, workspace::Workspace};

/// All packages, also those that others need, so that every machine has the same.
const PACKAGES: [&str; 10] = [
    "bm25s==0.3.16",
    "duckdb==2.0.1",
    "duckdb-cli==1.5.6",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "polars==2.1.0",
    "polars-runtime-32==2.1.0",
    "pyarrow==26.0.1",
    "python-dateutil==4.0.0",
    "rapidfuzz==3.14.6",
];

/// The interpreter that tests and conformance use.
pub(crate) fn interpreter(workspace: &Workspace) -> Result<PathBuf> {
    environment(workspace, "venv", &PACKAGES)
}

/// The interpreter of an environment in the target folder, which is made when it is missing or the
/// list has changed.
pub(crate) fn environment(workspace: &Workspace, name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = workspace.target.join(name);
    let python = folder.join("bin").join("python");
    // Written last: an environment without it is not whole.
    let stamp = folder.join("packages.txt");
    let wanted = packages.join("\n");
    if python.exists() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    let make = &mut Command::new("python3");
    shell::run(make.args(["-m", "venv", "--clear"]).arg(&folder))
        .context("cannot make a virtual environment for Python (hint: install python3-venv)")?;
    let install = &mut Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
    shell::run(install.args(packages)).context("cannot install the Python packages")?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write `{}`", stamp.display()))?;
    Ok(python)
}
