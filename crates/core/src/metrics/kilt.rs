//! KILT's metrics: the answer, the pages that support it, and the answer where the pages are right.
//!
//! The pages that a prediction gives as support are its citations. Those that a dataset holds right
//! come in *evidence sets*: one set is enough, but it takes the whole set. They stand in the column
//! `evidence` of the example, a list of lists of ids; without that column all gold passages are one
//! set.

pub mod downstream;
pub mod joint;
pub mod provenance;

use std::collections::BTreeSet;

use crate::{Example, Unscored, Value};

/// The evidence sets of an example, each without repetition.
fn evidence(example: &Example) -> Result<Vec<Vec<&str>>, Unscored> {
    let sets = match example.columns.get("evidence") {
        Some(Value::List(sets)) => sets.iter().map(texts).collect(),
        _ if example.gold_passages.is_empty() => Vec::new(),
        _ => vec![distinct(example.gold_passages.iter().map(String::as_str))],
    };
    if sets.iter().all(Vec::is_empty) { Err(Unscored::NoRelevantPassage) } else { Ok(sets) }
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Text(text) => vec![text],
        Value::List(values) => distinct(values.iter().filter_map(|value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })),
        _ => Vec::new(),
    }
}

/// Each id once, in order.
fn distinct<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    ids.filter(|&id| seen.insert(id)).collect()
}
