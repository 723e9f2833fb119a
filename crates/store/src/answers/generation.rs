//! The generations of a journal: files with numbers. The last one is written, and its answers count;
//! those of the others count where it has none.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    JournalError,
    file::{self, Journaled},
    io_at,
};
use crate::writer::sync;

/// The version of the format.
const VERSION: u32 = 1;

/// The most bytes of a first line.
const LONGEST: u64 = 1 << 20;

/// The first line of a file.
#[derive(Debug, Deserialize, Serialize)]
struct Header {
    qeval_answers: u32,
    /// Whether somebody asked for fresh answers.
    fresh: bool,
    /// The reader, for people who look into the file.
    reader: Value,
}

/// Opens the last generation, or begins the next one. The files are those whose answers count, the one
/// that is written first.
pub(super) fn open(
    folder: &Path,
    reader: &Value,
    fresh: bool,
) -> Result<(Vec<PathBuf>, Journaled), JournalError> {
    let mut numbers = numbers(folder).map_err(io_at(folder))?;
    if let Some(&number) = numbers.last() {
        let path = path(folder, number);
        let opened = header(&path).and_then(|header| Ok((header, file::open(&path)?)));
        match opened {
            Ok((_, content)) if !fresh => {
                numbers.pop();
                return Ok(with_older(folder, &numbers, path, content));
            }
            // What was begun for fresh answers and was interrupted goes on.
            Ok((header, content)) if header.fresh && !content.whole => {
                return Ok((vec![path], content));
            }
            Err(error) if !fresh => return Err(error),
            // Whoever wants fresh answers needs none of the old ones, damaged or not.
            _ => {}
        }
    }
    let path = path(folder, numbers.last().map_or(1, |number| number.saturating_add(1)));
    let header = Header { qeval_answers: VERSION, fresh, reader: reader.clone() };
    begin(folder, &path, &header).map_err(io_at(&path))?;
    let content = file::open(&path)?;
    Ok((vec![path], content))
}

/// Adds the answers of older generations that the last one has not: somebody asked for fresh ones of
/// other questions. One that is damaged is left out, as the last one was begun for want of it.
fn with_older(
    folder: &Path,
    older: &[u64],
    path: PathBuf,
    mut content: Journaled,
) -> (Vec<PathBuf>, Journaled) {
    let mut files = vec![path];
    for &number in older.iter().rev() {
        let path = self::path(folder, number);
        let opened = header(&path).and_then(|_| file::open(&path));
        let (Ok(older), Ok(file)) = (opened, u16::try_from(files.len())) else { continue };
        let mut index: HashMap<_, _> =
            older.index.into_iter().map(|(key, place)| (key, place.in_file(file))).collect();
        // Those of the newer ones take the place of these.
        index.extend(content.index);
        content.index = index;
        files.push(path);
    }
    (files, content)
}

fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("answers-{number}.jsonl"))
}

/// The numbers of the generations, in ascending order.
fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| {
            name.strip_prefix("answers-")?.strip_suffix(".jsonl")?.parse::<u64>().ok()
        });
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn header(path: &Path) -> Result<Header, JournalError> {
    let mut line = Vec::new();
    let file = File::open(path).map_err(io_at(path))?;
    BufReader::new(file.take(LONGEST)).read_until(b'\n', &mut line).map_err(io_at(path))?;
    let header = serde_json::from_slice::<Header>(&line).ok();
    let header = header.filter(|header| header.qeval_answers == VERSION && line.ends_with(b"\n"));
    header.ok_or_else(|| JournalError::Foreign { path: path.to_owned() })
}

/// Makes a file with its first line. It gets its name when the disk has the line, so that no file
/// has half of it.
fn begin(folder: &Path, path: &Path, header: &Header) -> io::Result<()> {
    let unfinished = folder.join("_begun");
    let mut file = File::create(&unfinished)?;
    let mut line = serde_json::to_vec(header)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    let system = |error: crate::WriteError| match error {
        crate::WriteError::Io { source, .. } => source,
        other => io::Error::other(other),
    };
    // The names of the folders above are new as well, the first time.
    let mut above = folder.ancestors().take(3).filter(|above| !above.as_os_str().is_empty());
    above.try_for_each(|above| sync(above).map_err(system))
}
