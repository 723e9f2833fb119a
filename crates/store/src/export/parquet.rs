//! Parquet, a batch of rows at a time.

use std::{io::Write, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, RecordBatch, StringArray,
    StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, ZstdLevel},
    errors::ParquetError,
    file::properties::WriterProperties,
};

use super::{
    ExportError,
    cell::{Cell, Column, Kind, Sink},
};

/// Rows of a batch, and of a row group: the bytes of a file depend on them.
const BATCH_ROWS: usize = 2048;
const ROW_GROUP: usize = 131_072;

/// Bytes after which a batch ends early.
const BATCH_BYTES: usize = 16 << 20;

/// Bytes after which a row group ends early.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// Rows as Parquet.
pub(super) struct ParquetSink<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: SchemaRef,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    bytes: usize,
}

impl<W: Write + Send> ParquetSink<W> {
    pub(super) fn new(output: W, columns: Vec<Column>) -> Result<Self, ExportError> {
        let fields =
            columns.iter().map(|column| Field::new(&column.name, data_type(&column.kind), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .build();
        let writer = ArrowWriter::try_new(output, Arc::clone(&schema), Some(properties))?;
        Ok(Self { writer, schema, columns, rows: Vec::new(), bytes: 0 })
    }

    fn write(&mut self) -> Result<(), ExportError> {
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (place, column) in self.columns.iter().enumerate() {
            let cells: Vec<&Cell> = self.rows.iter().map(|row| &row[place]).collect();
            arrays.push(array(&column.kind, &cells).map_err(external)?);
        }
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(external)?;
        self.writer.write(&batch)?;
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}

impl<W: Write + Send> Sink for ParquetSink<W> {
    fn row(&mut self, cells: Vec<Cell>) -> Result<(), ExportError> {
        self.bytes += cells.iter().map(Cell::bytes).sum::<usize>();
        self.rows.push(cells);
        if self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.write()
        } else {
            Ok(())
        }
    }

    fn finish(mut self) -> Result<(), ExportError> {
        self.write()?;
        // Unlike `close`, this flushes the output too.
        self.writer.into_inner()?.flush()?;
        Ok(())
    }
}

fn external(error: ArrowError) -> ParquetError {
    ParquetError::External(Box::new(error))
}

fn data_type(kind: &Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8,
        Kind::Number => DataType::Float64,
        Kind::Integer => DataType::Int64,
        Kind::Boolean => DataType::Boolean,
        Kind::List(inner) => DataType::List(Arc::new(element(inner))),
        Kind::Record(members) => DataType::Struct(fields(members)),
    }
}

/// `element` is the name that the Parquet format prescribes.
fn element(kind: &Kind) -> Field {
    Field::new("element", data_type(kind), true)
}

fn fields(members: &[(&'static str, Kind)]) -> Fields {
    members.iter().map(|(name, kind)| Field::new(*name, data_type(kind), true)).collect()
}

/// The cells of a column. A cell of another kind is null: rows are made from the same columns.
fn array(kind: &Kind, cells: &[&Cell]) -> Result<ArrayRef, ArrowError> {
    Ok(match kind {
        Kind::Text => {
            let text =
                |cell: &&Cell| if let Cell::Text(text) = cell { Some(text.clone()) } else { None };
            Arc::new(cells.iter().map(text).collect::<StringArray>())
        }
        Kind::Number => {
            let number = |cell: &&Cell| if let Cell::Number(n) = cell { Some(*n) } else { None };
            Arc::new(cells.iter().map(number).collect::<Float64Array>())
        }
        Kind::Integer => {
            let number = |cell: &&Cell| if let Cell::Integer(n) = cell { Some(*n) } else { None };
            Arc::new(cells.iter().map(number).collect::<Int64Array>())
        }
        Kind::Boolean => {
            let truth = |cell: &&Cell| if let Cell::Boolean(t) = cell { Some(*t) } else { None };
            Arc::new(cells.iter().map(truth).collect::<BooleanArray>())
        }
        Kind::List(inner) => {
            let items = |cell: &&Cell| if let Cell::List(items) = cell { items.len() } else { 0 };
            let offsets = OffsetBuffer::from_lengths(cells.iter().map(items));
            let mut flat = Vec::new();
            for cell in cells {
                if let Cell::List(items) = cell {
                    flat.extend(items);
                }
            }
            let values = array(inner, &flat)?;
            Arc::new(ListArray::try_new(
                Arc::new(element(inner)),
                offsets,
                values,
                Some(valid(cells)),
            )?)
        }
        Kind::Record(members) => {
            let mut arrays = Vec::with_capacity(members.len());
            for (place, (_, kind)) in members.iter().enumerate() {
                let member = |cell: &&'_ Cell| match cell {
                    Cell::Record(cells) => cells.get(place).cloned().unwrap_or(Cell::Null),
                    _ => Cell::Null,
                };
                let column: Vec<Cell> = cells.iter().map(member).collect();
                arrays.push(array(kind, &column.iter().collect::<Vec<_>>())?);
            }
            Arc::new(StructArray::try_new(fields(members), arrays, Some(valid(cells)))?)
        }
    })
}

fn valid(cells: &[&Cell]) -> NullBuffer {
    cells.iter().map(|cell| !matches!(cell, Cell::Null)).collect::<Vec<bool>>().into()
}
