//! What the records of a dataset have, which a table must know before its first row.

use std::collections::{BTreeMap, BTreeSet};

use qeval_core::{Value, metrics::verdict};

use super::{TargetFormat, each, refusal};
use crate::{DatasetSource, Error, Problem, Record};

/// What occurs.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Names of the fields, and of what references may have beside their text.
    fields: BTreeSet<&'static str>,
    /// Columns and what they hold.
    pub(super) columns: BTreeMap<String, Kind>,
    records: u64,
}

/// What the values of a column are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Number,
    Bool,
    /// A list; of nothing as long as all are empty.
    List(Option<Box<Kind>>),
}

impl Survey {
    /// Reads the dataset through, and refuses what differs from record to record.
    pub(super) fn of(source: &DatasetSource, format: TargetFormat) -> Result<Self, Error> {
        let mut survey = Self::default();
        each(source, |record| {
            refusal::check(format, &record)?;
            survey.add(&record, format)
        })?;
        Ok(survey)
    }

    /// Whether a field occurs.
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.contains(field)
    }

    fn add(&mut self, record: &Record, format: TargetFormat) -> Result<(), Problem> {
        let Record { example, prediction } = record;
        let references = &example.references;
        let answer = prediction.as_ref();
        let predicted = self.has("prediction");
        let there = [
            ("context", example.context.is_some()),
            ("gold_passages", !example.gold_passages.is_empty()),
            ("group", example.group.is_some()),
            ("turn", example.turn.is_some()),
            ("history", !example.history.is_empty()),
            ("answer_start", references.iter().any(|reference| reference.start.is_some())),
            ("items", references.iter().any(|reference| !reference.items.is_empty())),
            ("prediction", answer.is_some()),
            ("confidence", answer.is_some_and(|answer| answer.confidence.is_some())),
            ("hits", answer.is_some_and(|answer| answer.seen.is_some())),
            ("citations", answer.is_some_and(|answer| !answer.citations.is_empty())),
            ("verdict", answer.is_some_and(|answer| answer.labels.contains_key(verdict::LABEL))),
        ];
        self.fields.extend(there.into_iter().filter(|(_, there)| *there).map(|(name, _)| name));
        if self.records > 0 && predicted != answer.is_some() {
            let why = if predicted {
                "it is missing, and other examples have one"
            } else {
                "other examples have none, and a table has a cell for each"
            };
            return Err(refusal::refuse(format, record, "prediction", why));
        }
        self.records += 1;
        if answer.is_some_and(|answer| !answer.items.is_empty()) {
            let why = "it is a list, and a column of answers holds texts";
            return Err(refusal::refuse(format, record, "prediction", why));
        }
        for (name, value) in &example.columns {
            let kind = kind(value);
            let merged = match (kind, self.columns.get(name)) {
                (Some(kind), None) => Some(kind),
                (Some(kind), Some(known)) => merge(known, &kind),
                (None, _) => None,
            };
            match merged {
                Some(merged) => {
                    self.columns.insert(name.clone(), merged);
                }
                // Cells of a table are texts, whatever they were.
                None if format == TargetFormat::Csv => {
                    self.columns.entry(name.clone()).or_insert(Kind::Text);
                }
                None => {
                    let why = "its values are not all of one kind";
                    return Err(refusal::refuse(format, record, name, why));
                }
            }
        }
        Ok(())
    }
}

/// What a value is; `None` for a list of several kinds.
fn kind(value: &Value) -> Option<Kind> {
    Some(match value {
        Value::Text(_) => Kind::Text,
        Value::Integer(_) => Kind::Integer,
        Value::Number(_) => Kind::Number,
        Value::Bool(_) => Kind::Bool,
        Value::List(values) => {
            let mut inner: Option<Kind> = None;
            for value in values {
                let kind = kind(value)?;
                inner = Some(match inner {
                    None => kind,
                    Some(known) => merge(&known, &kind)?,
                });
            }
            Kind::List(inner.map(Box::new))
        }
    })
}

/// The kind of both, if there is one.
fn merge(a: &Kind, b: &Kind) -> Option<Kind> {
    match (a, b) {
        (Kind::List(None), Kind::List(other)) | (Kind::List(other), Kind::List(None)) => {
            Some(Kind::List(other.clone()))
        }
        (Kind::List(Some(a)), Kind::List(Some(b))) => {
            Some(Kind::List(Some(Box::new(merge(a, b)?))))
        }
        (a, b) => (a == b).then(|| a.clone()),
    }
}
