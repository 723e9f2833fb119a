//! Scores to a record batch.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Float64Array, RecordBatch, RecordBatchOptions, StringArray,
    builder::{Float64Builder, ListBuilder, StringBuilder},
};
use arrow_schema::{Field, Schema};
use qeval_core::{FailureKind, Score, Unscored};

use crate::{Failure, ScorePart, Scores, instance::Column};

/// Writes scores as a record batch. Columns of different lengths are a failure.
pub fn encode(columns: &[Column], scores: &Scores, rows: usize) -> Result<RecordBatch, Failure> {
    let mut table = Table::default();
    for column in columns {
        let Some(values) = scores.columns.get(column.metric) else {
            return Err(Failure::protocol(format!(
                "the scorer gave {} columns, and none for `{}`",
                scores.columns.len(),
                column.name
            )));
        };
        table.scores(&column.name, values);
        if !column.statistics.is_empty() {
            table.statistics(column, values, scores)?;
        }
        let parts = scores.parts.iter().filter(|part| part.metric == column.metric);
        table.parts(&column.name, parts.collect(), values.len())?;
    }
    // The number of rows is said only where no column says it.
    let options = RecordBatchOptions::new().with_row_count(columns.is_empty().then_some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(table.fields)), table.arrays, &options)
        .map_err(|error| Failure::protocol(format!("the scores do not make a batch: {error}")))
}

/// The label of a reason at the boundary, where all failures have the same.
fn crossing(reason: &Unscored) -> &'static str {
    if reason.is_failure() { FailureKind::Unnamed.name() } else { reason.label() }
}

/// Columns that are being collected.
#[derive(Default)]
struct Table {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Table {
    fn push(&mut self, name: String, array: impl Array + 'static) {
        self.fields.push(Field::new(name, array.data_type().clone(), true));
        self.arrays.push(Arc::new(array));
    }

    fn scores(&mut self, name: &str, scores: &[Score]) {
        let values: Float64Array =
            scores.iter().map(|score| score.as_ref().ok().copied()).collect();
        self.push(name.to_owned(), values);
        if scores.iter().all(Result::is_ok) {
            return;
        }
        let reasons = || scores.iter().map(|score| score.as_ref().err());
        let labels: StringArray = reasons().map(|reason| Some(crossing(reason?))).collect();
        self.push(format!("{name}.unscored"), labels);
        let texts: StringArray = reasons().map(|reason| Some(reason?.to_string())).collect();
        self.push(format!("{name}.reason"), texts);
    }

    fn statistics(
        &mut self,
        column: &Column,
        scores: &[Score],
        all: &Scores,
    ) -> Result<(), Failure> {
        let given = all.statistics.get(column.metric).map_or(&[][..], Vec::as_slice);
        if given.len() != column.statistics.len() {
            return Err(Failure::protocol(format!(
                "the scorer gave {} columns for the {} statistics of `{}`",
                given.len(),
                column.statistics.len(),
                column.name
            )));
        }
        for ((name, _), values) in column.statistics.iter().zip(given) {
            let scored = scores.iter().map(Result::is_ok);
            let values: Float64Array =
                values.iter().zip(scored).map(|(&value, scored)| scored.then_some(value)).collect();
            self.push(format!("{}.{name}", column.name), values);
        }
        Ok(())
    }

    fn parts(
        &mut self,
        name: &str,
        mut parts: Vec<&ScorePart>,
        rows: usize,
    ) -> Result<(), Failure> {
        if parts.is_empty() {
            return Ok(());
        }
        // Stable: parts of one case keep their order.
        parts.sort_by_key(|part| part.case);
        if parts.last().is_some_and(|part| part.case >= rows) {
            return Err(Failure::protocol(format!("a part of `{name}` belongs to no case")));
        }
        let mut values = ListBuilder::new(Float64Builder::new());
        let mut labels = ListBuilder::new(StringBuilder::new());
        let mut texts = ListBuilder::new(StringBuilder::new());
        let mut parts = parts.into_iter().peekable();
        for row in 0..rows {
            let mut any = false;
            while let Some(part) = parts.next_if(|part| part.case == row) {
                values.values().append_option(part.value);
                labels.values().append_option(part.label.as_deref());
                texts.values().append_option(part.text.as_deref());
                any = true;
            }
            values.append(any);
            labels.append(any);
            texts.append(any);
        }
        self.push(format!("{name}.values"), values.finish());
        self.push(format!("{name}.labels"), labels.finish());
        self.push(format!("{name}.texts"), texts.finish());
        Ok(())
    }
}
