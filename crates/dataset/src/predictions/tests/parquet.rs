//! Predictions in Parquet: the same as in JSON lines, and what is wrong is said by record.

use std::sync::Arc;

use ::parquet::{arrow::ArrowWriter, file::properties::WriterProperties};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float32Array, Int64Array, LargeStringArray, RecordBatch,
    StringArray, StructArray,
    builder::{Int32Builder, ListBuilder, StringBuilder},
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field};

use super::*;
use crate::testing::Folder;

/// A table in row groups of two records.
fn table(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(2)).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn texts<const N: usize>(values: [Option<&str>; N]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// What is read in memory and through a temporary file, which are the same.
fn load_table(
    columns: Vec<(&str, ArrayRef)>,
    configure: impl Fn(&mut PredictionSource),
) -> Result<Vec<(String, Prediction)>, String> {
    let folder = Folder::new();
    let mut source = PredictionSource::new(folder.write("file", table(columns)));
    configure(&mut source);
    let found = predictions(&source);
    compare_with_spilled(&source, found.as_ref());
    let found = found.map_err(|error| folder.show(&error))?;
    Ok(found.iter().map(|(id, prediction)| (id.to_owned(), prediction.clone())).collect())
}

#[test]
fn columns_are_read_as_the_members_of_lines_are() {
    let mut hits = ListBuilder::new(StringBuilder::new());
    hits.append_value([Some("p1"), Some("p2")]);
    hits.append_null();
    hits.append_value([None::<&str>; 0]);
    let mut citations = ListBuilder::new(Int32Builder::new());
    citations.append_value([Some(7)]);
    citations.append_null();
    citations.append_value([Some(8), Some(9)]);
    let field = |name: &str, kind: DataType| Arc::new(Field::new(name, kind, true));
    let answers = StructArray::from(vec![
        (field("text", DataType::Utf8), texts([Some("15"), None, Some("16")])),
        (
            field("confidence", DataType::Float32),
            Arc::new(Float32Array::from(vec![Some(0.5), None, None])) as ArrayRef,
        ),
        (
            field("start", DataType::Int64),
            Arc::new(Int64Array::from(vec![None, None, Some(7)])) as ArrayRef,
        ),
    ]);
    let item = field("item", answers.data_type().clone());
    let offsets = OffsetBuffer::from_lengths([2, 0, 1]);
    let candidates = arrow_array::ListArray::new(item, offsets, Arc::new(answers), None);
    let found = load_table(
        vec![
            ("qid", Arc::new(Int64Array::from(vec![7, 8, 9]))),
            ("answer", Arc::new(LargeStringArray::from(vec![Some("15"), None, Some("x")]))),
            ("best", Arc::new(candidates)),
            ("confidence", Arc::new(Float32Array::from(vec![Some(0.25), None, Some(1.0)]))),
            ("hits", Arc::new(hits.finish())),
            ("citations", Arc::new(citations.finish())),
            ("start", Arc::new(Int64Array::from(vec![Some(3), None, None]))),
            ("end", Arc::new(Int64Array::from(vec![Some(5), None, None]))),
            ("sure", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
            ("unread", texts([None, None, Some("y")])),
        ],
        |source| {
            source.fields.id = Some("qid".to_owned());
            source.fields.prediction = Some("answer".to_owned());
            source.fields.candidates = Some("best".to_owned());
            source.labels = vec!["sure".to_owned()];
        },
    );
    let lines = r#"{"qid": 7, "answer": "15", "best": [{"text": "15", "confidence": 0.5}, null], "confidence": 0.25, "hits": ["p1", "p2"], "citations": [7], "start": 3, "end": 5, "sure": true}
        {"qid": 8, "answer": null, "best": [], "citations": null}
        {"qid": 9, "answer": "x", "best": [{"text": "16", "start": 7}], "confidence": 1, "hits": [], "citations": [8, 9], "sure": false}"#;
    let same = load(lines, |source| {
        source.fields.id = Some("qid".to_owned());
        source.fields.prediction = Some("answer".to_owned());
        source.fields.candidates = Some("best".to_owned());
        source.labels = vec!["sure".to_owned()];
    });
    assert_eq!(found, same);
    let found = found.unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].1.candidates.len(), 2);
    assert_eq!(found[2].1.labels["sure"], "false");
}

#[test]
fn a_span_may_stand_for_the_text() {
    let mut spans = ListBuilder::new(Int32Builder::new());
    spans.append_value([Some(3), Some(5)]);
    spans.append_null();
    let found = load_table(
        vec![("id", texts([Some("a"), Some("b")])), ("span", Arc::new(spans.finish()))],
        |_| {},
    );
    let expected = [("a", Prediction::at(3..5)), ("b", Prediction::abstention())]
        .map(|(id, found)| (id.to_owned(), found));
    assert_eq!(found, Ok(expected.to_vec()));
}

#[test]
fn errors_name_the_record() {
    let check = |columns: Vec<(&str, ArrayRef)>, expected: &str| {
        assert_eq!(load_table(columns, |_| {}).unwrap_err(), expected);
    };
    check(
        vec![
            ("id", texts([Some("a"), Some("b"), Some("a"), Some("b")])),
            ("prediction", texts([None, None, None, None])),
        ],
        "`file`, record 3: id `a` is given twice, in records 1 and 3\n\
         hint: ids must be unique: results are joined on them",
    );
    check(
        vec![
            ("id", texts([Some("a"), None, Some("c")])),
            ("prediction", texts([None, None, None])),
        ],
        "`file`, record 2: field `id` has no value, expected a text or a whole number",
    );
    check(
        vec![("id", texts([Some("a")])), ("answer", texts([Some("x")]))],
        "`file`: field `prediction` is missing; the table has `id`, `answer`\n\
         hint: name the right field: `fields = { prediction = \"answer\" }`",
    );
    check(
        vec![("id", texts([])), ("prediction", texts([]))],
        "`file`: the file is empty: there is nothing to evaluate",
    );
    check(
        vec![("id", texts([Some("a")])), ("prediction", Arc::new(Int64Array::from(vec![5])))],
        "`file`, record 1: field `prediction` is a number, expected a text or a list of texts",
    );
}
