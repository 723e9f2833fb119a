//! One file of a journal: opened, read to its end, appended to.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::Path,
};

use super::{AnswerKey, JournalError, io_at, line};

/// Where a line stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    start: u64,
    length: u32,
    /// Which of the files that are open has it.
    pub(super) file: u16,
    /// Whether it was there when the file was opened, and nobody has asked for it since.
    pub(super) unused: bool,
}

impl Place {
    pub(super) fn new(file: u16, start: u64, length: usize, unused: bool) -> Self {
        let length = u32::try_from(length).expect("an answer has less than 4 GiB");
        Self { start, length, file, unused }
    }

    /// The same in another of the files that are open.
    pub(super) fn in_file(self, file: u16) -> Self {
        Self { file, ..self }
    }

    pub(super) fn read(self, file: &mut File) -> io::Result<Vec<u8>> {
        file.seek(SeekFrom::Start(self.start))?;
        let mut line = vec![0; self.length as usize];
        file.read_exact(&mut line)?;
        Ok(line)
    }
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct Journaled {
    pub(super) file: File,
    pub(super) index: HashMap<AnswerKey, Place>,
    /// Where it ends.
    pub(super) end: u64,
    /// Whether a line says that all that was asked for came to an end.
    pub(super) whole: bool,
}

/// Reads a file whose first line was looked at, and cuts off what was never promised to be kept.
pub(super) fn open(path: &Path) -> Result<Journaled, JournalError> {
    let io = io_at(path);
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(&io)?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut bytes = Vec::new();
    let mut at = reader.read_until(b'\n', &mut bytes).map_err(&io)? as u64;
    let (mut index, mut whole) = (HashMap::new(), false);
    // The first line that is not as it was written.
    let mut bad: Option<(u64, u64)> = None;
    for number in 2.. {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes).map_err(&io)?;
        if length == 0 {
            break;
        }
        match (line::parse(&bytes), bad) {
            (Some(line), None) => match line.key {
                Some(key) => drop(index.insert(key, Place::new(0, at, length, true))),
                None => whole = true,
            },
            (Some(line), Some((line_number, start))) if line.start > start => {
                return Err(JournalError::Damaged { path: path.to_owned(), line: line_number });
            }
            (Some(_), Some(_)) => {}
            (None, _) => bad = bad.or(Some((number, at))),
        }
        at += length as u64;
    }
    let file = reader.into_inner();
    let end = bad.map_or(at, |(_, start)| start);
    if bad.is_some() {
        file.set_len(end).and_then(|()| file.sync_all()).map_err(&io)?;
    }
    Ok(Journaled { file, index, end, whole })
}

/// Writes a group at the end and waits until it is on the disk.
pub(super) fn append(file: &mut File, end: u64, group: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(end))?;
    let written = file.write_all(group).and_then(|()| file.sync_data());
    if written.is_err() {
        // Half a group would be cut off by the next one who opens the file; this is only earlier.
        let _ = file.set_len(end);
    }
    written
}
