//! Columns while a batch is built.
//!
//! Two things are done here for speed. Texts come as bytes and are checked as a whole instead of
//! one by one. And a null only counts up a number, since most columns of the cases are null in
//! most evaluations.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, ListArray, PrimitiveArray, StringArray,
    types::{Float64Type, Int32Type, Int64Type},
};
use arrow_buffer::{
    BooleanBufferBuilder, Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer,
};
use arrow_schema::ArrowError;

use crate::schema;

/// Floats that may be null.
pub(super) type Floats = NumberColumn<Float64Type>;
/// 32-bit integers that may be null.
pub(super) type SmallIntegers = NumberColumn<Int32Type>;
/// 64-bit integers that may be null.
pub(super) type Integers = NumberColumn<Int64Type>;

/// Which values are there.
#[derive(Debug)]
struct Validity {
    builder: NullBufferBuilder,
    /// Nulls at the end that nothing knows of yet.
    pending: usize,
}

impl Validity {
    fn new() -> Self {
        Self { builder: NullBufferBuilder::new(0), pending: 0 }
    }

    /// Notes the pending nulls and says how many they were.
    fn settle(&mut self) -> usize {
        let nulls = std::mem::take(&mut self.pending);
        self.builder.append_n_nulls(nulls);
        nulls
    }

    fn finish(&mut self) -> Option<NullBuffer> {
        self.builder.finish()
    }
}

/// A column of numbers that may be null.
#[derive(Debug)]
pub(super) struct NumberColumn<T: ArrowPrimitiveType> {
    values: Vec<T::Native>,
    valid: Validity,
}

impl<T: ArrowPrimitiveType> NumberColumn<T> {
    pub(super) fn new() -> Self {
        Self { values: Vec::new(), valid: Validity::new() }
    }

    pub(super) fn append(&mut self, number: T::Native) {
        self.settle();
        self.values.push(number);
        self.valid.builder.append_non_null();
    }

    pub(super) fn append_option(&mut self, number: Option<T::Native>) {
        match number {
            Some(number) => self.append(number),
            None => self.valid.pending += 1,
        }
    }

    /// The numbers as an array, and an empty column.
    pub(super) fn finish(&mut self) -> ArrayRef {
        self.settle();
        let values = take(&mut self.values);
        Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(values), self.valid.finish()))
    }

    fn settle(&mut self) {
        if self.valid.pending > 0 {
            let length = self.values.len() + self.valid.settle();
            self.values.resize(length, T::Native::default());
        }
    }
}

/// A column of true and false that may be null.
#[derive(Debug)]
pub(super) struct Booleans {
    values: BooleanBufferBuilder,
    valid: Validity,
}

impl Booleans {
    pub(super) fn new() -> Self {
        Self { values: BooleanBufferBuilder::new(0), valid: Validity::new() }
    }

    pub(super) fn append_option(&mut self, value: Option<bool>) {
        if let Some(value) = value {
            self.settle();
            self.values.append(value);
            self.valid.builder.append_non_null();
        } else {
            self.valid.pending += 1;
        }
    }

    /// The values as an array, and an empty column.
    pub(super) fn finish(&mut self) -> ArrayRef {
        self.settle();
        Arc::new(BooleanArray::new(self.values.finish(), self.valid.finish()))
    }

    fn settle(&mut self) {
        if self.valid.pending > 0 {
            self.values.append_n(self.valid.settle(), false);
        }
    }
}

/// A column of texts that may be null.
#[derive(Debug)]
pub(super) struct TextColumn {
    ends: Ends,
    bytes: Vec<u8>,
    valid: Validity,
}

impl TextColumn {
    pub(super) fn new() -> Self {
        Self { ends: Ends::new(), bytes: Vec::new(), valid: Validity::new() }
    }

    pub(super) fn append(&mut self, text: &[u8]) {
        self.settle();
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.valid.builder.append_non_null();
    }

    pub(super) fn append_option(&mut self, text: Option<&[u8]>) {
        match text {
            Some(text) => self.append(text),
            None => self.valid.pending += 1,
        }
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len() + self.valid.pending
    }

    /// The texts as an array, and an empty column.
    pub(super) fn finish(&mut self) -> Result<StringArray, ArrowError> {
        if self.ends.len() == 0 {
            return Ok(StringArray::new_null(std::mem::take(&mut self.valid.pending)));
        }
        self.settle();
        let bytes = Buffer::from_vec(take(&mut self.bytes));
        StringArray::try_new(self.ends.finish(), bytes, self.valid.finish())
    }

    fn settle(&mut self) {
        if self.valid.pending > 0 {
            self.ends.repeat(self.valid.settle());
        }
    }
}

/// A column of lists of texts; the lists may be null, the texts may not.
#[derive(Debug)]
pub(super) struct TextListColumn {
    lists: ListEnds,
    texts: TextColumn,
}

impl TextListColumn {
    pub(super) fn new() -> Self {
        Self { lists: ListEnds::new(), texts: TextColumn::new() }
    }

    pub(super) fn append_option<'a>(&mut self, texts: Option<impl Iterator<Item = &'a [u8]>>) {
        if let Some(texts) = texts {
            texts.for_each(|text| self.texts.append(text));
            self.lists.push(self.texts.len());
        } else {
            self.lists.push_null();
        }
    }

    /// The lists as an array, and an empty column.
    pub(super) fn finish(&mut self) -> Result<ListArray, ArrowError> {
        let (ends, valid) = self.lists.finish();
        ListArray::try_new(schema::text_element(), ends, Arc::new(self.texts.finish()?), valid)
    }
}

/// Where the lists of a column end, and which are there.
#[derive(Debug)]
pub(super) struct ListEnds {
    ends: Ends,
    valid: Validity,
}

impl ListEnds {
    pub(super) fn new() -> Self {
        Self { ends: Ends::new(), valid: Validity::new() }
    }

    /// Ends a list after so many elements of all lists.
    pub(super) fn push(&mut self, elements: usize) {
        if self.valid.pending > 0 {
            self.ends.repeat(self.valid.settle());
        }
        self.ends.push(elements);
        self.valid.builder.append_non_null();
    }

    pub(super) fn push_null(&mut self) {
        self.valid.pending += 1;
    }

    /// The ends and nulls of the lists, and an empty column.
    pub(super) fn finish(&mut self) -> (OffsetBuffer<i32>, Option<NullBuffer>) {
        if self.ends.len() == 0 {
            let nulls = std::mem::take(&mut self.valid.pending);
            let valid = (nulls > 0).then(|| NullBuffer::new_null(nulls));
            return (OffsetBuffer::new_zeroed(nulls), valid);
        }
        self.ends.repeat(self.valid.settle());
        (self.ends.finish(), self.valid.finish())
    }
}

/// Where the parts of a column end, from 0.
#[derive(Debug)]
struct Ends(Vec<i32>);

impl Ends {
    fn new() -> Self {
        Self(vec![0])
    }

    fn len(&self) -> usize {
        self.0.len() - 1
    }

    fn push(&mut self, end: usize) {
        self.0.push(i32::try_from(end).expect("a batch is far smaller than 2 GiB"));
    }

    /// Adds so many empty parts.
    fn repeat(&mut self, count: usize) {
        let last = self.0.last().copied().unwrap_or(0);
        self.0.resize(self.0.len() + count, last);
    }

    fn finish(&mut self) -> OffsetBuffer<i32> {
        let ends = take(&mut self.0);
        self.0.push(0);
        OffsetBuffer::new(ScalarBuffer::from(ends))
    }
}

/// Takes the content and leaves room for a little more: one batch is like the last.
fn take<T>(values: &mut Vec<T>) -> Vec<T> {
    let room = Vec::with_capacity(values.len() + values.len() / 4);
    std::mem::replace(values, room)
}
