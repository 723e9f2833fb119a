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

/// A server that speaks as S3 does, for the tests of object stores, with all that it needs.
const MOTO: [&str; 27] = [
    "blinker==1.9.0",
    "boto3==1.44.8",
    "botocore==1.44.8",
    "certifi==2026.10.19.post1",
    "cffi==2.1.1",
    "charset-normalizer==3.5.3",
    "click==8.5.1",
    "cryptography==50.0.2",
    "Flask==3.1.3",
    "flask-cors==6.0.5",
    "idna==3.20",
    "itsdangerous==2.2.0",
    "Jinja2==3.1.6",
    "jmespath==1.1.0",
    "MarkupSafe==3.0.4",
    "moto==5.2.5",
    "py-partiql-parser==0.6.3",
    "pycparser==3.12",
    "python-dateutil==2.9.0.post0",
    "PyYAML==6.0.4",
    "requests==2.34.2",
    "responses==0.26.3",
    "s3transfer==0.19.3",
    "six==1.17.0",
    "urllib3==2.8.0",
    "Werkzeug==3.1.9",
    "xmltodict==1.0.4",
];

/// The interpreter that has the server of objects. Its packages want others than those of the tests.
pub(crate) fn moto(workspace: &Workspace) -> Result<PathBuf> {
    environment(workspace, "moto", &MOTO)
}

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
