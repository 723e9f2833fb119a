//! Cases to a record batch.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, ListArray, RecordBatch,
    builder::{Float64Builder, Int32Builder, ListBuilder, StringBuilder},
};
use arrow_schema::{Field, Schema};
use qeval_core::{Case, Exchange, Named, Passage, Value};

use crate::{Failure, Input};

/// The most bytes of text that one column of a batch can hold.
const MOST_TEXT: usize = i32::MAX as usize;

/// Writes cases as a record batch that holds these inputs.
pub fn encode(cases: &[Case<'_>], inputs: &[Input]) -> Result<RecordBatch, Failure> {
    let mut columns = Table::default();
    columns.texts("example_id", cases.iter().map(|case| Some(case.example.id.as_str())))?;
    for input in inputs {
        columns.input(input, cases)?;
    }
    RecordBatch::try_new(Arc::new(Schema::new(columns.fields)), columns.arrays)
        .map_err(|error| Failure::protocol(format!("the cases do not make a batch: {error}")))
}

/// Columns that are being collected.
#[derive(Default)]
pub(crate) struct Table {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Table {
    fn input(&mut self, input: &Input, cases: &[Case<'_>]) -> Result<(), Failure> {
        let examples = || cases.iter().map(|case| case.example);
        let predictions = || cases.iter().map(|case| case.prediction);
        match input {
            Input::Question => {
                self.texts("question", examples().map(|e| Some(e.question.as_str())))
            }
            Input::Prediction => {
                self.texts("prediction", predictions().map(|p| Some(p?.text.as_str())))?;
                let abstained: BooleanArray = predictions().map(|p| Some(p?.abstained)).collect();
                self.push("abstained", abstained);
                let confidence: Float64Array = predictions().map(|p| p?.confidence).collect();
                self.push("confidence", confidence);
                let citations =
                    predictions().map(|p| Some(p?.citations.iter().map(String::as_str)));
                self.lists("citations", citations)
            }
            Input::References => {
                self.lists("references", examples().map(|e| Some(e.reference_texts())))
            }
            Input::Context => self.texts("context", examples().map(|e| e.context.as_deref())),
            Input::History => {
                let part = |part: fn(&Exchange) -> &str| {
                    examples().map(move |e| Some(e.history.iter().map(part)))
                };
                self.lists("history_questions", part(|turn| &turn.question))?;
                self.lists("history_answers", part(|turn| &turn.answer))
            }
            Input::GoldPassages => self.lists(
                "gold_passages",
                examples().map(|e| Some(e.gold_passages.iter().map(String::as_str))),
            ),
            Input::Passages => {
                let part = |part: fn(&Passage) -> &str| {
                    cases.iter().map(move |case| Some(case.passages.iter().map(move |p| part(p))))
                };
                self.lists("passage_ids", part(|passage| &passage.id))?;
                self.lists("passage_titles", part(|passage| &passage.title))?;
                self.lists("passage_texts", part(|passage| &passage.text))
            }
            Input::Hits => {
                let hits = || cases.iter().map(|case| case.hits);
                self.lists("hit_ids", hits().map(|hits| Some(hits?.iter().map(|h| h.passage))))?;
                let scores = hits().map(|hits| Some(hits?.iter().map(|hit| hit.score)));
                self.push("hit_scores", numbers(scores));
                Ok(())
            }
            Input::CitedPassages => {
                let cited = || cases.iter().map(|case| case.cited);
                self.lists("cited_ids", cited().map(|cited| Some(cited?.iter().map(|c| c.id))))?;
                self.titles_and_texts(["cited_titles", "cited_texts"], &cited())
            }
            Input::GoldTexts => {
                let gold = cases.iter().map(|case| Some(case.gold));
                self.titles_and_texts(["gold_titles", "gold_texts"], &gold)
            }
            Input::Grades => {
                let rankings = || cases.iter().map(|case| case.ranking);
                self.push("grades", integers(rankings().map(|r| Some(r?.grades.iter().copied()))));
                let ideal = rankings().map(|r| Some(r?.ideal.iter().copied().map(Some)));
                self.push("ideal_grades", integers(ideal));
                Ok(())
            }
            Input::Column(name) => {
                let values: Vec<Option<String>> =
                    examples().map(|e| Some(json(e.columns.get(name)?)?.to_string())).collect();
                self.texts(&input.to_string(), values.iter().map(Option::as_deref))
            }
        }
    }

    pub(crate) fn texts<'a>(
        &mut self,
        name: &str,
        texts: impl Iterator<Item = Option<&'a str>> + Clone,
    ) -> Result<(), Failure> {
        let bytes = limit(name, texts.clone().flatten())?;
        let mut builder = StringBuilder::with_capacity(texts.size_hint().0, bytes);
        texts.for_each(|text| builder.append_option(text));
        self.push(name, builder.finish());
        Ok(())
    }

    pub(crate) fn lists<'a, L: Iterator<Item = &'a str>>(
        &mut self,
        name: &str,
        rows: impl Iterator<Item = Option<L>> + Clone,
    ) -> Result<(), Failure> {
        self.optional_lists(name, rows.map(|row| row.map(|row| row.map(Some))))
    }

    /// Titles and texts of passages, null where the corpus lacks one.
    fn titles_and_texts<'a>(
        &mut self,
        [titles, texts]: [&str; 2],
        rows: &(impl Iterator<Item = Option<&'a [Named<'a>]>> + Clone),
    ) -> Result<(), Failure> {
        let part = |part: fn(&'a Passage) -> &'a str| {
            let of = move |named: &'a Named<'a>| named.passage.map(part);
            rows.clone().map(move |row| row.map(|row| row.iter().map(of)))
        };
        self.optional_lists(titles, part(|passage| &passage.title))?;
        self.optional_lists(texts, part(|passage| &passage.text))
    }

    fn optional_lists<'a, L: Iterator<Item = Option<&'a str>>>(
        &mut self,
        name: &str,
        rows: impl Iterator<Item = Option<L>> + Clone,
    ) -> Result<(), Failure> {
        let count = rows.size_hint().0;
        let bytes = limit(name, rows.clone().flatten().flatten().flatten())?;
        let texts = StringBuilder::with_capacity(count, bytes);
        let mut builder = ListBuilder::with_capacity(texts, count);
        for row in rows {
            let present = row.is_some();
            row.into_iter().flatten().for_each(|text| builder.values().append_option(text));
            builder.append(present);
        }
        self.push(name, builder.finish());
        Ok(())
    }

    pub(crate) fn push(&mut self, name: &str, array: impl Array + 'static) {
        self.fields.push(Field::new(name, array.data_type().clone(), true));
        self.arrays.push(Arc::new(array));
    }

    /// A column of failures, where there is any.
    pub(crate) fn failures<'a>(
        &mut self,
        failures: impl Iterator<Item = Option<&'a Failure>> + Clone,
    ) -> Result<(), Failure> {
        if failures.clone().all(|failure| failure.is_none()) {
            return Ok(());
        }
        self.texts("failure", failures.map(|failure| Some(failure?.message.as_str())))
    }

    /// The batch of all columns, of which there must be one.
    pub(crate) fn into_batch(self) -> Result<RecordBatch, Failure> {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays)
            .map_err(|error| Failure::protocol(format!("the columns do not make a batch: {error}")))
    }
}

/// The bytes of a text column, which Arrow counts in 31 bits.
fn limit<'a>(name: &str, mut texts: impl Iterator<Item = &'a str>) -> Result<usize, Failure> {
    let total = texts.try_fold(0_usize, |total, text| {
        total.checked_add(text.len()).filter(|&total| total <= MOST_TEXT)
    });
    total.ok_or_else(|| {
        Failure::protocol(format!(
            "the column `{name}` of the batch has more than 2 GiB of text, take smaller batches"
        ))
    })
}

fn integers<L: Iterator<Item = Option<i32>>>(rows: impl Iterator<Item = Option<L>>) -> ListArray {
    let mut builder = ListBuilder::new(Int32Builder::new());
    for row in rows {
        let present = row.is_some();
        row.into_iter().flatten().for_each(|value| builder.values().append_option(value));
        builder.append(present);
    }
    builder.finish()
}

fn numbers<L: Iterator<Item = Option<f64>>>(rows: impl Iterator<Item = Option<L>>) -> ListArray {
    let mut builder = ListBuilder::new(Float64Builder::new());
    for row in rows {
        let present = row.is_some();
        row.into_iter().flatten().for_each(|value| builder.values().append_option(value));
        builder.append(present);
    }
    builder.finish()
}

/// A number that JSON cannot write is missing.
fn json(value: &Value) -> Option<serde_json::Value> {
    Some(match value {
        Value::Text(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Number(number) => serde_json::Number::from_f64(*number)?.into(),
        Value::Bool(value) => (*value).into(),
        Value::List(values) => values.iter().filter_map(json).collect(),
    })
}
