//! DROP: passages with questions whose answers are numbers, dates or lists of spans.

use std::{collections::BTreeMap, path::Path, vec};

use qeval_core::{Example, Reference, Value};
use serde::Deserialize;

use crate::{
    Error, Problem, Record, dataset::RecordStream, document::Document, fields::check_offered,
    record::SEPARATOR,
};

/// The questions of a file.
pub(crate) struct Passages {
    document: Document,
    columns: Vec<String>,
    records: vec::IntoIter<Record>,
}

#[derive(Deserialize)]
struct Passage {
    passage: Option<String>,
    qa_pairs: Vec<Pair>,
}

#[derive(Deserialize)]
struct Pair {
    query_id: String,
    #[serde(default)]
    question: String,
    answer: Option<Answer>,
    validated_answers: Option<Vec<Answer>>,
}

/// An answer of one of three kinds; the other two are empty.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    number: Option<Number>,
    spans: Option<Vec<String>>,
    date: Option<Date>,
}

/// A number as it is written.
struct Number(String);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Date {
    day: String,
    month: String,
    year: String,
}

impl Answer {
    /// Its kind and its parts by the rule of the script: the number if there is one, else the spans
    /// if there are any, else the date.
    fn parts(self) -> Option<(&'static str, Vec<String>)> {
        let Self { number, spans, date } = self;
        if let Some(Number(number)) = number.filter(|Number(number)| !number.is_empty()) {
            return Some(("number", vec![number]));
        }
        if let Some(spans) = spans.filter(|spans| !spans.is_empty()) {
            return Some((if spans.len() == 1 { "span" } else { "spans" }, spans));
        }
        // The script puts blanks between the three even where they are empty; to its metric that
        // is the same.
        let Date { day, month, year } = date?;
        let given: Vec<&str> = [&day, &month, &year]
            .into_iter()
            .map(|part| part.trim())
            .filter(|p| !p.is_empty())
            .collect();
        Some(("date", vec![given.join(" ")]))
    }
}

impl Passages {
    pub(crate) fn open(path: &Path, columns: &[String]) -> Result<Self, Error> {
        check_offered(columns, &["answer_type"]).map_err(|problem| problem.of_file(path))?;
        Ok(Self {
            document: Document::open_members(path)?,
            columns: columns.to_vec(),
            records: Vec::new().into_iter(),
        })
    }
}

impl RecordStream for Passages {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            if let Some(record) = self.records.next() {
                return Ok(Some(record));
            }
            let Some((id, passage)) = self.document.next_member::<Passage>()? else {
                return Ok(None);
            };
            let Passage { passage, qa_pairs } = passage;
            let mut records = Vec::with_capacity(qa_pairs.len());
            for pair in qa_pairs {
                let example = example(pair, &self.columns).map_err(|problem| {
                    let message = format!("passage `{id}`: {}", problem.message);
                    Problem { message, ..problem }.of_file(self.document.path())
                })?;
                let (group, context) = (Some(id.clone()), passage.clone());
                records.push(Record::from(Example { group, context, ..example }));
            }
            self.records = records.into_iter();
        }
    }
}

/// A question with the answer and those of the validators. One whose first part is blank is no
/// candidate in the script either.
fn example(pair: Pair, columns: &[String]) -> Result<Example, Problem> {
    let Pair { query_id, question, answer, validated_answers } = pair;
    let Some(answer) = answer else {
        return Err(Problem::new(format!("question `{query_id}` has no `answer`"))
            .with_hint("the test set is published without answers; take another part"));
    };
    let mut references = Vec::new();
    let mut kind = None;
    for answer in std::iter::once(answer).chain(validated_answers.unwrap_or_default()) {
        let Some((its_kind, parts)) = answer.parts() else {
            let message = format!("an answer of question `{query_id}` is of no kind");
            return Err(Problem::new(format!("{message}, expected a number, spans or a date")));
        };
        if parts.first().is_some_and(|first| !first.trim().is_empty()) {
            kind.get_or_insert(its_kind);
            references.push(reference(parts));
        }
    }
    let value = |name: &String| Some((name.clone(), Value::Text(kind?.to_owned())));
    let columns: BTreeMap<String, Value> = columns.iter().filter_map(value).collect();
    Ok(Example { id: query_id, question, references, columns, ..Example::default() })
}

/// Several parts are a list; one alone is a text.
fn reference(parts: Vec<String>) -> Reference {
    match <[String; 1]>::try_from(parts) {
        Ok([text]) => text.into(),
        Err(items) => Reference { text: items.join(SEPARATOR), items, start: None },
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl serde::de::Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text or a whole number")
    }

    fn visit_str<E>(self, text: &str) -> Result<Number, E> {
        Ok(Number(text.to_owned()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
        // To the script a zero that is no text is no number.
        Ok(Number(if number == 0 { String::new() } else { number.to_string() }))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
        Ok(Number(number.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::{Reference, Value};

    use crate::{DatasetFormat::Drop, testing::records};

    const FILE: &str = r#"{"nfl_1": {"passage": "Ann ran 5 yards.", "wiki_url": "w", "qa_pairs": [
            {"question": "How far?", "query_id": "a", "passage_id": "nfl_1",
             "answer": {"number": "5", "date": {"day": "", "month": "", "year": ""}, "spans": []},
             "validated_answers": [
                {"number": "", "date": {"day": "", "month": "", "year": ""}, "spans": ["5 yards"]},
                {"number": "", "date": {"day": "3", "month": "", "year": "1999"}, "spans": []}]},
            {"query_id": "b", "answer": {"spans": ["Ann", "Bo, jr."]}, "validated_answers": null}]},
        "nfl_2": {"qa_pairs": [{"query_id": "c", "answer":
            {"number": 0, "spans": [], "date": {"day": "", "month": " ", "year": ""}}}]}}"#;

    #[test]
    fn answers_are_numbers_spans_or_dates() {
        let found = records(Drop, FILE.as_bytes(), |source| {
            source.columns = vec!["answer_type".to_owned()];
        });
        let [first, second, third] = found.unwrap().try_into().unwrap();
        let (first, second, third) = (first.example, second.example, third.example);
        assert_eq!(first.references, ["5".into(), "5 yards".into(), "3 1999".into()]);
        assert_eq!(first.columns["answer_type"], Value::Text("number".to_owned()));
        assert_eq!(first.context.as_deref(), Some("Ann ran 5 yards."));
        let items = vec!["Ann".to_owned(), "Bo, jr.".to_owned()];
        let list = Reference { items, .."Ann, Bo, jr.".into() };
        assert_eq!((second.references, second.group.as_deref()), (vec![list], Some("nfl_1")));
        assert_eq!((third.answerable(), third.columns.len(), third.context), (false, 0, None));
    }

    #[test]
    fn errors_say_where_and_what() {
        let check = |from: &str, to: &str, expected: &str| {
            let error = records(Drop, FILE.replacen(from, to, 1).as_bytes(), |_| {});
            assert_eq!(error.unwrap_err(), expected);
        };
        check(
            r#""answer": {"spans": ["Ann", "Bo, jr."]}, "#,
            "",
            "`file`: passage `nfl_1`: question `b` has no `answer`\n\
             hint: the test set is published without answers; take another part",
        );
        check(
            r#"{"spans": ["Ann", "Bo, jr."]}"#,
            "{}",
            "`file`: passage `nfl_1`: an answer of question `b` is of no kind, expected a number, \
             spans or a date",
        );
        check(
            r#""number": 0"#,
            r#""number": 0.5"#,
            "`file`, line 9, column 26: found a number, expected a text or a whole number",
        );
        check(
            r#""query_id": "c""#,
            r#""query_id": "a""#,
            "`file`, record 3: id `a` is given twice, in records 1 and 3\n\
             hint: ids must be unique: results are joined on them",
        );
    }
}
