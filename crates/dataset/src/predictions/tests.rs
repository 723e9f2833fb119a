//! Predictions files of every format, whole and damaged.

mod parquet;

use qeval_core::Candidate;

use super::*;
use crate::testing::read;

type Found = Result<Vec<(String, Prediction)>, String>;

fn load(content: &str, configure: impl Fn(&mut PredictionSource)) -> Found {
    let found = read(content.as_bytes(), |path| {
        let mut source = PredictionSource::new(path);
        configure(&mut source);
        let found = predictions(&source);
        compare_with_spilled(&source, found.as_ref());
        found
    })?;
    for (id, prediction) in found.iter() {
        assert_eq!(found.get(id), Some(prediction));
    }
    assert_eq!((found.get("no such id"), found.len()), (None, found.iter().len()));
    Ok(found.iter().map(|(id, prediction)| (id.to_owned(), prediction.clone())).collect())
}

/// What goes through a temporary file is the same, whoever asks for it, and so are the errors.
fn compare_with_spilled(source: &PredictionSource, found: Result<&Predictions, &Error>) {
    let folder = tempfile::tempdir().unwrap();
    let spilled = match (spill_predictions(source, folder.path()), found) {
        (Ok(spilled), Ok(_)) => spilled,
        (spilled, found) => {
            assert_eq!(spilled.err().as_ref(), found.err());
            return;
        }
    };
    let found = found.unwrap();
    let ids: Vec<&str> = found.iter().map(|(id, _)| id).collect();
    let has = spilled.has();
    assert_eq!(has.seen, found.iter().any(|(_, given)| given.seen.is_some()));
    assert_eq!(has.confidence, found.iter().any(|(_, given)| given.confidence.is_some()));
    let labels = found.iter().flat_map(|(_, given)| given.labels.keys().cloned());
    assert_eq!(has.labels, labels.collect());
    // One dataset backwards and with an id that is unknown, one with every second, twice.
    let backwards: Vec<&str> = ids.iter().rev().copied().chain(["no such id"]).collect();
    let some: Vec<&str> = ids.iter().step_by(2).flat_map(|&id| [id, id]).collect();
    let asked = [&backwards, &some].map(|ids| {
        let mut asked = spilled.asked(folder.path()).unwrap();
        for id in ids {
            asked.push(id).unwrap();
        }
        asked
    });
    let mut joined = spilled.join(asked.into(), 1, folder.path(), &|| false).unwrap();
    for (ids, answers) in [backwards, some].iter().zip(&mut joined.answers) {
        let mut packed = PackedPredictions::default();
        for id in ids {
            answers.take(id, &mut packed).unwrap();
        }
        let expected: Vec<_> = ids.iter().map(|id| found.get(id).cloned()).collect();
        assert_eq!(spilled.unpack(&packed).unwrap(), expected);
        let changed = answers.take("no such id", &mut packed).unwrap_err();
        assert!(changed.message.starts_with("example `no such id` was not"), "{changed}");
    }
    assert_eq!(joined.unasked, Named::default());
    let first = vec![ids[0].to_owned()];
    assert_eq!(joined.shared, Named { count: ids.len().div_ceil(2) as u64, first });
}

#[test]
fn many_predictions_find_their_examples_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("predictions.jsonl");
    let line =
        |n: usize| format!("{{\"id\": \"q{n}é\", \"prediction\": \"{}\"}}\n", "x".repeat(n % 90));
    let lines: String = (0..20_000).map(line).collect();
    std::fs::write(&path, &lines).unwrap();
    let source = PredictionSource::new(&path);
    let spilled = spill_predictions(&source, folder.path()).unwrap();
    let mut asked = spilled.asked(folder.path()).unwrap();
    let ids = || (0..20_000).map(|n| format!("q{}é", n * 7919 % 20_000 + 17));
    ids().for_each(|id| asked.push(&id).unwrap());
    let mut joined = spilled.join(vec![asked], 5, folder.path(), &|| false).unwrap();
    let mut packed = PackedPredictions::default();
    ids().for_each(|id| joined.answers[0].take(&id, &mut packed).unwrap());
    let expected = (0..20_000).map(|n| n * 7919 % 20_000 + 17);
    let expected = expected.map(|n| (n < 20_000).then(|| Prediction::answer("x".repeat(n % 90))));
    assert_eq!(spilled.unpack(&packed).unwrap(), expected.collect::<Vec<_>>());
    let first = (0..5).map(|n| format!("q{n}é")).collect();
    assert_eq!(joined.unasked, Named { count: 17, first });
    // The first id that is there twice, although others are nearer to the beginning of a part, and
    // although the file is broken after it.
    let twice = [lines.as_str(), &line(9), &line(3), &line(3), "{\n"].concat();
    std::fs::write(&path, twice).unwrap();
    let error = spill_predictions(&source, folder.path()).err().unwrap();
    assert_eq!(Err(error), predictions(&source));
}

#[test]
fn the_format_is_recognised() {
    let expected =
        vec![("b".to_owned(), Prediction::answer("x")), ("a".to_owned(), Prediction::abstention())];
    for content in [
        r#"{"b": "x", "a": ""}"#,
        " {\n \"b\": \"x\",\n \"a\": null\n}\n",
        "{\"id\": \"b\", \"prediction\": \"x\"}\n{\"prediction\": null, \"id\": \"a\"}\n",
        "id,prediction\nb,x\na,\n",
    ] {
        assert_eq!(load(content, |_| {}), Ok(expected.clone()), "{content}");
    }
    let dialog = r#"{"best_span_str": ["x"], "qid": ["q#0"], "yesno": ["y"], "followup": ["n"]}"#;
    let found = load(dialog, |_| {}).unwrap();
    assert_eq!(found[0].0, "q#0");
    assert_eq!(found[0].1.labels["yesno"], "y");
    assert_eq!(found[0].1.labels["followup"], "n");
}

#[test]
fn many_ids_are_an_object_whatever_they_are_called() {
    let members: Vec<String> = (0..100).map(|i| format!("\"q{i}\": \"{i}\"")).collect();
    let content = format!("{{{}, \"id\": \"x\"}}", members.join(", "));
    let found = load(&content, |_| {}).unwrap();
    assert_eq!((found.len(), found[100].0.as_str()), (101, "id"));
}

#[test]
fn lines_have_all_that_a_reader_tells() {
    let line = r#"{"qid": 7, "answer": "15", "p": 1e-3, "context_ids": ["p1"], "cited": "p1",
                   "from": 3, "to": 5, "act": "inform", "sure": true,
                   "best": ["15", null, {"text": "16", "confidence": 1, "start": 7},
                            {"text": null, "start": 2, "end": 9, "passage_id": 8}]}"#;
    let found = load(&line.replace('\n', ""), |source| {
        let name = |name: &str| Some(name.to_owned());
        source.fields = PredictionFields {
            verdict: None,
            id: name("qid"),
            prediction: name("answer"),
            candidates: name("best"),
            confidence: name("p"),
            hits: name("context_ids"),
            citations: name("cited"),
            start: name("from"),
            end: name("to"),
            span: None,
            labels: [("dialog_act".to_owned(), "act".to_owned())].into(),
        };
        // One that is mapped, one of its own name, and one that the file lacks.
        source.labels = ["dialog_act", "sure", "choice"].map(str::to_owned).to_vec();
    });
    let label = |name: &str, label: &str| (name.to_owned(), label.to_owned());
    let expected = Prediction {
        confidence: Some(0.001),
        seen: Some(vec!["p1".to_owned()]),
        citations: vec!["p1".to_owned()],
        span: Some(3..5),
        labels: [label("dialog_act", "inform"), label("sure", "true")].into(),
        candidates: vec![
            "15".into(),
            Candidate::default(),
            Candidate { confidence: Some(1.0), span: Some(7..9), ..Candidate::from("16") },
            Candidate { span: Some(2..9), passage: Some("8".to_owned()), ..Candidate::default() },
        ],
        ..Prediction::answer("15")
    };
    assert_eq!(found, Ok(vec![("7".to_owned(), expected)]));
}

#[test]
fn an_answer_may_be_a_place_in_the_context() {
    let both = Prediction { span: Some(0..1), ..Prediction::answer("x") };
    let expected = [
        ("a", Prediction::at(3..5)),
        ("b", both),
        ("c", Prediction::abstention()),
        ("d", Prediction::at(7..7)),
    ];
    let expected: Vec<_> = expected.into_iter().map(|(id, found)| (id.to_owned(), found)).collect();
    for content in [
        "{\"id\": \"a\", \"start\": 3, \"end\": 5}\n\
         {\"id\": \"b\", \"prediction\": \"x\", \"start\": 0, \"end\": 1}\n\
         {\"id\": \"c\", \"start\": null, \"end\": null}\n\
         {\"id\": \"d\", \"start\": 7, \"end\": 7, \"prediction\": null}\n",
        "{\"id\": \"a\", \"span\": [3, 5]}\n\
         {\"id\": \"b\", \"prediction\": \"x\", \"span\": [0, 1], \"start\": 0, \"end\": 1}\n\
         {\"id\": \"c\", \"span\": null}\n\
         {\"id\": \"d\", \"span\": [7, 7]}\n",
        "id,start,end,prediction\na,3,5,\nb,0,1,x\nc,,,\nd,7,7,\n",
        "id,span,prediction\na,\"[3, 5]\",\nb,\"[0, 1]\",x\nc,,\nd,\"[7,7]\",\n",
    ] {
        assert_eq!(load(content, |_| {}), Ok(expected.clone()), "{content}");
    }
    assert_eq!(load("id,span\na,\"[3, 5]\"\n", |_| {}), Ok(expected[..1].to_vec()));
    let mapped = load("id,start\na,x\n", |source| {
        let name = |name: &str| Some(name.to_owned());
        let fields = PredictionFields { start: name(""), ..PredictionFields::default() };
        source.fields = PredictionFields { prediction: name("start"), ..fields };
    });
    assert_eq!(mapped, Ok(vec![("a".to_owned(), Prediction::answer("x"))]));
}

#[test]
fn the_turns_of_a_dialog_may_be_places() {
    let acts = r#""yesno": ["y", "n", "x"], "followup": ["n", "n", "n"]}"#;
    for places in [
        r#"{"qid": ["a", "b", "c"], "span": [[3, 5], null, [0, 1]],
            "best_span_str": [null, "CANNOTANSWER", "x"], "#,
        r#"{"qid": ["a", "b", "c"], "start": [3, null, 0], "end": [5, null, 1],
            "best_span_str": [null, "CANNOTANSWER", "x"], "#,
    ] {
        let found = load(&format!("{places}{acts}").replace('\n', ""), |_| {}).unwrap();
        let spans: Vec<_> = found.iter().map(|(_, found)| found.span.clone()).collect();
        assert_eq!(spans, [Some(3..5), None, Some(0..1)]);
        let texts: Vec<&str> = found.iter().map(|(_, found)| found.text.as_str()).collect();
        assert_eq!(texts, ["", "CANNOTANSWER", "x"]);
        assert_eq!(found[0].1.span_alone(), Some(3..5));
        assert_eq!(found[1].1.labels["yesno"], "n");
    }
    let alone = r#"{"qid": ["a"], "span": [[3, 5]], "yesno": ["y"], "followup": ["n"]}"#;
    assert_eq!(load(alone, |_| {}).unwrap()[0].1.span_alone(), Some(3..5));
}

#[test]
fn errors_say_where_and_what() {
    let check = |content: &str, expected: &str| {
        assert_eq!(load(content, |_| {}).unwrap_err(), expected, "{content}");
    };
    check("", "`file`: the file is empty: there is nothing to evaluate");
    check("{}", "`file`: the file is empty: there is nothing to evaluate");
    check(
        r#"[{"id": 1}]"#,
        "`file`: the file is a JSON list, expected one object or one object a line\n\
         hint: convert it with `jq -c '.[]'`",
    );
    check(
        "{\"a\": \"x\",\n\"b\": 5}",
        "`file`, line 2, column 7: the prediction of `b` is a number, expected a text, a list \
         of texts or null",
    );
    check(
        "{\"a\": \"x\",\n\"b\": \"y\",\n\"a\": \"z\"}",
        "`file`, line 3, column 9: id `a` is given twice, in records 1 and 3\n\
         hint: ids must be unique: results are joined on them",
    );
    check(
        "{\"a\": \"x\",\n\"b\": \"y",
        "`file`, line 2, column 7: the JSON ends early: EOF while parsing a string\n\
         hint: the file may be truncated",
    );
    check(
        "{\"id\": 1, \"prediction\": \"x\"}\n{\"id\": 1, \"prediction\": \"x\"}",
        "`file`, line 2: id `1` is given twice, on lines 1 and 2\n\
         hint: ids must be unique: results are joined on them",
    );
    check(
        "{\"id\": 1, \"answer\": \"x\"}\n{\"id\": 2, \"answer\": \"x\"}",
        "`file`, line 1: field `prediction` is missing; the record has `id`, `answer`\n\
         hint: name the right field: `fields = { prediction = \"answer\" }`",
    );
    check(
        "{\"question_id\": 1, \"prediction\": \"x\"}\n{\"question_id\": 2}",
        "`file`, line 1: field `id` is missing; the record has `question_id`, `prediction`\n\
         hint: name the right field: `fields = { id = \"question_id\" }`",
    );
    check(
        r#"{"id": 1, "prediction": 5}"#,
        "`file`, line 1: field `prediction` is a number, expected a text or a list of texts",
    );
    let candidates = |cell: &str, found: &str, item: &str| {
        check(
            &format!(r#"{{"id": 1, "prediction": "x", "candidates": {cell}}}"#),
            &format!("`file`, line 1: {item}field `candidates` is {found}"),
        );
    };
    let expected = "expected a text, null, or an object with `text` and perhaps `confidence`, \
                    `start`, `end` and `passage_id`";
    candidates(r#""x""#, "a text, expected a list of answers", "");
    candidates("[\"x\", 5]", &format!("a number, {expected}"), "item 2 of ");
    for (object, fault) in [
        (r#"{"answer": "x"}"#, "has no `text`"),
        (r#"{"text": 5}"#, "has a `text` that is a number, expected a text or null"),
        (r#"{"text": "x", "end": 5}"#, "has `end` and no `start`"),
        (r#"{"text": "x", "start": 5, "end": 3}"#, "ends at 3, before its start at 5"),
        (
            r#"{"text": "x", "start": -1}"#,
            "has a `start` that is -1, expected a whole number from 0",
        ),
        (
            r#"{"text": "x", "confidence": "1"}"#,
            "has a `confidence` that is a text, expected a finite number",
        ),
        (
            r#"{"text": "x", "passage_id": true}"#,
            "has a `passage_id` that is true or false, expected a text or a whole number",
        ),
    ] {
        check(
            &format!(r#"{{"id": 1, "prediction": "x", "candidates": [{object}]}}"#),
            &format!("`file`, line 1: item 1 of field `candidates` {fault}"),
        );
    }
    check(
        r#"{"qid": ["a", "b"], "best_span_str": ["x", "y"], "yesno": ["y"], "followup": []}"#,
        "`file`, line 1: `qid` has 2 items and `yesno` 1, expected as many",
    );
    check(
        r#"{"qid": "a", "best_span_str": ["x"], "yesno": [], "followup": []}"#,
        "`file`, line 1, column 11: found a text, expected a list",
    );
}

#[test]
fn wrong_places_are_refused() {
    let check = |content: &str, expected: &str| {
        assert_eq!(load(content, |_| {}).unwrap_err(), expected, "{content}");
    };
    check(
        r#"{"id": 1, "prediction": "x", "start": 5, "end": 3}"#,
        "`file`, line 1: the span ends at 3, before its start at 5",
    );
    check(
        r#"{"id": 1, "prediction": null, "start": 5}"#,
        "`file`, line 1: the span has a place `start` and no `end`\n\
         hint: name the field of its end as `end`; where `start` is no place of the answer: \
         `fields = { start = \"\" }`",
    );
    check(
        r#"{"id": 1, "prediction": "x", "start": 12.5, "end": 20}"#,
        "`file`, line 1: field `start` is the number 12.5, expected a whole number from 0\n\
         hint: no place is null; where it is no place of the answer at all: `fields = { start = \"\" }`",
    );
    check(
        r#"{"id": 1, "span": [3]}"#,
        "`file`, line 1: field `span` is `[3]`, expected a list of two whole numbers from 0\n\
         hint: no place is null; where it is no place of the answer at all: `fields = { span = \"\" }`",
    );
    check(
        r#"{"id": 1, "span": [-1, -1]}"#,
        "`file`, line 1: field `span` is `[-1, -1]`, expected a list of two whole numbers from 0\n\
         hint: no place is null; where it is no place of the answer at all: \
         `fields = { span = \"\" }`",
    );
    check(
        r#"{"id": 1, "span": [3, 4], "start": 3, "end": 5}"#,
        "`file`, line 1: the span is from 3 to 5 by `start` and `end`, and from 3 to 4 by \
         `span`",
    );
    check(
        "{\"id\": 1, \"span\": [3, 4]}\n{\"id\": 2}",
        "`file`, line 2: field `prediction` is missing; the record has `id`\n\
         hint: name the right field: `fields = { prediction = \"..\" }`",
    );
    check(
        r#"{"qid": ["a", "b"], "span": [[0, 1]], "yesno": ["y", "y"], "followup": ["n", "n"]}"#,
        "`file`, line 1: `qid` has 2 items and `span` 1, expected as many",
    );
    check(
        r#"{"qid": ["a"], "start": [4], "end": [2], "yesno": ["y"], "followup": ["n"]}"#,
        "`file`, line 1: turn `a`: the span ends at 2, before its start at 4",
    );
    check(
        r#"{"qid": ["a"], "best_span_str": [null], "yesno": ["y"], "followup": ["n"]}"#,
        "`file`, line 1: turn `a` has no `best_span_str`",
    );
}

#[test]
fn half_a_place_beside_a_text_is_no_mistake() {
    let span = |content: &str| {
        let found = load(content, |_| {}).unwrap();
        found[0].1.span.clone()
    };
    assert_eq!(span(r#"{"prediction": "Zoë ran", "start": 2, "id": 1}"#), Some(2..9));
    assert_eq!(span(r#"{"id": 1, "end": 3, "prediction": "Zoë ran"}"#), None);
    assert_eq!(
        span(r#"{"id": 1, "span": [1, 8], "start": 1, "prediction": "Zoë ran"}"#),
        Some(1..8)
    );
}

#[test]
fn fields_of_labels_must_be_there() {
    let name_act = |source: &mut PredictionSource| {
        source.fields.labels.insert("dialog_act".to_owned(), "act".to_owned());
    };
    let expected = "`file`: predictions of format `squad` have no fields to name\n\
                    hint: remove `fields`, or name another format";
    assert_eq!(load(r#"{"a": "x"}"#, name_act).unwrap_err(), expected);
    let lacking = load(r#"{"id": 1, "prediction": "x", "acts": "y"}"#, name_act);
    let expected = "`file`, line 1: field `act` is missing; the record has `id`, `prediction`, \
                    `acts`\nhint: did you mean `acts`?";
    assert_eq!(lacking.unwrap_err(), expected);
    let wanted = load(r#"{"a": "x"}"#, |source| source.labels = vec!["act".to_owned()]);
    assert_eq!(wanted.map(|found| found.len()), Ok(1));
}
