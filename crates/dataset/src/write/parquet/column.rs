//! A column while its values come: texts, numbers, truth values, structures, or lists of them.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, ListArray, StructArray,
    builder::{BooleanBuilder, Float64Builder, Int64Builder, NullBufferBuilder, StringBuilder},
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};

/// A column. Adding a value of another kind adds a null: the survey has seen that there is none.
pub(super) enum Column {
    Texts(StringBuilder),
    Integers(Int64Builder),
    Numbers(Float64Builder),
    Truths(BooleanBuilder),
    Structures { names: Vec<&'static str>, columns: Vec<Column>, validity: NullBufferBuilder },
    List { items: Box<Column>, ends: Vec<i32>, validity: NullBufferBuilder },
}

impl Column {
    pub(super) fn texts() -> Self {
        Self::Texts(StringBuilder::new())
    }

    pub(super) fn integers() -> Self {
        Self::Integers(Int64Builder::new())
    }

    pub(super) fn numbers() -> Self {
        Self::Numbers(Float64Builder::new())
    }

    pub(super) fn truths() -> Self {
        Self::Truths(BooleanBuilder::new())
    }

    pub(super) fn structures(members: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        let (names, columns) = members.into_iter().unzip();
        Self::Structures { names, columns, validity: NullBufferBuilder::new(0) }
    }

    pub(super) fn list(items: Self) -> Self {
        Self::List { items: Box::new(items), ends: vec![0], validity: NullBufferBuilder::new(0) }
    }

    pub(super) fn is_structure(&self) -> bool {
        matches!(self, Self::Structures { .. })
    }

    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Texts(_) => DataType::Utf8,
            Self::Integers(_) => DataType::Int64,
            Self::Numbers(_) => DataType::Float64,
            Self::Truths(_) => DataType::Boolean,
            Self::Structures { names, columns, .. } => DataType::Struct(members(names, columns)),
            Self::List { items, .. } => DataType::List(item(items)),
        }
    }

    pub(super) fn text(&mut self, text: Option<&str>) {
        match (self, text) {
            (Self::Texts(builder), Some(text)) => builder.append_value(text),
            (column, _) => column.null(),
        }
    }

    pub(super) fn integer(&mut self, number: Option<i64>) {
        match (self, number) {
            (Self::Integers(builder), Some(number)) => builder.append_value(number),
            (column, _) => column.null(),
        }
    }

    pub(super) fn number(&mut self, number: Option<f64>) {
        match (self, number) {
            (Self::Numbers(builder), Some(number)) => builder.append_value(number),
            (column, _) => column.null(),
        }
    }

    pub(super) fn truth(&mut self, truth: Option<bool>) {
        match (self, truth) {
            (Self::Truths(builder), Some(truth)) => builder.append_value(truth),
            (column, _) => column.null(),
        }
    }

    /// A list, whose items are added one by one.
    pub(super) fn items<T>(&mut self, list: Option<&[T]>, mut add: impl FnMut(&mut Self, &T)) {
        match (self, list) {
            (Self::List { items, ends, validity }, Some(list)) => {
                for item in list {
                    add(items, item);
                }
                let last = ends.last().copied().unwrap_or_default();
                let count = i32::try_from(list.len()).unwrap_or(i32::MAX);
                ends.push(last.saturating_add(count));
                validity.append_non_null();
            }
            (column, _) => column.null(),
        }
    }

    /// A structure, whose members are added one by one.
    pub(super) fn members(&mut self, mut add: impl FnMut(&str, &mut Self)) {
        match self {
            Self::Structures { names, columns, validity } => {
                for (name, column) in names.iter().zip(columns) {
                    add(name, column);
                }
                validity.append_non_null();
            }
            column => column.null(),
        }
    }

    pub(super) fn null(&mut self) {
        match self {
            Self::Texts(builder) => builder.append_null(),
            Self::Integers(builder) => builder.append_null(),
            Self::Numbers(builder) => builder.append_null(),
            Self::Truths(builder) => builder.append_null(),
            Self::Structures { columns, validity, .. } => {
                columns.iter_mut().for_each(Self::null);
                validity.append_null();
            }
            Self::List { ends, validity, .. } => {
                ends.push(ends.last().copied().unwrap_or_default());
                validity.append_null();
            }
        }
    }

    /// The values that came; the column is empty afterwards.
    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Texts(builder) => Arc::new(builder.finish()),
            Self::Integers(builder) => Arc::new(builder.finish()),
            Self::Numbers(builder) => Arc::new(builder.finish()),
            Self::Truths(builder) => Arc::new(builder.finish()),
            Self::Structures { names, columns, validity } => {
                let fields = members(names, columns);
                let arrays = columns.iter_mut().map(Self::finish).collect();
                Arc::new(StructArray::new(fields, arrays, validity.finish()))
            }
            Self::List { items, ends, validity } => {
                let field = item(items);
                let offsets = std::mem::replace(ends, vec![0]);
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                Arc::new(ListArray::new(field, offsets, items.finish(), validity.finish()))
            }
        }
    }
}

fn members(names: &[&'static str], columns: &[Column]) -> Fields {
    let member = |(name, column): (&&str, &Column)| Field::new(*name, column.data_type(), true);
    names.iter().zip(columns).map(member).collect()
}

/// The items of a list, by the name that Parquet gives them.
fn item(items: &Column) -> Arc<Field> {
    Arc::new(Field::new_list_field(items.data_type(), true))
}
