//! All that is stored of an example, put together from the tables.

use std::{collections::BTreeMap, iter::Peekable};

use ::parquet::errors::ParquetError;

use super::{ExportError, Selection, selection::Columns};
use crate::{
    Detail, Evaluation, ReadError, Scores, StoredCase,
    reader::scores::{self, Request},
    schema,
};

/// An evaluation that rows come from.
pub(super) struct Source {
    /// What it is called.
    pub(super) name: String,
    /// Name of its dataset, where it has one only.
    dataset: Option<String>,
    /// Whether it has each of the metrics.
    pub(super) has: Vec<bool>,
}

/// One example.
pub(super) struct Row {
    pub(super) dataset: Option<String>,
    pub(super) case: StoredCase,
    /// Place in the dataset, from 0.
    pub(super) position: i64,
    /// A value for each slice of [`Columns`].
    pub(super) slices: Vec<Option<String>>,
    pub(super) evidence_seen: Option<bool>,
    pub(super) cause: Option<String>,
    /// A score for each metric of [`Columns`].
    pub(super) scores: Vec<Option<f64>>,
    /// Why there is no score, by column of the metric, where that was asked for.
    pub(super) reasons: BTreeMap<String, String>,
}

impl Source {
    pub(super) fn new(evaluation: &Evaluation, name: String, columns: &Columns) -> Self {
        let manifest = evaluation.manifest();
        let dataset = match manifest.datasets.as_slice() {
            [dataset] => Some(dataset.name.clone()),
            _ => None,
        };
        let has = columns
            .metrics
            .iter()
            .map(|metric| manifest.metrics.iter().any(|own| own.column == metric.column));
        Self { name, dataset, has: has.collect() }
    }
}

/// Gives each selected row of an evaluation to `visit`, in the order of the tables.
pub(super) fn each(
    evaluation: &Evaluation,
    source: &Source,
    columns: &Columns,
    selection: &Selection,
    reasons: bool,
    mut visit: impl FnMut(&Source, Row) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    evaluation.verify("scores/")?;
    let metrics: Vec<&str> = columns.metrics.iter().map(|metric| metric.column.as_str()).collect();
    let own = metrics.iter().zip(&source.has).filter(|&(_, &has)| has);
    let own: Vec<&str> = own.map(|(&metric, _)| metric).collect();
    let slices = &evaluation.manifest().slices;
    let request = Request { slices, metrics: &own, ids: true, groupings: true };
    let mut cases = evaluation.all_cases()?;
    let mut details = reasons.then(|| evaluation.details()).transpose()?.map(Iterator::peekable);
    let unlike = || ReadError::Damaged {
        path: evaluation.folder().join("cases"),
        source: ParquetError::General("its rows are not those of the scores".to_owned()),
    };
    for batch in scores::read_batches(evaluation.folder(), request)? {
        let batch = batch?;
        for place in 0..batch.len() {
            let case = cases.next().ok_or_else(unlike)??;
            if case.example_id != batch.ids.get(place) {
                return Err(unlike().into());
            }
            let reasons = match &mut details {
                Some(details) => reasons_of(&case, details)?,
                None => BTreeMap::new(),
            };
            let row = row(source, columns, case, &batch, place, reasons);
            if selected(selection, columns, &row) {
                visit(source, row)?;
            }
        }
    }
    Ok(())
}

fn row(
    source: &Source,
    columns: &Columns,
    case: StoredCase,
    batch: &Scores,
    place: usize,
    reasons: BTreeMap<String, String>,
) -> Row {
    let slice = |name: &String| {
        let (_, labels) = batch.slices.iter().find(|(slice, _)| slice == name)?;
        labels.get(place).map(str::to_owned)
    };
    let score = |column: &str| batch.metric(column).and_then(|scores| scores[place]);
    Row {
        dataset: case.dataset.clone().or_else(|| source.dataset.clone()),
        position: batch.positions[place],
        slices: columns.slices.iter().map(slice).collect(),
        evidence_seen: batch.evidence_seen.as_ref().and_then(|seen| seen[place]),
        cause: batch.causes.as_ref().and_then(|causes| causes.get(place)).map(str::to_owned),
        scores: columns.metrics.iter().map(|metric| score(&metric.column)).collect(),
        reasons,
        case,
    }
}

/// The reasons of one example. Details are sorted as cases are, and many cases have none.
fn reasons_of(
    case: &StoredCase,
    details: &mut Peekable<impl Iterator<Item = Result<Detail, ReadError>>>,
) -> Result<BTreeMap<String, String>, ReadError> {
    let mut reasons = BTreeMap::new();
    // An error ends the loop by being taken.
    let of_case = |detail: &Result<Detail, ReadError>| match detail {
        Ok(detail) => detail.example_id == case.example_id && detail.dataset == case.dataset,
        Err(_) => true,
    };
    while let Some(detail) = details.next_if(of_case) {
        let detail = detail?;
        if detail.kind == schema::PART {
            continue;
        }
        if let Some(reason) = detail.text.or(detail.label) {
            reasons.entry(detail.metric).or_insert(reason);
        }
    }
    Ok(reasons)
}

fn selected(selection: &Selection, columns: &Columns, row: &Row) -> bool {
    let in_slice = |(name, value): &(String, String)| {
        let mut slices = columns.slices.iter().zip(&row.slices);
        slices.any(|(slice, found)| slice == name && found.as_deref() == Some(value))
    };
    selection.slices.iter().all(in_slice)
        && selection.dataset.as_ref().is_none_or(|name| row.dataset.as_ref() == Some(name))
}
