//! Records of one file or several, whatever the format.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
};

use super::Row;
use crate::{
    CsvOptions, Error, Problem,
    csv::CsvRows,
    fields::Wanted,
    jsonl::JsonRows,
    parquet::ParquetRows,
    seen::{Duplicate, Refused},
    sequence::Sequence,
};

/// The formats with named fields.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Jsonl,
    Csv(CsvOptions),
    Parquet,
}

impl Shape {
    /// What the numbers of records count.
    pub(crate) fn counts(&self) -> &'static str {
        if matches!(self, Self::Parquet) { "record" } else { "line" }
    }
}

/// A stream of records from files of one format with named fields.
pub(crate) struct Rows {
    file: FileRows,
    shape: Shape,
    wanted: Wanted,
    /// The files that are not begun yet.
    further: VecDeque<PathBuf>,
    sequence: Sequence,
    /// Number of the last record among all.
    number: u64,
}

impl Rows {
    /// Opens the first file, and each further one when those before it are read.
    pub(crate) fn open(
        path: &Path,
        further: &[PathBuf],
        shape: Shape,
        wanted: Wanted,
    ) -> Result<Self, Error> {
        let mut file = FileRows::open(path, &shape, wanted.clone())?;
        file.others_follow(!further.is_empty());
        let mut sequence = Sequence::default();
        sequence.begin(path);
        let further = further.iter().cloned().collect();
        Ok(Self { file, shape, wanted, further, sequence, number: 0 })
    }

    /// Builds something from the next record; `None` at the end of the last file.
    pub(crate) fn next<T>(
        &mut self,
        mut build: impl FnMut(&Row<'_, '_>) -> Result<T, Problem>,
    ) -> Result<Option<T>, Error> {
        loop {
            if let Some(built) = self.file.next(&mut build)? {
                self.number = self.sequence.number(self.file.number());
                return Ok(Some(built));
            }
            let Some(path) = self.further.pop_front() else { return Ok(None) };
            let mut file = FileRows::open(&path, &self.shape, self.wanted.clone())?;
            file.go_on_from(&self.file);
            file.others_follow(!self.further.is_empty());
            self.file = file;
            self.sequence.begin(&path);
        }
    }

    /// What the numbers count: lines or records.
    pub(crate) fn counts(&self) -> &'static str {
        self.shape.counts()
    }

    /// Number of the last record, from 1 and among those of all files: its line, or how many there
    /// were.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The problem, placed at the last record.
    pub(crate) fn error(&self, problem: Problem) -> Error {
        match &self.file {
            FileRows::Json(rows) => rows.error(problem),
            FileRows::Csv(rows) => rows.error(problem),
            FileRows::Parquet(rows) => rows.error(problem),
        }
    }

    /// The files with the numbers of their records.
    pub(crate) fn into_sequence(self) -> Sequence {
        self.sequence
    }

    /// The error of an id that is there twice, by the numbers of the records.
    pub(crate) fn twice(&self, twice: &Duplicate) -> Error {
        self.sequence.twice(twice, self.counts())
    }

    /// The error of an id that is not taken, by the numbers of the records.
    pub(crate) fn refused(&self, refused: Refused) -> Error {
        self.sequence.refused(refused, self.counts())
    }
}

/// The records of one file.
enum FileRows {
    Json(JsonRows),
    Csv(CsvRows),
    Parquet(ParquetRows),
}

impl FileRows {
    fn open(path: &Path, shape: &Shape, wanted: Wanted) -> Result<Self, Error> {
        Ok(match shape {
            Shape::Jsonl => Self::Json(JsonRows::open(path, wanted)?),
            Shape::Csv(options) => Self::Csv(CsvRows::open(path, options, wanted)?),
            Shape::Parquet => Self::Parquet(ParquetRows::open(path, wanted)?),
        })
    }

    fn next<T>(
        &mut self,
        build: impl FnOnce(&Row<'_, '_>) -> Result<T, Problem>,
    ) -> Result<Option<T>, Error> {
        match self {
            Self::Json(rows) => rows.next(build),
            Self::Csv(rows) => rows.next(build),
            Self::Parquet(rows) => rows.next(build),
        }
    }

    fn number(&self) -> u64 {
        match self {
            Self::Json(rows) => rows.line(),
            Self::Csv(rows) => rows.line(),
            Self::Parquet(rows) => rows.number(),
        }
    }

    /// Whether what this file lacks may be in one that is read after it.
    fn others_follow(&mut self, follow: bool) {
        if let Self::Json(rows) = self {
            rows.others_follow(follow);
        }
    }

    /// What was found in the files before need not be found in this one.
    fn go_on_from(&mut self, before: &Self) {
        if let (Self::Json(rows), Self::Json(before)) = (self, before) {
            rows.go_on_from(before);
        }
    }
}
