//! What is asked and expected, as a number for each example.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use arrow_array::{Array, ListArray, cast::AsArray};

use super::{
    ReadError,
    table::{self, value},
};

/// Reads the numbers in the order of the rows. They are compared within one process and never stored.
pub(super) fn read(folder: &Path) -> Result<Vec<u64>, ReadError> {
    const COLUMNS: [&str; 3] = ["question", "reference", "gold_passages"];
    let parts = table::required_parts(folder, "cases")?;
    let mut numbers = Vec::new();
    for batch in table::batches(parts, |part| part.project(|column| COLUMNS.contains(&column))) {
        let batch = batch?;
        let questions = batch.texts("question")?;
        let (references, gold) =
            (batch.text_lists("reference")?, batch.text_lists("gold_passages")?);
        numbers.extend((0..batch.rows()).map(|row| {
            let of_lists = (of_list(references, row), of_list(gold, row));
            number(&(value(questions, row), of_lists))
        }));
    }
    Ok(numbers)
}

/// The same for the same texts in any order: a sum, so that how often a text is there counts.
fn of_list(lists: &ListArray, row: usize) -> u64 {
    if lists.is_null(row) {
        return 0;
    }
    let texts = lists.value(row);
    let texts = texts.as_string::<i32>();
    texts.iter().fold(texts.len() as u64, |sum, text| sum.wrapping_add(number(&text)))
}

fn number(of: &impl Hash) -> u64 {
    // Its keys are fixed, so the same text has the same number.
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
