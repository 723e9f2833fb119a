//! A value as a part of a record; `None` where it is something else.

use qeval_core::{Candidate, Exchange, Reference, Value};

use crate::cell::Cell;

pub(super) fn id(cell: &Cell<'_>) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(text.as_ref().to_owned()),
        Cell::Untyped(text) => Some((*text).to_owned()),
        Cell::Integer(number) => Some(number.to_string()),
        Cell::Large(number) => Some(number.to_string()),
        _ => None,
    }
}

pub(super) fn reference(cell: &Cell<'_>) -> Option<Reference> {
    match cell {
        Cell::Text(text) => Some(text.as_ref().into()),
        Cell::Object(_) => match cell.member("text") {
            Some(Cell::Text(text)) => {
                let start = cell.member("answer_start").and_then(position);
                let items = match cell.member("items") {
                    None | Some(Cell::Null) => Vec::new(),
                    Some(items) => texts(items)?,
                };
                Some(Reference { start, items, ..text.as_ref().into() })
            }
            _ => None,
        },
        _ => None,
    }
}

/// What is wrong with a candidate; `None` where it is none at all.
pub(crate) type Fault = Option<String>;

pub(super) fn candidate(cell: &Cell<'_>) -> Result<Candidate, Fault> {
    if let Some(text) = answer(cell) {
        return Ok(Candidate { text, ..Candidate::default() });
    }
    let text = candidate_text(cell)?;
    let place = |name| member(cell, name, position, "a whole number from 0");
    let span = match (place("start")?, place("end")?) {
        (None, None) => None,
        (None, Some(_)) => return Err(Some("has `end` and no `start`".to_owned())),
        (Some(start), end) => {
            let end = end.unwrap_or_else(|| start.saturating_add(text.chars().count()));
            if start > end {
                return Err(Some(format!("ends at {end}, before its start at {start}")));
            }
            Some(start..end)
        }
    };
    let confidence = member(cell, "confidence", finite, "a finite number")?;
    let passage = member(cell, "passage_id", id, "a text or a whole number")?;
    Ok(Candidate { text, confidence, span, passage })
}

/// The text of a candidate that is an object; null is no answer.
pub(crate) fn candidate_text(cell: &Cell<'_>) -> Result<String, Fault> {
    let Cell::Object(_) = cell else { return Err(None) };
    let text = cell.member("text").ok_or_else(|| Some("has no `text`".to_owned()))?;
    answer(text).ok_or_else(|| {
        Some(format!("has a `text` that is {}, expected a text or null", text.kind()))
    })
}

/// A member of a candidate, if it has a value.
pub(crate) fn member<T>(
    cell: &Cell<'_>,
    name: &str,
    read: fn(&Cell<'_>) -> Option<T>,
    expected: &str,
) -> Result<Option<T>, Fault> {
    let Some(value) = cell.member(name).filter(|value| !value.is_none()) else {
        return Ok(None);
    };
    read(value).map(Some).ok_or_else(|| {
        let found = match value {
            Cell::Integer(number) => number.to_string(),
            Cell::Number(number) => number.to_string(),
            value => value.kind().to_owned(),
        };
        Some(format!("has a `{name}` that is {found}, expected {expected}"))
    })
}

/// A text, or null where a reader would rather not answer.
pub(super) fn answer(cell: &Cell<'_>) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(text.as_ref().to_owned()),
        Cell::Null => Some(String::new()),
        _ => None,
    }
}

/// A finite number.
pub(crate) fn finite(cell: &Cell<'_>) -> Option<f64> {
    let number = match cell {
        Cell::Number(number) => *number,
        Cell::Integer(number) => *number as f64,
        Cell::Large(number) => *number as f64,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

pub(super) fn exchange(cell: &Cell<'_>) -> Option<Exchange> {
    let text = |name: &str| match cell.member(name) {
        Some(Cell::Text(text)) => Some(text.as_ref().to_owned()),
        _ => None,
    };
    Some(Exchange { question: text("question")?, answer: text("answer")? })
}

/// A list of texts and nothing else.
pub(crate) fn texts(cell: &Cell<'_>) -> Option<Vec<String>> {
    let text = |item: &Cell<'_>| match item {
        Cell::Text(text) => Some(text.as_ref().to_owned()),
        _ => None,
    };
    match cell {
        Cell::List(items) => items.iter().map(text).collect(),
        _ => None,
    }
}

/// An offset; datasets write -1 for one that they don't know.
pub(super) fn position(cell: &Cell<'_>) -> Option<usize> {
    match cell {
        Cell::Integer(number) => usize::try_from(*number).ok(),
        _ => None,
    }
}

pub(super) fn value(cell: &Cell<'_>) -> Option<Value> {
    match cell {
        Cell::Bool(value) => Some(Value::Bool(*value)),
        Cell::Integer(number) => Some(Value::Integer(*number)),
        // A float would round it.
        Cell::Large(number) => Some(Value::Text(number.to_string())),
        Cell::Number(number) => Some(Value::Number(*number)),
        Cell::Text(text) => Some(Value::Text(text.as_ref().to_owned())),
        Cell::Untyped(text) => Some(Value::Text((*text).to_owned())),
        Cell::List(items) => {
            let given = items.iter().filter(|item| !item.is_none());
            given.map(value).collect::<Option<_>>().map(Value::List)
        }
        Cell::Absent | Cell::Null | Cell::Object(_) => None,
    }
}
