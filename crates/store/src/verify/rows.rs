//! The rows of scores, cases and details against each other.

use std::{cmp::Ordering, iter::Peekable, path::Path};

use super::{Defect, Verification};
use crate::{
    Detail, Manifest, ReadError,
    reader::{
        details, footer,
        scores::{self, Request, Scores},
    },
    schema,
};

const SCORES: &str = "scores";
const CASES: &str = "cases";
const DETAILS: &str = "details";

/// A range is exceeded by more than what rounding does to a sum.
const ROUNDING: f64 = 1e-9;

/// Which tables can be read beside the scores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables {
    pub(super) cases: bool,
    pub(super) details: bool,
}

type Key = (Option<String>, String);

/// An example of the scores.
struct Example<'a> {
    key: &'a Key,
    row: u64,
    values: Vec<Option<f64>>,
}

impl Example<'_> {
    fn defect(&self, file: &str, message: String) -> Defect {
        let (row, example) = (Some(self.row), Some(self.key.1.clone()));
        Defect { file: file.to_owned(), row, example, message }
    }
}

pub(super) fn look(
    folder: &Path,
    manifest: &Manifest,
    tables: Tables,
    found: &mut Verification,
) -> Result<(), ReadError> {
    let columns: Vec<&str> = manifest.metrics.iter().map(|metric| metric.column.as_str()).collect();
    let request = Request { slices: &[], metrics: &columns, ids: true, groupings: true };
    let mut cases = if tables.cases { Some(footer::keys(folder)?) } else { None };
    let mut reasons = if tables.details { Some(details::read(folder)?.peekable()) } else { None };
    let mut last: Option<Key> = None;
    for batch in scores::read_batches(folder, request)? {
        let batch = batch?;
        for index in 0..batch.len() {
            let key = key(&batch, index);
            let values = batch.metrics.iter().map(|(_, values)| values[index]).collect();
            let example = Example { key: &key, row: found.rows, values };
            if let Some(message) = misplaced(last.as_ref(), &key) {
                found.add(example.defect(SCORES, message.to_owned()));
            }
            numbers(&example, manifest, found);
            if let Some(cases) = &mut cases {
                same_case(&example, cases.next().transpose()?, found);
            }
            if let Some(reasons) = &mut reasons {
                let own = own(&example, reasons, found)?;
                explained(&example, &own, manifest, found);
            }
            found.rows += 1;
            last = Some(key);
        }
    }
    let expected: u64 = manifest.datasets.iter().map(|dataset| dataset.examples).sum();
    if !manifest.datasets.is_empty() && expected != found.rows {
        let rows = found.rows;
        found.file(SCORES, format!("there are {rows} examples, and the manifest says {expected}"));
    }
    let more = cases.map_or(0, Iterator::count);
    if more > 0 {
        found.file(CASES, format!("there are {more} cases without scores"));
    }
    for detail in reasons.into_iter().flatten() {
        stray(&detail?, found);
    }
    Ok(())
}

fn key(scores: &Scores, row: usize) -> Key {
    let dataset = scores.datasets.as_ref().and_then(|datasets| datasets.get(row));
    (dataset.map(str::to_owned), scores.ids.get(row).to_owned())
}

fn misplaced(last: Option<&Key>, key: &Key) -> Option<&'static str> {
    match last?.cmp(key) {
        Ordering::Less => None,
        Ordering::Equal => Some("the example is there twice"),
        Ordering::Greater => Some("the example is not in the order of the ids"),
    }
}

/// Finite, and in the range of the metric.
fn numbers(example: &Example<'_>, manifest: &Manifest, found: &mut Verification) {
    for (metric, value) in manifest.metrics.iter().zip(&example.values) {
        let Some(value) = *value else { continue };
        let column = &metric.column;
        let beyond = |bound: f64| ROUNDING * bound.abs().max(1.0);
        let low = metric.min.is_some_and(|min| value < min - beyond(min));
        let high = metric.max.is_some_and(|max| value > max + beyond(max));
        if !value.is_finite() {
            found.add(example.defect(SCORES, format!("`{column}` is {value}, which is no score")));
        } else if low || high {
            let message = format!("`{column}` is {value}, out of the range of `{}`", metric.name);
            found.add(example.defect(SCORES, message));
        }
    }
}

fn same_case(example: &Example<'_>, case: Option<Key>, found: &mut Verification) {
    let message = match case {
        Some(case) if case == *example.key => return,
        Some((_, id)) => format!("the case in this row is that of `{id}`"),
        None => "there is no case for the example".to_owned(),
    };
    found.add(example.defect(CASES, message));
}

/// Takes the details of an example; those of examples before it belong to none.
fn own(
    example: &Example<'_>,
    details: &mut Peekable<impl Iterator<Item = Result<Detail, ReadError>>>,
    found: &mut Verification,
) -> Result<Vec<Detail>, ReadError> {
    let mut own = Vec::new();
    let place = |detail: &Detail| {
        let key = (detail.dataset.as_deref(), detail.example_id.as_str());
        key.cmp(&(example.key.0.as_deref(), example.key.1.as_str()))
    };
    let here = |detail: &Result<Detail, ReadError>| {
        detail.as_ref().map_or(true, |detail| place(detail) != Ordering::Greater)
    };
    while let Some(detail) = details.next_if(here) {
        let detail = detail?;
        match place(&detail) {
            Ordering::Equal => own.push(detail),
            _ => stray(&detail, found),
        }
    }
    Ok(own)
}

fn stray(detail: &Detail, found: &mut Verification) {
    found.add(Defect {
        file: DETAILS.to_owned(),
        row: None,
        example: Some(detail.example_id.clone()),
        message: format!("a detail of `{}` is of no example, or out of order", detail.metric),
    });
}

/// Each null has one reason, and nothing else has.
fn explained(
    example: &Example<'_>,
    details: &[Detail],
    manifest: &Manifest,
    found: &mut Verification,
) {
    for (metric, value) in manifest.metrics.iter().zip(&example.values) {
        if metric.statistic_of.is_some() {
            continue;
        }
        let column = &metric.column;
        let reason = |detail: &&Detail| detail.metric == *column && is_reason(detail);
        let message = match (value, details.iter().filter(reason).count()) {
            (None, 1) | (Some(_), 0) => continue,
            (None, 0) => format!("`{column}` is null, and no detail says why"),
            (None, count) => format!("`{column}` is null for {count} reasons, expected one"),
            (Some(_), _) => format!("`{column}` has a score, and a detail says why it has none"),
        };
        found.add(example.defect(DETAILS, message));
    }
    let order = |detail: &Detail| (detail.metric.clone(), detail.ordinal);
    if details.windows(2).any(|pair| order(&pair[0]) >= order(&pair[1])) {
        let message = "its details are not in the order of metrics and ordinals".to_owned();
        found.add(example.defect(DETAILS, message));
    }
    let known = |column: &str| manifest.metrics.iter().any(|metric| metric.column == column);
    for detail in details.iter().filter(|detail| !known(&detail.metric)) {
        let message = format!("a detail is of `{}`, which is no metric", detail.metric);
        found.add(example.defect(DETAILS, message));
    }
}

fn is_reason(detail: &Detail) -> bool {
    detail.kind != schema::PART && matches!(detail.kind.as_str(), "error" | "note")
}
