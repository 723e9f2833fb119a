//! The formats of predictions, and how they are told apart.

use std::{collections::BTreeMap, fmt, path::Path};

use qeval_core::Prediction;
use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor},
};

use super::{Loading, PredictionFormat, PredictionSource, Predictions, json_list};
use crate::{
    Error, Place, Problem, Record,
    cell::{Cell, Key},
    csv::CsvRows,
    document,
    fields::Wanted,
    input::{self, Lines},
    jsonl::{self, JsonRows},
    quac::DialogAnswers,
    record::Layout,
    rows::Rows,
};

/// Finds the format from the first line that isn't blank.
pub(super) fn recognise(source: &PredictionSource) -> Result<PredictionFormat, Error> {
    let mut lines = Lines::open(&source.path)?;
    let mut head = Head { id: source.fields.id.as_deref().unwrap_or("id"), ..Head::default() };
    let complete = loop {
        match lines.next()?.map(str::trim) {
            None => return Err(document::empty().of_file(&source.path)),
            Some("") => {}
            Some(line) if line.starts_with('[') => return Err(json_list(&source.path)),
            Some(line) if line.starts_with('{') => {
                let mut deserializer = serde_json::Deserializer::from_str(line);
                let read = head.deserialize(&mut deserializer);
                break read.and_then(|()| deserializer.end()).is_ok();
            }
            Some(_) => return Ok(PredictionFormat::Csv),
        }
    };
    if head.dialog == (true, true) {
        return Ok(PredictionFormat::Quac);
    }
    if head.has_id {
        return Ok(PredictionFormat::Jsonl);
    }
    // An object without the id is one of ids and texts, unless others follow it.
    while complete && let Some(line) = lines.next()? {
        if !line.trim().is_empty() {
            return Ok(PredictionFormat::Jsonl);
        }
    }
    Ok(PredictionFormat::Squad)
}

/// What the names of an object's first members say about it.
#[derive(Default)]
struct Head<'a> {
    id: &'a str,
    has_id: bool,
    /// Whether it has `qid` and `best_span_str`.
    dialog: (bool, bool),
}

impl<'de> DeserializeSeed<'de> for &mut Head<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Head<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        // A record has few members; an object of ids and texts can have a million.
        const MEMBERS: usize = 64;
        for _ in 0..MEMBERS {
            let Some(Key(name)) = object.next_key()? else {
                return Ok(());
            };
            let nested = || name.split('.').next() == self.id.split('.').next();
            self.has_id |= name == self.id || (self.id.contains('.') && nested());
            self.dialog.0 |= name == "qid";
            self.dialog.1 |= name == "best_span_str";
            object.next_value::<IgnoredAny>()?;
        }
        Err(A::Error::custom("too many members"))
    }
}

/// JSON lines or a table.
pub(super) fn rows(
    source: &PredictionSource,
    format: PredictionFormat,
) -> Result<Predictions, Error> {
    let PredictionSource { path, fields, labels, csv, .. } = source;
    let mut wanted = Wanted::default();
    let layout = Layout::of_predictions(fields, labels, &mut wanted);
    let mut rows = if format == PredictionFormat::Csv {
        Rows::Csv(CsvRows::open(path, csv, wanted)?)
    } else {
        Rows::Json(JsonRows::open(path, wanted)?)
    };
    let mut loading = Loading::new("line");
    let mut record = Record::default();
    while rows.next(|row| layout.fill(&mut record, row))?.is_some() {
        let Record { example, prediction } = std::mem::take(&mut record);
        // The field is required, so there is a prediction; it may be an abstention.
        let prediction = prediction.unwrap_or_else(Prediction::abstention);
        let added = loading.add(example.id, prediction, rows.line());
        added.map_err(|problem| rows.error(problem))?;
    }
    Ok(loading.predictions)
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
        let labels = [("yesno", turn.yesno), ("followup", turn.followup)];
        let labels: BTreeMap<_, _> = labels.map(|(name, label)| (name.to_owned(), label)).into();
        let prediction = Prediction { labels, ..Prediction::answer(turn.text) };
        loading.add(turn.id, prediction, number)?;
    }
    Ok(())
}

/// SQuAD's object of ids and texts.
pub(super) fn map(path: &Path) -> Result<Predictions, Error> {
    let text = input::read_text(path)?;
    if text.trim_ascii().is_empty() {
        return Err(document::empty().of_file(path));
    }
    let mut reading = Map { loading: Loading::new("record"), problem: None };
    let mut deserializer = serde_json::Deserializer::from_str(&text);
    let read = reading.deserialize(&mut deserializer).and_then(|()| deserializer.end());
    read.map_err(|error| {
        let (invalid, line) = document::problem(&text, 0, &error);
        let problem = match reading.problem.take() {
            Some(problem) => Problem { column: invalid.column, ..problem },
            None => invalid,
        };
        problem.at(path, Place::line(line))
    })?;
    Ok(reading.loading.predictions)
}

struct Map {
    loading: Loading,
    /// What was wrong, where it isn't the JSON.
    problem: Option<Problem>,
}

impl Map {
    fn add(&mut self, id: String, value: &Cell<'_>, number: u64) -> Result<(), Problem> {
        let prediction = match value {
            Cell::Text(text) => Prediction::answer(text.as_ref()),
            Cell::Null => Prediction::abstention(),
            other => {
                let kind = other.kind();
                let message =
                    format!("the prediction of `{id}` is {kind}, expected a text or null");
                return Err(Problem::new(message));
            }
        };
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
