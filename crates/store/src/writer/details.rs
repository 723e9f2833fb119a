//! A batch of the table of details: the reason of each null score, and what scores are made of.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};

use super::{
    columns::{Floats, SmallIntegers, TextColumn},
    record::{Cell, Parts, Record},
};
use crate::{Layout, schema};

/// The columns of the details while a batch is built.
#[derive(Debug)]
pub(super) struct DetailColumns {
    schema: SchemaRef,
    /// Names of the metric columns, each with its place in a row; in the order of the names.
    metrics: Vec<(String, usize)>,
    dataset: Option<TextColumn>,
    example_id: TextColumn,
    metric: TextColumn,
    ordinal: SmallIntegers,
    kind: TextColumn,
    value: Floats,
    label: TextColumn,
    text: TextColumn,
}

impl DetailColumns {
    pub(super) fn new(layout: &Layout) -> Self {
        // The reason of a statistic is that of its metric.
        let columns = layout.metrics.iter().zip(0..);
        let own = columns.filter(|(metric, _)| metric.statistic_of.is_none());
        let mut metrics: Vec<(String, usize)> =
            own.map(|(metric, place)| (metric.column.clone(), place)).collect();
        metrics.sort_unstable();
        Self {
            schema: schema::plain(&layout.details()),
            metrics,
            dataset: (!layout.datasets.is_empty()).then(TextColumn::new),
            example_id: TextColumn::new(),
            metric: TextColumn::new(),
            ordinal: SmallIntegers::new(),
            kind: TextColumn::new(),
            value: Floats::new(),
            label: TextColumn::new(),
            text: TextColumn::new(),
        }
    }

    /// Appends a row for each null score of an example, in the order of the metrics' names, and
    /// behind it one for each part of the score.
    pub(super) fn append(&mut self, record: &Record<'_>, dataset: Option<&str>) {
        if !record.unscored && record.parts.is_none() {
            return;
        }
        let scores: Vec<Cell<'_>> = record.scores.clone().collect();
        let parts = || record.parts.iter().cloned().flat_map(Parts::into_iter);
        for index in 0..self.metrics.len() {
            let place = self.metrics[index].1;
            let mut ordinal = 0;
            if let Some(Err((reason, text))) = scores.get(place) {
                self.key(record, dataset, index, &mut ordinal);
                self.kind.append(if reason.is_failure() { b"error" } else { b"note" });
                self.value.append_option(None);
                self.label.append(reason.label().as_bytes());
                self.text.append(text);
            }
            for part in parts().filter(|part| part.metric == place) {
                self.key(record, dataset, index, &mut ordinal);
                self.kind.append(schema::PART.as_bytes());
                self.value.append_option(part.value);
                self.label.append_option(part.label);
                self.text.append_option(part.text);
            }
        }
    }

    /// Appends what a row begins with.
    fn key(
        &mut self,
        record: &Record<'_>,
        dataset: Option<&str>,
        metric: usize,
        ordinal: &mut i32,
    ) {
        if let Some(column) = &mut self.dataset {
            column.append_option(dataset.map(str::as_bytes));
        }
        self.example_id.append(record.key.id());
        self.metric.append(self.metrics[metric].0.as_bytes());
        self.ordinal.append(*ordinal);
        *ordinal = ordinal.saturating_add(1);
    }

    /// The batch, and empty columns; `None` if there is no row.
    pub(super) fn finish(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if self.example_id.len() == 0 {
            return Ok(None);
        }
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        if let Some(column) = &mut self.dataset {
            columns.push(Arc::new(column.finish()?));
        }
        columns.extend([
            Arc::new(self.example_id.finish()?) as ArrayRef,
            Arc::new(self.metric.finish()?),
            self.ordinal.finish(),
            Arc::new(self.kind.finish()?),
            self.value.finish(),
            Arc::new(self.label.finish()?),
            Arc::new(self.text.finish()?),
        ]);
        RecordBatch::try_new(Arc::clone(&self.schema), columns).map(Some)
    }
}
