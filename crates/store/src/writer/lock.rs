//! The lock of an evaluation: one process writes it, and others are told which.
//!
//! It lies outside of the folder that is written, and its file stays: a file that went with the
//! folder would be made anew by a process that comes while the folder gets its final name, and the
//! two would hold the locks of two files.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use super::WriteError;
use crate::{EvaluationId, time};

/// The folder of the locks in a results folder; readers ignore names that begin with a low line.
const FOLDER: &str = "_locks";

/// Longest text of an owner that is shown.
const LONGEST_OWNER: u64 = 300;

/// The lock of one evaluation or of one journal of answers, held until it is dropped; the system
/// releases it if the process is killed.
#[derive(Debug)]
pub(crate) struct Lock(File);

/// Why a lock is not to be had.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Another process has it; who it is, where its file says it.
    Busy(Option<String>),
    /// What the system says.
    Io(io::Error),
}

impl Lock {
    /// Takes the lock of an evaluation that is written in `unfinished`, and writes into it who has
    /// it.
    ///
    /// # Errors
    ///
    /// [`WriteError::Busy`] where another writer has it, with its name.
    pub(super) fn take(
        results: &Path,
        id: &EvaluationId,
        unfinished: &Path,
    ) -> Result<Self, WriteError> {
        let folder = results.join(FOLDER);
        fs::create_dir_all(&folder).map_err(WriteError::io(&folder))?;
        let path = folder.join(id.as_str());
        Self::of_file(&path).map_err(|error| match error {
            LockError::Busy(owner) => WriteError::Busy { folder: unfinished.to_owned(), owner },
            LockError::Io(source) => WriteError::Io { path, source },
        })
    }

    /// Takes the lock of this file, which is made where there is none, and writes into it who has it.
    pub(crate) fn of_file(path: &Path) -> Result<Self, LockError> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(LockError::Io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LockError::Busy(owner_of(&file))),
            Err(TryLockError::Error(source)) => return Err(LockError::Io(source)),
        }
        write(&file).map_err(LockError::Io)?;
        Ok(Self(file))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The next one must not be taken for this one; the lock itself goes with the file.
        let _ = self.0.set_len(0);
    }
}

fn write(mut file: &File) -> io::Result<()> {
    file.set_len(0)?;
    file.write_all(owner().as_bytes())
}

/// This process, as the file says it.
fn owner() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => String::new(),
        host => format!(" on {host}"),
    };
    let (pid, since) = (std::process::id(), time::rfc3339(since));
    format!("process {pid}{host} (`{}`, since {since})\n", command())
}

/// The program and its verb. What follows may be anything, also a secret.
fn command() -> String {
    let mut words = std::env::args_os();
    let program = words.next().unwrap_or_default();
    let program = Path::new(&program).file_name().unwrap_or_default().to_string_lossy();
    let plain = |word: &String| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let verb = words.next().and_then(|word| word.into_string().ok());
    match verb.filter(plain).filter(|verb| !verb.starts_with('-')) {
        Some(verb) => format!("{program} {verb}"),
        None => program.into_owned(),
    }
}

/// Who has the lock, as far as its file says it: a moment after it was taken, it says nothing.
fn owner_of(file: &File) -> Option<String> {
    let mut text = String::new();
    file.take(LONGEST_OWNER).read_to_string(&mut text).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
