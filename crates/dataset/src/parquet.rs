//! Parquet tables, read batch by batch.
//!
//! Only the columns that are wanted are read. A field inside a structure is named with dots, as in
//! JSON lines; a column whose own name has dots goes first.

use std::{
    borrow::Cow,
    fs::File,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
};

use arrow_array::{
    Array, RecordBatch,
    cast::AsArray,
    types::{
        Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
        UInt32Type, UInt64Type,
    },
};
use arrow_schema::{DataType, Fields};
use parquet::arrow::{
    ProjectionMask,
    arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder},
};

use crate::{
    Error, Place, Problem,
    cell::Cell,
    fields::{Need, Wanted},
    input,
    rows::Row,
};

/// Records of a batch.
const BATCH: usize = 1024;

/// The records of a file.
pub(crate) struct ParquetRows {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
    wanted: Wanted,
    columns: Vec<WantedColumn>,
    /// The batch that is handed out, and the place of its next record.
    batch: Option<RecordBatch>,
    next: usize,
    /// Records handed out so far.
    count: u64,
}

/// Where a wanted field is.
struct WantedColumn {
    slot: usize,
    /// Name of the column, then of its members.
    path: Vec<String>,
}

impl ParquetRows {
    pub(crate) fn open(path: &Path, wanted: Wanted) -> Result<Self, Error> {
        let file = input::open_file(path)?;
        let of_file = |problem: Problem| problem.of_file(path);
        let builder = guarded(|| builder(file)).map_err(of_file)?;
        let (columns, roots) = columns(&wanted, builder.schema().fields()).map_err(of_file)?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let builder = builder.with_projection(mask).with_batch_size(BATCH);
        let reader = guarded(|| builder.build().map_err(|error| unreadable(&error)));
        let reader = reader.map_err(of_file)?;
        let path = path.to_owned();
        Ok(Self { path, reader, wanted, columns, batch: None, next: 0, count: 0 })
    }

    pub(crate) fn next<T>(
        &mut self,
        build: impl FnOnce(&Row<'_, '_>) -> Result<T, Problem>,
    ) -> Result<Option<T>, Error> {
        while self.batch.as_ref().is_none_or(|batch| self.next == batch.num_rows()) {
            let reader = &mut self.reader;
            let read = guarded(|| reader.next().transpose().map_err(|error| unreadable(&error)));
            match read.map_err(|problem| problem.at(&self.path, Place::record(self.count + 1)))? {
                None => return Ok(None),
                Some(batch) => (self.batch, self.next) = (Some(batch), 0),
            }
        }
        let Some(batch) = &self.batch else { return Ok(None) };
        let place = self.next;
        self.next += 1;
        self.count += 1;
        let mut cells = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            cells.push((column.slot, member(batch, &column.path, place)));
        }
        let row = Row { cells: &cells, wanted: &self.wanted, separator: None, written: None };
        build(&row).map(Some).map_err(|problem| self.error(problem))
    }

    /// Number of the last record, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.count
    }

    pub(crate) fn error(&self, problem: Problem) -> Error {
        problem.at(&self.path, Place::record(self.count))
    }
}

/// Names of the columns of a file, those of structures also with their members.
pub(crate) fn column_names(path: &Path) -> Result<Vec<String>, Error> {
    let file = input::open_file(path)?;
    let builder = guarded(|| builder(file)).map_err(|problem| problem.of_file(path))?;
    Ok(names(builder.schema().fields()))
}

fn builder(file: File) -> Result<ParquetRecordBatchReaderBuilder<File>, Problem> {
    // What the writer's Arrow had in memory (dictionaries, wide offsets) does not matter here.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).map_err(|error| {
        Problem::new(format!("is no Parquet file: {error}"))
            .with_hint("Parquet is packed inside; a file that is packed once more is not read")
    })
}

/// Some damage makes the library panic. A file is nobody's bug, so that is an error too.
fn guarded<T>(read: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    // After a panic nothing more is read, so nothing that is half done is seen.
    std::panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        Err(Problem::new("the Parquet data is damaged")
            .with_hint("copy or download the file again"))
    })
}

fn unreadable(error: &impl std::fmt::Display) -> Problem {
    Problem::new(format!("cannot be read: {error}"))
}

/// Where the wanted fields are, and the places of their columns.
fn columns(wanted: &Wanted, fields: &Fields) -> Result<(Vec<WantedColumn>, Vec<usize>), Problem> {
    let (mut columns, mut roots) = (Vec::new(), Vec::new());
    for (slot, field) in wanted.fields.iter().enumerate() {
        let Some(path) = find(fields, &field.name) else {
            let there = |&slot: &usize| find(fields, &wanted.fields[slot].name).is_some();
            if field.need > Need::Never && !field.stand_ins.iter().any(there) {
                return Err(field.missing("the table", &names(fields)));
            }
            continue;
        };
        let (root, column) = fields
            .find(&path[0])
            .ok_or_else(|| Problem::new(format!("there is no column `{}`", path[0])))?;
        let mut data_type = column.data_type();
        for name in &path[1..] {
            if let DataType::Struct(members) = data_type
                && let Some((_, member)) = members.find(name)
            {
                data_type = member.data_type();
            }
        }
        if !is_readable(data_type) {
            let name = &field.name;
            let message = format!("column `{name}` has the type {data_type}");
            return Err(Problem::new(format!(
                "{message}, expected texts, numbers, truth values, or lists or structures of them"
            )));
        }
        columns.push(WantedColumn { slot, path });
        roots.push(root);
    }
    Ok((columns, roots))
}

/// The column of that name, or the member along its dots.
fn find(fields: &Fields, name: &str) -> Option<Vec<String>> {
    if fields.find(name).is_some() {
        return Some(vec![name.to_owned()]);
    }
    name.match_indices('.').find_map(|(dot, _)| {
        let (head, rest) = (&name[..dot], &name[dot + 1..]);
        let DataType::Struct(members) = fields.find(head)?.1.data_type() else { return None };
        let path = find(members, rest)?;
        Some(std::iter::once(head.to_owned()).chain(path).collect())
    })
}

/// Names of the columns, those of structures also with their members.
fn names(fields: &Fields) -> Vec<String> {
    let mut names = Vec::new();
    for field in fields {
        if let DataType::Struct(members) = field.data_type() {
            names.extend(members.iter().map(|m| format!("{}.{}", field.name(), m.name())));
        }
        names.push(field.name().clone());
    }
    names
}

fn is_readable(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(item) => is_readable(item.data_type()),
        DataType::Struct(members) => members.iter().all(|m| is_readable(m.data_type())),
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::Float32
        | DataType::Float64 => true,
        data_type => data_type.is_integer(),
    }
}

/// The value of a field in a record.
fn member<'b>(batch: &'b RecordBatch, path: &[String], place: usize) -> Cell<'b> {
    let Some(mut array) = batch.column_by_name(&path[0]).map(AsRef::as_ref) else {
        return Cell::Absent;
    };
    for name in &path[1..] {
        let structure = array.as_struct_opt().filter(|structure| structure.is_valid(place));
        match structure.and_then(|structure| structure.column_by_name(name)) {
            Some(member) => array = member.as_ref(),
            None => return Cell::Null,
        }
    }
    cell(array, place)
}

/// A value as a cell.
fn cell(array: &dyn Array, place: usize) -> Cell<'_> {
    /// A whole number of this type.
    macro_rules! integer {
        ($kind:ty) => {
            Cell::Integer(i64::from(array.as_primitive::<$kind>().value(place)))
        };
    }
    if array.is_null(place) {
        return Cell::Null;
    }
    match array.data_type() {
        DataType::Utf8 => Cell::Text(array.as_string::<i32>().value(place).into()),
        DataType::Boolean => Cell::Bool(array.as_boolean().value(place)),
        DataType::Int8 => integer!(Int8Type),
        DataType::Int16 => integer!(Int16Type),
        DataType::Int32 => integer!(Int32Type),
        DataType::Int64 => Cell::Integer(array.as_primitive::<Int64Type>().value(place)),
        DataType::UInt8 => integer!(UInt8Type),
        DataType::UInt16 => integer!(UInt16Type),
        DataType::UInt32 => integer!(UInt32Type),
        DataType::UInt64 => {
            let number = array.as_primitive::<UInt64Type>().value(place);
            i64::try_from(number).map_or(Cell::Large(number), Cell::Integer)
        }
        DataType::Float32 => {
            Cell::Number(f64::from(array.as_primitive::<Float32Type>().value(place)))
        }
        DataType::Float64 => Cell::Number(array.as_primitive::<Float64Type>().value(place)),
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let offset = |at: usize| {
                usize::try_from(list.value_offsets()[at])
                    .expect("the offsets of a list are checked when it is made")
            };
            let places = offset(place)..offset(place + 1);
            Cell::List(places.map(|place| cell(list.values(), place)).collect())
        }
        DataType::Struct(_) => {
            let structure = array.as_struct();
            let members = structure
                .fields()
                .iter()
                .zip(structure.columns())
                .map(|(field, column)| (Cow::Owned(field.name().clone()), cell(column, place)));
            Cell::Object(members.collect())
        }
        // Other types are refused when the file is opened.
        _ => Cell::Null,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BooleanArray, Float32Array, Int32Array, LargeStringArray, RecordBatch,
        StructArray, TimestampMillisecondArray, UInt64Array,
        builder::{ListBuilder, StringBuilder},
    };
    use parquet::{
        arrow::ArrowWriter,
        basic::{Compression, GzipLevel},
        file::properties::WriterProperties,
    };
    use qeval_core::{Reference, Value};

    use crate::{DatasetFormat::Parquet, DatasetSource, Record, open, testing::Folder};

    /// A table as other programs write it.
    fn table(compression: Compression) -> Vec<u8> {
        let mut texts = ListBuilder::new(StringBuilder::new());
        texts.append_value([Some("a"), Some("b")]);
        texts.append_value([None::<&str>; 0]);
        let texts: ArrayRef = Arc::new(texts.finish());
        let mut starts = ListBuilder::new(arrow_array::builder::Int32Builder::new());
        starts.append_value([Some(3), Some(-1)]);
        starts.append_value([None; 0]);
        let starts: ArrayRef = Arc::new(starts.finish());
        let field = |name: &str, array: &ArrayRef| {
            Arc::new(arrow_schema::Field::new(name, array.data_type().clone(), true))
        };
        let answers = StructArray::from(vec![
            (field("text", &texts), Arc::clone(&texts)),
            (field("answer_start", &starts), starts),
        ]);
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(UInt64Array::from(vec![u64::MAX, 7]))),
            ("question", Arc::new(LargeStringArray::from(vec![Some("wer?"), None]))),
            ("answers", Arc::new(answers)),
            ("a.b", Arc::new(BooleanArray::from(vec![Some(true), None]))),
            ("level", Arc::new(Int32Array::from(vec![-5, 5]))),
            ("share", Arc::new(Float32Array::from(vec![0.5, 0.25]))),
            ("when", Arc::new(TimestampMillisecondArray::from(vec![1, 2]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder().set_compression(compression).build();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    fn read(bytes: &[u8], configure: impl Fn(&mut DatasetSource)) -> Result<Vec<Record>, String> {
        let folder = Folder::new();
        let mut source = DatasetSource::new(folder.write("file", bytes), Parquet);
        configure(&mut source);
        let records = open(&source).and_then(Iterator::collect);
        records.map_err(|error| folder.show(&error))
    }

    #[test]
    fn columns_are_fields_whatever_packs_them() {
        let gzip = Compression::GZIP(GzipLevel::default());
        for compression in [Compression::SNAPPY, gzip, Compression::UNCOMPRESSED] {
            let found = read(&table(compression), |source| {
                source.fields.references = Some("answers".to_owned());
                source.columns =
                    ["a.b", "level", "share", "answers.text"].map(str::to_owned).to_vec();
            });
            let [first, second] = found.unwrap().try_into().unwrap();
            let (first, second) = (first.example, second.example);
            assert_eq!(first.id, u64::MAX.to_string());
            let start = Some(3);
            assert_eq!(first.references, [Reference { start, .."a".into() }, "b".into()]);
            assert_eq!(first.columns["a.b"], Value::Bool(true));
            assert_eq!(first.columns["level"], Value::Integer(-5));
            assert_eq!(first.columns["share"], Value::Number(0.5));
            let texts = ["a", "b"].map(|text| Value::Text(text.to_owned())).to_vec();
            assert_eq!(first.columns["answers.text"], Value::List(texts));
            assert_eq!((second.question.as_str(), second.answerable()), ("", false));
            assert_eq!(second.columns.get("a.b"), None);
        }
    }

    #[test]
    fn errors_say_where_and_what() {
        let bytes = table(Compression::SNAPPY);
        let check = |configure: &dyn Fn(&mut DatasetSource), expected: &str| {
            assert_eq!(read(&bytes, configure).unwrap_err(), expected);
        };
        check(
            &|source| source.fields.references = Some("answer".to_owned()),
            "`file`: field `answer` is missing; the table has `id`, `question`, `answers.text`, \
             `answers.answer_start`, `answers`, `a.b`, `level`, `share`, `when`\n\
             hint: name the right field: `fields = { references = \"answers\" }`",
        );
        check(
            &|source| source.fields.question = Some("level".to_owned()),
            "`file`, record 1: field `level` is the number -5, expected a text",
        );
        check(
            &|source| source.columns = vec!["when".to_owned()],
            "`file`: column `when` has the type Timestamp(ms), expected texts, numbers, truth \
             values, or lists or structures of them",
        );
        let error = read(&bytes[..bytes.len() - 9], |_| {}).unwrap_err();
        assert!(error.starts_with("`file`: is no Parquet file: "), "{error}");
        let error = read(b"", |_| {}).unwrap_err();
        assert!(error.starts_with("`file`: is no Parquet file: "), "{error}");
        let error = read(&crate::testing::gzip(&bytes), |_| {}).unwrap_err();
        assert!(error.contains("packed once more"), "{error}");
    }

    #[test]
    fn damaged_bytes_are_errors() {
        let bytes = table(Compression::UNCOMPRESSED);
        for place in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x15;
            let configure = |source: &mut DatasetSource| {
                source.fields.references = Some("answers".to_owned());
            };
            // Whatever comes of it, it is no panic.
            let _ = read(&damaged, configure);
        }
    }
}
