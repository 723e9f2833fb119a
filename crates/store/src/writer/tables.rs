//! The tables about examples: records in, three Parquet files out.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    WriteError,
    cases::CaseColumns,
    details::DetailColumns,
    encode::Encoder,
    file::{ParquetFile, Table},
    record::{Key, Record},
    scores::ScoreColumns,
    threaded::Encoded,
};
use crate::{Layout, Part, schema};

/// Rows of a batch. Pages end where batches do or within them, so the bytes of a file depend on
/// this number, and on nothing that the caller does.
const BATCH_ROWS: usize = 2048;

/// Bytes of records after which a batch ends early.
const BATCH_BYTES: usize = 16 << 20;

const SCORES: Table = Table {
    path: "scores/part-00000.parquet",
    version: schema::SCORES_VERSION,
    level: Some(3),
    sorted: true,
};

/// Texts are most of an evaluation; a higher level saves little of them and costs much time.
const CASES: Table = Table {
    path: "cases/part-00000.parquet",
    version: schema::CASES_VERSION,
    level: Some(1),
    sorted: true,
};

const DETAILS: Table = Table {
    path: "details/part-00000.parquet",
    version: schema::DETAILS_VERSION,
    level: Some(3),
    sorted: true,
};

/// How tables are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Whether they are kept, and worth compressing.
    pub(super) kept: bool,
    /// Whether there are threads for them.
    pub(super) threaded: bool,
}

/// The tables of one evaluation while records come in, in the order of their keys.
#[derive(Debug)]
pub(super) struct Tables {
    folder: PathBuf,
    scores: (ScoreColumns, Encoded),
    cases: (CaseColumns, Encoded),
    /// Its file is made when there is a first row.
    details: (DetailColumns, Option<Encoded>),
    /// Key and position of the last record.
    last: Option<(Vec<u8>, i64)>,
    rows: usize,
    bytes: usize,
}

impl Tables {
    /// Of an evaluation that is `kept`, or of a temporary one. Where it is `threaded`, the large files
    /// are encoded on threads of their own.
    pub(super) fn create(
        folder: &Path,
        layout: &Layout,
        Way { kept, threaded }: Way,
    ) -> Result<Self, WriteError> {
        let of = |table| if kept { table } else { Table { level: None, ..table } };
        let file = |table, schema| {
            let file = ParquetFile::create(folder, of(table), &schema, layout)?;
            Ok::<_, WriteError>(Encoded::new(file, threaded))
        };
        Ok(Self {
            folder: folder.to_owned(),
            scores: (ScoreColumns::new(layout), file(SCORES, layout.scores())?),
            cases: (CaseColumns::new(layout), file(CASES, layout.cases())?),
            details: (DetailColumns::new(layout), None),
            last: None,
            rows: 0,
            bytes: 0,
        })
    }

    /// The highest key so far.
    pub(super) fn last_key(&self) -> Option<Key<'_>> {
        self.last.as_ref().map(|(key, _)| Key(key))
    }

    /// Takes the next record. Its key must not be lower than the last one.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        encoder: &Encoder,
        layout: &Layout,
    ) -> Result<(), WriteError> {
        let record = Record::parse(bytes).ok_or(WriteError::DamagedRun)?;
        let dataset = encoder.dataset_name(record.key.dataset());
        if let Some((key, position)) = &mut self.last {
            debug_assert!(key.as_slice() <= record.key.0, "records come in order");
            if key == record.key.0 {
                return Err(WriteError::Duplicate {
                    id: String::from_utf8_lossy(record.key.id()).into_owned(),
                    dataset: dataset.map(str::to_owned),
                    first: record.position.min(*position),
                    second: record.position.max(*position),
                });
            }
            key.clear();
            key.extend_from_slice(record.key.0);
            *position = record.position;
        } else {
            self.last = Some((record.key.0.to_vec(), record.position));
        }
        self.scores.0.append(&record, dataset);
        self.cases.0.append(&record, dataset);
        self.details.0.append(&record, dataset);
        self.rows += 1;
        self.bytes += bytes.len();
        if self.rows == BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.flush(layout)?;
        }
        Ok(())
    }

    /// Ends all files and says what they are.
    pub(super) fn finish(mut self, layout: &Layout) -> Result<Vec<Part>, WriteError> {
        self.flush(layout)?;
        let files = [Some(self.scores.1), Some(self.cases.1), self.details.1];
        files.into_iter().flatten().map(Encoded::finish).collect()
    }

    fn flush(&mut self, layout: &Layout) -> Result<(), WriteError> {
        (self.rows, self.bytes) = (0, 0);
        let (columns, file) = &mut self.scores;
        file.write(columns.finish()?)?;
        let (columns, file) = &mut self.cases;
        file.write(columns.finish()?)?;
        let (columns, file) = &mut self.details;
        let Some(batch) = columns.finish()? else { return Ok(()) };
        if file.is_none() {
            let made = ParquetFile::create(&self.folder, DETAILS, &layout.details(), layout)?;
            *file = Some(Encoded::new(made, false));
        }
        file.as_mut().map_or(Ok(()), |file| file.write(batch))
    }
}

/// Removes the tables from a folder.
pub(super) fn remove(folder: &Path) -> Result<(), WriteError> {
    for table in [SCORES, CASES, DETAILS] {
        let path = folder.join(table.path);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(WriteError::Io { path, source });
            }
            _ => {}
        }
    }
    Ok(())
}
