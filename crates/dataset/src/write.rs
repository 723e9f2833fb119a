//! Datasets in another format.
//!
//! What is written is read back equal; what a format has no place for is refused, with the example
//! and the field. Where a format needs to know all records first (a table its columns, Parquet its
//! types), the dataset is read twice; SQuAD's JSON is grouped, so its examples are kept in memory.

mod csv;
mod jsonl;
mod output;
mod parquet;
mod refusal;
mod squad;
mod survey;

use std::path::PathBuf;

use crate::{DatasetSource, Error, Place, Problem, Record, open};

use output::Output;

/// Where a dataset goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The file, which must not be there yet. A text whose name ends with `.gz` is packed.
    pub path: PathBuf,
    /// How it is written.
    pub format: TargetFormat,
}

/// The formats that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetFormat {
    /// SQuAD's JSON, version 2.0: an article for each group, a paragraph for each context.
    Squad,
    /// JSON lines with the fields' own names.
    Jsonl,
    /// A table with the fields' own names.
    Csv,
    /// Parquet with the fields' own names.
    Parquet,
}

impl TargetFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Squad, Self::Jsonl, Self::Csv, Self::Parquet];

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squad => "squad",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// How many examples were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// All of them.
    pub examples: u64,
    /// Those without a reference.
    pub unanswerable: u64,
    /// References whose place in the context is not known.
    pub unplaced: u64,
}

/// Reads a dataset and writes it to another file. After an error that file is not there.
pub fn convert(source: &DatasetSource, target: &Target) -> Result<Written, Error> {
    let output = Output::create(target)?;
    let written = match target.format {
        TargetFormat::Squad => squad::write(source, output)?,
        TargetFormat::Jsonl => jsonl::write(source, output)?,
        TargetFormat::Csv => csv::write(source, output)?,
        TargetFormat::Parquet => parquet::write(source, output)?,
    };
    Ok(written)
}

/// Gives each record to a writer. A problem is placed at the record.
fn each(
    source: &DatasetSource,
    mut write: impl FnMut(Record) -> Result<(), Problem>,
) -> Result<Written, Error> {
    let mut written = Written::default();
    for record in open(source)? {
        let record = record?;
        written.examples += 1;
        written.unanswerable += u64::from(!record.example.answerable());
        let references = record.example.references.iter();
        written.unplaced += references.filter(|reference| reference.start.is_none()).count() as u64;
        write(record)
            .map_err(|problem| problem.at(&source.path, Place::record(written.examples)))?;
    }
    Ok(written)
}

#[cfg(test)]
mod tests;
