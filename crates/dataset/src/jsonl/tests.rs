//! Lines that are read, and lines that are refused.

use proptest::prelude::*;
use qeval_core::{Prediction, Reference, Value};

use crate::{
    DatasetFormat::Jsonl,
    DatasetSource,
    testing::{Folder, example, records},
};

fn plain(_: &mut DatasetSource) {}

#[test]
fn fields_are_read_by_their_own_names_or_by_the_mapping() {
    let line = r#"{"id": "q1", "x": [{}], "question": "how \"long\"?", "references": ["15"],
        "context": "c", "gold_passages": "p1", "group": 7, "turn": 2, "prediction": "15"}"#;
    let found = example(Jsonl, &line.replace('\n', ""), plain);
    assert_eq!((found.id.as_str(), found.question.as_str()), ("q1", "how \"long\"?"));
    assert_eq!(found.references, ["15".into()]);
    assert_eq!(found.context.as_deref(), Some("c"));
    assert_eq!(found.gold_passages, ["p1"]);
    assert_eq!((found.group.as_deref(), found.turn), (Some("7"), Some(2)));

    let line =
        r#"{"question": "who?", "meta": {"topic": "hr", "n.x": 3}, "a.b": true, "answer": null}"#;
    let found = example(Jsonl, line, |source| {
        source.fields.id = Some("question".to_owned());
        source.fields.references = Some("answer".to_owned());
        source.columns = ["meta.topic", "meta.n.x", "a.b"].map(str::to_owned).to_vec();
    });
    assert_eq!((found.id.as_str(), found.question.as_str()), ("who?", "who?"));
    assert!(!found.answerable());
    assert_eq!(found.columns["meta.topic"], Value::Text("hr".to_owned()));
    assert_eq!(found.columns["meta.n.x"], Value::Integer(3));
    assert_eq!(found.columns["a.b"], Value::Bool(true));
}

#[test]
fn references_come_in_several_shapes() {
    let check = |value: &str, expected: &[Reference]| {
        let line = format!(r#"{{"id": 18446744073709551615, "references": {value}}}"#);
        let found = example(Jsonl, &line, plain);
        assert_eq!(found.id, "18446744073709551615");
        assert_eq!(found.references, expected, "{value}");
    };
    let at = |text: &str, start| Reference { start: Some(start), ..text.into() };
    check(r#""a""#, &["a".into()]);
    check("[]", &[]);
    check("null", &[]);
    check(
        r#"[{"text": "a", "answer_start": 3}, {"text": "b", "answer_start": -1}, "c"]"#,
        &[at("a", 3), "b".into(), "c".into()],
    );
    check(r#"{"text": ["a", "b"], "answer_start": [3, 4]}"#, &[at("a", 3), at("b", 4)]);
    check(r#"{"text": "a", "answer_start": 0}"#, &[at("a", 0)]);
}

#[test]
fn a_prediction_may_stand_in_the_dataset() {
    let lines = r#"{"id": 1}

        {"id": 2, "prediction": null}
        {"confidence": 1, "id": 3, "prediction": "x", "hits": [4, "p"], "citations": null}"#;
    let found = records(Jsonl, lines.as_bytes(), plain).unwrap();
    let predictions: Vec<_> = found.into_iter().map(|record| record.prediction).collect();
    let answer = Prediction {
        confidence: Some(1.0),
        seen: Some(vec!["4".to_owned(), "p".to_owned()]),
        ..Prediction::answer("x")
    };
    assert_eq!(predictions, [None, Some(Prediction::abstention()), Some(answer)]);
}

#[test]
fn errors_say_where_and_what() {
    let check = |lines: &str, expected: &str| {
        let error = records(Jsonl, lines.as_bytes(), |source| {
            source.fields.references = Some("answers".to_owned());
            source.columns = vec!["topic".to_owned()];
        });
        assert_eq!(error.unwrap_err(), expected, "{lines}");
    };
    check("", "`file`: the file is empty: there is nothing to evaluate");
    check(" \n\n", "`file`: the file is empty: there is nothing to evaluate");
    check(
        "{\"id\": 1, \"answers\": []}\n{\"id\": 2, \"answers\": 15}",
        "`file`, line 2: field `answers` is a number, expected a list of texts",
    );
    check(
        r#"{"id": 1, "answers": ["a", 15]}"#,
        "`file`, line 1: item 2 of field `answers` is a number, \
         expected a text or an object with `text`",
    );
    check(
        r#"{"qid": 1, "answers": []}"#,
        "`file`, line 1: field `id` is missing; the record has `qid`, `answers`\n\
         hint: name the right field: `fields = { id = \"qid\" }`",
    );
    check(
        r#"{"id": 1, "gold": [], "meta": {"topic": 1}}"#,
        "`file`, line 1: field `answers` is missing; \
         the record has `id`, `gold`, `meta.topic`, `meta`\n\
         hint: name the right field: `fields = { references = \"gold\" }`",
    );
    check(
        r#"{"id": 1, "answers": [], "topics": 3}"#,
        "`file`: no record has the field `topic`; the first has `id`, `answers`, `topics`\n\
         hint: did you mean `topics`?",
    );
    check(
        r#"{"id": 1, "answers": [], "topic": {"a": 1}}"#,
        "`file`, line 1: field `topic` is an object, expected a text, a number, true or \
         false, or a list of them\nhint: name a field inside it, as `topic.name`",
    );
    check(
        "{\"id\": \"a\", \"answers\": []}\n\n{\"id\": \"a\", \"answers\": [], \"topic\": 1}",
        "`file`, line 3: id `a` is given twice, on lines 1 and 3\n\
         hint: ids must be unique: results are joined on them",
    );
    check(
        r#"{"id": 1, "answers": [], "topic": ["a", {"b": 1}]}"#,
        "`file`, line 1: item 2 of field `topic` is an object, expected a text, a number, \
         or true or false\nhint: name a field whose list has plain values only",
    );
    check(
        r#"{"n": 1e29, "id": 123456789012345678901234567890, "answers": []}"#,
        "`file`, line 1: field `id` is the number 123456789012345678901234567890, which is \
         too large, expected a text or a whole number\n\
         hint: write it as a text: `\"123456789012345678901234567890\"`",
    );
    check(
        r#"{"id": 1e30, "answers": []}"#,
        "`file`, line 1: field `id` is the number 1e30, expected a text or a whole number",
    );
    check(
        r#"{"id": 1, "answers": [], "hits": ["p", 99999999999999999999]}"#,
        "`file`, line 1: item 2 of field `hits` is the number 99999999999999999999, which \
         is too large, expected a text or a whole number\n\
         hint: write it as a text: `\"99999999999999999999\"`",
    );
    check(r#"{"id": 1, "id": 2}"#, "`file`, line 1, column 18: field `id` occurs twice");
    check(r#"{"id": "", "answers": []}"#, "`file`, line 1: field `id` is empty");
    check(
        r#"{"id": null, "answers": []}"#,
        "`file`, line 1: field `id` has no value, expected a text or a whole number",
    );
    check(
        r#"{"id": 1.5, "answers": []}"#,
        "`file`, line 1: field `id` is the number 1.5, expected a text or a whole number",
    );
    check(
        r#"{"id": 1, "answers": [], "turn": -1}"#,
        "`file`, line 1: field `turn` is the number -1, expected a whole number from 0",
    );
}

#[test]
fn lines_that_are_no_objects_are_errors() {
    let check = |lines: &[u8], expected: &str| {
        assert_eq!(records(Jsonl, lines, plain).unwrap_err(), expected);
    };
    check(b"[1]", "`file`, line 1: the line is a list, expected an object");
    check(
        "{\"id\": 1}\n{\"id\": \"é".as_bytes(),
        "`file`, line 2, column 9: the JSON ends early: EOF while parsing a string\n\
         hint: the file may be truncated",
    );
    check(br#"{"id": 1,}"#, "`file`, line 1, column 10: invalid JSON: trailing comma");
    check(br#"{"id": 1} x"#, "`file`, line 1, column 11: invalid JSON: trailing characters");
    check(
        br#"{"id": 1, "confidence": NaN}"#,
        "`file`, line 1, column 25: invalid JSON: `NaN` is no JSON number\n\
         hint: write null where there is no number",
    );
    for (escape, column) in [(r"\ud800", 15), (r"\ud800\u0041", 20), (r"\udc00", 14)] {
        check(
            format!(r#"{{"id": "{escape}"}}"#).as_bytes(),
            &format!(
                "`file`, line 1, column {column}: invalid JSON: half of a surrogate pair in \
                 an escape\n\
                 hint: write both halves, as `\\ud83d\\ude00`, or the character itself"
            ),
        );
    }
    check(
        b"{\"id\": 1}\n{\"id\": \"\xff\"}",
        "`file`, line 2: byte 9 of the line (0xFF) is not UTF-8\n\
         hint: convert the file, for example with `iconv -f latin1 -t utf-8`",
    );
}

#[test]
fn the_first_error_ends_the_records() {
    let folder = Folder::new();
    let path = folder.write("file", "{\"id\": 1}\n{\n{\"id\": 3}\n");
    let mut records = crate::open(&DatasetSource::new(path, Jsonl)).unwrap();
    assert!(records.next().unwrap().is_ok());
    assert!(records.next().unwrap().is_err());
    assert!(records.next().is_none());
}

/// One of the lines that a file may mix.
fn line(number: usize, kind: u8) -> String {
    let rest = match kind {
        0 => String::new(),
        1 => r#", "references": "one", "prediction": null"#.to_owned(),
        2 => r#", "references": ["a", "b", "c"], "prediction": ["x", "y"]"#.to_owned(),
        3 => r#", "references": [{"text": "t", "answer_start": 3, "items": ["i"]}, "u"],
            "question": "q""#
            .replace('\n', ""),
        4 => r#", "references": [], "prediction": "a long answer", "confidence": 0.5"#.to_owned(),
        _ => r#", "references": {"text": ["p"], "answer_start": [1]}, "group": "g""#.to_owned(),
    };
    format!("{{\"id\": \"{number}\"{rest}}}\n")
}

proptest! {
    #[test]
    fn what_a_record_held_before_leaves_no_trace(
        kinds in prop::collection::vec(0..6_u8, 1..20), most in 1..5_usize,
    ) {
        let text: String = kinds.iter().enumerate().map(|(n, &kind)| line(n, kind)).collect();
        let folder = Folder::new();
        let source = DatasetSource::new(folder.write("file", text), Jsonl);
        let fresh: Vec<_> = crate::open(&source).unwrap().map(Result::unwrap).collect();
        let (mut filled, mut batch) = (Vec::new(), Vec::new());
        let mut records = crate::open(&source).unwrap();
        loop {
            records.refill(&mut batch, most).unwrap();
            if batch.is_empty() {
                break;
            }
            filled.extend(batch.iter().cloned());
        }
        prop_assert_eq!(fresh, filled);
    }
}
