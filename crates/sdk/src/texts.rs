//! Texts to texts: what goes to a normalizer and comes back.

use arrow_array::{Array, RecordBatch};

use crate::{Failure, batch::Table, cells};

/// The only column, both ways.
const TEXT: &str = "text";

/// Writes texts as a record batch.
pub fn encode<'a>(
    texts: impl ExactSizeIterator<Item = &'a str> + Clone,
) -> Result<RecordBatch, Failure> {
    let mut table = Table::default();
    table.texts(TEXT, texts.map(Some))?;
    table.into_batch()
}

/// Reads texts, none of which is null.
pub fn decode(batch: &RecordBatch) -> Result<Vec<&str>, Failure> {
    let texts = cells::full_texts(batch, TEXT)?;
    Ok((0..texts.len()).map(|row| texts.value(row)).collect())
}

/// Reads what became of so many texts.
pub fn decode_answer(batch: &RecordBatch, texts: usize) -> Result<Vec<&str>, Failure> {
    cells::check_rows(batch, texts, "texts")?;
    decode(batch)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, StringArray};
    use proptest::prelude::*;

    use super::*;

    fn refused(column: impl Array + 'static, texts: usize) -> String {
        let column: ArrayRef = Arc::new(column);
        let batch = RecordBatch::try_from_iter([(TEXT, column)]).unwrap();
        decode_answer(&batch, texts).unwrap_err().to_string()
    }

    proptest! {
        #[test]
        fn texts_cross_unchanged(texts in prop::collection::vec(any::<String>(), 0..9)) {
            let batch = encode(texts.iter().map(String::as_str)).unwrap();
            prop_assert_eq!(decode_answer(&batch, texts.len()).unwrap(), texts);
        }
    }

    #[test]
    fn wrong_texts_are_refused() {
        assert_eq!(
            refused(StringArray::from(vec![Some("a"), None]), 2),
            "protocol: row 1 of the column `text` is null"
        );
        assert_eq!(
            refused(StringArray::from(vec!["a"]), 2),
            "protocol: it gave 1 rows for 2 texts"
        );
        assert_eq!(
            refused(Int32Array::from(vec![1]), 1),
            "protocol: the column `text` is of type Int32, expected Utf8"
        );
    }
}
