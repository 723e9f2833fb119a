//! Predictions: what a system answered, by id of the example.
//!
//! The usual file is JSON lines or a table with named fields. The formats that the scripts of
//! SQuAD, QuAC, CoQA, HotpotQA, TriviaQA, DROP, Natural Questions and KILT read are read too, and the
//! lists of the best answers that the scripts for BERT write. The format is recognised when the source
//! doesn't name it.

mod formats;
mod haystack;
mod recognise;

use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher,
    path::{Path, PathBuf},
};

use hashbrown::HashTable;
use qeval_core::Prediction;

use crate::{CsvOptions, Error, PredictionFields, Problem, document, seen::Duplicate};

/// A predictions file as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictionSource {
    /// The file.
    pub path: PathBuf,
    /// How it is written; `None` to find out from its content, which reads the file's beginning
    /// twice and so cannot be done with a pipe.
    pub format: Option<PredictionFormat>,
    /// Which field plays which role, in JSON lines and tables.
    pub fields: PredictionFields,
    /// What goes to [`Prediction::labels`] where there are such fields, in JSON lines and tables;
    /// those that [`PredictionFields::labels`] names must be there. A format with fixed names has its
    /// own labels.
    pub labels: Vec<String>,
    /// How tables are written.
    pub csv: CsvOptions,
    /// Whether the answers on the gold passages are wanted, in a format that has both.
    pub isolated: bool,
}

impl PredictionSource {
    /// A predictions file with all options at their defaults.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: None,
            fields: PredictionFields::default(),
            labels: Vec::new(),
            csv: CsvOptions::default(),
            isolated: false,
        }
    }
}

/// The formats of predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionFormat {
    /// One JSON object of ids and answers, as for SQuAD, TriviaQA and DROP: an answer is a text or
    /// a list of texts; null abstains.
    Squad,
    /// One JSON object of ids and lists of answers, each with its `text` and `probability`, best
    /// first: what the scripts for BERT write as `nbest_predictions.json`.
    Nbest,
    /// JSON lines with parallel lists `qid`, `best_span_str`, `yesno` and `followup`, or places in
    /// the context for the texts.
    Quac,
    /// A JSON list of objects with `id`, `turn_id` and `answer`.
    Coqa,
    /// One JSON object with the objects `answer` and `sp`, by id: answers and supporting facts.
    Hotpotqa,
    /// One JSON object with the list `predictions`: long and short answers as spans.
    NaturalQuestions,
    /// JSON lines whose `output` has the answer and its pages.
    Kilt,
    /// A table that Haystack 1.x saved of a reader: the examples are the queries, and the rows of a
    /// query are the candidates.
    Haystack,
    /// JSON lines, with a mapping of fields.
    Jsonl,
    /// A table with a header, with a mapping of fields.
    Csv,
}

impl PredictionFormat {
    /// All formats.
    pub const ALL: [Self; 10] = [
        Self::Squad,
        Self::Nbest,
        Self::Quac,
        Self::Coqa,
        Self::Hotpotqa,
        Self::NaturalQuestions,
        Self::Kilt,
        Self::Haystack,
        Self::Jsonl,
        Self::Csv,
    ];

    /// The word for it in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squad => "squad",
            Self::Nbest => "nbest",
            Self::Quac => "quac",
            Self::Coqa => "coqa",
            Self::Hotpotqa => "hotpotqa",
            Self::NaturalQuestions => "natural-questions",
            Self::Kilt => "kilt",
            Self::Haystack => "haystack",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Reads predictions. Whether their ids are those of a dataset is for the caller to see.
pub fn predictions(source: &PredictionSource) -> Result<Predictions, Error> {
    let path = &source.path;
    let format = match source.format {
        Some(format) => format,
        None => recognise::recognise(source)?,
    };
    let named = matches!(format, PredictionFormat::Jsonl | PredictionFormat::Csv);
    if !named && source.fields != PredictionFields::default() {
        let message = format!("predictions of format `{}` have no fields to name", format.name());
        return Err(Problem::new(message)
            .with_hint("remove `fields`, or name another format")
            .of_file(path));
    }
    let predictions = match format {
        PredictionFormat::Squad => formats::map(path)?,
        PredictionFormat::Nbest => formats::candidates(path)?,
        PredictionFormat::Quac => formats::dialogs(path)?,
        PredictionFormat::Coqa => formats::turns(path)?,
        PredictionFormat::Hotpotqa => formats::facts(path)?,
        PredictionFormat::NaturalQuestions => formats::annotations(path)?,
        PredictionFormat::Kilt => formats::outputs(path)?,
        PredictionFormat::Haystack => haystack::rows(path, source.isolated)?,
        PredictionFormat::Jsonl | PredictionFormat::Csv => formats::rows(source, format)?,
    };
    if predictions.is_empty() {
        return Err(document::empty().of_file(path));
    }
    Ok(predictions)
}

/// Predictions by id, in the order of their file.
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    entries: Vec<(String, Prediction)>,
    /// Hashes of ids and places in `entries`: growing must not touch the ids again.
    places: HashTable<(u64, usize)>,
    hasher: RandomState,
}

impl Predictions {
    /// The prediction for an example.
    pub fn get(&self, id: &str) -> Option<&Prediction> {
        self.place(id).map(|place| &self.entries[place].1)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All of them with their ids, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Prediction)> {
        self.entries.iter().map(|(id, prediction)| (id.as_str(), prediction))
    }

    /// Place of the prediction for an example, in the order of the file.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.find(self.hasher.hash_one(id), id)
    }

    fn find(&self, hash: u64, id: &str) -> Option<usize> {
        let same = |&(other, place): &(u64, usize)| other == hash && self.entries[place].0 == id;
        self.places.find(hash, same).map(|&(_, place)| place)
    }

    /// Adds a prediction whose id is new and has this hash.
    fn push(&mut self, hash: u64, id: String, prediction: Prediction) {
        self.places.insert_unique(hash, (hash, self.entries.len()), |&(hash, _)| hash);
        self.entries.push((id, prediction));
    }
}

impl PartialEq for Predictions {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

/// Predictions while they are read, with the numbers of their lines or records.
struct Loading {
    predictions: Predictions,
    numbers: Vec<u64>,
    /// What the numbers count.
    what: &'static str,
}

impl Loading {
    fn new(what: &'static str) -> Self {
        Self { predictions: Predictions::default(), numbers: Vec::new(), what }
    }

    fn add(&mut self, id: String, prediction: Prediction, number: u64) -> Result<(), Problem> {
        let hash = self.predictions.hasher.hash_one(id.as_str());
        if let Some(place) = self.predictions.find(hash, &id) {
            let twice = Duplicate { id, first: self.numbers[place], second: number };
            return Err(Problem::duplicate(&twice, self.what));
        }
        self.predictions.push(hash, id, prediction);
        self.numbers.push(number);
        Ok(())
    }
}

/// The problem of a file that would need a conversion first.
fn json_list(path: &Path) -> Error {
    Problem::new("the file is a JSON list, expected one object or one object a line")
        .with_hint("convert it with `jq -c '.[]'`")
        .of_file(path)
}

#[cfg(test)]
mod tests {
    use qeval_core::Candidate;

    use super::*;
    use crate::testing::read;

    type Found = Result<Vec<(String, Prediction)>, String>;

    fn load(content: &str, configure: impl Fn(&mut PredictionSource)) -> Found {
        let found = read(content.as_bytes(), |path| {
            let mut source = PredictionSource::new(path);
            configure(&mut source);
            predictions(&source)
        })?;
        for (id, prediction) in found.iter() {
            assert_eq!(found.get(id), Some(prediction));
        }
        assert_eq!((found.get("no such id"), found.len()), (None, found.iter().len()));
        Ok(found.iter().map(|(id, prediction)| (id.to_owned(), prediction.clone())).collect())
    }

    #[test]
    fn the_format_is_recognised() {
        let expected = vec![
            ("b".to_owned(), Prediction::answer("x")),
            ("a".to_owned(), Prediction::abstention()),
        ];
        for content in [
            r#"{"b": "x", "a": ""}"#,
            " {\n \"b\": \"x\",\n \"a\": null\n}\n",
            "{\"id\": \"b\", \"prediction\": \"x\"}\n{\"prediction\": null, \"id\": \"a\"}\n",
            "id,prediction\nb,x\na,\n",
        ] {
            assert_eq!(load(content, |_| {}), Ok(expected.clone()), "{content}");
        }
        let dialog =
            r#"{"best_span_str": ["x"], "qid": ["q#0"], "yesno": ["y"], "followup": ["n"]}"#;
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
                Candidate {
                    span: Some(2..9),
                    passage: Some("8".to_owned()),
                    ..Candidate::default()
                },
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
        let expected: Vec<_> =
            expected.into_iter().map(|(id, found)| (id.to_owned(), found)).collect();
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
        for object in [
            r#"{"answer": "x"}"#,
            r#"{"text": "x", "end": 5}"#,
            r#"{"text": "x", "start": 5, "end": 3}"#,
            r#"{"text": "x", "start": -1}"#,
            r#"{"text": "x", "confidence": "1"}"#,
            r#"{"text": "x", "passage_id": true}"#,
        ] {
            candidates(&format!("[{object}]"), &format!("an object, {expected}"), "item 1 of ");
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
            r#"{"id": 1, "prediction": "x", "start": 5}"#,
            "`file`, line 1: the span has a place `start` and no `end`\n\
             hint: name the field of its end as `end`; where `start` is no place of the answer: \
             `fields = { start = \"\" }`",
        );
        check(
            r#"{"id": 1, "prediction": "x", "start": 12.5, "end": 20}"#,
            "`file`, line 1: field `start` is the number 12.5, expected a whole number from 0\n\
             hint: where it is no place of the answer: `fields = { start = \"\" }`",
        );
        check(
            r#"{"id": 1, "span": [3]}"#,
            "`file`, line 1: field `span` is a list, expected a list of two whole numbers from 0\n\
             hint: where it is no place of the answer: `fields = { span = \"\" }`",
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
}
