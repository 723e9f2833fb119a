//! Reading an evaluation.
//!
//! Scores come as whole columns, since everything that is computed on them wants them so; cases
//! come one by one or a few at a time, since they hold the texts.

pub(crate) mod cases;
pub(crate) mod details;
pub(crate) mod scores;
mod summaries;
mod table;
mod texts;

use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use qeval_core::Summary;

pub use self::{
    cases::{StoredCase, StoredHit},
    details::Detail,
    scores::Scores,
    texts::{Labels, Texts},
};
use crate::{Manifest, ManifestError};

/// One evaluation on disk.
#[derive(Clone, Debug)]
pub struct Evaluation {
    folder: PathBuf,
    manifest: Manifest,
}

/// Why an evaluation could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The folder is no evaluation, or none that this version reads.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A file or folder cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file does not hold what it should.
    #[error(
        "`{}` is damaged (hint: evaluate again; the same plan gives the same bytes)",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ParquetError,
    },
    /// A table has no such column, or one of another type.
    #[error("`{}` has no column `{column}` of {expected}", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// Name of the column.
        column: String,
        /// What was looked for.
        expected: &'static str,
    },
    /// A table has fewer rows than that.
    #[error("there is no row {row} in `{}`, which has {rows}", folder.display())]
    Row {
        /// The evaluation.
        folder: PathBuf,
        /// The row that was asked for.
        row: usize,
        /// How many there are.
        rows: usize,
    },
}

impl Evaluation {
    /// Opens the evaluation in a folder.
    pub fn open(folder: &Path) -> Result<Self, ReadError> {
        let manifest = Manifest::read(folder)?;
        Ok(Self { folder: folder.to_owned(), manifest })
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was evaluated, with what.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The summaries: for each metric that of all examples, then those of the datasets and the
    /// slices.
    pub fn summaries(&self) -> Result<Vec<Summary>, ReadError> {
        summaries::read(&self.folder)
    }

    /// All examples in the order of the files, by dataset and id, with the given metric columns.
    pub fn scores(&self, metrics: &[&str]) -> Result<Scores, ReadError> {
        let slices = &self.manifest.slices;
        let request = scores::Request { slices, metrics, ids: true, groupings: true };
        scores::read(&self.folder, request)
    }

    /// The cases in the given rows of [`scores`](Self::scores), in the order of `rows`.
    pub fn cases(&self, rows: &[usize]) -> Result<Vec<StoredCase>, ReadError> {
        cases::read_rows(&self.folder, rows)
    }

    /// All cases, in the order of [`scores`](Self::scores).
    pub fn all_cases(
        &self,
    ) -> Result<impl Iterator<Item = Result<StoredCase, ReadError>> + use<>, ReadError> {
        cases::read_all(&self.folder)
    }

    /// Why scores are what they are, or why they are null: by dataset, example and metric.
    pub fn details(
        &self,
    ) -> Result<impl Iterator<Item = Result<Detail, ReadError>> + use<>, ReadError> {
        details::read(&self.folder)
    }
}
