//! The journal of answers: what a reader has answered, on the disk as soon as it arrives.
//!
//! ```text
//! <results>/_answers/<digest of the reader>/
//!   answers-1.jsonl      a generation: one line for each answer, only ever appended to
//!   answers-2.jsonl      the next one, begun where somebody asked for fresh answers; what it lacks,
//!                        the one before has
//!   _lock                the lock, with the process that has the journal
//! ```
//!
//! It belongs to a reader and not to an evaluation: the key of an answer is what was asked, so an
//! evaluation with other metrics or slices finds all that it needs.
//!
//! An answer counts as kept once the disk has it. Many that wait are written and made durable
//! together, so that a slow disk delays each of them, and not each after the other. The first line
//! of a file says what it is; how the others are built, and how damage is told from what a kill
//! leaves behind, is in `line.rs`. In memory are the keys and the places of the answers alone: about
//! 60 bytes each.

mod file;
mod generation;
mod line;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::writer::{Lock, LockError};
use file::{Journaled, Place};

/// The folder of all journals in a results folder; readers ignore names that begin with a low line.
const FOLDER: &str = "_answers";

/// The lock in the folder of a journal.
const LOCK: &str = "_lock";

/// What identifies a question to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AnswerKey(u128);

impl AnswerKey {
    /// The key of a question, with everything that the reader sees of it.
    pub fn new(question: &[u8]) -> Self {
        let digest = Sha256::digest(question);
        let first = digest.first_chunk().expect("a digest has 32 bytes");
        Self(u128::from_be_bytes(*first))
    }
}

/// An answer that was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptAnswer {
    /// What was kept.
    pub value: Value,
    /// Whether it is of an earlier opening of the journal, and this is the first time since that
    /// somebody looks for it.
    pub earlier: bool,
}

/// Why a journal cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JournalError {
    /// A file cannot be read or written.
    #[error("the answers in `{}` cannot be kept", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// Another process has it.
    #[error(
        "{} is asking the same reader and keeps its answers in `{}` (hint: wait for it, or evaluate \
         into another results folder)",
        .owner.as_deref().unwrap_or("another process"),
        folder.display()
    )]
    Busy {
        /// The folder of the journal.
        folder: PathBuf,
        /// Which process: its number, machine, command and when it began; `None` where it doesn't say.
        owner: Option<String>,
    },
    /// A line in the middle is not as it was written.
    #[error(
        "line {line} of `{}` is damaged (hint: answers after it are whole; without that line its \
         answer is asked for again, and with --fresh all are)",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// The file is something else, or was written by a later version.
    #[error(
        "`{}` is no journal of answers of this version (hint: move it away)",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
}

/// The answers of one reader. Nobody else can open the same one; it may be used by several threads
/// at the same time.
#[derive(Debug)]
pub struct AnswerJournal {
    /// The file that is written, and those of older generations.
    paths: Vec<PathBuf>,
    /// The same for reading, so that nobody waits for the disk to have a group.
    read: Mutex<Vec<File>>,
    state: Mutex<State>,
    /// A group is on the disk, or cannot be written.
    written: Condvar,
    _lock: Lock,
}

#[derive(Debug)]
struct State {
    /// `None` while somebody writes a group with it.
    file: Option<File>,
    index: HashMap<AnswerKey, Place>,
    /// Where the group that is collected will begin.
    start: u64,
    /// Its lines.
    group: Vec<u8>,
    /// What they hold.
    entries: Vec<(AnswerKey, Place)>,
    /// Which group it is, from 0.
    number: u64,
    /// Groups that are on the disk.
    durable: u64,
    /// Whether all that was asked for came to an end.
    whole: bool,
    /// Why nothing more can be written.
    broken: Option<Arc<io::Error>>,
}

impl AnswerJournal {
    /// Opens the journal of a reader, as `reader` describes it: with everything that its answers
    /// depend on beside the question, and nothing that is secret.
    ///
    /// With `fresh` a new generation begins, without any answer; but one that was begun so and was
    /// interrupted goes on.
    ///
    /// # Errors
    ///
    /// [`JournalError::Busy`] where another process has it, with its name; `Damaged` where a line is
    /// not as it was written and others come after it. What a kill or a power cut leaves at the end
    /// is cut off.
    pub fn open(results: &Path, reader: &Value, fresh: bool) -> Result<Self, JournalError> {
        let folder = Self::folder(results, reader);
        fs::create_dir_all(&folder).map_err(io_at(&folder))?;
        let lock_path = folder.join(LOCK);
        let lock = Lock::of_file(&lock_path).map_err(|error| match error {
            LockError::Busy(owner) => JournalError::Busy { folder: folder.clone(), owner },
            LockError::Io(source) => io_at(&lock_path)(source),
        })?;
        let (paths, content) = generation::open(&folder, reader, fresh)?;
        let Journaled { file, index, end, whole } = content;
        let read = paths.iter().map(|path| File::open(path).map_err(io_at(path)));
        let read = read.collect::<Result<Vec<_>, _>>()?;
        let state = State {
            file: Some(file),
            index,
            start: end,
            group: Vec::new(),
            entries: Vec::new(),
            number: 0,
            durable: 0,
            whole,
            broken: None,
        };
        Ok(Self {
            paths,
            read: Mutex::new(read),
            state: Mutex::new(state),
            written: Condvar::new(),
            _lock: lock,
        })
    }

    /// The folder of the journal of a reader.
    pub fn folder(results: &Path, reader: &Value) -> PathBuf {
        let digest = Sha256::digest(reader.to_string().as_bytes());
        let mut name = String::with_capacity(32);
        for byte in &digest[..16] {
            use std::fmt::Write as _;
            write!(name, "{byte:02x}").expect("writing to a string cannot fail");
        }
        results.join(FOLDER).join(name)
    }

    /// The file that it writes.
    pub fn path(&self) -> &Path {
        &self.paths[0]
    }

    /// How many answers it has.
    pub fn len(&self) -> usize {
        self.lock().index.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it has an answer to a question.
    pub fn has(&self, key: AnswerKey) -> bool {
        self.lock().index.contains_key(&key)
    }

    /// The answer to a question, where there is one.
    ///
    /// # Errors
    ///
    /// Where the disk no longer gives what was written.
    pub fn find(&self, key: AnswerKey) -> Result<Option<KeptAnswer>, JournalError> {
        let place = self.lock().index.get_mut(&key).map(|place| {
            let found = *place;
            place.unused = false;
            found
        });
        let Some(place) = place else { return Ok(None) };
        let number = usize::from(place.file);
        let path = &self.paths[number];
        let mut files = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let line = place.read(&mut files[number]).map_err(io_at(path))?;
        drop(files);
        match line::parse(&line) {
            Some(line::Line { key: Some(found), value, .. }) if found == key => {
                let value = serde_json::from_slice(value).map_err(io::Error::from);
                let value = value.map_err(io_at(path))?;
                Ok(Some(KeptAnswer { value, earlier: place.unused }))
            }
            _ => Err(io_at(path)(io::Error::other("a line has changed on the disk"))),
        }
    }

    /// Keeps answers: when this returns, the disk has them. A later answer to a question counts.
    ///
    /// # Errors
    ///
    /// Where the disk takes no more. From then on it takes nothing at all: an answer that is lost
    /// was paid for.
    pub fn add(&self, answers: &[(AnswerKey, Value)]) -> Result<(), JournalError> {
        let values: Vec<String> = answers.iter().map(|(_, value)| value.to_string()).collect();
        let mut state = self.lock();
        for ((key, _), value) in answers.iter().zip(values) {
            state.push(Some(*key), value.as_bytes());
        }
        self.commit(state)
    }

    /// Notes that all that was asked for came to an end: from here on somebody who wants fresh answers
    /// begins anew.
    ///
    /// # Errors
    ///
    /// Where the disk takes no more.
    pub fn note_whole(&self) -> Result<(), JournalError> {
        let mut state = self.lock();
        if state.whole {
            return Ok(());
        }
        state.whole = true;
        state.push(None, b"whole");
        self.commit(state)
    }

    /// Why it takes no more answers, where that is so.
    pub fn broken(&self) -> Option<JournalError> {
        let source = self.lock().broken.clone()?;
        Some(JournalError::Io { path: self.paths[0].clone(), source })
    }

    /// Waits until the group that is being collected is on the disk. Whoever finds the file free
    /// writes it for all.
    fn commit<'j>(&'j self, mut state: MutexGuard<'j, State>) -> Result<(), JournalError> {
        let mine = state.number;
        loop {
            if let Some(source) = state.broken.clone() {
                return Err(JournalError::Io { path: self.paths[0].clone(), source });
            }
            if state.durable > mine {
                return Ok(());
            }
            let Some(mut file) = state.file.take() else {
                state = self.written.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let begin = state.start;
            let (group, entries) = state.take();
            drop(state);
            let written = file::append(&mut file, begin, &group);
            state = self.lock();
            state.file = Some(file);
            match written {
                Ok(()) => {
                    state.index.extend(entries);
                    state.durable += 1;
                }
                Err(error) => state.broken = Some(Arc::new(error)),
            }
            self.written.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Puts a line into the group that is collected.
    fn push(&mut self, key: Option<AnswerKey>, value: &[u8]) {
        let from = self.group.len();
        line::write(&mut self.group, self.start, key, value);
        let length = self.group.len() - from;
        self.entries
            .extend(key.map(|key| (key, Place::new(0, self.start + from as u64, length, false))));
    }

    /// The group, to be written now; the next one begins behind it.
    fn take(&mut self) -> (Vec<u8>, Vec<(AnswerKey, Place)>) {
        let group = std::mem::take(&mut self.group);
        self.start += group.len() as u64;
        self.number += 1;
        (group, std::mem::take(&mut self.entries))
    }
}

/// An error of the system about a file.
fn io_at(path: &Path) -> impl Fn(io::Error) -> JournalError + '_ {
    |source| JournalError::Io { path: path.to_owned(), source: Arc::new(source) }
}
