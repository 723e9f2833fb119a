//! `cargo xtask tidy`: the rules of the project's shape that no compiler knows. Also a test.

mod arrows;
mod code;
mod decisions;
mod dependencies;
mod files;
mod license;
mod owners;
mod tree;
mod unsafety;

use std::fmt;

use anyhow::{Result, bail};

use crate::{shell, workspace::Workspace};
use tree::Tree;

/// Check sizes, names, module docs, arrows between crates, `unsafe`, licences
///
/// Every finding is listed with its place. The tables with what is allowed, and why, are in
/// xtask/src/tidy/.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Something that is not as it should be.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    /// File, relative to the root.
    path: String,
    /// Line, from 1; 0 for the file as a whole.
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

pub(crate) fn run(workspace: &Workspace, _args: &Args) -> Result<()> {
    let tree = Tree::read(&workspace.root)?;
    let findings = check(workspace, &tree)?;
    for finding in &findings {
        shell::print(&finding.to_string());
    }
    match findings.len() {
        0 => shell::note(&format!("tidy: {} files, nothing found", tree.files.len())),
        count => bail!("tidy: {count} findings"),
    }
    Ok(())
}

/// All findings, in the order of the files.
fn check(workspace: &Workspace, tree: &Tree) -> Result<Vec<Finding>> {
    let resolved = workspace.dependencies()?;
    let mut findings = Vec::new();
    files::check(tree, &mut findings);
    unsafety::check(tree, &mut findings);
    arrows::check(workspace, tree, &mut findings);
    owners::check(workspace, tree, &mut findings);
    dependencies::check(&resolved, &mut findings);
    license::check(&resolved, tree, &mut findings);
    decisions::check(tree, &mut findings);
    findings.sort();
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let workspace = Workspace::open().unwrap();
        let tree = Tree::read(&workspace.root).unwrap();
        let findings = check(&workspace, &tree).unwrap();
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "{} findings:\n{}", lines.len(), lines.join("\n"));
    }
}
