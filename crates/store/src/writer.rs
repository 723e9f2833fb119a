//! Writing an evaluation.
//!
//! Rows come in the order of the dataset and are stored in the order of their ids. They wait in a
//! buffer of a fixed size. While ids ascend, a full buffer goes straight into the tables; else it
//! is sorted and goes to a temporary file, and all files are merged at the end. Either way the
//! tables see the same rows in the same order, so that their bytes are the same.

mod buffer;
mod cases;
mod columns;
mod details;
mod encode;
mod file;
mod folder;
mod record;
mod reread;
mod runs;
mod scores;
mod summary_file;
mod tables;
#[cfg(test)]
mod tests;

use std::{
    io,
    path::{Path, PathBuf},
};

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;

use self::{buffer::Buffer, encode::Encoder, folder::Unfinished, runs::Runs, tables::Tables};
use crate::{EvaluationId, Layout, LayoutError, Manifest, Part, ReadError, Row, RowError, schema};

/// Bytes of rows that wait in memory, unless the caller says otherwise.
const MEMORY: usize = 64 << 20;

/// Bytes of rows that wait while ids ascend: few, so that they are still in the processor's cache
/// when they go into the tables.
const SORTED_MEMORY: usize = 1 << 20;

/// Writes one evaluation: create, append, finish.
///
/// Until [`finish`](Self::finish) has returned, no reader sees anything; dropping the writer
/// removes what it has written.
///
/// ```
/// use qeval_store::{Evaluation, EvaluationId, Layout, Manifest, Row, Writer};
///
/// let results = tempfile::tempdir()?;
/// let id = EvaluationId::new("first", "sha256:3fa91c07d2be");
/// let mut writer = Writer::create(results.path(), &id, Layout::default())?;
/// writer.append(&[Row { example_id: "q1", question: Some("who?"), ..Row::default() }])?;
/// let folder = writer.finish(Manifest { label: "first".into(), ..Manifest::default() })?;
///
/// let evaluation = Evaluation::open(&folder)?;
/// assert_eq!(evaluation.cases(&[0])?[0].question.as_deref(), Some("who?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    layout: Layout,
    id: EvaluationId,
    encoder: Encoder,
    memory: usize,
    buffer: Buffer,
    // The files are closed before their folder goes.
    tables: Option<Tables>,
    runs: Runs,
    folder: Unfinished,
}

/// Why an evaluation could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The id has a folder already.
    #[error(
        "`{}` exists already (hint: the same plan has the same id; open its results, or ask for a \
         fresh id)",
        folder.display()
    )]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process is writing the same evaluation.
    #[error(
        "another process is writing `{}` (hint: wait for it, or evaluate into another results \
         folder)",
        folder.display()
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The tables would have no sound columns.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A row cannot be stored.
    #[error("example `{id}` cannot be stored")]
    Row {
        /// Id of the example.
        id: String,
        /// Why.
        source: RowError,
    },
    /// Two rows with one id.
    #[error(
        "example `{id}`{} is there twice, at positions {first} and {second} of the dataset \
         (hint: ids must be unique)",
        .dataset.as_ref().map(|name| format!(" of dataset `{name}`")).unwrap_or_default()
    )]
    Duplicate {
        /// Id of the examples.
        id: String,
        /// Name of the dataset, where there are several.
        dataset: Option<String>,
        /// Position of the first one.
        first: i64,
        /// Position of the other one.
        second: i64,
    },
    /// The system refused something.
    #[error("cannot write `{}`", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A table could not be written.
    #[error("cannot write `{}`", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ParquetError,
    },
    /// A batch could not be made.
    #[error("cannot build a batch of rows")]
    Batch(#[from] ArrowError),
    /// A temporary file does not hold what was written to it.
    #[error("a temporary file of the sort is damaged (hint: check the disk of the results)")]
    DamagedRun,
    /// What was written could not be read back.
    #[error("cannot read back what was written")]
    Read(#[from] ReadError),
}

impl WriteError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    fn parquet(path: &Path) -> impl FnOnce(ParquetError) -> Self {
        let path = path.to_owned();
        move |source| match source {
            ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(source) => Self::Io { path, source: *source },
                Err(error) => Self::Parquet { path, source: ParquetError::External(error) },
            },
            source => Self::Parquet { path, source },
        }
    }
}

impl Writer {
    /// Begins an evaluation in the folder `results`, which is made if need be.
    ///
    /// # Errors
    ///
    /// When the id has a folder already, when another process is writing it, and when the folder
    /// cannot be made: all before the first row.
    pub fn create(results: &Path, id: &EvaluationId, layout: Layout) -> Result<Self, WriteError> {
        layout.check()?;
        let folder = Unfinished::create(results, id)?;
        Ok(Self {
            encoder: Encoder::new(&layout),
            tables: None,
            runs: Runs::new(folder.path()),
            buffer: Buffer::new(),
            memory: MEMORY,
            id: id.clone(),
            layout,
            folder,
        })
    }

    /// The same writer with another limit on the bytes of rows that wait in memory; 64 MiB
    /// without this. The tables need some more.
    #[must_use]
    pub fn with_memory_budget(self, bytes: usize) -> Self {
        Self { memory: bytes, ..self }
    }

    /// Appends rows, in any order of their ids.
    ///
    /// # Errors
    ///
    /// A row that cannot be stored is named; the rows before it are kept.
    pub fn append(&mut self, rows: &[Row<'_>]) -> Result<(), WriteError> {
        for row in rows {
            let encode = |out: &mut Vec<u8>| self.encoder.encode(row, out);
            self.buffer
                .push(encode)
                .map_err(|source| WriteError::Row { id: row.example_id.to_owned(), source })?;
            let size = self.buffer.size();
            if size >= self.memory {
                self.relieve()?;
            } else if size >= SORTED_MEMORY && self.is_ascending() {
                self.stream()?;
            }
        }
        Ok(())
    }

    /// Sorts what is left to sort, computes the summaries from the scores as they lie on disk,
    /// and gives the folder its final name, which is returned.
    ///
    /// The manifest comes with its fields filled in, but for those that say "set by the writer".
    pub fn finish(mut self, manifest: Manifest) -> Result<PathBuf, WriteError> {
        if self.runs.is_empty() && self.continues() {
            self.stream()?;
        } else {
            self.merge()?;
        }
        let Self { layout, id, tables, folder, .. } = self;
        let mut parts = tables.map_or(Ok(Vec::new()), |tables| tables.finish(&layout))?;
        parts.push(summary_file::write(folder.path(), &layout, &manifest)?);
        folder.finish(&described(manifest, &id, layout, parts))
    }

    /// Whether all rows so far have come in the order of their keys.
    fn is_ascending(&self) -> bool {
        self.buffer.is_sorted() && self.runs.is_empty() && self.continues()
    }

    /// Makes room in the buffer.
    fn relieve(&mut self) -> Result<(), WriteError> {
        if self.is_ascending() {
            return self.stream();
        }
        self.runs.spill(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Whether the buffer can follow what is in the tables.
    fn continues(&self) -> bool {
        match self.tables.as_ref().and_then(Tables::last_key) {
            Some(last) => {
                self.buffer.is_sorted() && (self.buffer.len() == 0 || self.buffer.key(0) >= last)
            }
            None => true,
        }
    }

    /// Moves the buffer into the tables.
    fn stream(&mut self) -> Result<(), WriteError> {
        let (encoder, layout, folder) = (&self.encoder, &self.layout, self.folder.path());
        let tables = open(&mut self.tables, folder, layout)?;
        for index in self.buffer.order() {
            tables.push(self.buffer.record(index), encoder, layout)?;
        }
        self.buffer.clear();
        Ok(())
    }

    /// Makes a run of what was taken for sorted input and has gone into the tables.
    fn withdraw(&mut self) -> Result<(), WriteError> {
        let Some(tables) = self.tables.take() else { return Ok(()) };
        let folder = self.folder.path();
        tables.finish(&self.layout)?;
        let (layout, encoder) = (&self.layout, &self.encoder);
        self.runs
            .add(|run| reread::records(folder, layout, encoder, |record| run.write(record)))?;
        tables::remove(folder)
    }

    /// Fills the tables with the runs and the buffer.
    fn merge(&mut self) -> Result<(), WriteError> {
        self.withdraw()?;
        let (encoder, layout, folder) = (&self.encoder, &self.layout, self.folder.path());
        let tables = open(&mut self.tables, folder, layout)?;
        self.runs.merge(&self.buffer, |record| tables.push(record, encoder, layout))
    }
}

/// The tables, which are made when the first row goes into them.
fn open<'a>(
    tables: &'a mut Option<Tables>,
    folder: &Path,
    layout: &Layout,
) -> Result<&'a mut Tables, WriteError> {
    match tables {
        Some(tables) => Ok(tables),
        None => Ok(tables.insert(Tables::create(folder, layout)?)),
    }
}

/// The manifest with what the writer knows.
fn described(manifest: Manifest, id: &EvaluationId, layout: Layout, parts: Vec<Part>) -> Manifest {
    let tables = [
        schema::SCORES_VERSION,
        schema::CASES_VERSION,
        schema::DETAILS_VERSION,
        schema::SUMMARIES_VERSION,
    ];
    let mut versions = manifest.versions;
    versions.schema = tables.map(str::to_owned).to_vec();
    Manifest {
        schema: schema::MANIFEST_VERSION.to_owned(),
        evaluation_id: id.to_string(),
        status: "complete".to_owned(),
        plan_digest: layout.plan_digest,
        metrics: layout.metrics,
        slices: layout.slices,
        parts,
        versions,
        ..manifest
    }
}
