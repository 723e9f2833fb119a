//! How the formats of predictions are told apart: by the shape of the first record.

use std::{fmt, path::Path};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::{PredictionFormat, json_list};
use crate::{
    Error, PredictionFields,
    cell::Key,
    input::{self, Lines},
};

/// Finds the format from the first line that isn't blank, or from the whole file where one line is
/// no whole record; `None` where there is nothing but blanks.
pub(super) fn recognise(
    path: &Path,
    fields: &PredictionFields,
) -> Result<Option<PredictionFormat>, Error> {
    if input::is_parquet(path)? {
        return Ok(Some(PredictionFormat::Parquet));
    }
    let mut lines = Lines::open(path)?;
    let mut head = Head { id: fields.id.as_deref().unwrap_or("id"), ..Head::default() };
    let complete = loop {
        match lines.next()?.map(str::trim) {
            None => return Ok(None),
            Some("") => {}
            Some(line) if line.starts_with('[') => {
                return if is_coqa(&input::read_text(path)?) {
                    Ok(Some(PredictionFormat::Coqa))
                } else {
                    Err(json_list(path))
                };
            }
            Some(line) if line.starts_with('{') => {
                let mut deserializer = serde_json::Deserializer::from_str(line);
                let read = (&mut head).deserialize(&mut deserializer);
                break read.and_then(|()| deserializer.end()).is_ok();
            }
            Some(header) if is_haystack(header) && *fields == PredictionFields::default() => {
                return Ok(Some(PredictionFormat::Haystack));
            }
            Some(_) => return Ok(Some(PredictionFormat::Csv)),
        }
    };
    if head.dialog == (true, true) {
        return Ok(Some(PredictionFormat::Quac));
    }
    if complete && head.has_id && head.outputs {
        return Ok(Some(PredictionFormat::Kilt));
    }
    if head.has_id {
        return Ok(Some(PredictionFormat::Jsonl));
    }
    // An object without the id is one of ids and texts, unless others follow it.
    while complete && let Some(line) = lines.next()? {
        if !line.trim().is_empty() {
            return Ok(Some(PredictionFormat::Jsonl));
        }
    }
    if !complete && head.members < MEMBERS {
        head = Head { id: head.id, ..Head::default() };
        let text = input::read_text(path)?;
        // What is wrong with the file is for its reader to say.
        let _ = (&mut head).deserialize(&mut serde_json::Deserializer::from_str(&text));
    }
    Ok(Some(match () {
        () if head.lists.1 => PredictionFormat::NaturalQuestions,
        () if head.is_hotpotqa() => PredictionFormat::Hotpotqa,
        () if head.lists.0 => PredictionFormat::Nbest,
        () => PredictionFormat::Squad,
    }))
}

/// Whether a table has the columns that Haystack saves of a reader.
fn is_haystack(header: &str) -> bool {
    let has = |name| header.split(',').any(|column| column.trim_matches('"') == name);
    ["multilabel_id", "query", "rank", "answer"].into_iter().all(has)
}

/// A record has few members; an object of ids and texts can have a million.
const MEMBERS: usize = 64;

/// What an object's first members say about it.
#[derive(Default)]
struct Head<'a> {
    id: &'a str,
    members: usize,
    has_id: bool,
    /// Whether it has `qid` and `best_span_str`, or a `qid` that is a list.
    dialog: (bool, bool),
    /// Whether it has an `output` that is a list of objects.
    outputs: bool,
    /// Whether a member is a list of objects, and whether one of them is `predictions`.
    lists: (bool, bool),
    /// Whether it has `answer` and `sp` that are objects.
    facts: (bool, bool),
}

impl Head<'_> {
    /// Whether the members are those two, or one of them.
    fn is_hotpotqa(&self) -> bool {
        self.facts.0 && self.members == 1 + usize::from(self.facts.1)
    }
}

impl<'de> DeserializeSeed<'de> for &mut Head<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Head<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while self.members < MEMBERS {
            let Some(Key(name)) = object.next_key()? else {
                return Ok(());
            };
            self.members += 1;
            let nested = || name.split('.').next() == self.id.split('.').next();
            self.has_id |= name == self.id || (self.id.contains('.') && nested());
            self.dialog.0 |= name == "qid";
            self.dialog.1 |= name == "best_span_str";
            let kind: Kind = object.next_value()?;
            self.dialog.1 |= name == "qid" && matches!(kind, Kind::List | Kind::Empty);
            self.lists.0 |= kind == Kind::Objects;
            self.outputs |= name == "output" && kind == Kind::Objects;
            self.lists.1 |= name == "predictions" && matches!(kind, Kind::Objects | Kind::Empty);
            self.facts.0 |= name == "answer" && kind == Kind::Object;
            self.facts.1 |= name == "sp" && kind == Kind::Object;
        }
        Err(A::Error::custom("too many members"))
    }
}

/// What a value is, without its content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Object,
    /// A list whose first item is an object.
    Objects,
    /// A list without items, which may be one of anything.
    Empty,
    /// Another list.
    List,
    Other,
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Kind, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Kind::Object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Kind, A::Error> {
        let first = list.next_element::<Kind>()?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(match first {
            None => Kind::Empty,
            Some(Kind::Object) => Kind::Objects,
            Some(_) => Kind::List,
        })
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Kind, E> {
        Ok(Kind::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Kind, E> {
        Ok(Kind::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Kind, E> {
        Ok(Kind::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Kind, E> {
        Ok(Kind::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Kind, E> {
        Ok(Kind::Other)
    }
}

/// Whether the first item of a list is a turn of CoQA.
fn is_coqa(text: &str) -> bool {
    let Some(rest) = text.trim_start().strip_prefix('[') else { return false };
    let mut items = serde_json::Deserializer::from_str(rest).into_iter::<Turn>();
    matches!(items.next(), Some(Ok(Turn { .. })))
}

/// What makes an object a turn.
#[derive(Deserialize)]
struct Turn {
    #[serde(rename = "id")]
    _id: IgnoredAny,
    #[serde(rename = "turn_id")]
    _turn: IgnoredAny,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use qeval_core::{Candidate, Prediction, Value};

    use crate::{PredictionFormat, PredictionSource, predictions, record, testing::read};

    type Found = Result<BTreeMap<String, Prediction>, String>;

    fn load(content: &str) -> Found {
        read(content.as_bytes(), |path| {
            let found = predictions(&PredictionSource::new(path))?;
            Ok(found.iter().map(|(id, found)| (id.to_owned(), found.clone())).collect())
        })
    }

    fn check(content: &str, expected: &[(&str, Prediction)]) {
        let expected = expected.iter().map(|(id, found)| ((*id).to_owned(), found.clone()));
        assert_eq!(load(content), Ok(expected.collect()), "{content}");
    }

    fn cited(answer: &str, citations: &[&str]) -> Prediction {
        let citations = citations.iter().map(|&id| id.to_owned()).collect();
        Prediction { citations, ..Prediction::answer(answer) }
    }

    #[test]
    fn the_formats_of_the_scripts_are_told_apart_by_their_shapes() {
        check(
            r#"[{"id": "s", "turn_id": 1, "answer": "x"}, {"turn_id": 2, "id": "s", "answer": null}]"#,
            &[("s#1", Prediction::answer("x")), ("s#2", Prediction::abstention())],
        );
        let facts = r#"{"answer": {"a": "x", "b": "yes"}, "sp": {"a": [["T", 0], ["T", 0], ["C#", 2]], "c": [["T", 1]]}}"#;
        let expected = [
            ("a", cited("x", &["T#0", "C##2"])),
            ("b", Prediction::answer("yes")),
            ("c", cited("", &["T#1"])),
        ];
        check(facts, &expected);
        check(&facts.replace("{\"answer", "{\n\"answer"), &expected);
        check(r#"{"answer": {"a": "x"}}"#, &[("a", Prediction::answer("x"))]);
        check(
            "{\"id\": 7, \"output\": [{\"answer\": \"x\", \"provenance\": [{\"wikipedia_id\": 5}]}]}\n\
             {\"id\": \"b\", \"output\": [{\"provenance\": []}]}\n",
            &[("7", cited("x", &["5"])), ("b", Prediction::abstention())],
        );
    }

    #[test]
    fn a_list_without_predictions_is_no_object_of_texts() {
        let empty = "`file`: the file is empty: there is nothing to evaluate";
        assert_eq!(load(r#"{"predictions": []}"#).unwrap_err(), empty);
        assert_eq!(load("{\n\"predictions\":\n []\n}").unwrap_err(), empty);
    }

    #[test]
    fn long_and_short_answers_are_spans() {
        let file = r#"{"predictions": [
            {"example_id": -5, "long_answer_score": 2, "short_answers_score": 1.5,
             "long_answer": {"start_byte": 3, "end_byte": 9, "start_token": -1, "end_token": -1},
             "short_answers": [{"start_token": 1, "end_token": 4}], "yes_no_answer": "NONE"},
            {"example_id": "b", "yes_no_answer": "Yes", "short_answers": [], "long_answer": null},
            {"example_id": 7}], "model": "m"}"#;
        let numbers = |numbers: [i64; 4]| Value::List(numbers.map(Value::Integer).to_vec());
        let columns = |long: [i64; 4], short: &[[i64; 4]], yes_no: &str| {
            let short = Value::List(short.iter().map(|&span| numbers(span)).collect());
            let yes_no = Value::Text(yes_no.to_owned());
            let named = [
                ("long_answer", numbers(long)),
                ("short_answers", short),
                ("yes_no_answer", yes_no),
            ];
            named.map(|(name, value)| (name.to_owned(), value))
        };
        let mut spans = Prediction {
            confidence: Some(1.5),
            columns: columns([3, 9, -1, -1], &[[-1, -1, 1, 4]], "none").into(),
            ..Prediction::default()
        };
        let scores = [("long_answer_score", 2.0), ("short_answers_score", 1.5)];
        let scores = scores.map(|(name, score)| (name.to_owned(), Value::Number(score)));
        spans.columns.extend(scores);
        assert!(spans.is_without_text());
        let columns = |yes_no| columns([-1; 4], &[], yes_no).into();
        let yes = Prediction { columns: columns("yes"), ..Prediction::answer("yes") };
        let nothing = Prediction { columns: columns("none"), ..Prediction::abstention() };
        let expected = [("-5", spans), ("b", yes), ("7", nothing)];
        check(file, &expected);
        check(&file.replace('\n', " "), &expected);
        // Neither the name nor a list of texts makes it that format.
        check(r#"{"predictions": ["x"]}"#, &[("predictions", record::list(vec!["x".into()]))]);
    }

    #[test]
    fn an_answer_may_be_a_list() {
        let items = vec!["x".to_owned(), "y, z".to_owned()];
        let list = Prediction { items, ..Prediction::answer("x, y, z") };
        let one = Prediction { items: vec!["x".to_owned()], ..Prediction::answer("x") };
        let expected = [("a", list.clone()), ("b", one), ("c", Prediction::abstention())];
        check(r#"{"a": ["x", "y, z"], "b": ["x"], "c": []}"#, &expected);
        check(r#"{"id": "a", "prediction": ["x", "y, z"]}"#, &[("a", list)]);
    }

    #[test]
    fn the_best_answers_of_a_script_are_candidates() {
        let best = r#"{"b": [{"text": "x", "probability": 0.75, "start_logit": 3}, {"text": ""}],
                       "a": [{"text": "", "probability": 1}], "c": []}"#;
        let candidate = |text: &str, confidence| Candidate { confidence, ..text.into() };
        let prediction =
            |text: &str, confidence| Prediction { confidence, ..Prediction::answer(text) };
        let expected = [
            (
                "b",
                Prediction {
                    candidates: vec![candidate("x", Some(0.75)), candidate("", None)],
                    ..prediction("x", Some(0.75))
                },
            ),
            (
                "a",
                Prediction {
                    candidates: vec![candidate("", Some(1.0))],
                    ..prediction("", Some(1.0))
                },
            ),
            ("c", Prediction::abstention()),
        ];
        check(best, &expected);
        check(&best.replace('\n', ""), &expected);
        assert_eq!(
            load(r#"{"a": [{"text": "x"}, {"text": 5}]}"#).unwrap_err(),
            "`file`, line 1, column 35: the prediction of `a`: item 2 has a `text` that is a number, \
             expected a text or null"
        );
        assert_eq!(
            load(r#"{"a": [{"text": "x", "probability": "high"}]}"#).unwrap_err(),
            "`file`, line 1, column 45: the prediction of `a`: item 1 has a `probability` that is a \
             text, expected a finite number"
        );
        let null = r#"{"a": [{"text": "x"}, {"text": null, "probability": 0.5}]}"#;
        let candidates = vec![candidate("x", None), candidate("", Some(0.5))];
        check(null, &[("a", Prediction { candidates, ..prediction("x", None) })]);
    }

    #[test]
    fn names_alone_do_not_decide() {
        check(
            r#"{"answer": "x", "sp": "y"}"#,
            &[("answer", Prediction::answer("x")), ("sp", Prediction::answer("y"))],
        );
        check(
            r#"{"id": 1, "output": ["x"], "prediction": "y"}"#,
            &[("1", Prediction::answer("y"))],
        );
    }

    #[test]
    fn errors_say_where_and_what() {
        let refused = |content: &str, expected: &str| {
            assert_eq!(load(content).unwrap_err(), expected, "{content}");
        };
        refused(
            r#"[{"id": "s", "turn_id": 1, "answer": "x"}, {"id": "s", "turn_id": 1, "answer": ""}]"#,
            "`file`, record 2: id `s#1` is given twice, in records 1 and 2\n\
             hint: ids must be unique: results are joined on them",
        );
        refused(
            r#"{"answer": {"a": "x"}, "sp": {"a": [["T"]]}}"#,
            "`file`, line 1, column 41: found a list of the wrong length, expected a title and a \
             number",
        );
        refused(
            r#"{"answer": {"a": "x", "a": "y"}}"#,
            "`file`: id `a` is given twice, in records 1 and 2\n\
             hint: ids must be unique: results are joined on them",
        );
        refused(
            r#"{"answer": {}, "sp": {"a": [], "a": []}}"#,
            "`file`: id `a` is given twice, in records 1 and 2\n\
             hint: ids must be unique: results are joined on them",
        );
        refused(
            r#"{"id": 1, "output": [{"answer": "x"}, {"answer": "y"}]}"#,
            "`file`, line 1: field `output` has 2 items, expected one: a prediction is one answer",
        );
        refused(
            r#"{"id": 1, "prediction": ["x", 5]}"#,
            "`file`, line 1: item 2 of field `prediction` is a number, expected a text",
        );
        refused(
            r#"{"predictions": [{"example_id": 1}, {"example_id": 1}]}"#,
            "`file`, record 2: id `1` is given twice, in records 1 and 2\n\
             hint: ids must be unique: results are joined on them",
        );
        refused(
            r#"{"predictions": [{"example_id": 1, "long_answer": {"start_token": 5, "end_token": 5}}]}"#,
            "`file`, record 1: prediction of `1`: long answer: `5` to `5` is no span\n\
             hint: the start is before the end, or both are -1 for no span",
        );
        let both =
            r#""yes_no_answer": "NO", "short_answers": [{"start_token": 5, "end_token": 6}]"#;
        refused(
            &format!(r#"{{"predictions": [{{"example_id": 1, {both}}}]}}"#),
            "`file`, record 1: prediction of `1`: it has both yes or no and short answers",
        );
        refused(
            r#"{"predictions": [{"example_id": 1, "long_answer_score": "high"}]}"#,
            "`file`, line 1, column 62: found a text, expected a number",
        );
        for format in PredictionFormat::ALL {
            assert_eq!(PredictionFormat::from_name(format.name()), Some(format));
        }
    }
}
