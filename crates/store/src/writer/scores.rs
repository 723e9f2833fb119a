//! A batch of the table of scores.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};

use super::{
    columns::{Booleans, Floats, Integers, TextColumn},
    record::Record,
};
use crate::{Layout, schema};

/// The columns of the scores while a batch is built.
#[derive(Debug)]
pub(super) struct ScoreColumns {
    schema: SchemaRef,
    dataset: Option<TextColumn>,
    example_id: TextColumn,
    position: Integers,
    group_id: Option<TextColumn>,
    slices: Vec<TextColumn>,
    diagnosis: Option<(Booleans, TextColumn)>,
    metrics: Vec<Floats>,
}

impl ScoreColumns {
    pub(super) fn new(layout: &Layout) -> Self {
        Self {
            schema: schema::plain(&layout.scores()),
            dataset: (!layout.datasets.is_empty()).then(TextColumn::new),
            example_id: TextColumn::new(),
            position: Integers::new(),
            group_id: layout.groups.then(TextColumn::new),
            slices: layout.slices.iter().map(|_| TextColumn::new()).collect(),
            diagnosis: layout.diagnosis.then(|| (Booleans::new(), TextColumn::new())),
            metrics: layout.metrics.iter().map(|_| Floats::new()).collect(),
        }
    }

    /// Appends an example; `dataset` is the name of its dataset where there are several.
    pub(super) fn append(&mut self, record: &Record<'_>, dataset: Option<&str>) {
        if let Some(column) = &mut self.dataset {
            column.append_option(dataset.map(str::as_bytes));
        }
        self.example_id.append(record.key.id());
        self.position.append(record.position);
        if let Some(column) = &mut self.group_id {
            column.append_option(record.group);
        }
        for (column, slice) in self.slices.iter_mut().zip(record.slices.clone()) {
            column.append_option(slice);
        }
        if let Some((evidence_seen, cause)) = &mut self.diagnosis {
            evidence_seen.append_option(record.evidence_seen);
            cause.append_option(record.cause);
        }
        for (column, score) in self.metrics.iter_mut().zip(record.scores.clone()) {
            column.append_option(score.ok());
        }
    }

    /// The batch, and empty columns.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        if let Some(column) = &mut self.dataset {
            columns.push(Arc::new(column.finish()?));
        }
        columns.push(Arc::new(self.example_id.finish()?));
        columns.push(self.position.finish());
        for column in self.group_id.iter_mut().chain(&mut self.slices) {
            columns.push(Arc::new(column.finish()?));
        }
        if let Some((evidence_seen, cause)) = &mut self.diagnosis {
            columns.push(evidence_seen.finish());
            columns.push(Arc::new(cause.finish()?));
        }
        columns.extend(self.metrics.iter_mut().map(Floats::finish));
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}
