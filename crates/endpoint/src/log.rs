//! The call log: a response that was received is on the disk before anything else happens.
//!
//! It is a file of JSON lines. The first one says what it is; each other one is an answer,
//! `{"key", "took_ms", "answer"}`, or takes one back, `{"key", "forgotten": true}`. The key is the SHA-256 of the
//! request. A later line of a key counts. The last line may be cut off by a kill or a full disk:
//! then it is dropped when the file is opened.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The first line.
const HEADER: &str = "{\"qeval_call_log\":1}\n";

/// What identifies a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// The key of a body that is posted to an address.
    pub(crate) fn new(url: &str, body: &[u8]) -> Self {
        let mut hash = Sha256::new();
        for part in [b"POST ", url.as_bytes(), b"\n", body] {
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    fn to_hex(self) -> String {
        use std::fmt::Write as _;
        let mut hex = String::with_capacity(64);
        for byte in self.0 {
            write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
        }
        hex
    }

    fn from_hex(hex: &str) -> Option<Self> {
        let mut key = [0; 32];
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        for (index, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(Self(key))
    }
}

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file cannot be read or written.
    #[error("the call log `{}` cannot be used: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process writes to it, or another component of this one.
    #[error("the call log `{}` is in use by another process or component", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A line is not what it should be.
    #[error("line {line} of `{}` is no line of a call log", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: String,
    /// Milliseconds that the answer took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    took_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    forgotten: bool,
}

/// A log that is open; nobody else can open it.
#[derive(Debug)]
pub(crate) struct CallLog {
    path: PathBuf,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// Where the file ends.
    end: u64,
    /// Where the line of a key begins, and its length.
    lines: HashMap<Key, (u64, usize)>,
}

impl CallLog {
    /// Opens a log, which need not be there yet.
    pub(crate) fn open(path: &Path) -> Result<Self, LogError> {
        let io = |source| LogError::Io { path: path.to_owned(), source };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LogError::InUse { path: path.to_owned() });
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        let mut open = Open { file, end: 0, lines: HashMap::new() };
        let damaged = open.read().map_err(io)?;
        if let Some(line) = damaged {
            return Err(LogError::Damaged { path: path.to_owned(), line });
        }
        if open.end == 0 {
            open.append(HEADER.as_bytes()).map_err(io)?;
            // The name of a new file is durable once its folder is.
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = File::open(folder.unwrap_or(Path::new("."))).map_err(io)?;
            folder.sync_all().map_err(io)?;
        }
        Ok(Self { path: path.to_owned(), open: Mutex::new(open) })
    }

    /// The answer of a request and how long it took, where there is one.
    pub(crate) fn find(&self, key: Key) -> Result<Option<(Value, Option<Duration>)>, LogError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(&(start, length)) = open.lines.get(&key) else { return Ok(None) };
        let bytes = open.bytes(start, length).map_err(|source| self.io(source))?;
        let line = serde_json::from_slice::<Line>(&bytes);
        let line = line.map_err(|error| self.io(io::Error::other(error)))?;
        let took = |ms: f64| Duration::try_from_secs_f64(ms / 1000.0).ok();
        Ok(line.answer.map(|answer| (answer, line.took_ms.and_then(took))))
    }

    /// Puts an answer on the disk.
    pub(crate) fn add(&self, key: Key, answer: &Value, took: Duration) -> Result<(), LogError> {
        let (key_text, took_ms) = (key.to_hex(), Some(took.as_secs_f64() * 1000.0));
        let line = Line { key: key_text, took_ms, answer: Some(answer.clone()), forgotten: false };
        self.write(key, &line)
    }

    /// Takes an answer back, so that it is asked for again.
    pub(crate) fn forget(&self, key: Key) -> Result<(), LogError> {
        self.write(key, &Line { key: key.to_hex(), took_ms: None, answer: None, forgotten: true })
    }

    fn write(&self, key: Key, line: &Line) -> Result<(), LogError> {
        let mut bytes = serde_json::to_vec(line).expect("a line is JSON");
        bytes.push(b'\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let start = open.end;
        open.append(&bytes).map_err(|source| self.io(source))?;
        open.remember(key, line.forgotten, start, bytes.len());
        Ok(())
    }

    fn io(&self, source: io::Error) -> LogError {
        LogError::Io { path: self.path.clone(), source }
    }
}

impl Open {
    /// Reads all lines and cuts off half a line at the end; the number of a line that is none.
    fn read(&mut self) -> io::Result<Option<usize>> {
        let mut reader = BufReader::new(self.file.try_clone()?);
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let length = reader.read_until(b'\n', &mut bytes)?;
            if bytes.last() != Some(&b'\n') {
                break;
            }
            let start = self.end;
            self.end += length as u64;
            if number == 1 {
                if bytes != HEADER.as_bytes() {
                    return Ok(Some(number));
                }
                continue;
            }
            let line = serde_json::from_slice::<Line>(&bytes).ok();
            match line.and_then(|line| Some((Key::from_hex(&line.key)?, line.forgotten))) {
                Some((key, forgotten)) => self.remember(key, forgotten, start, length),
                None => return Ok(Some(number)),
            }
        }
        // A file of somebody else that has no line end is not cut.
        if self.end == 0 && !HEADER.as_bytes().starts_with(&bytes) {
            return Ok(Some(1));
        }
        self.file.set_len(self.end)?;
        Ok(None)
    }

    fn remember(&mut self, key: Key, forgotten: bool, start: u64, length: usize) {
        if forgotten {
            self.lines.remove(&key);
        } else {
            self.lines.insert(key, (start, length));
        }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        let written = self.file.write_all(bytes).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // Half a line must not come before the next one.
            self.file.set_len(self.end)?;
            return Err(error);
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn bytes(&mut self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; length];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const TOOK: Duration = Duration::from_millis(1500);

    fn key(text: &str) -> Key {
        Key::new("http://localhost/", text.as_bytes())
    }

    #[test]
    fn answers_are_there_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let log = CallLog::open(&path).unwrap();
        assert_eq!(log.find(key("a")).unwrap(), None);
        log.add(key("a"), &1.into(), TOOK).unwrap();
        log.add(key("b"), &2.into(), TOOK).unwrap();
        log.forget(key("a")).unwrap();
        assert_eq!(log.find(key("a")).unwrap(), None);
        assert!(matches!(CallLog::open(&path), Err(LogError::InUse { .. })));
        drop(log);
        let log = CallLog::open(&path).unwrap();
        assert_eq!(log.find(key("a")).unwrap(), None);
        assert_eq!(log.find(key("b")).unwrap(), Some((2.into(), Some(TOOK))));
    }

    #[test]
    fn a_log_that_was_cut_anywhere_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let log = CallLog::open(&path).unwrap();
        log.add(key("a"), &"first".into(), TOOK).unwrap();
        let first = fs::metadata(&path).unwrap().len();
        log.add(key("b"), &"second".into(), TOOK).unwrap();
        drop(log);
        let whole = fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let log = CallLog::open(&path).unwrap();
            let (a, b) = (log.find(key("a")).unwrap(), log.find(key("b")).unwrap());
            assert_eq!(a.is_some(), length as u64 >= first);
            assert_eq!(b.is_some(), length == whole.len());
            log.add(key("a"), &"first".into(), TOOK).unwrap();
            log.add(key("b"), &"second".into(), TOOK).unwrap();
            drop(log);
            let log = CallLog::open(&path).unwrap();
            assert_eq!(log.find(key("b")).unwrap(), Some(("second".into(), Some(TOOK))));
        }
    }

    #[test]
    fn an_older_line_does_not_say_how_long_its_answer_took() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let line = format!("{{\"key\":\"{}\",\"answer\":1}}\n", key("a").to_hex());
        fs::write(&path, format!("{HEADER}{line}")).unwrap();
        let log = CallLog::open(&path).unwrap();
        assert_eq!(log.find(key("a")).unwrap(), Some((1.into(), None)));
    }

    #[test]
    fn another_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        for (text, line) in [
            ("my notes", 1),
            ("my notes\n", 1),
            ("{\"qeval_call_log\":1}\nmy notes\n", 2),
            ("{\"qeval_call_log\":1}\n{\"key\":\"00\",\"answer\":1}\n", 2),
        ] {
            fs::write(&path, text).unwrap();
            match CallLog::open(&path) {
                Err(LogError::Damaged { line: found, .. }) => assert_eq!(found, line, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
