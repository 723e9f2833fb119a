//! A batch of the table of cases.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};

use super::{
    columns::{Booleans, Floats, Integers, SmallIntegers, TextColumn, TextListColumn},
    record::{Answer, Record},
    retrieved::{HitColumn, RelevantColumn},
};
use crate::{Layout, RetrievalColumns, schema};

/// The columns of the cases while a batch is built.
#[derive(Debug)]
pub(super) struct CaseColumns {
    schema: SchemaRef,
    dataset: Option<TextColumn>,
    example_id: TextColumn,
    question: TextColumn,
    answers: AnswerColumns,
    isolated_prediction: TextColumn,
    isolated_abstained: Booleans,
    isolated_error: TextColumn,
    gold_passages: TextListColumn,
    reference: TextListColumn,
    answerable: Booleans,
    group_id: TextColumn,
    turn: SmallIntegers,
    hits: HitColumn,
    error: TextColumn,
    /// Where something retrieves.
    retrieval: Option<(SmallIntegers, RelevantColumn)>,
}

impl CaseColumns {
    pub(super) fn new(layout: &Layout) -> Self {
        Self {
            schema: schema::plain(&layout.cases()),
            dataset: (!layout.datasets.is_empty()).then(TextColumn::new),
            example_id: TextColumn::new(),
            question: TextColumn::new(),
            answers: AnswerColumns::new(),
            isolated_prediction: TextColumn::new(),
            isolated_abstained: Booleans::new(),
            isolated_error: TextColumn::new(),
            gold_passages: TextListColumn::new(),
            reference: TextListColumn::new(),
            answerable: Booleans::new(),
            group_id: TextColumn::new(),
            turn: SmallIntegers::new(),
            hits: HitColumn::new(layout),
            error: TextColumn::new(),
            retrieval: (layout.retrieval != RetrievalColumns::None)
                .then(|| (SmallIntegers::new(), RelevantColumn::new(layout))),
        }
    }

    /// Appends an example; `dataset` is the name of its dataset where there are several.
    pub(super) fn append(&mut self, record: &Record<'_>, dataset: Option<&str>) {
        if let Some(column) = &mut self.dataset {
            column.append_option(dataset.map(str::as_bytes));
        }
        self.example_id.append(record.key.id());
        self.question.append_option(record.question);
        self.answers.append(record.answer.as_ref());
        self.isolated_prediction.append_option(record.isolated);
        self.isolated_abstained.append_option(record.isolated.map(|_| record.isolated_abstained));
        self.isolated_error.append_option(record.isolated_error);
        self.gold_passages.append_option(Some(record.gold_passages.clone()));
        self.reference.append_option(Some(record.references.clone()));
        self.answerable.append_option(Some(record.references.clone().next().is_some()));
        self.group_id.append_option(record.group);
        self.turn.append_option(record.turn);
        self.hits.append(record.hits.clone());
        self.error.append_option(record.error);
        if let Some((retrieved, relevant)) = &mut self.retrieval {
            retrieved.append_option(record.retrieved);
            relevant.append(record.relevant.clone());
        }
    }

    /// The batch, and empty columns.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let answers = &mut self.answers;
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        if let Some(column) = &mut self.dataset {
            columns.push(Arc::new(column.finish()?));
        }
        columns.extend([
            Arc::new(self.example_id.finish()?) as ArrayRef,
            Arc::new(self.question.finish()?),
            Arc::new(answers.prediction.finish()?),
            Arc::new(self.isolated_prediction.finish()?),
            self.isolated_abstained.finish(),
            Arc::new(self.isolated_error.finish()?),
            answers.confidence.finish(),
            answers.abstained.finish(),
            Arc::new(answers.citations.finish()?),
            Arc::new(self.gold_passages.finish()?),
            Arc::new(self.reference.finish()?),
            self.answerable.finish(),
            Arc::new(self.group_id.finish()?),
            self.turn.finish(),
            Arc::new(self.hits.finish()?),
            answers.latency_ms.finish(),
            answers.tokens_in.finish(),
            answers.tokens_out.finish(),
            answers.cost.finish(),
            Arc::new(self.error.finish()?),
        ]);
        if let Some((retrieved, relevant)) = &mut self.retrieval {
            columns.extend([retrieved.finish(), Arc::new(relevant.finish()?)]);
        }
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

/// What a prediction brings.
#[derive(Debug)]
struct AnswerColumns {
    prediction: TextColumn,
    abstained: Booleans,
    citations: TextListColumn,
    confidence: Floats,
    latency_ms: Floats,
    tokens_in: Integers,
    tokens_out: Integers,
    cost: Floats,
}

impl AnswerColumns {
    fn new() -> Self {
        Self {
            prediction: TextColumn::new(),
            abstained: Booleans::new(),
            citations: TextListColumn::new(),
            confidence: Floats::new(),
            latency_ms: Floats::new(),
            tokens_in: Integers::new(),
            tokens_out: Integers::new(),
            cost: Floats::new(),
        }
    }

    fn append(&mut self, answer: Option<&Answer<'_>>) {
        self.prediction.append_option(answer.map(|answer| answer.text));
        self.abstained.append_option(answer.map(|answer| answer.abstained));
        self.citations.append_option(answer.map(|answer| answer.citations.clone()));
        self.confidence.append_option(answer.and_then(|answer| answer.confidence));
        self.latency_ms.append_option(answer.and_then(|answer| answer.latency_ms));
        self.tokens_in.append_option(answer.and_then(|answer| answer.tokens_in));
        self.tokens_out.append_option(answer.and_then(|answer| answer.tokens_out));
        self.cost.append_option(answer.and_then(|answer| answer.cost));
    }
}
