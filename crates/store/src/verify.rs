//! Whether a stored evaluation is what was written, and holds together.

mod files;
mod identity;
mod rows;
mod summaries;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use crate::{Evaluation, ReadError};

/// Problems of an evaluation that are kept; more are counted.
const MOST: usize = 100;

/// What came of looking at an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Number of files that the manifest names.
    pub files: usize,
    /// Number of examples that were looked at.
    pub rows: u64,
    /// What is wrong, at most a hundred.
    pub defects: Vec<Defect>,
    /// How much more is wrong.
    pub more: u64,
    /// Official names of the metrics whose numbers only their plugin can make: of their summaries
    /// the counts alone were compared.
    pub not_recomputed: Vec<String>,
    /// Whether the intervals of the summaries were left out: another version computed them in another
    /// way.
    pub intervals_not_recomputed: bool,
}

/// Something that is wrong with an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The file, as a path in the folder of the evaluation.
    pub file: String,
    /// The row, from 0 over all files of the table.
    pub row: Option<u64>,
    /// Id of the example.
    pub example: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl Verification {
    /// Whether nothing is wrong.
    pub fn is_right(&self) -> bool {
        self.defects.is_empty()
    }

    fn add(&mut self, defect: Defect) {
        if self.defects.len() < MOST {
            self.defects.push(defect);
        } else {
            self.more += 1;
        }
    }

    fn file(&mut self, file: &str, message: impl Into<String>) {
        let (file, message) = (file.to_owned(), message.into());
        self.add(Defect { file, row: None, example: None, message });
    }

    /// Does what a damaged file may stop.
    fn guarded(&mut self, file: &str, look: impl FnOnce(&mut Self) -> Result<(), ReadError>) {
        match catch_unwind(AssertUnwindSafe(|| look(&mut *self))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                let cause = std::error::Error::source(&error);
                let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
                self.file(file, format!("{error}{cause}"));
            }
            Err(_) => self.file(file, "it is no sound Parquet file: its reader gave up"),
        }
    }
}

/// Looks at everything in the folder of an evaluation: the manifest against its plan, the files
/// against the manifest, the rows against each other, the summaries against the scores.
///
/// Rows are read a batch at a time. The summaries take the memory that they took when they were
/// made: a column of scores and what the examples are grouped by.
///
/// The rows of a file whose digest is wrong are not looked at: what they should be is not known.
///
/// # Errors
///
/// Where there is no manifest, or none that can be read. All else is a [`Defect`].
pub fn verify(folder: &Path) -> Result<Verification, ReadError> {
    let evaluation = Evaluation::open(folder)?;
    let manifest = evaluation.manifest();
    let mut found = Verification { files: manifest.parts.len(), ..Verification::default() };
    identity::look(folder, manifest, &mut found);
    let damaged: BTreeSet<String> = files::look(folder, manifest, &mut found);
    let sound = |table: &str| !damaged.iter().any(|path| path.starts_with(table));
    if sound("scores/") {
        let cases = sound("cases/") && evaluation.has_texts();
        let tables = rows::Tables { cases, details: sound("details/") };
        found.guarded("scores", |found| rows::look(folder, manifest, tables, found));
        if sound(crate::summaries::FILE) {
            let file = crate::summaries::FILE;
            found.guarded(file, |found| summaries::look(&evaluation, found));
        }
    }
    Ok(found)
}
