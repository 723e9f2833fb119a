//! Sorted runs: buffers that went to disk, and their merge.

use std::{
    fs::{self, File},
    io::{BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use super::{WriteError, buffer::Buffer, record};

/// How many runs are merged at once: bounds open files and read buffers.
const FAN_IN: usize = 64;

/// Bytes read from a run at once.
const READ_BUFFER: usize = 128 << 10;

/// The sorted runs of one evaluation, as files in its folder.
#[derive(Debug)]
pub(super) struct Runs {
    folder: PathBuf,
    files: Vec<PathBuf>,
    /// How many were made so far, for the names.
    made: usize,
}

impl Runs {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), files: Vec::new(), made: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes the records of the buffer as one run.
    pub(super) fn spill(&mut self, buffer: &Buffer) -> Result<(), WriteError> {
        self.add(|run| {
            let mut records = buffer.order().into_iter().map(|index| buffer.record(index));
            records.try_for_each(|record| run.write(record))
        })
    }

    /// Makes a run of the records that `fill` writes, which come in the order of their keys.
    pub(super) fn add(
        &mut self,
        fill: impl FnOnce(&mut RunWriter) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        let mut run = self.create()?;
        fill(&mut run)?;
        self.files.push(run.finish()?);
        if self.files.len() == FAN_IN {
            let mut run = self.create()?;
            merge(&std::mem::take(&mut self.files), None, |record| run.write(record))?;
            self.files.push(run.finish()?);
        }
        Ok(())
    }

    /// Gives all records, those of the buffer included, in the order of their keys, and removes
    /// the files.
    pub(super) fn merge(
        &mut self,
        buffer: &Buffer,
        take: impl FnMut(&[u8]) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        merge(&std::mem::take(&mut self.files), Some(buffer), take)
    }

    fn create(&mut self) -> Result<RunWriter, WriteError> {
        let path = self.folder.join(format!("_run-{}", self.made));
        self.made += 1;
        let file = File::create(&path).map_err(WriteError::io(&path))?;
        Ok(RunWriter { file: BufWriter::with_capacity(READ_BUFFER, file), path })
    }
}

/// A run that is being written.
pub(super) struct RunWriter {
    file: BufWriter<File>,
    path: PathBuf,
}

impl RunWriter {
    pub(super) fn write(&mut self, record: &[u8]) -> Result<(), WriteError> {
        let length = u32::try_from(record.len()).expect("a record has a longest size");
        let written = self.file.write_all(&length.to_le_bytes());
        written.and_then(|()| self.file.write_all(record)).map_err(WriteError::io(&self.path))
    }

    fn finish(mut self) -> Result<PathBuf, WriteError> {
        self.file.flush().map_err(WriteError::io(&self.path))?;
        Ok(self.path)
    }
}

fn merge(
    files: &[PathBuf],
    buffer: Option<&Buffer>,
    mut take: impl FnMut(&[u8]) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut sources = Vec::with_capacity(files.len() + 1);
    for path in files {
        sources.push(Source::open(path)?);
    }
    sources.extend(buffer.map(|buffer| Source::Memory { buffer, order: buffer.order(), next: 0 }));
    sources.retain(|source| source.record().is_some());
    let mut heap = Heap::new(&sources);
    while let Some(first) = heap.first() {
        if let Some(record) = sources[first].record() {
            take(record)?;
        }
        sources[first].advance()?;
        heap.settle(&sources);
    }
    for path in files {
        fs::remove_file(path).map_err(WriteError::io(path))?;
    }
    Ok(())
}

/// Records in order, one at a time.
enum Source<'a> {
    Memory { buffer: &'a Buffer, order: Vec<usize>, next: usize },
    File { file: BufReader<File>, path: PathBuf, record: Option<Vec<u8>> },
}

impl Source<'_> {
    fn open(path: &Path) -> Result<Self, WriteError> {
        let file = File::open(path).map_err(WriteError::io(path))?;
        let file = BufReader::with_capacity(READ_BUFFER, file);
        let mut source = Self::File { file, path: path.to_owned(), record: Some(Vec::new()) };
        source.advance()?;
        Ok(source)
    }

    /// The record whose turn it is; `None` at the end.
    fn record(&self) -> Option<&[u8]> {
        match self {
            Self::Memory { buffer, order, next } => {
                order.get(*next).map(|&index| buffer.record(index))
            }
            Self::File { record, .. } => record.as_deref(),
        }
    }

    fn advance(&mut self) -> Result<(), WriteError> {
        match self {
            Self::Memory { next, .. } => *next += 1,
            Self::File { file, path, record } => {
                if let Some(bytes) = record
                    && !read_record(file, bytes).map_err(WriteError::io(path))?
                {
                    *record = None;
                }
            }
        }
        Ok(())
    }
}

/// Reads the next record; false at the end of the file.
fn read_record(file: &mut impl Read, record: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut length = [0; 4];
    match file.read(&mut length[..1])? {
        0 => return Ok(false),
        _ => file.read_exact(&mut length[1..])?,
    }
    record.resize(u32::from_le_bytes(length) as usize, 0);
    file.read_exact(record)?;
    Ok(true)
}

/// The sources that still have records, the one with the lowest key first.
struct Heap(Vec<Place>);

/// A source in the heap.
#[derive(Clone, Copy)]
struct Place {
    /// The beginning of its key, which decides most comparisons.
    prefix: u128,
    source: usize,
}

impl Heap {
    fn new(sources: &[Source<'_>]) -> Self {
        let place = |source: usize| Place { prefix: prefix(&sources[source]), source };
        let mut heap = Self((0..sources.len()).map(place).collect());
        (0..sources.len() / 2).rev().for_each(|place| heap.sift_down(place, sources));
        heap
    }

    fn first(&self) -> Option<usize> {
        self.0.first().map(|place| place.source)
    }

    /// Restores the order after the first source has advanced.
    fn settle(&mut self, sources: &[Source<'_>]) {
        let Some(first) = self.0.first_mut() else { return };
        let source = &sources[first.source];
        if source.record().is_some() {
            first.prefix = prefix(source);
        } else {
            self.0.swap_remove(0);
        }
        self.sift_down(0, sources);
    }

    fn sift_down(&mut self, mut place: usize, sources: &[Source<'_>]) {
        // Of equal keys, that of the earlier run comes first.
        let before = |a: Place, b: Place| {
            let key = |place: Place| sources[place.source].record().and_then(record::key);
            let whole = || key(a).cmp(&key(b)).then(a.source.cmp(&b.source));
            a.prefix.cmp(&b.prefix).then_with(whole).is_lt()
        };
        loop {
            let children = [2 * place + 1, 2 * place + 2];
            let mut first = place;
            for child in children.into_iter().filter(|&child| child < self.0.len()) {
                if before(self.0[child], self.0[first]) {
                    first = child;
                }
            }
            if first == place {
                return;
            }
            self.0.swap(place, first);
            place = first;
        }
    }
}

/// The first bytes of a source's key as a number that compares like them. A shorter key is filled with
/// zeros, and equal numbers are decided by the keys themselves.
fn prefix(source: &Source<'_>) -> u128 {
    let key = source.record().and_then(record::key).map_or(&[][..], |key| key.0);
    let mut bytes = [0; size_of::<u128>()];
    let length = key.len().min(bytes.len());
    bytes[..length].copy_from_slice(&key[..length]);
    u128::from_be_bytes(bytes)
}
