//! Stored evaluations as one file for other tools.
//!
//! Everything is streamed: a row is read, selected and written before the next one. The rows stand in
//! the order of the tables, by dataset and id, so that the same evaluations give the same bytes.
//! An unscored example is null, with its reason in the long form; it is never zero.

mod cell;
mod csv;
mod haystack;
mod jsonl;
mod long;
mod parquet;
mod ragas;
mod rows;
mod selection;
mod trec;
mod wide;

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use ::parquet::errors::ParquetError;

use self::{
    cell::{Column, Sink},
    rows::{Row, Source},
    selection::Columns,
};
pub use selection::Selection;

use crate::{Evaluation, ReadError};

/// The forms that evaluations can be exported in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A table with one row an example; lists are JSON in a cell.
    Csv,
    /// The same as one JSON object a line.
    Jsonl,
    /// The same as Parquet.
    Parquet,
    /// Parquet with one row for each example and metric, and the reason where there is no score.
    ParquetLong,
    /// JSON lines with the names of ragas.
    Ragas,
    /// A table with the names of Haystack 1.x, one row an answer or a document.
    Haystack,
    /// The rankings as a TREC run.
    TrecRun,
}

impl ExportFormat {
    /// All forms.
    pub const ALL: [Self; 7] = [
        Self::Csv,
        Self::Jsonl,
        Self::Parquet,
        Self::ParquetLong,
        Self::Ragas,
        Self::Haystack,
        Self::TrecRun,
    ];

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
            Self::ParquetLong => "parquet-long",
            Self::Ragas => "ragas",
            Self::Haystack => "haystack",
            Self::TrecRun => "trec-run",
        }
    }

    /// Whether it is a text, which a terminal can show.
    pub fn is_text(self) -> bool {
        !matches!(self, Self::Parquet | Self::ParquetLong)
    }

    /// Whether it holds the texts of passages, which no evaluation stores.
    pub fn has_passages(self) -> bool {
        matches!(self, Self::Ragas | Self::Haystack)
    }

    /// Whether it has a place for the rows of several evaluations.
    fn holds_several(self) -> bool {
        !matches!(self, Self::Haystack | Self::TrecRun)
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Rows, or lines.
    pub rows: u64,
    /// Passages of which the id was written, since their text is not known.
    pub ids_for_texts: u64,
}

/// Why evaluations were not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// An evaluation cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What is asked for cannot be.
    #[error("{message} (hint: {hint})")]
    Unfit {
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// The export cannot be written.
    #[error("the export cannot be written")]
    Io(#[from] io::Error),
    /// The same, in the form of Parquet.
    #[error("the export cannot be written as Parquet")]
    Parquet(#[from] ParquetError),
}

impl ExportError {
    fn unfit(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Unfit { message: message.into(), hint: hint.into() }
    }
}

/// Texts of passages by id, in use and with a count of those that were missing.
struct Passages<'a> {
    texts: Option<&'a BTreeMap<String, String>>,
    missing: u64,
}

impl Passages<'_> {
    /// The text of a passage; `None`, and counted, where nobody knows it.
    fn text(&mut self, id: &str) -> Option<&str> {
        let text = self.texts.and_then(|texts| texts.get(id)).map(String::as_str);
        self.missing += u64::from(text.is_none());
        text
    }
}

/// Checks what is asked for, before anything is written.
///
/// # Errors
///
/// A selection that names what no evaluation has, and several evaluations or datasets in a form
/// without a place for them.
pub fn check_export(
    evaluations: &[Evaluation],
    format: ExportFormat,
    selection: &Selection,
) -> Result<(), ExportError> {
    Columns::of(evaluations, selection)?;
    let name = format.name();
    if evaluations.len() > 1 && !format.holds_several() {
        let message = format!("the format `{name}` has no place for several evaluations");
        return Err(ExportError::unfit(message, "export one at a time"));
    }
    let datasets = |evaluation: &Evaluation| evaluation.manifest().datasets.len();
    if format == ExportFormat::TrecRun
        && selection.dataset.is_none()
        && evaluations.iter().any(|evaluation| datasets(evaluation) > 1)
    {
        let message =
            "the evaluation has several datasets, whose queries a TREC run cannot tell apart";
        return Err(ExportError::unfit(message, "choose one with `--dataset NAME`"));
    }
    Ok(())
}

/// Writes evaluations to `output`. `texts` are the passages by id, where they are known. After an
/// error what was written is not whole.
///
/// # Errors
///
/// Those of [`check_export`], an evaluation that cannot be read, an output that cannot be written,
/// and a text that the form cannot hold.
pub fn export(
    evaluations: &[Evaluation],
    format: ExportFormat,
    selection: &Selection,
    texts: Option<&BTreeMap<String, String>>,
    output: impl Write + Send,
) -> Result<Exported, ExportError> {
    check_export(evaluations, format, selection)?;
    let columns = Columns::of(evaluations, selection)?;
    let mut passages = Passages { texts, missing: 0 };
    let job = Job { evaluations, selection, columns: &columns };
    let rows = match format {
        ExportFormat::Csv => job.wide(|columns| csv::CsvSink::new(output, columns))?,
        ExportFormat::Jsonl => job.wide(|columns| Ok(jsonl::JsonSink::new(output, columns)))?,
        ExportFormat::Parquet => job.wide(|columns| parquet::ParquetSink::new(output, columns))?,
        ExportFormat::ParquetLong => long::write(&job, output)?,
        ExportFormat::Ragas => ragas::write(&job, &mut passages, output)?,
        ExportFormat::Haystack => haystack::write(&job, &mut passages, output)?,
        ExportFormat::TrecRun => trec::write(&job, output)?,
    };
    Ok(Exported { rows, ids_for_texts: passages.missing })
}

/// What is exported.
struct Job<'a> {
    evaluations: &'a [Evaluation],
    selection: &'a Selection,
    columns: &'a Columns,
}

impl Job<'_> {
    /// Whether rows have to say which evaluation they come from.
    fn several(&self) -> bool {
        self.evaluations.len() > 1
    }

    /// Gives each selected row to `visit`.
    fn each(
        &self,
        reasons: bool,
        mut visit: impl FnMut(&Source, Row) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        for (evaluation, name) in self.evaluations.iter().zip(selection::names(self.evaluations)) {
            let source = Source::new(evaluation, name, self.columns);
            rows::each(evaluation, &source, self.columns, self.selection, reasons, &mut visit)?;
        }
        Ok(())
    }

    fn wide<S: Sink>(
        &self,
        sink: impl FnOnce(Vec<Column>) -> Result<S, ExportError>,
    ) -> Result<u64, ExportError> {
        let mut sink = sink(wide::columns(self.columns, self.several()))?;
        let mut rows = 0;
        self.each(false, |source, row| {
            rows += 1;
            sink.row(wide::cells(source, row, self.several()))
        })?;
        sink.finish()?;
        Ok(rows)
    }
}
