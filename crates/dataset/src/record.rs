//! Records with named fields to examples and predictions.
//!
//! A record is filled field by field as they stand in the file, not part by part: files have few
//! of the fields that could be wanted, and a dataset has millions of records.

use std::{collections::BTreeMap, mem::take, ops::Range};

use qeval_core::{Example, Prediction, Usage, metrics::verdict};

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

    /// The records of a dataset of which nothing but the ids is read.
    pub(crate) fn of_ids(fields: &DatasetFields, wanted: &mut Wanted) -> Self {
        let mut layout = Self { parts: Vec::new() };
        layout.add(wanted.required("id", fields.id.as_ref()), Part::Id);
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

    /// Fills a record, whatever was in it. A record is half a kilobyte, so it is emptied and filled
    /// where it is; and most of what millions of short records cost is the memory of their texts, so
    /// the texts of the record before are written over.
    pub(crate) fn fill(&self, record: &mut Record, row: &Row<'_, '_>) -> Result<(), Problem> {
        let Record { example, prediction } = record;
        empty_example(example);
        if let Some(prediction) = prediction {
            empty_prediction(prediction);
        }
        let (mut referenced, mut predicted, mut texted) = (false, false, false);
        let mut place = Span::default();
        for (slot, field) in row.fields() {
            for part in &self.parts[slot] {
                match part {
                    Part::Id => field.write_id(&mut example.id)?,
                    Part::References => {
                        referenced = true;
                        field.write_references(&mut example.references)?;
                    }
                    Part::Prediction => {
                        predicted = true;
                        texted = field.given();
                        answer(prediction.get_or_insert_default(), &field)?;
                    }
                    Part::Start | Part::End | Part::Span => {
                        predicted = true;
                        place.set(part, &field)?;
                    }
                    part => {
                        fill_example(example, part, &field)?;
                        fill_prediction(prediction, part, &field)?;
                    }
                }
            }
        }
        if !referenced {
            example.references.clear();
        }
        if !predicted {
            // What else there may be belongs to no answer.
            *prediction = None;
            return Ok(());
        }
        let prediction = prediction.get_or_insert_default();
        if texted {
            place.beside(&prediction.text);
        } else {
            prediction.text.clear();
        }
        prediction.span = place.range()?;
        if !texted {
            // A place is an answer; neither a text nor a place abstains.
            prediction.abstained = prediction.span.is_none();
        }
        Ok(())
    }
}

/// Leaves nothing but the id and the references, which are written over.
fn empty_example(example: &mut Example) {
    let Example {
        id: _,
        references: _,
        dataset,
        group,
        turn,
        question,
        context,
        history,
        gold_passages,
        columns,
    } = example;
    (*dataset, *group, *turn, *context) = (None, None, None, None);
    question.clear();
    history.clear();
    gold_passages.clear();
    clear(columns);
}

/// Leaves nothing but the text, which is written over.
fn empty_prediction(prediction: &mut Prediction) {
    let Prediction {
        text: _,
        abstained,
        items,
        candidates,
        span,
        labels,
        columns,
        confidence,
        citations,
        seen,
        usage,
    } = prediction;
    (*abstained, *span, *confidence, *seen) = (false, None, None, None);
    *usage = Usage::default();
    items.clear();
    candidates.clear();
    citations.clear();
    clear(labels);
    clear(columns);
}

/// Clearing a map costs something even where it is empty, as nearly all of them are.
fn clear<K, V>(map: &mut BTreeMap<K, V>) {
    if !map.is_empty() {
        map.clear();
    }
}

fn fill_example(example: &mut Example, part: &Part, field: &Field<'_, '_>) -> Result<(), Problem> {
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

fn fill_prediction(
    prediction: &mut Option<Prediction>,
    part: &Part,
    field: &Field<'_, '_>,
) -> Result<(), Problem> {
    match part {
        Part::Candidates => prediction.get_or_insert_default().candidates = field.candidates()?,
        Part::Confidence => prediction.get_or_insert_default().confidence = field.number()?,
        Part::Hits => {
            let seen = field.given().then(|| field.ids()).transpose()?;
            prediction.get_or_insert_default().seen = seen;
        }
        Part::Citations => prediction.get_or_insert_default().citations = field.ids()?,
        Part::Label(name) => {
            if let Some(label) = field.label()? {
                prediction.get_or_insert_default().labels.insert(name.clone(), label);
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

/// The text of a prediction, or a list of texts; null abstains. A text is written over the one that
/// is there.
fn answer(prediction: &mut Prediction, field: &Field<'_, '_>) -> Result<(), Problem> {
    match field.answer(take(&mut prediction.text))? {
        Answer::None => prediction.abstained = true,
        Answer::Text(text) => prediction.set_answer(text),
        Answer::List(items) => {
            let Prediction { text, abstained, items, .. } = list(items);
            (prediction.text, prediction.abstained, prediction.items) = (text, abstained, items);
        }
    }
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
