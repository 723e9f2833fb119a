//! The folder of an evaluation that is not finished: hidden from readers, and removed unless the
//! evaluation becomes whole.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use super::{WriteError, lock::Lock};
use crate::{EvaluationId, Manifest};

/// How the folder of an unfinished evaluation begins. Readers of a results folder ignore names
/// that begin with a low line.
const PREFIX: &str = "_unfinished-";

/// The folder of an evaluation that is not finished. Dropping it removes it.
#[derive(Debug)]
pub(super) struct Unfinished {
    results: PathBuf,
    path: PathBuf,
    target: PathBuf,
    /// Held until the end, since it is outside of the folder that gets another name.
    _lock: Lock,
    finished: bool,
}

impl Unfinished {
    /// Makes the folder, empty. What an evaluation that was killed has left there is removed.
    pub(super) fn create(results: &Path, id: &EvaluationId) -> Result<Self, WriteError> {
        let target = id.folder(results);
        if target.exists() {
            return Err(WriteError::Exists { folder: target });
        }
        let path = results.join(format!("{PREFIX}{id}"));
        let lock = Lock::take(results, id, &path)?;
        // Whoever had the lock before may have finished meanwhile.
        if target.exists() {
            return Err(WriteError::Exists { folder: target });
        }
        if path.exists() {
            fs::remove_dir_all(&path).map_err(WriteError::io(&path))?;
        }
        fs::create_dir_all(&path).map_err(WriteError::io(&path))?;
        Ok(Self { results: results.to_owned(), path, target, _lock: lock, finished: false })
    }

    /// The folder of all evaluations.
    pub(super) fn results(&self) -> &Path {
        &self.results
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the manifest and gives the folder its final name, in this order and each durably: a
    /// folder with the final name is a whole evaluation.
    pub(super) fn finish(mut self, manifest: &Manifest) -> Result<PathBuf, WriteError> {
        for entry in fs::read_dir(&self.path).map_err(WriteError::io(&self.path))? {
            let path = entry.map_err(WriteError::io(&self.path))?.path();
            if path.is_dir() {
                sync(&path)?;
            }
        }
        manifest.write(&self.path).map_err(WriteError::io(&self.path))?;
        sync(&self.path)?;
        match fs::rename(&self.path, &self.target) {
            Ok(()) => {}
            Err(_) if self.target.exists() => {
                return Err(WriteError::Exists { folder: self.target.clone() });
            }
            Err(source) => return Err(WriteError::Io { path: self.target.clone(), source }),
        }
        self.finished = true;
        sync(&self.results)?;
        Ok(self.target.clone())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing can be done about an error here; the next writer tries again.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Waits until the names in a folder are on the disk.
#[cfg(unix)]
pub(crate) fn sync(folder: &Path) -> Result<(), WriteError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(WriteError::io(folder))
}

/// Other systems offer no way to wait for the names in a folder.
#[cfg(not(unix))]
pub(crate) fn sync(_folder: &Path) -> Result<(), WriteError> {
    Ok(())
}
