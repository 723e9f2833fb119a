//! The formats of predictions.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
};

use qeval_core::{Candidate, Prediction};
use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor},
};

use super::{Loading, PredictionFormat, PredictionSource};
use crate::{
    Error, Place, Problem, Record,
    cell::{Cell, Key},
    coqa::TurnPrediction,
    document::{self, Document},
    fields::Wanted,
    hotpotqa::{self, Fact},
    input::{self, Lines},
    jsonl,
    kilt::Guesses,
    members::Members,
    natural_questions::Predicted,
    quac::DialogAnswers,
    record::{self, Layout},
    rows::{Fault, Rows, candidate_text, finite, member, texts},
    seen::Duplicate,
};

/// Records with named fields.
pub(super) fn rows(mut rows: PredictionRows, loading: &mut Loading) -> Result<(), Error> {
    while let Some((record, number)) = rows.next()? {
        let Record { example, prediction } = std::mem::take(record);
        // The field is required, so there is a prediction; it may be an abstention.
        let prediction = prediction.unwrap_or_else(Prediction::abstention);
        let inserted = loading.insert(example.id, prediction, number);
        inserted.map_err(|twice| rows.rows.twice(&twice))?;
    }
    Ok(())
}

/// Records with named fields, one prediction at a time.
pub(super) struct PredictionRows {
    pub(super) rows: Rows,
    layout: Layout,
    record: Record,
}

impl PredictionRows {
    /// Opens files; `None` for a format whose fields cannot be named.
    pub(super) fn open(
        source: &PredictionSource,
        format: PredictionFormat,
        files: &[PathBuf],
    ) -> Result<Option<Self>, Error> {
        let Some((shape, (first, further))) = format.shape(&source.csv).zip(files.split_first())
        else {
            return Ok(None);
        };
        let mut wanted = Wanted::default();
        let layout = Layout::of_predictions(&source.fields, &source.labels, &mut wanted);
        let rows = Rows::open(first, further, shape, wanted)?;
        Ok(Some(Self { rows, layout, record: Record::default() }))
    }

    /// The next one with its number among all, in a record that has nothing else than the id.
    pub(super) fn next(&mut self) -> Result<Option<(&mut Record, u64)>, Error> {
        let Self { rows, layout, record } = self;
        let filled = rows.next(|row| layout.fill(record, row))?;
        Ok(filled.map(|()| (record, rows.number())))
    }
}

/// QuAC's lines.
pub(super) fn dialogs(path: &Path, loading: &mut Loading) -> Result<(), Error> {
    let mut lines = Lines::open(path)?;
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next()? else {
            return Ok(());
        };
        if !line.trim_ascii().is_empty() {
            dialog(line, number, loading).map_err(|problem| lines.error(problem))?;
        }
    }
}

fn dialog(line: &str, number: u64, loading: &mut Loading) -> Result<(), Problem> {
    let answers: DialogAnswers =
        serde_json::from_str(line).map_err(|error| jsonl::invalid(line, &error))?;
    for turn in answers.turns()? {
        loading.add(turn.id, turn.prediction, ("line", number))?;
    }
    Ok(())
}

/// SQuAD's object of ids and texts.
pub(super) fn map(path: &Path, loading: &mut Loading) -> Result<(), Error> {
    members(path, loading, prediction, "a text, a list of texts or null")
}

/// An object of ids and lists of answers.
pub(super) fn candidates(path: &Path, loading: &mut Loading) -> Result<(), Error> {
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
    members(path, loading, list, "a list of objects with `text` and perhaps `probability`")
}

fn candidate(value: &Cell<'_>) -> Result<Candidate, Fault> {
    let text = candidate_text(value)?;
    let confidence = member(value, "probability", finite, "a finite number")?;
    Ok(Candidate { text, confidence, ..Candidate::default() })
}

/// What a value says of its example.
type Read = fn(&Cell<'_>) -> Result<Prediction, Fault>;

fn members(
    path: &Path,
    loading: &mut Loading,
    read: Read,
    expected: &'static str,
) -> Result<(), Error> {
    let text = input::read_text(path)?;
    if text.trim_ascii().is_empty() {
        return Err(document::empty().of_file(path));
    }
    let mut reading = Map { loading, read, expected, problem: None };
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
    Ok(())
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
pub(super) fn turns(path: &Path, loading: &mut Loading) -> Result<(), Error> {
    let mut document = Document::open_list(path)?;
    for number in 1.. {
        let Some(turn) = document.next::<TurnPrediction>()? else { break };
        let (id, answer) = turn.into_parts();
        let prediction = answer.map_or_else(Prediction::abstention, Prediction::answer);
        loading
            .add(id, prediction, ("record", number))
            .map_err(|problem| problem.at(path, Place::record(number)))?;
    }
    Ok(())
}

/// HotpotQA's answers and supporting facts. One whose answer is missing abstained, which its script
/// scores as it scores a missing answer.
pub(super) fn facts(path: &Path, loading: &mut Loading) -> Result<(), Error> {
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
    let facts = facts.unwrap_or_default().0;
    let mut cited: HashMap<String, (u64, Vec<Fact>)> = HashMap::with_capacity(facts.len());
    let mut order = Vec::with_capacity(facts.len());
    for (number, (id, facts)) in (1..).zip(facts) {
        if let Some(&(first, _)) = cited.get(&id) {
            let twice = Duplicate { id, first, second: number };
            return Err(Problem::duplicate(&twice, "record").of_file(path));
        }
        order.push(id.clone());
        cited.insert(id, (number, facts));
    }
    let answers = answers.unwrap_or_default().0;
    let count = answers.len() as u64;
    let mut add = |id: String, prediction: Prediction, number: u64| {
        let added = loading.add(id, prediction, ("record", number));
        added.map_err(|problem| problem.of_file(path))
    };
    for (number, (id, answer)) in (1..).zip(answers) {
        let prediction = answer.map_or_else(Prediction::abstention, Prediction::answer);
        let citations = cited.remove(&id).map(|(_, facts)| hotpotqa::ids(facts));
        let citations = citations.unwrap_or_default();
        add(id, Prediction { citations, ..prediction }, number)?;
    }
    for id in order {
        let Some((number, facts)) = cited.remove(&id) else { continue };
        let citations = hotpotqa::ids(facts);
        add(id, Prediction { citations, ..Prediction::abstention() }, count + number)?;
    }
    Ok(())
}

/// Natural Questions' list of long and short answers.
pub(super) fn annotations(path: &Path, loading: &mut Loading) -> Result<(), Error> {
    let mut document = Document::open(path, "predictions")?;
    for number in 1.. {
        let Some(predicted) = document.next::<Predicted>()? else { break };
        let read = predicted.into_parts();
        let added =
            read.and_then(|(id, prediction)| loading.add(id, prediction, ("record", number)));
        added.map_err(|problem| problem.at(path, Place::record(number)))?;
    }
    Ok(())
}

/// KILT's lines.
pub(super) fn outputs(path: &Path, loading: &mut Loading) -> Result<(), Error> {
    let mut guesses = Guesses::open(path)?;
    while let Some((id, prediction)) = guesses.next()? {
        let added = loading.add(id, prediction, ("line", guesses.line()));
        added.map_err(|problem| guesses.error(problem))?;
    }
    Ok(())
}

struct Map<'l> {
    loading: &'l mut Loading,
    read: Read,
    /// What a value must be.
    expected: &'static str,
    /// What was wrong, where it isn't the JSON.
    problem: Option<Problem>,
}

impl Map<'_> {
    fn add(&mut self, id: String, value: &Cell<'_>, number: u64) -> Result<(), Problem> {
        let prediction = (self.read)(value).map_err(|fault| {
            let (kind, expected) = (value.kind(), self.expected);
            Problem::new(match fault {
                Some(fault) => format!("the prediction of `{id}`: {fault}"),
                None => format!("the prediction of `{id}` is {kind}, expected {expected}"),
            })
        })?;
        self.loading.add(id, prediction, ("record", number))
    }
}

impl<'de> DeserializeSeed<'de> for &mut Map<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Map<'_> {
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
