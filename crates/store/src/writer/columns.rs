//! Columns of text that are built from bytes, and checked as a whole instead of text by text.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StringArray};
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

use crate::schema;

/// A column of texts that may be null.
#[derive(Debug)]
pub(super) struct TextColumn {
    ends: Ends,
    bytes: Vec<u8>,
    valid: NullBufferBuilder,
}

impl TextColumn {
    pub(super) fn new() -> Self {
        Self { ends: Ends::new(), bytes: Vec::new(), valid: NullBufferBuilder::new(0) }
    }

    pub(super) fn append(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.valid.append_non_null();
    }

    pub(super) fn append_option(&mut self, text: Option<&[u8]>) {
        if let Some(text) = text {
            self.append(text);
        } else {
            self.ends.push(self.bytes.len());
            self.valid.append_null();
        }
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.ends.0.len() - 1
    }

    /// The texts as an array, and an empty column.
    pub(super) fn finish(&mut self) -> Result<StringArray, ArrowError> {
        let bytes = Buffer::from_vec(std::mem::take(&mut self.bytes));
        StringArray::try_new(self.ends.finish(), bytes, self.valid.finish())
    }
}

/// A column of lists of texts; the lists may be null, the texts may not.
#[derive(Debug)]
pub(super) struct TextListColumn {
    ends: Ends,
    texts: TextColumn,
    valid: NullBufferBuilder,
}

impl TextListColumn {
    pub(super) fn new() -> Self {
        Self { ends: Ends::new(), texts: TextColumn::new(), valid: NullBufferBuilder::new(0) }
    }

    pub(super) fn append_option<'a>(&mut self, texts: Option<impl Iterator<Item = &'a [u8]>>) {
        if let Some(texts) = texts {
            texts.for_each(|text| self.texts.append(text));
            self.valid.append_non_null();
        } else {
            self.valid.append_null();
        }
        self.ends.push(self.texts.len());
    }

    pub(super) fn finish(&mut self) -> Result<ListArray, ArrowError> {
        let texts: ArrayRef = Arc::new(self.texts.finish()?);
        ListArray::try_new(schema::text_element(), self.ends.finish(), texts, self.valid.finish())
    }
}

/// Where the parts of a column end, from 0.
#[derive(Debug)]
pub(super) struct Ends(Vec<i32>);

impl Ends {
    pub(super) fn new() -> Self {
        Self(vec![0])
    }

    /// Ends the part that is built.
    pub(super) fn push(&mut self, end: usize) {
        self.0.push(i32::try_from(end).expect("a batch is far smaller than 2 GiB"));
    }

    /// The ends as offsets, and an empty column.
    pub(super) fn finish(&mut self) -> OffsetBuffer<i32> {
        let ends = std::mem::replace(&mut self.0, vec![0]);
        OffsetBuffer::new(ScalarBuffer::from(ends))
    }
}
