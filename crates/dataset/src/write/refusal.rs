//! What a format cannot hold.

use qeval_core::{Prediction, Value, metrics::verdict};

use super::TargetFormat;
use crate::{Problem, Record, record};

/// Names of the fields, which no column may have.
pub(super) const FIELDS: [&str; 13] = [
    "id",
    "question",
    "references",
    "context",
    "gold_passages",
    "group",
    "turn",
    "history",
    "prediction",
    "confidence",
    "hits",
    "citations",
    "verdict",
];

/// Fields that every example has.
pub(super) const ALWAYS: [&str; 3] = ["id", "question", "references"];

/// A field of an example that cannot be written.
pub(super) fn refuse(format: TargetFormat, record: &Record, field: &str, why: &str) -> Problem {
    let id = &record.example.id;
    Problem::new(format!(
        "`{field}` of example `{id}` cannot be written in the format `{}`: {why}",
        format.name()
    ))
}

/// Refuses what none of the formats with named fields holds.
pub(super) fn check(format: TargetFormat, record: &Record) -> Result<(), Problem> {
    let refuse = |field: &str, why: &str| Err(refuse(format, record, field, why));
    let example = &record.example;
    if example.group.as_deref() == Some("") {
        return refuse("group", "it is an empty text");
    }
    for (name, value) in &example.columns {
        if FIELDS.contains(&name.as_str()) {
            return refuse(name, "a column cannot have the name of a field");
        }
        if !finite(value) {
            return refuse(name, "it is no finite number");
        }
    }
    let Some(prediction) = &record.prediction else { return Ok(()) };
    for (label, value) in prediction.labels.iter().filter(|(label, _)| *label != verdict::LABEL) {
        let field = format!("labels.{label}");
        if format != TargetFormat::Jsonl {
            return refuse(&field, "only `jsonl` has a place for labels");
        }
        if FIELDS.contains(&label.as_str()) {
            return refuse(&field, "a label cannot have the name of a field");
        }
        let column = example.columns.get(label);
        if column.is_some_and(|column| *column != Value::Text(value.clone())) {
            return refuse(&field, "a column of that name holds something else");
        }
    }
    if !prediction.candidates.is_empty() {
        return refuse("candidates", "a dataset has no such field");
    }
    if prediction.span.is_some() {
        return refuse("span", "a dataset has no such field");
    }
    if prediction.usage != qeval_core::Usage::default() {
        return refuse("usage", "a dataset has no such field");
    }
    if prediction.confidence.is_some_and(|confidence| !confidence.is_finite()) {
        return refuse("confidence", "it is no finite number");
    }
    let Prediction { text, abstained, items, .. } = prediction;
    let read = if items.is_empty() {
        Prediction::answer(text.as_str())
    } else {
        record::list(items.clone())
    };
    if (&read.text, read.abstained) != (text, *abstained) {
        return refuse("prediction", "its text, its parts and its abstention disagree");
    }
    Ok(())
}

fn finite(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_finite(),
        Value::List(values) => values.iter().all(finite),
        Value::Text(_) | Value::Integer(_) | Value::Bool(_) => true,
    }
}
