//! Reading an evaluation.
//!
//! Scores come as whole columns, since everything that is computed on them wants them so; cases
//! come one by one or a few at a time, since they hold the texts.

mod asked;
pub(crate) mod cases;
mod decisions;
pub(crate) mod details;
pub(crate) mod footer;
mod reasons;
mod retrieved;
pub(crate) mod scores;
mod summaries;
mod table;
mod texts;

use std::{
    cmp::Ordering,
    collections::BTreeSet,
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use parquet::errors::ParquetError;
use qeval_core::Summary;
use sha2::{Digest, Sha256};

pub use self::{
    cases::StoredCase,
    decisions::StoredDecisions,
    details::Detail,
    reasons::Reason,
    retrieved::{StoredHit, StoredRelevant, StoredRetrieval},
    scores::Scores,
    texts::{Labels, Texts},
};
use crate::{Manifest, ManifestError, Part};

/// One evaluation on disk.
#[derive(Clone, Debug)]
pub struct Evaluation {
    folder: PathBuf,
    manifest: Manifest,
    /// The files that are as they were written.
    verified: Arc<Mutex<BTreeSet<String>>>,
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
        "`{}` is damaged (hint: delete its evaluation and run the plan again; the same plan gives \
         the same bytes)",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ParquetError,
    },
    /// A file is not the one that was written.
    #[error(
        "`{}` was changed after it was written (hint: delete its evaluation and run the plan again; \
         the same plan gives the same bytes)",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
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
        Ok(Self { folder: folder.to_owned(), manifest, verified: Arc::default() })
    }

    /// Opens an evaluation that this process has just written: its files need no comparison with
    /// their digests, which were made from the same bytes a moment ago.
    pub fn open_written(folder: &Path) -> Result<Self, ReadError> {
        let evaluation = Self::open(folder)?;
        let paths = evaluation.manifest.parts.iter().map(|part| part.path.clone()).collect();
        Ok(Self { verified: Arc::new(Mutex::new(paths)), ..evaluation })
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was evaluated, with what.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether questions, answers and hits are there: a baseline that was carried here may lack them.
    pub fn has_texts(&self) -> bool {
        !self.manifest.without_texts
    }

    /// The summaries: for each metric that of all examples, then those of the datasets and the
    /// slices.
    pub fn summaries(&self) -> Result<Vec<Summary>, ReadError> {
        self.verify("summaries")?;
        summaries::read(&self.folder)
    }

    /// All examples in the order of the files, by dataset and id, with the given metric columns.
    pub fn scores(&self, metrics: &[&str]) -> Result<Scores, ReadError> {
        self.verify("scores/")?;
        let slices = &self.manifest.slices;
        let request = scores::Request { slices, metrics, ids: true, groupings: true };
        scores::read(&self.folder, request)
    }

    /// What the examples are grouped by, in the order of [`scores`](Self::scores): datasets,
    /// groups, slices and causes, and nothing else, so that it has no length.
    pub fn groupings(&self) -> Result<Scores, ReadError> {
        self.verify("scores/")?;
        let slices = &self.manifest.slices;
        let request = scores::Request { slices, metrics: &[], ids: false, groupings: true };
        scores::read(&self.folder, request)
    }

    /// One metric column in the order of [`scores`](Self::scores), NaN where a score is null: eight
    /// bytes a row, for what reads the columns of large evaluations one after the other.
    pub fn column(&self, metric: &str) -> Result<Vec<f64>, ReadError> {
        self.verify("scores/")?;
        scores::read_column(&self.folder, metric)
    }

    /// A number for each example, in the order of [`scores`](Self::scores), that is the same where the
    /// question, the references and the gold passages are; references and passages in any order.
    pub fn asked(&self) -> Result<Vec<u64>, ReadError> {
        self.verify("cases/")?;
        asked::read(&self.folder)
    }

    /// The cases in the given rows of [`scores`](Self::scores), in the order of `rows`.
    pub fn cases(&self, rows: &[usize]) -> Result<Vec<StoredCase>, ReadError> {
        self.verify("cases/")?;
        cases::read_rows(&self.folder, rows)
    }

    /// All cases, in the order of [`scores`](Self::scores).
    pub fn all_cases(
        &self,
    ) -> Result<impl Iterator<Item = Result<StoredCase, ReadError>> + use<>, ReadError> {
        self.verify("cases/")?;
        cases::read_all(&self.folder)
    }

    /// Why scores are what they are, or why they are null: by dataset, example and metric.
    pub fn details(
        &self,
    ) -> Result<impl Iterator<Item = Result<Detail, ReadError>> + use<>, ReadError> {
        self.verify("details/")?;
        details::read(&self.folder)
    }

    /// The details of one example, in their order; `dataset` is `None` unless there are several.
    pub fn details_of(&self, dataset: Option<&str>, id: &str) -> Result<Vec<Detail>, ReadError> {
        let mut found = Vec::new();
        for detail in self.details()? {
            let detail = detail?;
            // They are sorted by this key.
            match (detail.dataset.as_deref(), detail.example_id.as_str()).cmp(&(dataset, id)) {
                Ordering::Less => {}
                Ordering::Equal => found.push(detail),
                Ordering::Greater => break,
            }
        }
        Ok(found)
    }

    /// What was done with each question, in the order of [`scores`](Self::scores); without the
    /// texts.
    pub fn decisions(&self) -> Result<StoredDecisions, ReadError> {
        self.verify("cases/")?;
        decisions::read(&self.folder)
    }

    /// What was retrieved for each question, in the order of [`scores`](Self::scores), with the hits
    /// where there is a corpus; `None` where nothing retrieves.
    pub fn retrieved(
        &self,
    ) -> Result<Option<impl Iterator<Item = Result<StoredRetrieval, ReadError>> + use<>>, ReadError>
    {
        self.verify("cases/")?;
        retrieved::read_all(&self.folder, self.manifest.corpus.is_some())
    }

    /// Why examples are unscored, counted by metric and reason.
    pub fn reasons(&self) -> Result<Vec<Reason>, ReadError> {
        if !self.manifest.parts.iter().any(|part| part.path.starts_with("details/")) {
            return Ok(Vec::new());
        }
        self.verify("details/")?;
        self.verify("scores/")?;
        reasons::read(&self.folder, &self.manifest)
    }

    /// Compares the files of a table with the digests in the manifest, once. A Parquet reader may
    /// panic on a damaged file, so this comes first. Temporary files have none.
    pub(crate) fn verify(&self, table: &str) -> Result<(), ReadError> {
        let mut verified = self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        for part in self.manifest.parts.iter().filter(|part| part.path.starts_with(table)) {
            if part.digest == Part::TEMPORARY || verified.contains(&part.path) {
                continue;
            }
            let path = self.folder.join(&part.path);
            if part.digest != digest(&path)? {
                return Err(ReadError::Changed { path });
            }
            verified.insert(part.path.clone());
        }
        Ok(())
    }
}

/// The digest of a file, as the manifest says it.
pub(crate) fn digest(path: &Path) -> Result<String, ReadError> {
    let io = |source| ReadError::Io { path: path.to_owned(), source };
    let mut hasher = Sha256::new();
    std::io::copy(&mut File::open(path).map_err(io)?, &mut hasher).map_err(io)?;
    let digest: Vec<String> = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256:{}", digest.concat()))
}

#[cfg(test)]
mod tests {
    use crate::{EvaluationId, Layout, Manifest, ReadError, Row, Writer};

    #[test]
    fn a_changed_file_is_refused_before_it_is_read() {
        let results = tempfile::tempdir().unwrap();
        let id = EvaluationId::new("damaged", "00");
        let mut writer = Writer::create(results.path(), &id, Layout::default()).unwrap();
        writer.append(&[Row { example_id: "a", ..Row::default() }]).unwrap();
        let folder = writer.finish(Manifest::default()).unwrap();
        let evaluation = super::Evaluation::open(&folder).unwrap();
        assert!(evaluation.scores(&[]).is_ok());

        let file = folder.join("scores/part-00000.parquet");
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        // What was verified is not verified again.
        let evaluation = super::Evaluation::open(&folder).unwrap();
        assert!(matches!(evaluation.scores(&[]), Err(ReadError::Changed { path }) if path == file));
    }
}
