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

pub(super) fn candidate(cell: &Cell<'_>) -> Option<Candidate> {
    if let Some(text) = answer(cell) {
        return Some(Candidate { text, ..Candidate::default() });
    }
    let given = |name: &str| cell.member(name).filter(|member| !member.is_none());
    let text = answer(cell.member("text")?)?;
    let span = match (given("start"), given("end")) {
        (None, None) => None,
        (None, Some(_)) => return None,
        (Some(start), end) => {
            let start = position(start)?;
            let length = || start.checked_add(text.chars().count());
            let end = end.map_or_else(length, position)?;
            (start <= end).then_some(start..end)?.into()
        }
    };
    let confidence = match given("confidence") {
        Some(number) => Some(finite(number)?),
        None => None,
    };
    let passage = match given("passage_id") {
        Some(passage) => Some(id(passage)?),
        None => None,
    };
    Some(Candidate { text, confidence, span, passage })
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
        Cell::Large(number) => Some(Value::Number(*number as f64)),
        Cell::Number(number) => Some(Value::Number(*number)),
        Cell::Text(text) => Some(Value::Text(text.as_ref().to_owned())),
        Cell::Untyped(text) => Some(Value::Text((*text).to_owned())),
        Cell::List(items) => items.iter().map(value).collect::<Option<_>>().map(Value::List),
        Cell::Absent | Cell::Null | Cell::Object(_) => None,
    }
}
