//! A Parquet file: its physical settings, its digest, and its way to the disk.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, Encoding, ZstdLevel},
    errors::ParquetError,
    file::{
        metadata::{KeyValue, SortingColumn},
        properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder},
    },
    schema::types::ColumnPath,
};
use sha2::{Digest, Sha256};

use super::WriteError;
use crate::{Layout, Part};

/// Rows of a row group: eight groups of a million give as many threads work.
const ROW_GROUP: usize = 131_072;

/// Encoded bytes after which a row group ends early. Rows with long texts and many hits would
/// otherwise take memory without bound.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// Bytes of a page before compression: small enough for the processor's cache.
const PAGE_BYTES: usize = 256 << 10;

/// Bytes of distinct numbers in a row group up to which a metric is stored as a dictionary; a
/// metric with more is stored byte by byte, which compresses continuous values better.
const NUMBER_DICTIONARY: usize = 4096 * size_of::<f64>();

/// A Parquet file that is being written.
#[derive(Debug)]
pub(super) struct ParquetFile {
    /// Path in the folder of the evaluation.
    relative: &'static str,
    path: PathBuf,
    writer: ArrowWriter<HashedFile>,
    rows: u64,
}

/// What a table is called, and how it is compressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    /// Path in the folder of the evaluation.
    pub(super) path: &'static str,
    /// Version of its format.
    pub(super) version: &'static str,
    /// Level of the compression; `None` in a temporary evaluation: values as they are, without
    /// encodings, and without a digest.
    pub(super) level: Option<i32>,
    /// Whether its rows are sorted by example.
    pub(super) sorted: bool,
}

impl Table {
    /// Whether anybody will read it later.
    fn kept(self) -> bool {
        self.level.is_some()
    }
}

impl ParquetFile {
    /// Creates the file, and its folder, in the folder of an evaluation.
    pub(super) fn create(
        folder: &Path,
        table: Table,
        schema: &SchemaRef,
        layout: &Layout,
    ) -> Result<Self, WriteError> {
        let path = folder.join(table.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(WriteError::io(parent))?;
        }
        let file = File::create(&path).map_err(WriteError::io(&path))?;
        let hash = table.kept().then(Sha256::new);
        let file = HashedFile { file, hash };
        let properties = properties(table, schema, layout).map_err(WriteError::parquet(&path))?;
        let writer = ArrowWriter::try_new(file, SchemaRef::clone(schema), Some(properties))
            .map_err(WriteError::parquet(&path))?;
        Ok(Self { relative: table.path, path, writer, rows: 0 })
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), WriteError> {
        self.rows += batch.num_rows() as u64;
        self.writer.write(batch).map_err(WriteError::parquet(&self.path))
    }

    /// Ends the file and waits until it is on the disk, if it is to stay there.
    pub(super) fn finish(mut self) -> Result<Part, WriteError> {
        // Not `into_inner`, which turns what the system says of a full disk into a text.
        self.writer.finish().map_err(WriteError::parquet(&self.path))?;
        let HashedFile { file, hash } = self.writer.inner_mut();
        let digest = match hash.take() {
            Some(hash) => {
                file.sync_all().map_err(WriteError::io(&self.path))?;
                let digits: Vec<String> =
                    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
                format!("sha256:{}", digits.concat())
            }
            None => Part::TEMPORARY.to_owned(),
        };
        Ok(Part { path: self.relative.to_owned(), rows: self.rows, digest })
    }
}

/// A file that knows the digest of what was written to it, if anybody will ask for it.
#[derive(Debug)]
struct HashedFile {
    file: File,
    hash: Option<Sha256>,
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        if let Some(hash) = &mut self.hash {
            hash.update(&bytes[..written]);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn properties(
    table: Table,
    schema: &Schema,
    layout: &Layout,
) -> Result<WriterProperties, ParquetError> {
    let metrics = serde_json::to_string(&layout.metrics)
        .map_err(|error| ParquetError::External(Box::new(error)))?;
    // Nothing here may differ between two executions of one plan.
    let facts = [
        ("qeval.schema", table.version.to_owned()),
        ("qeval.plan_digest", layout.plan_digest.clone()),
        ("qeval.metrics", metrics),
    ];
    let facts = facts.map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let compression = match table.level {
        Some(level) => Compression::ZSTD(ZstdLevel::try_new(level)?),
        None => Compression::UNCOMPRESSED,
    };
    let mut properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
        .set_data_page_size_limit(PAGE_BYTES)
        .set_key_value_metadata(Some(facts.to_vec()))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None);
    if table.sorted {
        properties = properties.set_sorting_columns(Some(sorting(schema)));
    }
    let encoded = table.level.map(|_| schema.fields()).into_iter().flatten();
    for (field, position) in encoded.zip(0..) {
        let sorted_by = table.sorted && position < key_columns(schema);
        let path = ColumnPath::new(vec![field.name().clone()]);
        properties = column_properties(properties, path, field.data_type(), sorted_by);
    }
    Ok(properties.build())
}

/// Settings of one column. Texts that nobody searches have no statistics: the lowest and highest
/// of a million answers help no query. Lists keep the defaults of the file.
fn column_properties(
    properties: WriterPropertiesBuilder,
    path: ColumnPath,
    kind: &DataType,
    sorted_by: bool,
) -> WriterPropertiesBuilder {
    match kind {
        // What ids share is gone with the encoding: a higher level of compression gains nothing.
        DataType::Utf8 if sorted_by => properties
            .set_column_compression(path.clone(), Compression::ZSTD(ZstdLevel::default()))
            .set_column_encoding(path.clone(), Encoding::DELTA_BYTE_ARRAY)
            .set_column_statistics_enabled(path, EnabledStatistics::Page),
        DataType::Dictionary(..) => properties
            .set_column_dictionary_enabled(path.clone(), true)
            .set_column_statistics_enabled(path, EnabledStatistics::Page),
        DataType::Float64 => properties
            .set_column_dictionary_enabled(path.clone(), true)
            .set_column_dictionary_page_size_limit(path.clone(), NUMBER_DICTIONARY)
            .set_column_encoding(path.clone(), Encoding::BYTE_STREAM_SPLIT)
            .set_column_statistics_enabled(path, EnabledStatistics::Page),
        DataType::Int64 => properties
            .set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED)
            .set_column_statistics_enabled(path, EnabledStatistics::Page),
        DataType::Int32 | DataType::UInt64 | DataType::Boolean => {
            properties.set_column_statistics_enabled(path, EnabledStatistics::Page)
        }
        DataType::Utf8 => properties.set_column_encoding(path, Encoding::DELTA_LENGTH_BYTE_ARRAY),
        DataType::List(element) if *element.data_type() == DataType::Utf8 => {
            let mut parts = path.parts().to_vec();
            parts.extend(["list".to_owned(), "element".to_owned()]);
            properties
                .set_column_encoding(ColumnPath::new(parts), Encoding::DELTA_LENGTH_BYTE_ARRAY)
        }
        _ => properties,
    }
}

/// The columns that the rows are sorted by: the dataset, where there are several, and the id.
fn sorting(schema: &Schema) -> Vec<SortingColumn> {
    let columns = 0..key_columns(schema);
    columns
        .map(|column_idx| SortingColumn { column_idx, descending: false, nulls_first: false })
        .collect()
}

fn key_columns(schema: &Schema) -> i32 {
    if schema.field(0).name() == "dataset" { 2 } else { 1 }
}
