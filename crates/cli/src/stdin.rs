//! The standard input in place of a file, written `-`.
//!
//! It is copied to a folder that is gone at the end, because formats are recognised by their beginning
//! and some files are read twice.

use std::{
    cell::OnceCell,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use qeval_pipeline::Config;
use tempfile::TempDir;

use crate::exit_code::BadRequest;

/// How it is written in place of a path.
const NAME: &str = "-";

/// The standard input, which one of the files may be.
#[derive(Default)]
pub(crate) struct Stdin {
    folder: OnceCell<TempDir>,
}

impl Stdin {
    pub(crate) fn maybe(&self, path: Option<&Path>) -> Result<Option<PathBuf>> {
        path.map(|path| self.file(path)).transpose()
    }

    /// The file of that name; for `-` what comes from the standard input.
    pub(crate) fn file(&self, path: &Path) -> Result<PathBuf> {
        if path != Path::new(NAME) {
            return Ok(path.to_owned());
        }
        if self.folder.get().is_some() { Err(twice()) } else { self.copy() }
    }

    /// Puts it in the place of `-` in configurations: the combinations of a sweep share it.
    pub(crate) fn put_into(&self, configs: &mut [Config]) -> Result<()> {
        for config in configs {
            let mut taken = false;
            config.replace_files(&mut |path| {
                if path != NAME {
                    return Ok(None);
                }
                if std::mem::replace(&mut taken, true) {
                    return Err(twice());
                }
                self.copy().map(Some)
            })?;
        }
        Ok(())
    }

    /// What came from the standard input, as a file.
    fn copy(&self) -> Result<PathBuf> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder.path().join("stdin"));
        }
        let folder = temporary()?;
        let file = self.folder.get_or_init(|| folder).path().join("stdin");
        let copied =
            File::create(&file).and_then(|mut to| io::copy(&mut io::stdin().lock(), &mut to));
        copied.context("the standard input cannot be read")?;
        Ok(file)
    }
}

fn twice() -> anyhow::Error {
    let message = "two files are `-`, and there is one standard input".to_owned();
    BadRequest { message, hint: Some("write one of them to a file".to_owned()) }.into()
}

/// A folder that is gone when it is dropped.
pub(crate) fn temporary() -> Result<TempDir> {
    let above = std::env::temp_dir();
    tempfile::tempdir_in(&above).map_err(|error| {
        // The path in its words is one that was only tried.
        let cause = std::error::Error::source(&error)
            .map_or_else(|| error.to_string(), ToString::to_string);
        let message = format!("no temporary folder can be made in `{}`: {cause}", above.display());
        let hint =
            "the environment variable `TMPDIR` names a folder that is there and can be written";
        BadRequest { message, hint: Some(hint.to_owned()) }.into()
    })
}
