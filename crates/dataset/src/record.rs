//! Records with named fields to examples and predictions.
//!
//! A record is filled field by field as they stand in the file, not part by part: files have few
//! of the fields that could be wanted, and a dataset has millions of records.

use std::ops::Range;

use qeval_core::{Example, Prediction, metrics::verdict};

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
    SpanStart,
    SpanEnd,
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
            if let Some(slot) = wanted.role(name, mapped.as_ref(), Need::Always) {
                layout.add(slot, part);
            }
        };
        role("candidates", &fields.candidates, Part::Candidates);
        role("confidence", &fields.confidence, Part::Confidence);
        role("hits", &fields.hits, Part::Hits);
        role("citations", &fields.citations, Part::Citations);
        role("verdict", &fields.verdict, Part::Label(verdict::LABEL.to_owned()));
        role("span_start", &fields.span_start, Part::SpanStart);
        role("span_end", &fields.span_end, Part::SpanEnd);
        layout.add(wanted.required("id", fields.id.as_ref()), Part::Id);
        layout.add(wanted.required("prediction", fields.prediction.as_ref()), Part::Prediction);
        for name in labels {
            layout.add(wanted.column(name), Part::Label(name.clone()));
        }
        layout
    }

    fn add(&mut self, slot: usize, part: Part) {
        self.parts.resize_with(self.parts.len().max(slot + 1), Vec::new);
        self.parts[slot].push(part);
    }

    /// Fills an empty record. A record is half a kilobyte, so it is built where it will stay.
    pub(crate) fn fill(&self, record: &mut Record, row: &Row<'_, '_>) -> Result<(), Problem> {
        let mut prediction = Prediction::default();
        let mut predicted = false;
        let mut span = (None, None);
        for (slot, field) in row.fields() {
            for part in &self.parts[slot] {
                match part {
                    Part::Prediction => {
                        predicted = true;
                        answer(&mut prediction, &field)?;
                    }
                    Part::Candidates => prediction.candidates = field.candidates()?,
                    Part::Confidence => prediction.confidence = field.number()?,
                    Part::Hits => {
                        prediction.seen = field.given().then(|| field.ids()).transpose()?;
                    }
                    Part::Citations => prediction.citations = field.ids()?,
                    Part::SpanStart => span.0 = field.count()?,
                    Part::SpanEnd => span.1 = field.count()?,
                    Part::Label(name) => {
                        if let Some(label) = field.label()? {
                            prediction.labels.insert(name.clone(), label);
                        }
                    }
                    part => fill(&mut record.example, part, &field)?,
                }
            }
        }
        prediction.span = range(span)?;
        record.prediction = predicted.then_some(prediction);
        Ok(())
    }
}

fn fill(example: &mut Example, part: &Part, field: &Field<'_, '_>) -> Result<(), Problem> {
    match part {
        Part::Id => example.id = field.required_id()?,
        Part::Question => example.question = field.text()?.unwrap_or_default(),
        Part::References => example.references = field.references()?,
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
        // The parts of the prediction are for the caller.
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

/// The text of a prediction, or a list of texts; null abstains.
fn answer(prediction: &mut Prediction, field: &Field<'_, '_>) -> Result<(), Problem> {
    let Prediction { text, abstained, items, .. } = match field.answer()? {
        Answer::None => Prediction::abstention(),
        Answer::Text(text) => Prediction::answer(text),
        Answer::List(items) => list(items),
    };
    (prediction.text, prediction.abstained, prediction.items) = (text, abstained, items);
    Ok(())
}

fn range(span: (Option<usize>, Option<usize>)) -> Result<Option<Range<usize>>, Problem> {
    let half = |there: &str, missing: &str| {
        Problem::new(format!("the span has a {there} and no {missing}"))
            .with_hint(format!("name the field of its {missing} as `span_{missing}`"))
    };
    match span {
        (Some(start), Some(end)) if start <= end => Ok(Some(start..end)),
        (Some(start), Some(end)) => {
            Err(Problem::new(format!("the span ends at {end}, before its start at {start}")))
        }
        (None, None) => Ok(None),
        (Some(_), None) => Err(half("start", "end")),
        (None, Some(_)) => Err(half("end", "start")),
    }
}
