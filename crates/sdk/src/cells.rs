//! Typed columns of a batch that came over the boundary. Nothing in it is trusted.

use arrow_array::{Array, Float64Array, ListArray, RecordBatch, StringArray};
use arrow_schema::DataType;

use crate::Failure;

/// A column that must be there.
pub(crate) fn required<'a, A: Array + 'static>(
    batch: &'a RecordBatch,
    name: &str,
    expected: &DataType,
) -> Result<&'a A, Failure> {
    let column = optional(batch, name, expected)?;
    column.ok_or_else(|| Failure::protocol(format!("the batch has no column `{name}`")))
}

/// A column that may be left out.
pub(crate) fn optional<'a, A: Array + 'static>(
    batch: &'a RecordBatch,
    name: &str,
    expected: &DataType,
) -> Result<Option<&'a A>, Failure> {
    let Some(array) = batch.column_by_name(name) else { return Ok(None) };
    let typed = array.as_any().downcast_ref::<A>();
    typed.map(Some).ok_or_else(|| wrong_type(name, array.data_type(), expected))
}

/// A column of text in which nothing is null.
pub(crate) fn full_texts<'a>(
    batch: &'a RecordBatch,
    name: &str,
) -> Result<&'a StringArray, Failure> {
    let texts: &StringArray = required(batch, name, &DataType::Utf8)?;
    match (0..texts.len()).find(|&row| texts.is_null(row)) {
        None => Ok(texts),
        Some(row) => Err(Failure::protocol(format!("row {row} of the column `{name}` is null"))),
    }
}

/// The text of a row, where there is one.
pub(crate) fn text(texts: Option<&StringArray>, row: usize) -> Option<&str> {
    texts.filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row))
}

/// A column of lists.
pub(crate) struct Lists<'a, A> {
    lists: &'a ListArray,
    values: &'a A,
}

impl<'a, A: Array + 'static> Lists<'a, A> {
    /// The column of that name, whose lists hold values of the type `item`; `None` where it is left
    /// out.
    pub(crate) fn optional(
        batch: &'a RecordBatch,
        name: &str,
        item: &DataType,
    ) -> Result<Option<Self>, Failure> {
        let Some(array) = batch.column_by_name(name) else { return Ok(None) };
        let lists = array.as_any().downcast_ref::<ListArray>();
        let typed = lists.and_then(|lists| {
            let values = lists.values().as_any().downcast_ref()?;
            Some(Self { lists, values })
        });
        typed.map(Some).ok_or_else(|| {
            let found = array.data_type();
            Failure::protocol(format!(
                "the column `{name}` is of type {found}, expected a list of {item}"
            ))
        })
    }

    /// The same of a column that must be there.
    pub(crate) fn required(
        batch: &'a RecordBatch,
        name: &str,
        item: &DataType,
    ) -> Result<Self, Failure> {
        let column = Self::optional(batch, name, item)?;
        column.ok_or_else(|| Failure::protocol(format!("the batch has no column `{name}`")))
    }

    /// The values of all rows.
    pub(crate) fn values(&self) -> &'a A {
        self.values
    }

    /// The places of the values of a row; `None` where its list is null.
    pub(crate) fn places(&self, row: usize) -> Option<std::ops::Range<usize>> {
        let offsets = self.lists.value_offsets();
        // What a valid array has is never below zero.
        let place = |row: usize| usize::try_from(offsets[row]).unwrap_or_default();
        self.lists.is_valid(row).then(|| place(row)..place(row + 1))
    }
}

impl<'a> Lists<'a, StringArray> {
    /// The texts of a row, each of which may be null.
    pub(crate) fn row(&self, row: usize) -> Option<Vec<Option<&'a str>>> {
        let texts = self.values;
        let text = |at: usize| texts.is_valid(at).then(|| texts.value(at));
        Some(self.places(row)?.map(text).collect())
    }
}

impl Lists<'_, Float64Array> {
    /// The numbers of a row, each of which may be null.
    pub(crate) fn row(&self, row: usize) -> Option<Vec<Option<f64>>> {
        let numbers = self.values;
        let number = |at: usize| numbers.is_valid(at).then(|| numbers.value(at));
        Some(self.places(row)?.map(number).collect())
    }
}

/// Whether there are as many rows as were asked for.
pub(crate) fn check_rows(batch: &RecordBatch, expected: usize, of: &str) -> Result<(), Failure> {
    match batch.num_rows() {
        rows if rows == expected => Ok(()),
        rows => Err(Failure::protocol(format!("it gave {rows} rows for {expected} {of}"))),
    }
}

fn wrong_type(name: &str, found: &DataType, expected: &DataType) -> Failure {
    Failure::protocol(format!("the column `{name}` is of type {found}, expected {expected}"))
}
