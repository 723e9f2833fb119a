//! Columns of texts in memory.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{Array, ArrayRef, DictionaryArray, StringArray, cast::AsArray, types::Int32Type};

/// The code of a null in [`Labels`].
const NULL: u32 = u32::MAX;

/// Texts one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text in a row. Panics past the last one, as a slice does.
    pub fn get(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[row]]
    }

    /// The texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|row| self.get(row))
    }

    pub(super) fn extend(&mut self, texts: &StringArray) {
        for row in 0..texts.len() {
            self.text.push_str(texts.value(row));
            self.ends.push(self.text.len());
        }
    }
}

/// A column of texts with few distinct values, or none in some rows.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    codes: Vec<u32>,
    values: Vec<String>,
    numbers: HashMap<String, u32>,
    /// The values of the last batch and their codes: batches of a row group share them.
    last: Option<(ArrayRef, Vec<u32>)>,
}

/// Two columns are equal when their texts are.
impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Labels {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The text in a row. Panics past the last one, as a slice does.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.code(row).map(|code| self.values[code].as_str())
    }

    /// The texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The distinct texts, in no particular order.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Index of a row's text in [`values`](Self::values).
    pub fn code(&self, row: usize) -> Option<usize> {
        Some(self.codes[row]).filter(|&code| code != NULL).map(|code| code as usize)
    }

    pub(super) fn extend(&mut self, labels: &DictionaryArray<Int32Type>) {
        let codes = match self.last.take() {
            Some((values, codes)) if Arc::ptr_eq(&values, labels.values()) => codes,
            _ => self.codes_of(labels.values().as_string()),
        };
        self.codes.extend(labels.keys().iter().map(|key| {
            let key = key.and_then(|key| usize::try_from(key).ok());
            key.and_then(|key| codes.get(key)).copied().unwrap_or(NULL)
        }));
        self.last = Some((ArrayRef::clone(labels.values()), codes));
    }

    fn codes_of(&mut self, values: &StringArray) -> Vec<u32> {
        values.iter().map(|value| value.map_or(NULL, |value| self.number(value))).collect()
    }

    /// The code of a text, a new one if need be.
    fn number(&mut self, value: &str) -> u32 {
        if let Some(&code) = self.numbers.get(value) {
            return code;
        }
        let code =
            u32::try_from(self.values.len()).expect("there are fewer than 2^32 - 1 examples");
        self.values.push(value.to_owned());
        self.numbers.insert(value.to_owned(), code);
        code
    }

    /// Gives back what only reading needs.
    pub(super) fn finish(&mut self) {
        self.numbers = HashMap::new();
        self.last = None;
    }
}

impl<'a> FromIterator<Option<&'a str>> for Labels {
    fn from_iter<I: IntoIterator<Item = Option<&'a str>>>(texts: I) -> Self {
        let mut labels = Self::default();
        for text in texts {
            let code = text.map_or(NULL, |text| labels.number(text));
            labels.codes.push(code);
        }
        labels.finish();
        labels
    }
}
