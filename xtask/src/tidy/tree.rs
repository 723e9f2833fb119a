//! The files of the project, as Git knows them.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::shell;

/// All text files that are tracked, or would be.
pub(super) struct Tree {
    pub(super) files: Vec<TreeFile>,
}

/// A text file.
pub(super) struct TreeFile {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    pub(super) text: String,
}

impl Tree {
    /// Reads the files. Binary files have no lines, so no rule is about them.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut git = Command::new("git");
        git.current_dir(root);
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listing = shell::output(&mut git)
            .context("tidy asks Git for the files (hint: run it in a clone)")?;
        let mut files = Vec::new();
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            let whole = root.join(path);
            // A file that was removed is listed until that is committed.
            if !whole.is_file() {
                continue;
            }
            let bytes = fs::read(&whole).with_context(|| format!("cannot read `{path}`"))?;
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(TreeFile { path: path.to_owned(), text });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { files })
    }

    /// The file at this path.
    pub(super) fn find(&self, path: &str) -> Option<&TreeFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The Rust sources.
    pub(super) fn sources(&self) -> impl Iterator<Item = &TreeFile> {
        let rust = |file: &&TreeFile| Path::new(&file.path).extension().is_some_and(|e| e == "rs");
        self.files.iter().filter(rust)
    }

    /// The line of a file that begins with this text, from 1; 0 when there is none.
    pub(super) fn line(&self, path: &str, begins: &str) -> usize {
        let lines = self.find(path).map(|file| file.text.lines());
        let place = lines.and_then(|mut lines| lines.position(|line| line.starts_with(begins)));
        place.map_or(0, |index| index + 1)
    }
}

impl TreeFile {
    /// The last part of the path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}
