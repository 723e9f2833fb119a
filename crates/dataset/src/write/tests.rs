//! What is written is read back equal, or refused.

use proptest::prelude::*;
use qeval_core::{Example, Exchange, Prediction, Reference, Value};

use super::*;
use crate::{DatasetFormat, record, testing::Folder};

const COLUMNS: [&str; 2] = ["topic", "meta.kind"];

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// Examples of two groups with all that SQuAD's JSON can hold.
fn plain() -> Vec<Record> {
    let at = |text: &str, start| Reference { start: Some(start), ..text.into() };
    let example =
        |id: &str, group: &str, references: Vec<Reference>, topic: Option<&str>| Example {
            id: id.to_owned(),
            question: format!("who, \"{id}\"?\n"),
            references,
            context: Some(format!("İstanbul\u{301} 𝒳 \r\n{group}, naïve")),
            group: Some(group.to_owned()),
            columns: topic.map(|topic| ("topic".to_owned(), text(topic))).into_iter().collect(),
            ..Example::default()
        };
    let mut records = vec![
        example("é1", "B & b", vec![at("𝒳", 10), "[x]".into(), "".into()], Some("[\"a\"]")),
        example(" 2 ", "B & b", Vec::new(), None),
        example("3", "a", vec![at("İ", 0)], Some(" b,\n\"c\" ")),
    ];
    records[1].context = None;
    records[2].columns.insert("meta.kind".to_owned(), text("x"));
    records.into_iter().map(Record::from).collect()
}

/// The same with all that the named fields can hold, but predictions.
fn rich() -> Vec<Record> {
    let mut records: Vec<Example> = plain().into_iter().map(|record| record.example).collect();
    records[0].gold_passages = vec!["p 1".to_owned(), "[2]".to_owned()];
    records[0].turn = Some(3);
    records[1].history =
        vec![Exchange { question: "q".to_owned(), answer: "é, \"a\"".to_owned() }];
    let items = vec!["x, y".to_owned(), "z".to_owned()];
    records[1].references = vec![Reference { items, start: Some(7), .."x, y, z".into() }];
    records[2].group = None;
    records.into_iter().map(Record::from).collect()
}

/// The same with predictions.
fn answered() -> Vec<Record> {
    let mut records = rich();
    let citations = vec!["p".to_owned()];
    records[0].prediction = Some(Prediction {
        confidence: Some(0.1 + 0.2),
        seen: Some(vec!["p".to_owned(), "q".to_owned()]),
        citations,
        labels: [("verdict".to_owned(), "Incorrect".to_owned())].into(),
        ..Prediction::answer("[an] answer")
    });
    records[1].prediction = Some(Prediction::abstention());
    records[2].prediction = Some(Prediction { seen: Some(Vec::new()), ..Prediction::answer("  ") });
    records
}

/// Writes records as JSON lines, which is what all other formats are made from.
fn lines(folder: &Folder, records: Vec<Record>) -> DatasetSource {
    let path = folder.path("records.jsonl");
    let mut output =
        Output::create(&Target { path: path.clone(), format: TargetFormat::Jsonl }).unwrap();
    for record in records {
        let line = jsonl::line(&record, &COLUMNS).unwrap();
        std::io::Write::write_all(&mut output, line.as_bytes()).unwrap();
    }
    output.finish().unwrap();
    named(path, DatasetFormat::Jsonl)
}

fn named(path: PathBuf, format: DatasetFormat) -> DatasetSource {
    let mut source = DatasetSource::new(path, format);
    source.columns = COLUMNS.map(str::to_owned).to_vec();
    if format == DatasetFormat::Squad {
        source.fields.group = Some("title".to_owned());
    }
    source
}

fn read(source: &DatasetSource) -> Vec<Record> {
    open(source).unwrap().collect::<Result<_, _>>().unwrap()
}

/// To the format, back to JSON lines, and the same records at each step.
fn there_and_back(records: &[Record], name: &str, format: TargetFormat) {
    let folder = Folder::new();
    let source = lines(&folder, records.to_vec());
    assert_eq!(read(&source), records);
    let written = Target { path: folder.path(name), format };
    let counts = convert(&source, &written).unwrap();
    let unanswerable = records.iter().filter(|record| !record.example.answerable()).count() as u64;
    let references = records.iter().flat_map(|record| &record.example.references);
    let unplaced = references.filter(|reference| reference.start.is_none()).count() as u64;
    assert_eq!(counts, Written { examples: records.len() as u64, unanswerable, unplaced });
    let from = DatasetFormat::from_name(format.name()).unwrap();
    let middle = named(written.path, from);
    assert_eq!(read(&middle), records);
    let back = Target { path: folder.path("back.jsonl"), format: TargetFormat::Jsonl };
    convert(&middle, &back).unwrap();
    let bytes = |path| std::fs::read(path).unwrap();
    assert_eq!(bytes(&back.path), bytes(&source.path), "{name}");
}

#[test]
fn what_is_written_is_read_back_equal() {
    there_and_back(&plain(), "a.json", TargetFormat::Squad);
    there_and_back(&plain(), "a.json.gz", TargetFormat::Squad);
    for records in [plain(), rich(), answered()] {
        there_and_back(&records, "a.csv", TargetFormat::Csv);
        there_and_back(&records, "a.csv.gz", TargetFormat::Csv);
        there_and_back(&records, "a.parquet", TargetFormat::Parquet);
        there_and_back(&records, "a.jsonl", TargetFormat::Jsonl);
    }
}

#[test]
fn values_of_all_kinds_go_through_parquet_and_json() {
    let list = |values: Vec<Value>| Value::List(values);
    let mut records = plain();
    let values = [
        [Value::Integer(i64::MIN), Value::Bool(true), Value::Number(5.0), list(Vec::new())],
        [
            Value::Integer(7),
            Value::Bool(false),
            Value::Number(-1e-300),
            list(vec![list(Vec::new())]),
        ],
        [
            Value::Integer(0),
            Value::Bool(true),
            Value::Number(0.1),
            list(vec![list(vec![Value::Integer(1)]), list(Vec::new())]),
        ],
    ];
    let names = ["whole", "truth", "number", "lists"];
    for (record, values) in records.iter_mut().zip(values) {
        record.example.columns.extend(names.map(str::to_owned).into_iter().zip(values));
    }
    records[1].example.columns.remove("truth");
    let folder = Folder::new();
    let mut source = lines(&folder, records.clone());
    source.columns.extend(names.map(str::to_owned));
    assert_eq!(read(&source), records);
    for (format, name) in [(TargetFormat::Parquet, "a.parquet"), (TargetFormat::Squad, "a.json")] {
        let target = Target { path: folder.path(name), format };
        convert(&source, &target).unwrap();
        let from = DatasetFormat::from_name(format.name()).unwrap();
        let back = DatasetSource { columns: source.columns.clone(), ..named(target.path, from) };
        assert_eq!(read(&back), records);
    }
    // A table has texts alone.
    for record in &mut records {
        record.example.columns.remove("lists");
    }
    source.columns.retain(|name| name != "lists");
    let target = Target { path: folder.path("a.csv"), format: TargetFormat::Csv };
    convert(&source, &target).unwrap();
    let back = named(target.path, DatasetFormat::Csv);
    let back = DatasetSource { columns: source.columns.clone(), ..back };
    for record in &mut records {
        for value in record.example.columns.values_mut() {
            *value = Value::Text(value.to_string());
        }
    }
    assert_eq!(read(&back), records);
}

/// The error of a conversion, without the folder.
fn refused(records: Vec<Record>, format: TargetFormat) -> String {
    let folder = Folder::new();
    let source = lines(&folder, records);
    let target = Target { path: folder.path("target"), format };
    let error = convert(&source, &target).unwrap_err();
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 1, "nothing is left");
    folder.show(&error)
}

#[test]
fn what_a_format_has_no_place_for_is_refused() {
    let check = |format, change: &dyn Fn(&mut Vec<Record>), expected: &str| {
        let mut records = plain();
        change(&mut records);
        let error = refused(records, format);
        let message = error.strip_prefix("`records.jsonl`, record ").unwrap();
        assert_eq!(message, expected);
    };
    let squad = TargetFormat::Squad;
    check(
        squad,
        &|records| records[2].example.turn = Some(0),
        "3: `turn` of example `3` cannot be written in the format `squad`: it has no such field",
    );
    check(
        squad,
        &|records| records[1].prediction = Some(Prediction::answer("x")),
        "2: `prediction` of example ` 2 ` cannot be written in the format `squad`: it has no such \
         field",
    );
    check(
        squad,
        &|records| records[0].example.references[0].items = vec!["x".to_owned()],
        "1: `references` of example `é1` cannot be written in the format `squad`: one of them is a \
         list, and an answer is a text",
    );
    check(
        TargetFormat::Csv,
        &|records| records[0].example.context = Some(String::new()),
        "1: `context` of example `é1` cannot be written in the format `csv`: it is an empty text, \
         and an empty cell is null",
    );
    check(
        TargetFormat::Csv,
        &|records| drop(records[0].example.columns.insert("topic".to_owned(), Value::List(vec![]))),
        "1: `topic` of example `é1` cannot be written in the format `csv`: it is a list, and a cell \
         of a column holds a text",
    );
    for format in [TargetFormat::Csv, TargetFormat::Parquet] {
        let name = format.name();
        check(
            format,
            &|records| records[0].prediction = Some(Prediction::answer("x")),
            &format!(
                "2: `prediction` of example ` 2 ` cannot be written in the format `{name}`: it is \
                 missing, and other examples have one"
            ),
        );
        check(
            format,
            &|records| {
                for record in records {
                    record.prediction = Some(record::list(vec!["x".to_owned()]));
                }
            },
            &format!(
                "1: `prediction` of example `é1` cannot be written in the format `{name}`: it is a \
                 list, and a column of answers holds texts"
            ),
        );
    }
    check(
        TargetFormat::Parquet,
        &|records| drop(records[2].example.columns.insert("topic".to_owned(), Value::Integer(1))),
        "3: `topic` of example `3` cannot be written in the format `parquet`: its values are not \
         all of one kind",
    );
}

#[test]
fn a_list_of_answers_stays_a_list_in_json_lines() {
    let mut records = plain();
    records[0].prediction = Some(record::list(vec!["x".to_owned(), String::new()]));
    there_and_back(&records, "a.jsonl", TargetFormat::Jsonl);
}

#[test]
fn a_column_must_not_hide_a_field() {
    let folder = Folder::new();
    let mut source = lines(&folder, plain());
    source.columns = vec!["context".to_owned()];
    let target = Target { path: folder.path("target"), format: TargetFormat::Jsonl };
    let expected = "`records.jsonl`, record 1: `context` of example `é1` cannot be written in the \
                    format `jsonl`: a column cannot have the name of a field";
    assert_eq!(folder.show(&convert(&source, &target).unwrap_err()), expected);
}

#[test]
fn no_file_is_written_over() {
    let folder = Folder::new();
    let source = lines(&folder, plain());
    let onto = |name: &str, format| {
        let target = Target { path: folder.path(name), format };
        folder.show(&convert(&source, &target).unwrap_err())
    };
    let expected = "`records.jsonl`: is there already\n\
                    hint: give another name, or take the file away first";
    assert_eq!(onto("records.jsonl", TargetFormat::Jsonl), expected);
    let expected = "`a.gz`: ends with `.gz`, but Parquet is packed inside and not read packed";
    assert_eq!(onto("a.gz", TargetFormat::Parquet), expected);
    let error = onto("none/a", TargetFormat::Csv);
    assert!(error.contains("`: cannot be written: "), "{error}");
    assert_eq!(read(&source), plain());
}

#[test]
fn squad_is_grouped_by_title_and_context() {
    let folder = Folder::new();
    let mut records = plain();
    records[2].example.group = Some("B & b".to_owned());
    let context = records[0].example.context.clone();
    records[2].example.context = context;
    let source = lines(&folder, records);
    let target = Target { path: folder.path("a.json"), format: TargetFormat::Squad };
    convert(&source, &target).unwrap();
    let file: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&target.path).unwrap()).unwrap();
    assert_eq!(file["data"].as_array().unwrap().len(), 1);
    let article = &file["data"][0];
    assert_eq!(article["title"], "B & b");
    let ids = |place: usize| -> Vec<&str> {
        let questions = article["paragraphs"][place]["qas"].as_array().unwrap();
        questions.iter().map(|question| question["id"].as_str().unwrap()).collect()
    };
    assert_eq!((ids(0), ids(1)), (vec!["é1", "3"], vec![" 2 "]));
    let first = &article["paragraphs"][0]["qas"][0];
    assert_eq!(first["answers"][0]["answer_start"], 10);
    assert_eq!((&first["is_impossible"], &first["topic"]), (&false.into(), &"[\"a\"]".into()));
    assert_eq!(article["paragraphs"][1]["qas"][0]["is_impossible"], true);
}

/// Texts that formats stumble over.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        "\"", "\"\"", "\n", "\r\n", "\r", ",", "\t", "[", "]", "[]", "{}", "null", " ", "#", "\\",
        "\0", "a", "0", "-", "é", "e\u{301}", "\u{202e}", "\u{feff}", "\u{2028}", "𝒳", "İ", "'",
        "=", "\u{85}",
    ];
    let pieces = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..5);
    prop_oneof![pieces.prop_map(|pieces| pieces.concat()), any::<String>()]
}

fn any_reference() -> impl Strategy<Value = Reference> {
    let items = prop::collection::vec(hostile(), 0..3);
    let start = prop::option::of(0_usize..1 << 40);
    (hostile(), start, items).prop_map(|(text, start, items)| Reference { text, start, items })
}

fn any_prediction() -> impl Strategy<Value = Prediction> {
    let ids = || prop::collection::vec(hostile(), 0..3);
    let confidence = prop::option::of(prop::num::f64::NORMAL);
    let verdict = prop::option::of(hostile());
    let parts = (hostile(), confidence, prop::option::of(ids()), ids(), verdict);
    parts.prop_map(|(text, confidence, seen, citations, verdict)| Prediction {
        confidence,
        seen,
        citations,
        labels: verdict.into_iter().map(|verdict| ("verdict".to_owned(), verdict)).collect(),
        ..Prediction::answer(text)
    })
}

fn any_example() -> impl Strategy<Value = Example> {
    let context = prop::option::of(hostile());
    let group = prop::option::of(hostile());
    let references = prop::collection::vec(any_reference(), 0..3);
    let gold = prop::collection::vec(hostile(), 0..2);
    let exchange = || (hostile(), hostile());
    let history = prop::collection::vec(exchange(), 0..2);
    let parts = (hostile(), hostile(), context, group, references, gold, history);
    let further = (prop::option::of(any::<u32>()), prop::option::of(hostile()));
    (parts, further).prop_map(|(parts, (turn, topic))| {
        let (id, question, context, group, references, gold_passages, history) = parts;
        let exchange = |(question, answer)| Exchange { question, answer };
        Example {
            id,
            question,
            context,
            group: group.filter(|group| !group.is_empty()),
            references,
            gold_passages,
            history: history.into_iter().map(exchange).collect(),
            turn,
            columns: topic
                .map(|topic| ("topic".to_owned(), Value::Text(topic)))
                .into_iter()
                .collect(),
            ..Example::default()
        }
    })
}

fn any_records() -> impl Strategy<Value = Vec<Record>> {
    let examples = prop::collection::vec((any_example(), any_prediction()), 1..4);
    (examples, any::<bool>(), any::<bool>()).prop_map(|(records, predicted, plain)| {
        let record = |(place, (mut example, prediction)): (usize, (Example, Prediction))| {
            example.id.push_str(&place.to_string());
            if plain {
                // What SQuAD's JSON can hold.
                example.turn = None;
                example.history.clear();
                example.gold_passages.clear();
                example.group = Some("one".to_owned());
                example.context = Some("one".to_owned());
                example.references.iter_mut().for_each(|reference| reference.items.clear());
            }
            Record { example, prediction: (predicted && !plain).then_some(prediction) }
        };
        let mut records: Vec<Record> = records.into_iter().enumerate().map(record).collect();
        // A column that is asked for must be there.
        let topic = Value::Text("t".to_owned());
        records[0].example.columns.entry("topic".to_owned()).or_insert(topic);
        records
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_records_come_back_equal_or_are_refused(records in any_records()) {
        let folder = Folder::new();
        let mut source = lines(&folder, records.clone());
        source.columns = vec!["topic".to_owned()];
        prop_assert_eq!(&read(&source), &records);
        for format in TargetFormat::ALL {
            let target = Target { path: folder.path(format.name()), format };
            if let Err(error) = convert(&source, &target) {
                prop_assert!(error.message.contains("cannot be written"), "{error}");
                prop_assert!(format != TargetFormat::Jsonl, "{error}");
                continue;
            }
            let from = DatasetFormat::from_name(format.name()).unwrap();
            let mut back = named(target.path, from);
            back.columns = vec!["topic".to_owned()];
            prop_assert_eq!(&read(&back), &records, "{}", format.name());
        }
    }
}

#[test]
fn what_was_asked_for_can_be_asked_for_again() {
    let folder = Folder::new();
    let path = folder.path("in.jsonl");
    let text = r#"{"id": 1, "references": [], "p": "x", "c": null, "g": [], "act": "y", "big": 1}
{"id": 2, "references": [], "p": null, "c": 0.5, "g": ["p"], "act": null, "big": 12345678901234567890}
{"id": 3, "references": [], "p": "x", "c": 1, "g": null, "act": "n", "big": [1234567890123456789012, null, 2]}
"#;
    std::fs::write(&path, text).unwrap();
    let mut source = DatasetSource::new(path, DatasetFormat::Jsonl);
    let name = |name: &str| Some(name.to_owned());
    source.fields.prediction = name("p");
    source.fields.confidence = name("c");
    source.fields.gold_passages = name("g");
    source.fields.labels = [("yesno".to_owned(), "act".to_owned())].into();
    source.columns = vec!["big".to_owned()];
    let records = read(&source);
    let text = |digits: &str| Value::Text(digits.to_owned());
    assert_eq!(records[1].example.columns["big"], text("12345678901234567890"));
    let list = Value::List(vec![text("1234567890123456789012"), Value::Integer(2)]);
    assert_eq!(records[2].example.columns["big"], list);
    let target = Target { path: folder.path("out.jsonl"), format: TargetFormat::Jsonl };
    convert(&source, &target).unwrap();
    let mut again = DatasetSource::new(target.path, DatasetFormat::Jsonl);
    again.fields.prediction = name("prediction");
    again.fields.confidence = name("confidence");
    again.fields.gold_passages = name("gold_passages");
    again.fields.labels = [("yesno".to_owned(), "yesno".to_owned())].into();
    again.columns = vec!["big".to_owned()];
    assert_eq!(read(&again), records);
    // Two numbers that are one float: which is meant is not known.
    let path = folder.path("twice.jsonl");
    let numbers = "1234567890123456789012, 1234567890123456789013";
    std::fs::write(&path, format!(r#"{{"id": 1, "big": [{numbers}]}}"#)).unwrap();
    let mut source = DatasetSource::new(path, DatasetFormat::Jsonl);
    source.columns = vec!["big".to_owned()];
    let error = open(&source).unwrap().collect::<Result<Vec<_>, _>>().unwrap_err();
    assert!(error.to_string().contains("item 1 of field `big` is a number that is too large"));
    // Labels have a place in JSON lines only, under a name that is free.
    let mut labelled = plain();
    labelled.truncate(1);
    let labels = [("yesno".to_owned(), "y".to_owned())].into();
    labelled[0].prediction = Some(Prediction { labels, ..Prediction::answer("x") });
    for (format, fault) in
        [(TargetFormat::Csv, Some("`labels.yesno` of example")), (TargetFormat::Jsonl, None)]
    {
        let found = refusal::check(format, &labelled[0]).err();
        assert_eq!(
            found.map(|problem| problem.message.starts_with(fault.unwrap())),
            fault.map(|_| true)
        );
    }
}
