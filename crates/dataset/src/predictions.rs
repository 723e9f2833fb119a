//! Predictions: what a system answered, by id of the example.
//!
//! The usual file is JSON lines or a table with named fields. The formats that the scripts of
//! SQuAD, QuAC, CoQA, HotpotQA, TriviaQA, DROP, Natural Questions and KILT read are read too, and the
//! lists of the best answers that the scripts for BERT write. The format is recognised when the source
//! doesn't name it.

mod formats;
mod haystack;
mod packed;
mod recognise;
mod spilled;
#[cfg(test)]
mod tests;

use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher,
    path::{Path, PathBuf},
};

use hashbrown::HashTable;
use qeval_core::Prediction;

pub use self::spilled::{
    Asked, Has, InOrder, Joined, Named, PackedPredictions, SpilledPredictions, spill_predictions,
};
use crate::{
    CsvOptions, Error, PredictionFields, Problem, document, input, rows::Shape, seen::Duplicate,
    sequence::Sequence,
};

/// A predictions file as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictionSource {
    /// The file.
    pub path: PathBuf,
    /// Files of the same format that are read after it, as if all were one.
    pub further: Vec<PathBuf>,
    /// How they are written; `None` to find out from its content, which reads the file's beginning
    /// twice and so cannot be done with a pipe.
    pub format: Option<PredictionFormat>,
    /// Which field plays which role, in JSON lines and tables.
    pub fields: PredictionFields,
    /// What goes to [`Prediction::labels`] where there are such fields, in JSON lines and tables;
    /// those that [`PredictionFields::labels`] names must be there. A format with fixed names has its
    /// own labels.
    pub labels: Vec<String>,
    /// How tables are written.
    pub csv: CsvOptions,
    /// Whether the answers on the gold passages are wanted, in a format that has both.
    pub isolated: bool,
}

impl PredictionSource {
    /// A predictions file with all options at their defaults.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            further: Vec::new(),
            format: None,
            fields: PredictionFields::default(),
            labels: Vec::new(),
            csv: CsvOptions::default(),
            isolated: false,
        }
    }
}

/// The formats of predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionFormat {
    /// One JSON object of ids and answers, as for SQuAD, TriviaQA and DROP: an answer is a text or
    /// a list of texts; null abstains.
    Squad,
    /// One JSON object of ids and lists of answers, each with its `text` and `probability`, best
    /// first: what the scripts for BERT write as `nbest_predictions.json`.
    Nbest,
    /// JSON lines with parallel lists `qid`, `best_span_str`, `yesno` and `followup`, or places in
    /// the context for the texts.
    Quac,
    /// A JSON list of objects with `id`, `turn_id` and `answer`.
    Coqa,
    /// One JSON object with the objects `answer` and `sp`, by id: answers and supporting facts.
    Hotpotqa,
    /// One JSON object with the list `predictions`: long and short answers as spans.
    NaturalQuestions,
    /// JSON lines whose `output` has the answer and its pages.
    Kilt,
    /// A table that Haystack 1.x saved of a reader: the examples are the queries, and the rows of a
    /// query are the candidates.
    Haystack,
    /// JSON lines, with a mapping of fields.
    Jsonl,
    /// A table with a header, with a mapping of fields.
    Csv,
    /// A Parquet table, with a mapping of fields.
    Parquet,
}

impl PredictionFormat {
    /// All formats.
    pub const ALL: [Self; 11] = [
        Self::Squad,
        Self::Nbest,
        Self::Quac,
        Self::Coqa,
        Self::Hotpotqa,
        Self::NaturalQuestions,
        Self::Kilt,
        Self::Haystack,
        Self::Jsonl,
        Self::Csv,
        Self::Parquet,
    ];

    /// The word for it in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squad => "squad",
            Self::Nbest => "nbest",
            Self::Quac => "quac",
            Self::Coqa => "coqa",
            Self::Hotpotqa => "hotpotqa",
            Self::NaturalQuestions => "natural-questions",
            Self::Kilt => "kilt",
            Self::Haystack => "haystack",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }

    /// How records are written, in a format whose fields can be named.
    fn shape(self, csv: &CsvOptions) -> Option<Shape> {
        match self {
            Self::Jsonl => Some(Shape::Jsonl),
            Self::Csv => Some(Shape::Csv(csv.clone())),
            Self::Parquet => Some(Shape::Parquet),
            _ => None,
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Bytes of the text of a file, about: what is packed, as Parquet is inside, is taken for a text of
/// eight times its size. Of what is no file, and can be read only once, there are none.
pub fn text_size(path: &Path) -> u64 {
    match std::fs::metadata(path) {
        Ok(about) if about.is_file() => match input::plain_size(path) {
            Some(size) if !input::is_parquet(path).unwrap_or_default() => size,
            _ => about.len().saturating_mul(8),
        },
        _ => 0,
    }
}

/// Reads predictions. Whether their ids are those of a dataset is for the caller to see.
pub fn predictions(source: &PredictionSource) -> Result<Predictions, Error> {
    let Recognised { format, files } = recognised(source)?;
    read_all(source, format, &files)
}

/// The format of all files, and those of them that have something in them.
struct Recognised {
    format: PredictionFormat,
    files: Vec<PathBuf>,
}

fn recognised(source: &PredictionSource) -> Result<Recognised, Error> {
    let all = std::iter::once(&source.path).chain(&source.further);
    let (mut files, mut found): (Vec<PathBuf>, _) = (Vec::new(), source.format);
    for path in all {
        if source.format.is_none() {
            let Some(format) = recognise::recognise(path, &source.fields)? else { continue };
            if let (Some(other), Some(first)) =
                (found.filter(|&other| other != format), files.first())
            {
                let (format, other, first) = (format.name(), other.name(), first.display());
                let message = format!("is of the format `{format}`, and `{first}` is `{other}`");
                return Err(Problem::new(message)
                    .with_hint("all files of a reader have one format")
                    .of_file(path));
            }
            found = Some(format);
        }
        files.push(path.clone());
    }
    let Some(format) = found else { return Err(document::empty().of_file(&source.path)) };
    if format.shape(&source.csv).is_none() && source.fields != PredictionFields::default() {
        let message = format!("predictions of format `{}` have no fields to name", format.name());
        return Err(Problem::new(message)
            .with_hint("remove `fields`, or name another format")
            .of_file(&source.path));
    }
    Ok(Recognised { format, files })
}

fn read_all(
    source: &PredictionSource,
    format: PredictionFormat,
    files: &[PathBuf],
) -> Result<Predictions, Error> {
    let mut loading = Loading::default();
    if let Some(rows) = formats::PredictionRows::open(source, format, files)? {
        formats::rows(rows, &mut loading)?;
    } else {
        for path in files {
            loading.sequence.begin(path);
            one_file(path, source, format, &mut loading)?;
        }
    }
    if loading.predictions.is_empty() {
        return Err(document::empty().of_file(&source.path));
    }
    Ok(loading.predictions)
}

/// Reads a file of a format whose fields have fixed names.
fn one_file(
    path: &Path,
    source: &PredictionSource,
    format: PredictionFormat,
    loading: &mut Loading,
) -> Result<(), Error> {
    match format {
        PredictionFormat::Squad => formats::map(path, loading),
        PredictionFormat::Nbest => formats::candidates(path, loading),
        PredictionFormat::Quac => formats::dialogs(path, loading),
        PredictionFormat::Coqa => formats::turns(path, loading),
        PredictionFormat::Hotpotqa => formats::facts(path, loading),
        PredictionFormat::NaturalQuestions => formats::annotations(path, loading),
        PredictionFormat::Kilt => formats::outputs(path, loading),
        PredictionFormat::Haystack => haystack::rows(path, source.isolated, loading),
        PredictionFormat::Jsonl | PredictionFormat::Csv | PredictionFormat::Parquet => Ok(()),
    }
}

/// Predictions by id, in the order of their file.
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    entries: Vec<(String, Prediction)>,
    /// Hashes of ids and places in `entries`: growing must not touch the ids again.
    places: HashTable<(u64, usize)>,
    hasher: RandomState,
}

impl Predictions {
    /// The prediction for an example.
    pub fn get(&self, id: &str) -> Option<&Prediction> {
        self.place(id).map(|place| &self.entries[place].1)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All of them with their ids, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Prediction)> {
        self.entries.iter().map(|(id, prediction)| (id.as_str(), prediction))
    }

    /// Place of the prediction for an example, in the order of the file.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.find(self.hasher.hash_one(id), id)
    }

    fn find(&self, hash: u64, id: &str) -> Option<usize> {
        let same = |&(other, place): &(u64, usize)| other == hash && self.entries[place].0 == id;
        self.places.find(hash, same).map(|&(_, place)| place)
    }

    /// Adds a prediction whose id is new and has this hash.
    fn push(&mut self, hash: u64, id: String, prediction: Prediction) {
        self.places.insert_unique(hash, (hash, self.entries.len()), |&(hash, _)| hash);
        self.entries.push((id, prediction));
    }
}

impl PartialEq for Predictions {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

/// Predictions while they are read, with the numbers of their lines or records among all files.
#[derive(Default)]
struct Loading {
    predictions: Predictions,
    numbers: Vec<u64>,
    sequence: Sequence,
}

impl Loading {
    /// Adds a prediction of the file that is read now; `number` counts its `what`, lines or records.
    fn add(
        &mut self,
        id: String,
        prediction: Prediction,
        (what, number): (&str, u64),
    ) -> Result<(), Problem> {
        let number = self.sequence.number(number);
        let added = self.insert(id, prediction, number);
        added.map_err(|twice| self.sequence.problem(&twice, what))
    }

    fn insert(&mut self, id: String, prediction: Prediction, number: u64) -> Result<(), Duplicate> {
        let hash = self.predictions.hasher.hash_one(id.as_str());
        if let Some(place) = self.predictions.find(hash, &id) {
            return Err(Duplicate { id, first: self.numbers[place], second: number });
        }
        self.predictions.push(hash, id, prediction);
        self.numbers.push(number);
        Ok(())
    }
}

/// The problem of a file that would need a conversion first.
fn json_list(path: &Path) -> Error {
    Problem::new("the file is a JSON list, expected one object or one object a line")
        .with_hint("convert it with `jq -c '.[]'`")
        .of_file(path)
}
