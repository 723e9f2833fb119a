//! Files to datasets, corpora, judgments, runs and predictions, and datasets to files.
//!
//! Every reader takes a *source*, a plain description of a file and its format, and gives the
//! vocabulary of `qeval-core`. Datasets are streamed, because they can be larger than memory;
//! what has to be looked up by id (corpora, predictions, judgments, runs) is loaded whole.
//!
//! Two rules hold for all formats. Nothing is guessed: a field that isn't where the source says
//! is an [`Error`] that lists what is there instead. And nothing is dropped: a duplicate id, a
//! row with a column too many or a score that is no number ends the reading, with the line.
//!
//! Compressed files are recognised by their content, not by their name.
//!
//! ```
//! use qeval_dataset::{DatasetFields, DatasetFormat, DatasetSource, open};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("golden.jsonl");
//! # std::fs::write(&path, r#"{"id": 7, "question": "How many days?", "answers": ["15"]}"#)?;
//!
//! let mut source = DatasetSource::new(path, DatasetFormat::Jsonl);
//! source.fields.references = Some("answers".to_owned());
//! for record in open(&source)? {
//!     let example = record?.example;
//!     assert_eq!((example.id.as_str(), example.answerable()), ("7", true));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chunks;
mod corpus;
mod dataset;
mod fields;
mod format;
mod predictions;
mod record;
mod run;
pub mod verbatim;
mod write;

mod beir;
mod coqa;
mod curatedtrec;
mod dpr;
mod drop;
mod evouna;
mod hotpotqa;
mod kilt;
mod natural_questions;
mod nq_open;
mod quac;
mod squad;
mod subjqa;
mod trec;
mod triviaqa;

mod cell;
mod csv;
mod document;
mod input;
mod jsonl;
mod literal;
mod markup;
mod members;
mod parquet;
mod rows;
mod seen;
mod sequence;
mod spill;
mod table;

use std::{
    fmt,
    path::{Path, PathBuf},
};

pub use beir::BeirFolder;
pub use chunks::{ChunkUnit, Chunks, InvalidChunks, document_of_chunk};
pub use corpus::{CorpusFormat, CorpusSource, corpus};
pub use csv::CsvOptions;
pub use dataset::{DatasetSource, Record, Records, open, open_ids};
pub use fields::{CorpusFields, DatasetFields, PredictionFields};
pub use format::DatasetFormat;
pub use input::{digest, digest_of_all};
pub use predictions::{
    Asked, Has, InOrder, Joined, Named, PackedPredictions, PredictionFormat, PredictionSource,
    Predictions, SpilledPredictions, predictions, spill_predictions, text_size,
};
pub use run::{HeldRun, RunFields, RunFormat, RunSource, open_run, run};
pub use trec::{TopicIds, qrels, qrels_on_subtopics};
pub use write::{Target, TargetFormat, Written, convert};

/// Why a file could not be read: where, what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}`{}: {message}", path.display(), Comma(*place))]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// Where in the file; `None` when it is the file as a whole.
    pub place: Option<Place>,
    /// What is wrong and what was expected, as a fragment.
    pub message: String,
    /// What to do about it, where we know.
    pub hint: Option<String>,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: Option<u64>,
    /// Record, from 1, for formats whose records are not lines.
    pub record: Option<u64>,
    /// Column in the line, from 1, counted in code points.
    pub column: Option<u64>,
}

impl Place {
    /// A whole line.
    pub fn line(line: u64) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    /// A whole record.
    pub fn record(record: u64) -> Self {
        Self { record: Some(record), ..Self::default() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.record) {
            (Some(line), _) => write!(f, "line {line}")?,
            (None, Some(record)) => write!(f, "record {record}")?,
            (None, None) => f.write_str("unknown line")?,
        }
        match self.column {
            Some(column) => write!(f, ", column {column}"),
            None => Ok(()),
        }
    }
}

/// A place as the continuation of a sentence.
struct Comma(Option<Place>);

impl fmt::Display for Comma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(place) => write!(f, ", {place}"),
            None => Ok(()),
        }
    }
}

/// What is wrong with a record, before the reader adds where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    column: Option<u64>,
    message: String,
    hint: Option<String>,
}

impl Problem {
    fn new(message: impl Into<String>) -> Self {
        Self { column: None, message: message.into(), hint: None }
    }

    fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same id for a second time, in lines or records.
    fn duplicate(twice: &seen::Duplicate, what: &str) -> Self {
        let seen::Duplicate { id, first, second } = twice;
        let preposition = if what == "line" { "on" } else { "in" };
        Self::new(format!("id `{id}` is given twice, {preposition} {what}s {first} and {second}"))
            .with_hint("ids must be unique: results are joined on them")
    }

    /// The same id for a second time, the first of which is in another file.
    fn duplicate_in(id: &str, what: &str, first: u64, other: &Path) -> Self {
        let preposition = if what == "line" { "on" } else { "in" };
        let other = other.display();
        let message =
            format!("id `{id}` is given twice, first {preposition} {what} {first} of `{other}`");
        Self::new(message).with_hint("ids must be unique: results are joined on them")
    }

    fn at(self, path: &Path, place: Place) -> Error {
        let place = Place { column: self.column.or(place.column), ..place };
        Error {
            path: path.to_owned(),
            place: (place != Place::default()).then_some(place),
            message: self.message,
            hint: self.hint,
        }
    }

    /// The file as a whole is wrong.
    fn of_file(self, path: &Path) -> Error {
        self.at(path, Place::default())
    }
}

#[cfg(test)]
mod testing;
