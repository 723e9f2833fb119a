//! Datasets: opened from a source, and streamed record by record.

use std::path::{Path, PathBuf};

use qeval_core::{Example, Prediction};

use crate::{
    CsvOptions, DatasetFields, DatasetFormat, Error, TopicIds, beir,
    coqa::Stories,
    csv::CsvRows,
    curatedtrec::Patterns,
    document,
    dpr::Retrieved,
    drop::Passages,
    evouna::Answers,
    fields::Wanted,
    hotpotqa::Questions,
    jsonl::JsonRows,
    kilt::Outputs,
    natural_questions::Annotated,
    nq_open,
    parquet::ParquetRows,
    record::Layout,
    rows::Rows,
    seen::{Refused, SeenIds},
    squad::{Articles, Kind},
    subjqa,
    trec::topics,
    triviaqa::Keyed,
};

/// A dataset as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetSource {
    /// The file.
    pub path: PathBuf,
    /// How it is written.
    pub format: DatasetFormat,
    /// Which field plays which role, in JSON lines and tables.
    pub fields: DatasetFields,
    /// Further fields that go to [`Example::columns`]. A format with fixed names offers those that
    /// `docs/config.md` lists, topics any element.
    pub columns: Vec<String>,
    /// Fields that go there too, where the file has them. Of the formats with fixed names only KILT
    /// has such a field.
    pub optional_columns: Vec<String>,
    /// How tables are written.
    pub csv: CsvOptions,
    /// What the ids of topics are.
    pub topic_ids: TopicIds,
    /// The split of a BEIR folder; `test` where none is named.
    pub split: Option<String>,
}

impl DatasetSource {
    /// A dataset with all options at their defaults.
    pub fn new(path: impl Into<PathBuf>, format: DatasetFormat) -> Self {
        Self {
            path: path.into(),
            format,
            fields: DatasetFields::default(),
            columns: Vec::new(),
            optional_columns: Vec::new(),
            csv: CsvOptions::default(),
            topic_ids: TopicIds::default(),
            split: None,
        }
    }
}

/// One record of a dataset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The question and all that belongs to it.
    pub example: Example,
    /// What a system answered, where the dataset says so itself.
    pub prediction: Option<Prediction>,
}

impl From<Example> for Record {
    fn from(example: Example) -> Self {
        Self { example, prediction: None }
    }
}

/// Opens a dataset. The place of a record in the iteration is its position in the dataset.
pub fn open(source: &DatasetSource) -> Result<Records, Error> {
    let DatasetSource { path, format, fields, columns, optional_columns, .. } = source;
    format.check(fields).map_err(|problem| problem.of_file(path))?;
    let mut wanted = Wanted::default();
    let stream = match format {
        DatasetFormat::Squad => {
            let grouped = fields.group.is_some();
            Stream::own(Articles::open(path, Kind::Squad { grouped }, columns)?)
        }
        DatasetFormat::Quac => Stream::own(Articles::open(path, Kind::Quac, columns)?),
        DatasetFormat::Coqa => Stream::own(Stories::open(path, columns)?),
        DatasetFormat::Hotpotqa => Stream::own(Questions::open(path, columns)?),
        DatasetFormat::Triviaqa => Stream::own(Keyed::open(path, columns)?),
        DatasetFormat::Drop => Stream::own(Passages::open(path, columns)?),
        DatasetFormat::Subjqa => Stream::own(Loaded(subjqa::read(path, columns)?.into_iter())),
        DatasetFormat::NaturalQuestions => Stream::own(Annotated::open(path, columns)?),
        DatasetFormat::Curatedtrec => Stream::own(Patterns::open(path, columns)?),
        DatasetFormat::Kilt => Stream::own(Outputs::open(path, columns, optional_columns)?),
        DatasetFormat::Dpr => Stream::own(Retrieved::open(path, columns)?),
        DatasetFormat::Evouna => Stream::own(Answers::open(path, fields, columns)?),
        DatasetFormat::Trec => {
            let topics = topics::read(path, source.topic_ids, columns)?;
            Stream::own(Loaded(topics.into_iter()))
        }
        DatasetFormat::Beir => {
            let split = source.split.as_deref().unwrap_or(beir::SPLIT);
            Stream::own(Loaded(beir::read(path, split, columns)?.into_iter()))
        }
        DatasetFormat::NqOpen => {
            let layout = Layout::of_dataset(&nq_open::fields(), columns, &[], &mut wanted);
            let wanted = wanted.with_fixed_names();
            Stream::rows(Rows::Json(JsonRows::open(path, wanted)?), layout)
        }
        DatasetFormat::Jsonl => {
            let layout = Layout::of_dataset(fields, columns, optional_columns, &mut wanted);
            Stream::rows(Rows::Json(JsonRows::open(path, wanted)?), layout)
        }
        DatasetFormat::Parquet => {
            let layout = Layout::of_dataset(fields, columns, optional_columns, &mut wanted);
            Stream::rows(Rows::Parquet(ParquetRows::open(path, wanted)?), layout)
        }
        DatasetFormat::Csv => {
            let layout = Layout::of_dataset(fields, columns, optional_columns, &mut wanted);
            Stream::rows(Rows::Csv(CsvRows::open(path, &source.csv, wanted)?), layout)
        }
    };
    Ok(Records::new(path, stream))
}

/// Opens a dataset whose ids alone are wanted: records may lack all else. An id that is there twice
/// is not noticed.
pub fn open_ids(source: &DatasetSource) -> Result<Records, Error> {
    let DatasetSource { path, format, fields, .. } = source;
    format.check(fields).map_err(|problem| problem.of_file(path))?;
    let mut wanted = Wanted::default();
    let rows = match format {
        DatasetFormat::Jsonl | DatasetFormat::Parquet | DatasetFormat::Csv => {
            let layout = Layout::of_ids(fields, &mut wanted);
            let rows = match format {
                DatasetFormat::Jsonl => Rows::Json(JsonRows::open(path, wanted)?),
                DatasetFormat::Parquet => Rows::Parquet(ParquetRows::open(path, wanted)?),
                _ => Rows::Csv(CsvRows::open(path, &source.csv, wanted)?),
            };
            Records::new(path, Stream::rows(rows, layout))
        }
        _ => open(source)?,
    };
    Ok(Records { seen: None, ..rows })
}

/// The records of a dataset, in its order. The first error ends them. A dataset without a record
/// is an error.
pub struct Records {
    path: PathBuf,
    stream: Stream,
    /// `None` where an id that is there twice is not to be noticed.
    seen: Option<SeenIds>,
    count: u64,
    ended: bool,
}

/// A format that makes records in a way of its own.
pub(crate) trait RecordStream: Send {
    /// The next record; `None` at the end.
    fn next(&mut self) -> Result<Option<Record>, Error>;

    /// Line of the last record, in a format that has one on each line.
    fn line(&self) -> Option<u64> {
        None
    }
}

/// Records that are in memory already.
struct Loaded(std::vec::IntoIter<Record>);

impl RecordStream for Loaded {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        Ok(self.0.next())
    }
}

enum Stream {
    Rows(Box<Rows>, Layout),
    Own(Box<dyn RecordStream>),
}

impl Stream {
    fn rows(rows: Rows, layout: Layout) -> Self {
        Self::Rows(Box::new(rows), layout)
    }

    fn own(stream: impl RecordStream + 'static) -> Self {
        Self::Own(Box::new(stream))
    }

    /// Line of the last record, where records are lines.
    fn line(&self) -> Option<u64> {
        match self {
            Self::Rows(rows, _) => rows.line(),
            Self::Own(stream) => stream.line(),
        }
    }
}

impl Iterator for Records {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let mut record = Record::default();
        match self.read(&mut record) {
            Ok(true) => Some(Ok(record)),
            Ok(false) => {
                self.ended = true;
                None
            }
            Err(error) => {
                self.ended = true;
                Some(Err(error))
            }
        }
    }
}

impl Records {
    /// Records that are there already, for example the queries of judgments; `path` is the file
    /// that errors name.
    pub fn of(path: impl Into<PathBuf>, records: Vec<Record>) -> Self {
        Self::new(&path.into(), Stream::own(Loaded(records.into_iter())))
    }

    /// The same with a folder for the ids that were seen, where they are too many for memory. Then an
    /// id that is there twice is noticed at the end.
    #[must_use]
    pub fn spilling(self, folder: &Path) -> Self {
        Self { seen: self.seen.map(|seen| seen.spilling(folder)), ..self }
    }

    fn new(path: &Path, stream: Stream) -> Self {
        let path = path.to_owned();
        Self { path, stream, seen: Some(SeenIds::default()), count: 0, ended: false }
    }

    /// Replaces the records by the next ones, `most` at the most; none is left at the end. What
    /// the old ones have is overwritten in its place where that saves time.
    pub fn refill(&mut self, records: &mut Vec<Record>, most: usize) -> Result<(), Error> {
        let mut filled = 0;
        while filled < most && !self.ended {
            if records.len() == filled {
                records.push(Record::default());
            }
            match self.read(&mut records[filled]) {
                Ok(true) => filled += 1,
                end => {
                    self.ended = true;
                    records.truncate(filled);
                    end?;
                }
            }
        }
        records.truncate(filled);
        Ok(())
    }

    /// Reads the next record in the place of this one; false at the end.
    fn read(&mut self, record: &mut Record) -> Result<bool, Error> {
        let read = match &mut self.stream {
            Stream::Rows(rows, layout) => {
                rows.next(|row| layout.fill(record, row)).map(|filled| filled.is_some())
            }
            Stream::Own(stream) => stream.next().map(|next| replace(record, next)),
        };
        let read = match read {
            Ok(read) => read,
            // An id that is there twice stands before what ends the reading.
            Err(error) => {
                let seen = self.seen.as_mut().map_or(Ok(()), SeenIds::finish);
                return Err(seen.err().map_or(error, |refused| self.refused(refused)));
            }
        };
        if !read {
            let seen = self.seen.as_mut().map_or(Ok(()), SeenIds::finish);
            seen.map_err(|refused| self.refused(refused))?;
            return if self.count == 0 {
                Err(document::empty().of_file(&self.path))
            } else {
                Ok(false)
            };
        }
        self.count += 1;
        let number = self.stream.line().unwrap_or(self.count);
        let id = &record.example.id;
        let seen = self.seen.as_mut().map_or(Ok(()), |seen| seen.insert(id, number));
        seen.map_err(|refused| self.refused(refused))?;
        Ok(true)
    }

    fn refused(&self, refused: Refused) -> Error {
        refused.error(&self.path, self.stream.line().is_some())
    }
}

/// Puts a record in the place of another; false without one.
fn replace(record: &mut Record, next: Option<Record>) -> bool {
    let there = next.is_some();
    if let Some(next) = next {
        *record = next;
    }
    there
}
