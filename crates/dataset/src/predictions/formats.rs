//! The formats of predictions.

use std::{fmt, hash::BuildHasher, path::Path};

use qeval_core::{Candidate, Prediction};
use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor},
};

use super::{Loading, PredictionFormat, PredictionSource, Predictions};
use crate::{
    Error, Place, Problem, Record,
    cell::{Cell, Key},
    coqa::TurnPrediction,
    csv::CsvRows,
    document::{self, Document},
    fields::Wanted,
    hotpotqa::{self, Fact},
    input::{self, Lines},
    jsonl::{self, JsonRows},
    kilt::Guesses,
    members::Members,
    natural_questions::Predicted,
    parquet::ParquetRows,
    quac::DialogAnswers,
    record::{self, Layout},
    rows::{Fault, Rows, candidate_text, finite, member, texts},
};

/// Records with named fields.
pub(super) fn rows(
    source: &PredictionSource,
    format: PredictionFormat,
) -> Result<Predictions, Error> {
    let mut rows = PredictionRows::open(source, format)?;
    let mut loading = Loading::new(format.counts());
    while let Some((record, number)) = rows.next()? {
        let Record { example, prediction } = std::mem::take(record);
        // The field is required, so there is a prediction; it may be an abstention.
        let prediction = prediction.unwrap_or_else(Prediction::abstention);
        let added = loading.add(example.id, prediction, number);
        added.map_err(|problem| rows.error(problem))?;
    }
    Ok(loading.predictions)
}

/// Records with named fields, one prediction at a time.
pub(super) struct PredictionRows {
    rows: Rows,
    layout: Layout,
    record: Record,
}

impl PredictionRows {
    pub(super) fn open(source: &PredictionSource, format: PredictionFormat) -> Result<Self, Error> {
        let PredictionSource { path, fields, labels, csv, .. } = source;
        let mut wanted = Wanted::default();
        let layout = Layout::of_predictions(fields, labels, &mut wanted);
        let rows = match format {
            PredictionFormat::Csv => Rows::Csv(CsvRows::open(path, csv, wanted)?),
            PredictionFormat::Parquet => Rows::Parquet(ParquetRows::open(path, wanted)?),
            _ => Rows::Json(JsonRows::open(path, wanted)?),
        };
        Ok(Self { rows, layout, record: Record::default() })
    }

    /// The next one with its number, in a record that has nothing else than the id.
    pub(super) fn next(&mut self) -> Result<Option<(&mut Record, u64)>, Error> {
        let Self { rows, layout, record } = self;
        let filled = rows.next(|row| layout.fill(record, row))?;
        Ok(filled.map(|()| (record, rows.number())))
    }

    /// The problem, placed at the last one.
    pub(super) fn error(&self, problem: Problem) -> Error {
        self.rows.error(problem)
    }
}

/// QuAC's lines.
pub(super) fn dialogs(path: &Path) -> Result<Predictions, Error> {
    let mut lines = Lines::open(path)?;
    let mut loading = Loading::new("line");
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next()? else {
            return Ok(loading.predictions);
        };
        if !line.trim_ascii().is_empty() {
            dialog(line, number, &mut loading).map_err(|problem| lines.error(problem))?;
        }
    }
}

fn dialog(line: &str, number: u64, loading: &mut Loading) -> Result<(), Problem> {
    let answers: DialogAnswers =
        serde_json::from_str(line).map_err(|error| jsonl::invalid(line, &error))?;
    for turn in answers.turns()? {
        loading.add(turn.id, turn.prediction, number)?;
    }
    Ok(())
}

/// SQuAD's object of ids and texts.
pub(super) fn map(path: &Path) -> Result<Predictions, Error> {
    members(path, prediction, "a text, a list of texts or null")
}

/// An object of ids and lists of answers.
pub(super) fn candidates(path: &Path) -> Result<Predictions, Error> {
    let list = |value: &Cell<'_>| {
        let Cell::List(answers) = value else { return Err(None) };
        let answers = (1..).zip(answers).map(|(number, answer)| {
            candidate(answer).map_err(|fault| {
                let fault =
                    fault.unwrap_or_else(|| format!("is {}, expected an object", answer.kind()));
                Some(format!("item {number} {fault}"))
            })
        });
        answers.collect::<Result<_, Fault>>().map(Prediction::first_of)
    };
    members(path, list, "a list of objects with `text` and perhaps `probability`")
}

fn candidate(value: &Cell<'_>) -> Result<Candidate, Fault> {
    let text = candidate_text(value)?;
    let confidence = member(value, "probability", finite, "a finite number")?;
    Ok(Candidate { text, confidence, ..Candidate::default() })
}

/// What a value says of its example.
type Read = fn(&Cell<'_>) -> Result<Prediction, Fault>;

fn members(path: &Path, read: Read, expected: &'static str) -> Result<Predictions, Error> {
    let text = input::read_text(path)?;
    if text.trim_ascii().is_empty() {
        return Err(document::empty().of_file(path));
    }
    let mut reading = Map { loading: Loading::new("record"), read, expected, problem: None };
    let mut deserializer = serde_json::Deserializer::from_str(&text);
    let done = reading.deserialize(&mut deserializer).and_then(|()| deserializer.end());
    done.map_err(|error| {
        let (invalid, line) = document::problem(&text, 0, &error);
        let problem = match reading.problem.take() {
            Some(problem) => Problem { column: invalid.column, ..problem },
            None => invalid,
        };
        problem.at(path, Place::line(line))
    })?;
    Ok(reading.loading.predictions)
}

/// A text, a list of texts, or null.
fn prediction(value: &Cell<'_>) -> Result<Prediction, Fault> {
    match value {
        Cell::Text(text) => Ok(Prediction::answer(text.as_ref())),
        Cell::Null => Ok(Prediction::abstention()),
        Cell::List(_) => texts(value).map(record::list).ok_or(None),
        _ => Err(None),
    }
}

/// CoQA's list of turns.
pub(super) fn turns(path: &Path) -> Result<Predictions, Error> {
    let mut document = Document::open_list(path)?;
    let mut loading = Loading::new("record");
    for number in 1.. {
        let Some(turn) = document.next::<TurnPrediction>()? else { break };
        let (id, answer) = turn.into_parts();
        let prediction = answer.map_or_else(Prediction::abstention, Prediction::answer);
        loading
            .add(id, prediction, number)
            .map_err(|problem| problem.at(path, Place::record(number)))?;
    }
    Ok(loading.predictions)
}

/// HotpotQA's answers and supporting facts. One whose answer is missing abstained, which its script
/// scores as it scores a missing answer.
pub(super) fn facts(path: &Path) -> Result<Predictions, Error> {
    let mut document = Document::open_members(path)?;
    let mut answers: Option<Members<Option<String>>> = None;
    let mut facts: Option<Members<Vec<Fact>>> = None;
    while let Some(name) = document.next_name()? {
        match name.as_str() {
            "answer" if answers.is_none() => answers = Some(document.value()?),
            "sp" if facts.is_none() => facts = Some(document.value()?),
            "answer" | "sp" => {
                return Err(Problem::new(format!("`{name}` occurs twice")).of_file(path));
            }
            _ => document.value::<IgnoredAny>().map(drop)?,
        }
    }
    let mut loading = Loading::new("record");
    for (number, (id, answer)) in (1..).zip(answers.unwrap_or_default().0) {
        let prediction = answer.map_or_else(Prediction::abstention, Prediction::answer);
        loading.add(id, prediction, number).map_err(|problem| problem.of_file(path))?;
    }
    let mut predictions = loading.predictions;
    let mut cited = Loading::new("record");
    for (number, (id, facts)) in (1..).zip(facts.unwrap_or_default().0) {
        let citations = hotpotqa::ids(facts);
        let place = predictions.place(&id);
        let seen = cited.add(id.clone(), Prediction::default(), number);
        seen.map_err(|problem| problem.of_file(path))?;
        if let Some(place) = place {
            predictions.entries[place].1.citations = citations;
        } else {
            let hash = predictions.hasher.hash_one(id.as_str());
            predictions.push(hash, id, Prediction { citations, ..Prediction::abstention() });
        }
    }
    Ok(predictions)
}

/// Natural Questions' list of long and short answers.
pub(super) fn annotations(path: &Path) -> Result<Predictions, Error> {
    let mut document = Document::open(path, "predictions")?;
    let mut loading = Loading::new("record");
    for number in 1.. {
        let Some(predicted) = document.next::<Predicted>()? else { break };
        let read = predicted.into_parts();
        let added = read.and_then(|(id, prediction)| loading.add(id, prediction, number));
        added.map_err(|problem| problem.at(path, Place::record(number)))?;
    }
    Ok(loading.predictions)
}

/// KILT's lines.
pub(super) fn outputs(path: &Path) -> Result<Predictions, Error> {
    let mut guesses = Guesses::open(path)?;
    let mut loading = Loading::new("line");
    while let Some((id, prediction)) = guesses.next()? {
        let added = loading.add(id, prediction, guesses.line());
        added.map_err(|problem| guesses.error(problem))?;
    }
    Ok(loading.predictions)
}

struct Map {
    loading: Loading,
    read: Read,
    /// What a value must be.
    expected: &'static str,
    /// What was wrong, where it isn't the JSON.
    problem: Option<Problem>,
}

impl Map {
    fn add(&mut self, id: String, value: &Cell<'_>, number: u64) -> Result<(), Problem> {
        let prediction = (self.read)(value).map_err(|fault| {
            let (kind, expected) = (value.kind(), self.expected);
            Problem::new(match fault {
                Some(fault) => format!("the prediction of `{id}`: {fault}"),
                None => format!("the prediction of `{id}` is {kind}, expected {expected}"),
            })
        })?;
        self.loading.add(id, prediction, number)
    }
}

impl<'de> DeserializeSeed<'de> for &mut Map {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Map {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of ids and texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(Key(id)) = object.next_key()? {
            number += 1;
            let value: Cell<'de> = object.next_value()?;
            if let Err(problem) = self.add(id.into_owned(), &value, number) {
                let error = A::Error::custom(&problem.message);
                self.problem = Some(problem);
                return Err(error);
            }
        }
        Ok(())
    }
}
