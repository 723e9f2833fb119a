//! Records with named fields to examples and predictions.
//!
//! A record is filled field by field as they stand in the file, not part by part: files have few
//! of the fields that could be wanted, and a dataset has millions of records.

use std::{mem::take, ops::Range};

use qeval_core::{Example, Prediction, Reference, metrics::verdict};

use crate::{
    DatasetFields, PredictionFields, Problem, Record,
    fields::{Need, Wanted},
    rows::{Answer, Field, Row},
};

/// Which parts of a record the fields become.
pub(crate) struct Layout {
    /// By slot. One field may become several parts.
    parts: Vec<Vec<Part>>,
}

#[derive(Clone, Debug)]
enum Part {
    Id,
    Question,
    References,
    Context,
    GoldPassages,
    Group,
    Turn,
    History,
    Column(String),
    Prediction,
    Candidates,
    Confidence,
    Hits,
    Citations,
    Start,
    End,
    Span,
    Label(String),
}

impl Layout {
    /// The records of a dataset, which may hold predictions.
    pub(crate) fn of_dataset(
        fields: &DatasetFields,
        columns: &[String],
        optional_columns: &[String],
        wanted: &mut Wanted,
    ) -> Self {
        let mut layout = Self { parts: Vec::new() };
        let mut role = |name, mapped: &Option<String>, part| {
            if let Some(slot) = wanted.role(name, mapped.as_ref(), Need::Always) {
                layout.add(slot, part);
            }
        };
        role("question", &fields.question, Part::Question);
        role("references", &fields.references, Part::References);
        role("context", &fields.context, Part::Context);
        role("gold_passages", &fields.gold_passages, Part::GoldPassages);
        role("group", &fields.group, Part::Group);
        role("turn", &fields.turn, Part::Turn);
        role("history", &fields.history, Part::History);
        role("prediction", &fields.prediction, Part::Prediction);
        role("confidence", &fields.confidence, Part::Confidence);
        role("hits", &fields.hits, Part::Hits);
        role("citations", &fields.citations, Part::Citations);
        role("verdict", &fields.verdict, Part::Label(verdict::LABEL.to_owned()));
        layout.add(wanted.required("id", fields.id.as_ref()), Part::Id);
        for (label, field) in fields.labels.iter().filter(|(_, field)| !field.is_empty()) {
            layout.add(wanted.fixed(field), Part::Label(label.clone()));
        }
        for name in columns {
            layout.add(wanted.column(name), Part::Column(name.clone()));
        }
        for name in optional_columns.iter().filter(|name| !columns.contains(name)) {
            layout.add(wanted.optional_column(name), Part::Column(name.clone()));
        }
        layout
    }

    /// The records of a predictions file: all that they say of the example is its id.
    pub(crate) fn of_predictions(
        fields: &PredictionFields,
        labels: &[String],
        wanted: &mut Wanted,
    ) -> Self {
        let mut layout = Self { parts: Vec::new() };
        let mut role = |name, mapped: &Option<String>, part| {
            let slot = wanted.role(name, mapped.as_ref(), Need::Always)?;
            layout.add(slot, part);
            Some(slot)
        };
        role("candidates", &fields.candidates, Part::Candidates);
        role("confidence", &fields.confidence, Part::Confidence);
        role("hits", &fields.hits, Part::Hits);
        role("citations", &fields.citations, Part::Citations);
        role("verdict", &fields.verdict, Part::Label(verdict::LABEL.to_owned()));
        let places = [
            role("start", &fields.start, Part::Start),
            role("end", &fields.end, Part::End),
            role("span", &fields.span, Part::Span),
        ];
        layout.add(wanted.required("id", fields.id.as_ref()), Part::Id);
        let places = places.into_iter().flatten().collect();
        let prediction = fields.prediction.as_ref();
        layout.add(wanted.required_without("prediction", prediction, places), Part::Prediction);
        for (label, field) in fields.labels.iter().filter(|(_, field)| !field.is_empty()) {
            layout.add(wanted.fixed(field), Part::Label(label.clone()));
        }
        for label in labels.iter().filter(|&label| !fields.labels.contains_key(label)) {
            layout.add(wanted.optional_column(label), Part::Label(label.clone()));
        }
        layout
    }

    fn add(&mut self, slot: usize, part: Part) {
        self.parts.resize_with(self.parts.len().max(slot + 1), Vec::new);
        self.parts[slot].push(part);
    }

    /// Fills a record, whatever was in it. A record is half a kilobyte, so it is built where it
    /// will stay; and most of what millions of short records cost is the memory of their texts, so
    /// the texts of the record before are written over.
    pub(crate) fn fill(&self, record: &mut Record, row: &Row<'_, '_>) -> Result<(), Problem> {
        let mut spare = Spare::of(record);
        let mut prediction = Prediction::default();
        let (mut predicted, mut texted) = (false, false);
        let mut place = Span::default();
        for (slot, field) in row.fields() {
            for part in &self.parts[slot] {
                match part {
                    Part::Id => {
                        field.write_id(&mut spare.id)?;
                        record.example.id = take(&mut spare.id);
                    }
                    Part::References => {
                        field.write_references(&mut spare.references)?;
                        record.example.references = take(&mut spare.references);
                    }
                    Part::Prediction => {
                        predicted = true;
                        texted = field.given();
                        answer(&mut prediction, &field, take(&mut spare.answer))?;
                    }
                    Part::Candidates => prediction.candidates = field.candidates()?,
                    Part::Confidence => prediction.confidence = field.number()?,
                    Part::Hits => {
                        prediction.seen = field.given().then(|| field.ids()).transpose()?;
                    }
                    Part::Citations => prediction.citations = field.ids()?,
                    Part::Start | Part::End | Part::Span => {
                        predicted = true;
                        place.set(part, &field)?;
                    }
                    Part::Label(name) => {
                        if let Some(label) = field.label()? {
                            prediction.labels.insert(name.clone(), label);
                        }
                    }
                    part => fill(&mut record.example, part, &field)?,
                }
            }
        }
        if texted {
            place.beside(&prediction.text);
        }
        prediction.span = place.range()?;
        if !texted {
            // A place is an answer; neither a text nor a place abstains.
            prediction.abstained = prediction.span.is_none();
        }
        record.prediction = predicted.then_some(prediction);
        Ok(())
    }
}

fn fill(example: &mut Example, part: &Part, field: &Field<'_, '_>) -> Result<(), Problem> {
    match part {
        Part::Question => example.question = field.text()?.unwrap_or_default(),
        Part::Context => example.context = field.text()?,
        Part::GoldPassages => example.gold_passages = field.ids()?,
        Part::Group => example.group = field.id()?,
        Part::Turn => example.turn = field.count()?,
        Part::History => example.history = field.history()?,
        Part::Column(name) => {
            if let Some(value) = field.value()? {
                example.columns.insert(name.clone(), value);
            }
        }
        // The other parts are for the caller.
        _ => {}
    }
    Ok(())
}

/// What separates the parts of a list in its text.
pub(crate) const SEPARATOR: &str = ", ";

/// An answer that is a list. Its text, for metrics that know no lists, has all parts.
pub(crate) fn list(items: Vec<String>) -> Prediction {
    let answer = Prediction::answer(items.join(SEPARATOR));
    Prediction { items, ..answer }
}

/// The texts of a record that is about to be filled anew.
struct Spare {
    id: String,
    references: Vec<Reference>,
    answer: String,
}

impl Spare {
    /// Takes them out and leaves the record empty.
    fn of(record: &mut Record) -> Self {
        let spare = Self {
            id: take(&mut record.example.id),
            references: take(&mut record.example.references),
            answer: record.prediction.take().map(|prediction| prediction.text).unwrap_or_default(),
        };
        record.example = Example::default();
        spare
    }
}

/// The text of a prediction, or a list of texts; null abstains. A text is written over `spare`.
fn answer(
    prediction: &mut Prediction,
    field: &Field<'_, '_>,
    spare: String,
) -> Result<(), Problem> {
    let Prediction { text, abstained, items, .. } = match field.answer(spare)? {
        Answer::None => Prediction::abstention(),
        Answer::Text(text) => Prediction::answer(text),
        Answer::List(items) => list(items),
    };
    (prediction.text, prediction.abstained, prediction.items) = (text, abstained, items);
    Ok(())
}

/// Where an answer stands, as far as the fields of the record say.
#[derive(Default)]
pub(crate) struct Span {
    pub(crate) start: Option<usize>,
    pub(crate) end: Option<usize>,
    pub(crate) both: Option<(usize, usize)>,
}

impl Span {
    fn set(&mut self, part: &Part, field: &Field<'_, '_>) -> Result<(), Problem> {
        let read = match part {
            Part::Start => field.count().map(|start| self.start = start),
            Part::End => field.count().map(|end| self.end = end),
            _ => field.pair().map(|both| self.both = both),
        };
        // The names are usual ones, and a file may mean something else by them.
        read.map_err(|problem| {
            let role = match part {
                Part::Start => "start",
                Part::End => "end",
                _ => "span",
            };
            let hint = format!(
                "no place is null; where it is no place of the answer at all: `fields = {{ {role} = \
                 \"\" }}`"
            );
            if problem.hint.is_some() { problem } else { problem.with_hint(hint) }
        })
    }

    /// Where there is a text it is the answer: half of a place is no mistake. Its end is that of the
    /// text.
    fn beside(&mut self, text: &str) {
        match (self.start, self.end) {
            (Some(start), None) => self.end = start.checked_add(text.chars().count()),
            (None, Some(_)) => self.end = None,
            _ => {}
        }
        if self.end.is_none() {
            self.start = None;
        }
    }

    pub(crate) fn range(self) -> Result<Option<Range<usize>>, Problem> {
        let half = |there: &str, missing: &str| {
            Problem::new(format!("the span has a place `{there}` and no `{missing}`")).with_hint(
                format!(
                    "name the field of its {missing} as `{missing}`; where `{there}` is no place \
                     of the answer: `fields = {{ {there} = \"\" }}`"
                ),
            )
        };
        let ends = match (self.start, self.end) {
            (Some(start), Some(end)) => Some((start, end)),
            (None, None) => None,
            (Some(_), None) => return Err(half("start", "end")),
            (None, Some(_)) => return Err(half("end", "start")),
        };
        if let (Some((start, end)), Some(both)) = (ends, self.both)
            && (start, end) != both
        {
            return Err(Problem::new(format!(
                "the span is from {start} to {end} by `start` and `end`, and from {} to {} by `span`",
                both.0, both.1
            )));
        }
        match ends.or(self.both) {
            Some((start, end)) if start > end => {
                Err(Problem::new(format!("the span ends at {end}, before its start at {start}")))
            }
            place => Ok(place.map(|(start, end)| start..end)),
        }
    }
}
