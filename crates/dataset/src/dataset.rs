//! Datasets: opened from a source, and streamed record by record.

use std::path::{Path, PathBuf};

use qeval_core::{Example, Prediction};

use crate::{
    CsvOptions, DatasetFields, DatasetFormat, Error, Problem, TopicIds, beir,
    coqa::Stories,
    curatedtrec::Patterns,
    document,
    dpr::Retrieved,
    drop::Passages,
    evouna::Answers,
    fields::Wanted,
    hotpotqa::Questions,
    kilt::Outputs,
    natural_questions::Annotated,
    nq_open,
    record::Layout,
    rows::{Rows, Shape},
    seen::{Refused, SeenIds},
    sequence::Sequence,
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
    /// Files of the same format that are read after it, as if all were one. A BEIR folder has none.
    pub further: Vec<PathBuf>,
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
            further: Vec::new(),
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
    check(source)?;
    if let Some(stream) = open_own(source, &source.path)? {
        return Ok(Records::new(source, Stream::Own(stream)));
    }
    let DatasetSource { path, further, fields, columns, optional_columns, .. } = source;
    let mut wanted = Wanted::default();
    let (shape, layout) = if let Some(shape) = shape(source) {
        (shape, Layout::of_dataset(fields, columns, optional_columns, &mut wanted))
    } else {
        let layout = Layout::of_dataset(&nq_open::fields(), columns, &[], &mut wanted);
        wanted = wanted.with_fixed_names();
        (Shape::Jsonl, layout)
    };
    let rows = Rows::open(path, further, shape, wanted)?;
    Ok(Records::new(source, Stream::rows(rows, layout)))
}

/// Opens a dataset whose ids alone are wanted: records may lack all else. An id that is there twice
/// is not noticed.
pub fn open_ids(source: &DatasetSource) -> Result<Records, Error> {
    let records = match shape(source) {
        None => open(source)?,
        Some(shape) => {
            check(source)?;
            let mut wanted = Wanted::default();
            let layout = Layout::of_ids(&source.fields, &mut wanted);
            let rows = Rows::open(&source.path, &source.further, shape, wanted)?;
            Records::new(source, Stream::rows(rows, layout))
        }
    };
    Ok(Records { seen: None, ..records })
}

/// Refuses what the format does not have.
fn check(source: &DatasetSource) -> Result<(), Error> {
    let DatasetSource { path, further, format, fields, .. } = source;
    format.check(fields).map_err(|problem| problem.of_file(path))?;
    if *format == DatasetFormat::Beir && !further.is_empty() {
        let problem = Problem::new("a dataset of format `beir` is one folder, not several");
        return Err(problem.of_file(path));
    }
    Ok(())
}

/// How records are written whose fields the source names.
fn shape(source: &DatasetSource) -> Option<Shape> {
    match source.format {
        DatasetFormat::Jsonl => Some(Shape::Jsonl),
        DatasetFormat::Csv => Some(Shape::Csv(source.csv.clone())),
        DatasetFormat::Parquet => Some(Shape::Parquet),
        _ => None,
    }
}

/// One file of a format that makes records in a way of its own; `None` for another.
fn open_own(source: &DatasetSource, path: &Path) -> Result<Option<OwnStream>, Error> {
    fn own(stream: impl RecordStream + 'static) -> OwnStream {
        Box::new(stream)
    }
    let DatasetSource { format, fields, columns, optional_columns, .. } = source;
    Ok(Some(match format {
        DatasetFormat::Squad => {
            let grouped = fields.group.is_some();
            own(Articles::open(path, Kind::Squad { grouped }, columns)?)
        }
        DatasetFormat::Quac => own(Articles::open(path, Kind::Quac, columns)?),
        DatasetFormat::Coqa => own(Stories::open(path, columns)?),
        DatasetFormat::Hotpotqa => own(Questions::open(path, columns)?),
        DatasetFormat::Triviaqa => own(Keyed::open(path, columns)?),
        DatasetFormat::Drop => own(Passages::open(path, columns)?),
        DatasetFormat::Subjqa => own(Loaded(subjqa::read(path, columns)?.into_iter())),
        DatasetFormat::NaturalQuestions => own(Annotated::open(path, columns)?),
        DatasetFormat::Curatedtrec => own(Patterns::open(path, columns)?),
        DatasetFormat::Kilt => own(Outputs::open(path, columns, optional_columns)?),
        DatasetFormat::Dpr => own(Retrieved::open(path, columns)?),
        DatasetFormat::Evouna => own(Answers::open(path, fields, columns)?),
        DatasetFormat::Trec => {
            own(Loaded(topics::read(path, source.topic_ids, columns)?.into_iter()))
        }
        DatasetFormat::Beir => {
            let split = source.split.as_deref().unwrap_or(beir::SPLIT);
            own(Loaded(beir::read(path, split, columns)?.into_iter()))
        }
        DatasetFormat::NqOpen
        | DatasetFormat::Jsonl
        | DatasetFormat::Csv
        | DatasetFormat::Parquet => return Ok(None),
    }))
}

/// The records of a dataset, in its order. The first error ends them. A dataset without a record
/// is an error.
pub struct Records {
    path: PathBuf,
    stream: Stream,
    /// The files that are not begun yet, in a format that makes records in a way of its own.
    further: Option<Further>,
    sequence: Sequence,
    /// Records of the files before the one that is read.
    before: u64,
    /// `None` where an id that is there twice is not to be noticed.
    seen: Option<SeenIds>,
    count: u64,
    ended: bool,
}

/// Files that are read after another one.
struct Further {
    source: DatasetSource,
    paths: std::vec::IntoIter<PathBuf>,
}

type OwnStream = Box<dyn RecordStream>;

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
    Own(OwnStream),
}

impl Stream {
    fn rows(rows: Rows, layout: Layout) -> Self {
        Self::Rows(Box::new(rows), layout)
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
        Self::alone(path.into(), Stream::Own(Box::new(Loaded(records.into_iter()))))
    }

    /// The same with a folder for the ids that were seen, where they are too many for memory. Then an
    /// id that is there twice is noticed at the end.
    #[must_use]
    pub fn spilling(self, folder: &Path) -> Self {
        Self { seen: self.seen.map(|seen| seen.spilling(folder)), ..self }
    }

    fn new(source: &DatasetSource, stream: Stream) -> Self {
        let own = matches!(stream, Stream::Own(_)) && !source.further.is_empty();
        let further = own
            .then(|| Further { paths: source.further.clone().into_iter(), source: source.clone() });
        Self { further, ..Self::alone(source.path.clone(), stream) }
    }

    /// The records of one file.
    fn alone(path: PathBuf, stream: Stream) -> Self {
        let mut sequence = Sequence::default();
        sequence.begin(&path);
        Self {
            path,
            stream,
            further: None,
            sequence,
            before: 0,
            seen: Some(SeenIds::default()),
            count: 0,
            ended: false,
        }
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
            if self.begin_next()? {
                return self.read(record);
            }
            let seen = self.seen.as_mut().map_or(Ok(()), SeenIds::finish);
            seen.map_err(|refused| self.refused(refused))?;
            return if self.count == 0 {
                Err(document::empty().of_file(&self.path))
            } else {
                Ok(false)
            };
        }
        self.count += 1;
        let number = match &self.stream {
            Stream::Rows(rows, _) => rows.number(),
            Stream::Own(stream) => {
                self.sequence.number(stream.line().unwrap_or(self.count - self.before))
            }
        };
        let id = &record.example.id;
        let seen = self.seen.as_mut().map_or(Ok(()), |seen| seen.insert(id, number));
        seen.map_err(|refused| self.refused(refused))?;
        Ok(true)
    }

    /// Begins the next file; false where there is none.
    fn begin_next(&mut self) -> Result<bool, Error> {
        let Some(Further { source, paths }) = &mut self.further else { return Ok(false) };
        let Some(path) = paths.next() else { return Ok(false) };
        let Some(stream) = open_own(source, &path)? else { return Ok(false) };
        self.stream = Stream::Own(stream);
        self.sequence.begin(&path);
        self.before = self.count;
        Ok(true)
    }

    fn refused(&self, refused: Refused) -> Error {
        match &self.stream {
            Stream::Rows(rows, _) => rows.refused(refused),
            Stream::Own(stream) => {
                let what = if stream.line().is_some() { "line" } else { "record" };
                self.sequence.refused(refused, what)
            }
        }
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
