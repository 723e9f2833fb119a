//! Batches of a table, and its columns with their types.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use arrow_array::{
    Array, ArrayAccessor, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array,
    Int64Array, ListArray, RecordBatch, StringArray, StructArray, UInt64Array, cast::AsArray,
    types::Int32Type,
};
use parquet::{
    arrow::{
        ProjectionMask,
        arrow_reader::{
            ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
        },
    },
    errors::ParquetError,
    file::metadata::PageIndexPolicy,
};

use super::ReadError;

/// A file of a table, opened.
pub(super) struct Part {
    path: PathBuf,
    builder: ParquetRecordBatchReaderBuilder<File>,
}

/// A batch with the file that it comes from, for messages.
pub(super) struct Batch {
    path: PathBuf,
    batch: RecordBatch,
}

/// The files of a table in the order of their rows; none if the evaluation lacks the table.
pub(super) fn parts(folder: &Path, table: &str) -> Result<Vec<PathBuf>, ReadError> {
    let folder = folder.join(table);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(ReadError::Io { path: folder, source }),
    };
    let mut parts = Vec::new();
    for entry in entries {
        let path = entry.map_err(|source| ReadError::Io { path: folder.clone(), source })?.path();
        let hidden = path.file_name().is_none_or(|name| {
            let name = name.to_string_lossy();
            name.starts_with('_') || name.starts_with('.')
        });
        if !hidden && path.extension().is_some_and(|extension| extension == "parquet") {
            parts.push(path);
        }
    }
    parts.sort_unstable();
    Ok(parts)
}

/// The files of a table that every evaluation has.
pub(super) fn required_parts(folder: &Path, table: &str) -> Result<Vec<PathBuf>, ReadError> {
    let found = parts(folder, table)?;
    if found.is_empty() {
        let source = ParquetError::General("there is no Parquet file in it".to_owned());
        return Err(ReadError::Damaged { path: folder.join(table), source });
    }
    Ok(found)
}

/// The batches of all files, opened one after the other.
pub(super) fn batches<'a>(
    parts: Vec<PathBuf>,
    mut prepare: impl FnMut(Part) -> Part + 'a,
) -> impl Iterator<Item = Result<Batch, ReadError>> + 'a {
    parts.into_iter().flat_map(move |path| {
        let batches = Part::open(&path).and_then(|part| prepare(part).batches());
        let (batches, error) = match batches {
            Ok(batches) => (Some(batches), None),
            Err(error) => (None, Some(Err(error))),
        };
        batches.into_iter().flatten().chain(error)
    })
}

impl Part {
    pub(super) fn open(path: &Path) -> Result<Self, ReadError> {
        let file =
            File::open(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
            .map_err(|source| ReadError::Damaged { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), builder })
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        let rows = self.builder.metadata().file_metadata().num_rows();
        usize::try_from(rows).unwrap_or(0)
    }

    /// What the writer has put into the footer.
    pub(super) fn facts(&self) -> BTreeMap<String, String> {
        let facts = self.builder.metadata().file_metadata().key_value_metadata();
        let facts = facts.into_iter().flatten();
        facts.map(|fact| (fact.key.clone(), fact.value.clone().unwrap_or_default())).collect()
    }

    /// Names of the columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.builder.schema().fields().iter().map(|field| field.name().as_str())
    }

    /// Reads only the columns whose name `keep` accepts.
    pub(super) fn project(self, keep: impl Fn(&str) -> bool) -> Self {
        let columns: Vec<usize> =
            self.columns().zip(0..).filter(|(name, _)| keep(name)).map(|(_, i)| i).collect();
        let mask = ProjectionMask::roots(self.builder.parquet_schema(), columns);
        Self { builder: self.builder.with_projection(mask), ..self }
    }

    /// Changes how the file is read.
    pub(super) fn with(
        self,
        change: impl FnOnce(
            ParquetRecordBatchReaderBuilder<File>,
        ) -> ParquetRecordBatchReaderBuilder<File>,
    ) -> Self {
        Self { builder: change(self.builder), ..self }
    }

    /// The batches, in the order of the rows.
    pub(super) fn batches(
        self,
    ) -> Result<impl Iterator<Item = Result<Batch, ReadError>> + use<>, ReadError> {
        let path = self.path;
        let batches: ParquetRecordBatchReader = self
            .builder
            .build()
            .map_err(|source| ReadError::Damaged { path: path.clone(), source })?;
        Ok(batches.map(move |batch| match batch {
            Ok(batch) => Ok(Batch { path: path.clone(), batch }),
            Err(error) => Err(ReadError::Damaged {
                path: path.clone(),
                source: ParquetError::External(Box::new(error)),
            }),
        }))
    }
}

impl Batch {
    pub(super) fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.batch.column_by_name(column).is_some()
    }

    pub(super) fn texts(&self, column: &str) -> Result<&StringArray, ReadError> {
        self.typed(column, "texts", |array| array.as_string_opt())
    }

    /// A column of few distinct texts.
    pub(super) fn labels(&self, column: &str) -> Result<&DictionaryArray<Int32Type>, ReadError> {
        self.typed(column, "labels", |array| {
            let labels = array.as_dictionary_opt::<Int32Type>();
            labels.filter(|labels| labels.values().as_string_opt::<i32>().is_some())
        })
    }

    pub(super) fn floats(&self, column: &str) -> Result<&Float64Array, ReadError> {
        self.typed(column, "numbers", |array| array.as_primitive_opt())
    }

    pub(super) fn integers(&self, column: &str) -> Result<&Int64Array, ReadError> {
        self.typed(column, "64-bit integers", |array| array.as_primitive_opt())
    }

    pub(super) fn small_integers(&self, column: &str) -> Result<&Int32Array, ReadError> {
        self.typed(column, "32-bit integers", |array| array.as_primitive_opt())
    }

    pub(super) fn seeds(&self, column: &str) -> Result<&UInt64Array, ReadError> {
        self.typed(column, "unsigned 64-bit integers", |array| array.as_primitive_opt())
    }

    pub(super) fn booleans(&self, column: &str) -> Result<&BooleanArray, ReadError> {
        self.typed(column, "true and false", |array| array.as_boolean_opt())
    }

    /// A column of few distinct texts that the table may lack.
    pub(super) fn optional_labels(
        &self,
        column: &str,
    ) -> Result<Option<&DictionaryArray<Int32Type>>, ReadError> {
        if self.has(column) { self.labels(column).map(Some) } else { Ok(None) }
    }

    pub(super) fn text_lists(&self, column: &str) -> Result<&ListArray, ReadError> {
        self.typed(column, "lists of texts", |array| {
            array.as_list_opt().filter(|lists| lists.values().as_string_opt::<i32>().is_some())
        })
    }

    fn typed<'a, T>(
        &'a self,
        column: &str,
        expected: &'static str,
        downcast: impl FnOnce(&'a ArrayRef) -> Option<T>,
    ) -> Result<T, ReadError> {
        let found = self.batch.column_by_name(column).and_then(downcast);
        found.ok_or_else(|| self.missing(column, expected))
    }

    /// The error that says what was looked for.
    pub(super) fn missing(&self, column: &str, expected: &'static str) -> ReadError {
        ReadError::Column { path: self.path.clone(), column: column.to_owned(), expected }
    }

    /// The columns of the elements of a column of lists of structs.
    pub(super) fn elements(&self, column: &str) -> Result<(&ListArray, Batch), ReadError> {
        let expected = "lists of structs";
        let lists: &ListArray = self.typed(column, expected, |array| array.as_list_opt())?;
        let structs = lists.values().as_struct_opt();
        let structs: &StructArray = structs.ok_or_else(|| self.missing(column, expected))?;
        Ok((lists, Batch { path: self.path.clone(), batch: RecordBatch::from(structs) }))
    }
}

/// The value in a row; `None` for null.
pub(super) fn value<'a, A>(array: &'a A, row: usize) -> Option<<&'a A as ArrayAccessor>::Item>
where
    A: Array,
    &'a A: ArrayAccessor,
{
    array.is_valid(row).then(|| array.value(row))
}

/// The text in a row of labels; `None` for null.
pub(super) fn label(labels: &DictionaryArray<Int32Type>, row: usize) -> Option<&str> {
    let values = labels.values().as_string_opt::<i32>()?;
    labels.key(row).and_then(|key| value(values, key))
}
