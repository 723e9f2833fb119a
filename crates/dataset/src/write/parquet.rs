//! Parquet, with the fields' own names. References are texts, or structures with `text`,
//! `answer_start` and `items` where the dataset has offsets or lists.

use std::{io, sync::Arc};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Fields, Schema, SchemaRef};
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, ZstdLevel},
    errors::ParquetError,
    file::properties::WriterProperties,
};
use qeval_core::{Value, metrics::verdict};

use super::{
    TargetFormat, Written, each,
    output::{Output, unwritable},
    refusal::{ALWAYS, FIELDS, refuse},
    survey::{Kind, Survey},
};
use crate::{DatasetSource, Error, Problem, Record};
use column::Column;

mod column;

/// Records of a batch.
const BATCH: usize = 1024;

/// Bytes of texts after which a batch ends early: the offsets of a column have 31 bits.
const BATCH_BYTES: usize = 64 << 20;

/// Bytes of texts that one record may have.
const MOST_BYTES: usize = 1 << 30;

/// Level of the compression, the same as that of stored evaluations.
const LEVEL: i32 = 3;

pub(super) fn write(source: &DatasetSource, output: Output) -> Result<Written, Error> {
    let survey = Survey::of(source, TargetFormat::Parquet)?;
    let fields = fields(&survey);
    let failed = |error: ParquetError| match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => unwritable(&error),
            Err(other) => Problem::new(format!("cannot be written: {other}")),
        },
        error => Problem::new(format!("cannot be written: {error}")),
    };
    let whole = |error: ParquetError| failed(error).of_file(&source.path);
    let types: Fields = fields.iter().map(|(name, column)| column.field(name)).collect();
    let schema = SchemaRef::new(Schema::new(types));
    let level = ZstdLevel::try_new(LEVEL).map_err(whole)?;
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
    let mut writer =
        ArrowWriter::try_new(output, Arc::clone(&schema), Some(properties)).map_err(whole)?;
    let mut batch = Batch { schema, fields, rows: 0, bytes: 0 };
    let written = each(source, |record| {
        batch.add(&record)?;
        if batch.rows == BATCH || batch.bytes > BATCH_BYTES {
            writer.write(&batch.take()).map_err(failed)?;
        }
        Ok(())
    })?;
    writer.write(&batch.take()).map_err(whole)?;
    writer.into_inner().map_err(whole)?.finish()?;
    Ok(written)
}

/// Records on their way into the file.
struct Batch {
    schema: SchemaRef,
    fields: Vec<(String, Column)>,
    rows: usize,
    /// Bytes of the texts in it.
    bytes: usize,
}

impl Batch {
    fn add(&mut self, record: &Record) -> Result<(), Problem> {
        let bytes = bytes(record);
        if bytes > MOST_BYTES {
            let why = "its texts are longer than a gigabyte";
            return Err(refuse(TargetFormat::Parquet, record, "context", why));
        }
        self.bytes += bytes;
        for (name, column) in &mut self.fields {
            add(column, record, name);
        }
        self.rows += 1;
        Ok(())
    }

    fn take(&mut self) -> RecordBatch {
        (self.rows, self.bytes) = (0, 0);
        let columns: Vec<ArrayRef> =
            self.fields.iter_mut().map(|(_, column)| column.finish()).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .expect("every field adds one value for each record, of the type it has in the schema")
    }
}

/// The fields that occur, with room for their values.
fn fields(survey: &Survey) -> Vec<(String, Column)> {
    let (starts, items) = (survey.has("answer_start"), survey.has("items"));
    let references = || {
        if !starts && !items {
            return Column::texts();
        }
        let start = starts.then(|| ("answer_start", Column::integers()));
        let items = items.then(|| ("items", Column::list(Column::texts())));
        Column::structures([("text", Column::texts())].into_iter().chain(start).chain(items))
    };
    let exchanges =
        || Column::structures([("question", Column::texts()), ("answer", Column::texts())]);
    let there = FIELDS.into_iter().filter(|name| ALWAYS.contains(name) || survey.has(name));
    let fields = there.map(|name| {
        let column = match name {
            "references" => Column::list(references()),
            "history" => Column::list(exchanges()),
            "gold_passages" | "hits" | "citations" => Column::list(Column::texts()),
            "turn" => Column::integers(),
            "confidence" => Column::numbers(),
            _ => Column::texts(),
        };
        (name.to_owned(), column)
    });
    let columns = survey.columns.iter().map(|(name, kind)| (name.clone(), of_kind(kind)));
    fields.chain(columns).collect()
}

/// A column for values of a kind. A list in which nothing ever is might be one of texts.
fn of_kind(kind: &Kind) -> Column {
    match kind {
        Kind::Text => Column::texts(),
        Kind::Integer => Column::integers(),
        Kind::Number => Column::numbers(),
        Kind::Bool => Column::truths(),
        Kind::List(None) => Column::list(Column::texts()),
        Kind::List(Some(inner)) => Column::list(of_kind(inner)),
    }
}

/// Bytes of the longer texts of a record.
fn bytes(record: &Record) -> usize {
    let example = &record.example;
    let references = example.references.iter();
    let references =
        references.map(|r| r.text.len() + r.items.iter().map(String::len).sum::<usize>());
    let exchanges = example.history.iter().map(|e| e.question.len() + e.answer.len());
    let columns = example.columns.values().map(|value| value.to_string().len());
    let answer = record.prediction.as_ref().map_or(0, |prediction| prediction.text.len());
    let context = example.context.as_ref().map_or(0, String::len);
    let lists = references.sum::<usize>() + exchanges.sum::<usize>() + columns.sum::<usize>();
    example.question.len() + context + answer + lists
}

/// Adds the value of a field.
fn add(column: &mut Column, record: &Record, name: &str) {
    let Record { example, prediction } = record;
    let answer = prediction.as_ref();
    match name {
        "id" => column.text(Some(&example.id)),
        "question" => column.text(Some(&example.question)),
        "references" => column.items(Some(example.references.as_slice()), |column, reference| {
            if !column.is_structure() {
                return column.text(Some(&reference.text));
            }
            column.members(|name, column| match name {
                "text" => column.text(Some(&reference.text)),
                "answer_start" => {
                    column.integer(reference.start.and_then(|start| i64::try_from(start).ok()));
                }
                _ => {
                    let items = Some(&reference.items).filter(|items| !items.is_empty());
                    texts(column, items.map(Vec::as_slice));
                }
            });
        }),
        "context" => column.text(example.context.as_deref()),
        "gold_passages" => texts(column, Some(&example.gold_passages)),
        "group" => column.text(example.group.as_deref()),
        "turn" => column.integer(example.turn.map(i64::from)),
        "history" => column.items(Some(example.history.as_slice()), |column, exchange| {
            column.members(|name, column| {
                let question = name == "question";
                column.text(Some(if question { &exchange.question } else { &exchange.answer }));
            });
        }),
        // An answer without a text abstained.
        "prediction" => {
            column.text(answer.map(|a| a.text.as_str()).filter(|text| !text.is_empty()));
        }
        "confidence" => column.number(answer.and_then(|answer| answer.confidence)),
        "hits" => texts(column, answer.and_then(|answer| answer.seen.as_deref())),
        "citations" => texts(column, answer.map(|answer| answer.citations.as_slice())),
        "verdict" => {
            let verdict = answer.and_then(|answer| answer.labels.get(verdict::LABEL));
            column.text(verdict.map(String::as_str));
        }
        _ => value(column, example.columns.get(name)),
    }
}

fn texts(column: &mut Column, texts: Option<&[String]>) {
    column.items(texts, |column, text| column.text(Some(text)));
}

fn value(column: &mut Column, value: Option<&Value>) {
    match value {
        None => column.null(),
        Some(Value::Text(text)) => column.text(Some(text)),
        Some(Value::Integer(number)) => column.integer(Some(*number)),
        Some(Value::Number(number)) => column.number(Some(*number)),
        Some(Value::Bool(truth)) => column.truth(Some(*truth)),
        Some(Value::List(values)) => {
            column.items(Some(values.as_slice()), |column, item| self::value(column, Some(item)));
        }
    }
}

impl Column {
    /// The column in the schema: any value may be null.
    fn field(&self, name: &str) -> Field {
        Field::new(name, self.data_type(), true)
    }
}
