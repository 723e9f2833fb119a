//! Datasets: opened from a source, and streamed record by record.

use std::path::PathBuf;

use qeval_core::{Example, Prediction};

use crate::{
    CsvOptions, DatasetFields, Error, Place, Problem, TopicIds,
    csv::CsvRows,
    document,
    fields::Wanted,
    jsonl::JsonRows,
    record::Layout,
    rows::Rows,
    seen::{Duplicate, SeenIds},
    squad::{Articles, Kind},
    trec::topics,
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
    /// Further fields that go to [`Example::columns`]. SQuAD files offer `title` and
    /// `answerable`, QuAC files `title`, `yesno` and `followup`, topics any element.
    pub columns: Vec<String>,
    /// How tables are written.
    pub csv: CsvOptions,
    /// What the ids of topics are.
    pub topic_ids: TopicIds,
}

impl DatasetSource {
    /// A dataset with all options at their defaults.
    pub fn new(path: impl Into<PathBuf>, format: DatasetFormat) -> Self {
        Self {
            path: path.into(),
            format,
            fields: DatasetFields::default(),
            columns: Vec::new(),
            csv: CsvOptions::default(),
            topic_ids: TopicIds::default(),
        }
    }
}

/// The formats of datasets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetFormat {
    /// SQuAD's JSON, versions 1.1 and 2.0.
    Squad,
    /// QuAC's JSON: dialogs.
    Quac,
    /// JSON lines, with a mapping of fields.
    Jsonl,
    /// A table with a header, with a mapping of fields.
    Csv,
    /// TREC topics: `id TAB text` lines, or a stream of `<top>` elements.
    Trec,
}

impl DatasetFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Squad, Self::Quac, Self::Jsonl, Self::Csv, Self::Trec];

    /// The word for it in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squad => "squad",
            Self::Quac => "quac",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Trec => "trec",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
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
    let DatasetSource { path, format, fields, columns, .. } = source;
    let mapped = *fields != DatasetFields::default();
    if mapped && !matches!(format, DatasetFormat::Jsonl | DatasetFormat::Csv) {
        let message = format!("the fields of format `{}` have fixed names", format.name());
        return Err(Problem::new(message)
            .with_hint("remove `fields`, or name another format")
            .of_file(path));
    }
    let mut wanted = Wanted::default();
    let stream = match format {
        DatasetFormat::Squad => Stream::Articles(Articles::open(path, Kind::Squad, columns)?),
        DatasetFormat::Quac => Stream::Articles(Articles::open(path, Kind::Quac, columns)?),
        DatasetFormat::Trec => {
            let topics = topics::read(path, source.topic_ids, columns)?;
            Stream::Topics(topics.into_iter())
        }
        DatasetFormat::Jsonl => {
            let layout = Layout::of_dataset(fields, columns, &mut wanted);
            Stream::Rows(Rows::Json(JsonRows::open(path, wanted)?), layout)
        }
        DatasetFormat::Csv => {
            let layout = Layout::of_dataset(fields, columns, &mut wanted);
            Stream::Rows(Rows::Csv(CsvRows::open(path, &source.csv, wanted)?), layout)
        }
    };
    let path = path.clone();
    Ok(Records { path, stream, seen: SeenIds::default(), count: 0, ended: false })
}

/// The records of a dataset, in its order. The first error ends them. A dataset without a record
/// is an error.
pub struct Records {
    path: PathBuf,
    stream: Stream,
    seen: SeenIds,
    count: u64,
    ended: bool,
}

enum Stream {
    Rows(Rows, Layout),
    Articles(Articles),
    Topics(std::vec::IntoIter<Record>),
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
        Self {
            path: path.into(),
            stream: Stream::Topics(records.into_iter()),
            seen: SeenIds::default(),
            count: 0,
            ended: false,
        }
    }

    /// Appends up to `most` records. A record is half a kilobyte; here it is built where it stays.
    pub fn append(&mut self, records: &mut Vec<Record>, most: usize) -> Result<(), Error> {
        for _ in 0..most {
            if self.ended {
                break;
            }
            records.push(Record::default());
            let last = records.len() - 1;
            match self.read(&mut records[last]) {
                Ok(true) => {}
                end => {
                    self.ended = true;
                    records.truncate(last);
                    end?;
                }
            }
        }
        Ok(())
    }

    /// Reads the next record into this empty one; false at the end.
    fn read(&mut self, record: &mut Record) -> Result<bool, Error> {
        let read = match &mut self.stream {
            Stream::Rows(rows, layout) => rows.next(|row| layout.fill(record, row))?.is_some(),
            Stream::Articles(articles) => replace(record, articles.next()?),
            Stream::Topics(topics) => replace(record, topics.next()),
        };
        if !read {
            self.seen.finish().map_err(|twice| self.twice(&twice))?;
            return if self.count == 0 {
                Err(document::empty().of_file(&self.path))
            } else {
                Ok(false)
            };
        }
        self.count += 1;
        let number = match &self.stream {
            Stream::Rows(rows, _) => rows.line(),
            Stream::Articles(_) | Stream::Topics(_) => self.count,
        };
        self.seen.insert(&record.example.id, number).map_err(|twice| self.twice(&twice))?;
        Ok(true)
    }

    fn twice(&self, twice: &Duplicate) -> Error {
        let (what, place) = match &self.stream {
            Stream::Rows(..) => ("line", Place::line(twice.second)),
            Stream::Articles(_) | Stream::Topics(_) => ("record", Place::record(twice.second)),
        };
        Problem::duplicate(twice, what).at(&self.path, place)
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
