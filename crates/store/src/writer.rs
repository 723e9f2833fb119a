//! Writing an evaluation.
//!
//! Rows come in the order of the dataset and are stored in the order of their ids. While ids
//! ascend, they go straight into the tables. Else they wait in a buffer of a fixed size; a full one
//! is sorted and goes to a temporary file, and all files are merged at the end. Either way the
//! tables see the same rows in the same order, so that their bytes are the same.

mod buffer;
mod cases;
mod columns;
mod details;
mod encode;
mod file;
mod folder;
mod lock;
mod packer;
mod record;
mod reread;
mod retrieved;
mod runs;
mod scores;
mod spills;
mod summary_file;
mod tables;
#[cfg(test)]
mod tests;
mod threaded;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;

pub use self::packer::{PackedRows, Packer};
use self::{
    buffer::Buffer,
    encode::Encoder,
    folder::Unfinished,
    packer::Spare,
    spills::Spills,
    tables::{Tables, Way},
};
pub(crate) use self::{
    folder::sync,
    lock::{Lock, LockError},
    summary_file::compute,
};
use crate::{
    EvaluationId, Layout, LayoutError, Manifest, Notice, Part, PluginPooling, PoolingFailure,
    ReadError, Row, RowError, WithoutPlugins, library, schema,
};

/// Bytes of rows that wait in memory, unless the caller says otherwise.
const MEMORY: usize = 64 << 20;

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
    encoder: Arc<Encoder>,
    memory: usize,
    way: Way,
    spare: Spare,
    buffer: Buffer,
    // The files are closed before their folder goes.
    tables: Option<Tables>,
    spills: Spills,
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
        "{} is writing `{}` (hint: wait for it, or evaluate into another results folder)",
        .owner.as_deref().unwrap_or("another process"),
        folder.display()
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// Which process: its number, machine, command and when it began; `None` where it doesn't say.
        owner: Option<String>,
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
    /// A number is lacking without which the evaluation must not be kept.
    #[error("{0}")]
    Pooling(PoolingFailure),
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
            encoder: Arc::new(Encoder::new(&layout)),
            tables: None,
            spills: Spills::new(folder.path()),
            buffer: Buffer::new(),
            memory: MEMORY,
            way: Way { kept: true, threaded: false },
            spare: Spare::default(),
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

    /// The same writer for an evaluation that is gone when it is reported: nobody reads its
    /// questions, answers and hits, so texts are empty, and nothing is compressed. Scores, decisions,
    /// summaries and report are the same.
    #[must_use]
    pub fn temporary(self) -> Self {
        let encoder = Arc::new(Encoder::without_texts(&self.layout));
        let way = Way { kept: false, ..self.way };
        Self { encoder, way, ..self }
    }

    /// The same writer with threads of its own beside that of the caller, if there are to be any. The
    /// bytes of the files are the same.
    #[must_use]
    pub fn with_threads(self, threaded: bool) -> Self {
        Self { way: Way { threaded, ..self.way }, ..self }
    }

    /// Packs rows for this writer, on any thread.
    pub fn packer(&self) -> Packer {
        Packer { encoder: Arc::clone(&self.encoder), spare: self.spare.clone() }
    }

    /// Appends rows, in any order of their ids.
    ///
    /// # Errors
    ///
    /// A row that cannot be stored is named; then none of these is appended.
    pub fn append(&mut self, rows: &[Row<'_>]) -> Result<(), WriteError> {
        let packed = self.packer().pack(rows)?;
        self.append_packed(packed)
    }

    /// Appends rows that this writer's [`packer`](Self::packer) has packed.
    ///
    /// # Errors
    ///
    /// When the tables or temporary files cannot be written, and when an id is there twice, as far
    /// as that is known already.
    pub fn append_packed(&mut self, rows: PackedRows) -> Result<(), WriteError> {
        let PackedRows(rows) = rows;
        if self.buffer.len() == 0 && self.spills.is_empty() && self.tables_precede(&rows) {
            self.stream(&rows)?;
        } else {
            self.buffer.extend(&rows);
            // While one goes to disk the next one fills.
            let buffers = if self.way.threaded { 2 } else { 1 };
            if self.buffer.size() >= self.memory / buffers {
                self.relieve()?;
            }
        }
        self.spare.put(rows);
        Ok(())
    }

    /// Sorts what is left to sort, computes the summaries from the scores as they lie on disk,
    /// and gives the folder its final name, which is returned.
    ///
    /// The manifest comes with its fields filled in, but for those that say "set by the writer".
    ///
    /// The numbers of pooled metrics of plugins are missing, with a notice; see
    /// [`finish_with`](Self::finish_with).
    pub fn finish(self, manifest: Manifest) -> Result<PathBuf, WriteError> {
        self.finish_with(manifest, &WithoutPlugins)
    }

    /// The same where the plugins are there that make the numbers of their pooled metrics. What they
    /// fail to make is missing, and the manifest has a notice of it.
    pub fn finish_with(
        mut self,
        manifest: Manifest,
        plugins: &dyn PluginPooling,
    ) -> Result<PathBuf, WriteError> {
        let rest = std::mem::replace(&mut self.buffer, Buffer::new());
        if self.spills.is_empty() && self.tables_precede(&rest) {
            self.stream(&rest)?;
        } else {
            self.merge(&rest)?;
        }
        let Self { layout, id, tables, folder, .. } = self;
        let created = library::after_others(folder.results(), &manifest);
        let manifest = Manifest { created, ..manifest };
        let mut parts = tables.map_or(Ok(Vec::new()), |tables| tables.finish(&layout))?;
        let (part, failures) = summary_file::write(folder.path(), &layout, &manifest, plugins)?;
        parts.push(part);
        folder.finish(&described(with_notices(manifest, &failures), &id, layout, parts))
    }

    /// Makes room in the buffer.
    fn relieve(&mut self) -> Result<(), WriteError> {
        let mut buffer = std::mem::replace(&mut self.buffer, Buffer::new());
        self.buffer = if self.spills.is_empty() && self.tables_precede(&buffer) {
            self.stream(&buffer)?;
            buffer.clear();
            buffer
        } else {
            self.spills.spill(buffer, self.way.threaded)?
        };
        Ok(())
    }

    /// Whether the tables hold nothing but rows that come before these, and these are in order.
    fn tables_precede(&self, rows: &Buffer) -> bool {
        let last = self.tables.as_ref().and_then(Tables::last_key);
        rows.is_sorted() && (rows.len() == 0 || last.is_none_or(|last| rows.key(0) >= last))
    }

    /// Writes rows into the tables.
    fn stream(&mut self, rows: &Buffer) -> Result<(), WriteError> {
        let (encoder, layout, folder) = (&self.encoder, &self.layout, self.folder.path());
        let tables = open(&mut self.tables, folder, layout, self.way)?;
        (0..rows.len()).try_for_each(|index| tables.push(rows.record(index), encoder, layout))
    }

    /// Makes a run of what was taken for sorted input and has gone into the tables.
    fn withdraw(&mut self) -> Result<(), WriteError> {
        let Some(tables) = self.tables.take() else { return Ok(()) };
        let folder = self.folder.path();
        tables.finish(&self.layout)?;
        let (layout, encoder) = (&self.layout, &self.encoder);
        self.spills
            .runs()?
            .add(|run| reread::records(folder, layout, encoder, |record| run.write(record)))?;
        tables::remove(folder)
    }

    /// Fills the tables with the runs and what is left beside them.
    fn merge(&mut self, rest: &Buffer) -> Result<(), WriteError> {
        self.withdraw()?;
        let (encoder, layout, folder) = (&self.encoder, &self.layout, self.folder.path());
        let tables = open(&mut self.tables, folder, layout, self.way)?;
        self.spills.runs()?.merge(rest, |record| tables.push(record, encoder, layout))
    }
}

/// The tables, which are made when the first row goes into them.
fn open<'a>(
    tables: &'a mut Option<Tables>,
    folder: &Path,
    layout: &Layout,
    way: Way,
) -> Result<&'a mut Tables, WriteError> {
    match tables {
        Some(tables) => Ok(tables),
        None => Ok(tables.insert(Tables::create(folder, layout, way)?)),
    }
}

/// The manifest, which says that numbers are missing.
fn with_notices(mut manifest: Manifest, failures: &[PoolingFailure]) -> Manifest {
    const KIND: &str = "summary_failures";
    let count: u64 = failures.iter().map(|failure| failure.summaries).sum();
    if count > 0 {
        manifest.counts.insert(KIND.to_owned(), count);
    }
    manifest.notices.extend(failures.iter().map(|failure| Notice {
        kind: KIND.to_owned(),
        count: failure.summaries,
        text: failure.to_string(),
        examples: Vec::new(),
    }));
    manifest
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
