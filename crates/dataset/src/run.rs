//! Runs: the rankings that a system made earlier, in the forms in which they are kept.
//!
//! Runs of a large evaluation have ten million lines. So a file is held as it is compact
//! ([`HeldRun`]): a TREC run whose queries stand together stays on disk and is read query by query,
//! any other is packed into a text and a few numbers for each hit.

mod collect;
mod held;
pub(crate) mod names;
mod read;
mod recognise;
mod sections;
mod trec;

use std::path::{Path, PathBuf};

use qeval_core::{Run, Ties};

pub use self::held::{HeldRun, open_run};
use crate::{Error, table::Form};

/// A run as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSource {
    /// The file.
    pub path: PathBuf,
    /// Files of the same format that are read after it, as if all were one.
    pub further: Vec<PathBuf>,
    /// How they are written; `None` to recognise it by their content.
    pub format: Option<RunFormat>,
    /// Which field plays which role, in JSON lines and tables.
    pub fields: RunFields,
}

impl RunSource {
    /// A run with all options at their defaults.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), further: Vec::new(), format: None, fields: RunFields::default() }
    }

    /// All files, in their order.
    fn files(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.path).chain(&self.further).map(PathBuf::as_path)
    }
}

impl From<&Path> for RunSource {
    fn from(path: &Path) -> Self {
        Self::new(path)
    }
}

impl From<&PathBuf> for RunSource {
    fn from(path: &PathBuf) -> Self {
        Self::new(path)
    }
}

/// Names of the fields of a run in JSON lines or a table. A role that isn't mapped is read from the
/// first of its usual names that the file has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFields {
    /// Id of the query: `query_id`, `qid`, `query-id`, `q_id`, `topic_id`, `topic` or `query`.
    pub query_id: Option<String>,
    /// Id of the passage: `passage_id`, `pid`, `doc_id`, `docid`, `docno`, `document_id`,
    /// `corpus-id`, `corpus_id` or `doc`.
    pub passage_id: Option<String>,
    /// The score: `score`.
    pub score: Option<String>,
    /// The rank from 1, where there is no score: `rank`.
    pub rank: Option<String>,
}

/// The formats of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFormat {
    /// Lines `query Q0 passage rank score tag`. The rank is ignored, as trec_eval does.
    Trec,
    /// MS MARCO's lines `query TAB passage TAB rank`.
    Msmarco,
    /// One object, `{query: {passage: score}}`, or several, such as one a line.
    Json,
    /// JSON lines, a hit each.
    Jsonl,
    /// A table with a header, `,` between the cells.
    Csv,
    /// A table with a header, tabs between the cells.
    Tsv,
    /// Parquet, a hit in each row.
    Parquet,
    /// DPR's results of a retrieval, whose queries are the texts of the questions.
    Dpr,
    /// KILT's predictions: the pages of the provenance, best first.
    Kilt,
}

impl RunFormat {
    /// All formats.
    pub const ALL: [Self; 9] = [
        Self::Trec,
        Self::Msmarco,
        Self::Json,
        Self::Jsonl,
        Self::Csv,
        Self::Tsv,
        Self::Parquet,
        Self::Dpr,
        Self::Kilt,
    ];

    /// The word for it in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trec => "trec",
            Self::Msmarco => "msmarco",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
            Self::Dpr => "dpr",
            Self::Kilt => "kilt",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether its hits are lines, or stand in records that are.
    pub(crate) fn has_lines(self) -> bool {
        !matches!(self, Self::Json | Self::Dpr | Self::Parquet)
    }

    /// How it is written as a table, if it is one.
    pub(crate) fn table(self) -> Option<Form> {
        match self {
            Self::Jsonl => Some(Form::Jsonl),
            Self::Csv => Some(Form::Delimited(b',')),
            Self::Tsv => Some(Form::Delimited(b'\t')),
            Self::Parquet => Some(Form::Parquet),
            Self::Trec | Self::Msmarco | Self::Json | Self::Dpr | Self::Kilt => None,
        }
    }

    /// Whether one says which field plays which role.
    pub fn has_fields(self) -> bool {
        self.table().is_some()
    }
}

/// Reads a run whole. Hits of a query need not be together; a passage that is retrieved twice for
/// a query is an error.
pub fn run(source: impl Into<RunSource>, ties: Ties) -> Result<Run, Error> {
    let held = open_run(source, ties)?;
    let ranking =
        |(place, query): (usize, &String)| Ok((query.clone(), held.ranking(place, usize::MAX)?));
    held.queries().iter().enumerate().map(ranking).collect()
}

#[cfg(test)]
mod tests;
