//! SQuAD's JSON (versions 1.1 and 2.0), and QuAC's, which is built in the same way.
//!
//! Articles are parsed one at a time and their questions handed out paragraph by paragraph, since
//! every example has a context of its own.

mod question;

use std::{collections::BTreeMap, path::Path, vec};

use qeval_core::{Example, Reference, Value};
use serde::Deserialize;

use crate::{Error, Place, Problem, Record, dataset::RecordStream, document::Document, quac};

pub(crate) use question::{Paragraph, Plain, Question};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// SQuAD; the title of an article may be the group of its questions.
    Squad {
        grouped: bool,
    },
    Quac,
}

/// Columns that are no members of the questions.
pub(crate) const TITLE: &str = "title";
pub(crate) const ANSWERABLE: &str = "answerable";

/// The questions of a file.
pub(crate) struct Articles {
    document: Document,
    kind: Kind,
    columns: Vec<String>,
    /// Those of them that no question has had so far.
    unseen: Vec<String>,
    title: Option<String>,
    paragraphs: vec::IntoIter<Paragraph>,
    records: vec::IntoIter<Record>,
    /// Paragraphs read so far.
    count: u64,
    /// Questions read so far.
    questions: u64,
}

#[derive(Deserialize)]
struct Article {
    title: Option<String>,
    paragraphs: Vec<Paragraph>,
}

impl RecordStream for Articles {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            if let Some(record) = self.records.next() {
                return Ok(Some(record));
            }
            if let Some(paragraph) = self.paragraphs.next() {
                self.count += 1;
                self.check(&paragraph)?;
                self.records = self.records_of(paragraph)?.into_iter();
            } else if let Some(article) = self.document.next::<Article>()? {
                self.title = article.title;
                self.paragraphs = article.paragraphs.into_iter();
            } else {
                return match self.unseen.first() {
                    Some(name) if self.questions > 0 => {
                        let message = format!("no question has the member `{name}`");
                        Err(Problem::new(message).of_file(self.document.path()))
                    }
                    _ => Ok(None),
                };
            }
        }
    }
}

impl Articles {
    pub(crate) fn open(path: &Path, kind: Kind, columns: &[String]) -> Result<Self, Error> {
        let computed = |name: &String| match name.as_str() {
            TITLE => true,
            ANSWERABLE => matches!(kind, Kind::Squad { .. }),
            // QuAC's questions have these two, or may lack them.
            "yesno" | "followup" => kind == Kind::Quac,
            _ => false,
        };
        Ok(Self {
            document: Document::open(path, "data")?,
            kind,
            columns: columns.to_vec(),
            unseen: columns.iter().filter(|name| !computed(name)).cloned().collect(),
            title: None,
            paragraphs: Vec::new().into_iter(),
            records: Vec::new().into_iter(),
            count: 0,
            questions: 0,
        })
    }

    /// A question whose answers are forgotten must not count as one that has no answer.
    fn check(&mut self, paragraph: &Paragraph) -> Result<(), Error> {
        for Question { id, answers, others, .. } in &paragraph.qas {
            self.questions += 1;
            self.unseen.retain(|name| others.iter().all(|(other, _)| other != name));
            let other = |(name, value): &&(String, Plain)| {
                matches!(value, Plain::Other) && self.columns.contains(name)
            };
            if let Some((name, _)) = others.iter().find(other) {
                let message = format!("`{name}` of question `{id}` is no plain value");
                return Err(Problem::new(format!(
                    "{message}, expected a text, a number, true or false, or a list of them"
                ))
                .at(self.document.path(), Place::record(self.questions)));
            }
            if answers.is_none() {
                let message = format!(
                    "question `{id}` has no `answers`, \
                     expected `answers`: a list, empty for a question without an answer"
                );
                return Err(Problem::new(message)
                    .with_hint("write `\"answers\": []` where the text holds no answer")
                    .at(self.document.path(), Place::record(self.questions)));
            }
        }
        Ok(())
    }

    fn records_of(&self, paragraph: Paragraph) -> Result<Vec<Record>, Error> {
        match self.kind {
            Kind::Squad { grouped } => {
                let Paragraph { context, qas, .. } = paragraph;
                let group = self.title.clone().filter(|_| grouped);
                let record = |question| {
                    let mut record = self.record(question, context.clone());
                    record.example.group.clone_from(&group);
                    record
                };
                Ok(qas.into_iter().map(record).collect())
            }
            Kind::Quac => {
                quac::dialog(paragraph, |question, context| self.record(question, context).example)
                    .map_err(|problem| {
                        let message = format!("paragraph {}: {}", self.count, problem.message);
                        Problem { message, ..problem }.of_file(self.document.path())
                    })
            }
        }
    }

    /// What both formats know of a question.
    fn record(&self, question: Question, context: Option<String>) -> Record {
        let columns = self.values(&question);
        let references = question.answers.into_iter().flatten().map(Reference::from).collect();
        Record::from(Example {
            id: question.id,
            question: question.text,
            references,
            context,
            columns,
            ..Example::default()
        })
    }

    fn values(&self, question: &Question) -> BTreeMap<String, Value> {
        let answerable = question.answers.as_ref().is_some_and(|all| !all.is_empty());
        let value = |name: &String| {
            let value = match name.as_str() {
                TITLE => self.title.clone().map(Value::Text),
                ANSWERABLE if matches!(self.kind, Kind::Squad { .. }) => {
                    Some(Value::Bool(answerable))
                }
                other => question.others.iter().find_map(|(name, value)| match value {
                    Plain::Value(value) if name == other => Some(value.clone()),
                    _ => None,
                }),
            };
            value.map(|value| (name.clone(), value))
        };
        self.columns.iter().filter_map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::{Reference, Value};

    use crate::{
        DatasetFormat::{Quac, Squad},
        testing::{example, records},
    };

    const FILE: &str = r#"{"version": "v2.0", "data": [
        {"title": "Leave", "paragraphs": [
            {"context": "15 days.", "qas": [
                {"id": "a", "question": "How many?", "is_impossible": false, "answers": [
                    {"text": "15", "answer_start": 0}, {"text": "15 days"}]},
                {"id": "b", "question": "Why?", "is_impossible": true, "answers": [],
                 "plausible_answers": [{"text": "days", "answer_start": 3}]}]},
            {"qas": []}]},
        {"paragraphs": [{"qas": [{"id": "c", "answers": []}]}]}], "more": [1, {}]}"#;

    #[test]
    fn questions_come_with_context_and_answers() {
        let found = records(Squad, FILE.as_bytes(), |source| {
            source.columns = vec!["answerable".to_owned(), "title".to_owned()];
        });
        let [first, second, third] = found.unwrap().try_into().unwrap();
        let start = Some(0);
        let references = [Reference { start, .."15".into() }, "15 days".into()];
        assert_eq!(first.example.references, references);
        assert_eq!(first.example.context.as_deref(), Some("15 days."));
        assert_eq!(first.example.columns["title"], Value::Text("Leave".to_owned()));
        assert_eq!((second.example.id.as_str(), second.example.answerable()), ("b", false));
        assert_eq!(second.example.columns["answerable"], Value::Bool(false));
        assert_eq!((third.example.context, third.example.columns.len()), (None, 1));
        assert_eq!((first.prediction, first.example.group), (None, None));
    }

    #[test]
    fn errors_have_a_place_in_the_whole_file() {
        let check = |file: &str, expected: &str| {
            let error = records(Squad, file.as_bytes(), |_| {});
            assert_eq!(error.unwrap_err(), expected);
        };
        check("", "`file`: the file is empty: there is nothing to evaluate");
        check(r#"{"data": []}"#, "`file`: the file is empty: there is nothing to evaluate");
        check("[1]", "`file`, line 1, column 1: invalid JSON: expected an object with `data`");
        check(
            r#"{"version": 1, "a": {}}"#,
            "`file`: the object has no `data`; it has `version`, `a`",
        );
        check(r#"{"data": {}}"#, "`file`, line 1, column 10: invalid JSON: expected a list");
        check(
            &FILE.replace("\"id\": \"b\", ", ""),
            "`file`, line 7, column 76: missing field `id`",
        );
        check(
            &FILE.replace("\"id\": \"c\"", "\"id\": 5"),
            "`file`, line 9, column 41: found the number 5, expected a text",
        );
        check(
            &FILE.replace("\"id\": \"c\"", "\"id\": \"a\""),
            "`file`, record 3: id `a` is given twice, in records 1 and 3\n\
             hint: ids must be unique: results are joined on them",
        );
        check(
            &FILE[..FILE.len() - 50],
            "`file`, line 9, column 32: the JSON ends early: EOF while parsing a value\n\
             hint: the file may be truncated",
        );
        check(
            &FILE[..FILE.len() - 1],
            "`file`, line 9, column 82: the JSON ends early: expected `,` or `}`\n\
             hint: the file may be truncated",
        );
        let twice = format!("{FILE} {FILE}");
        check(&twice, "`file`, line 9, column 84: invalid JSON: something follows its end");
        check(
            &FILE.replace("\"more\"", "\"data\""),
            "`file`, line 9, column 74: `data` occurs twice",
        );
    }

    #[test]
    fn forgotten_answers_are_an_error() {
        let expected = "`file`, record 2: question `b` has no `answers`, \
                        expected `answers`: a list, empty for a question without an answer\n\
                        hint: write `\"answers\": []` where the text holds no answer";
        for instead in ["\"is_impossible\": true", "\"answers\": null"] {
            let file = FILE.replace("\"is_impossible\": true, \"answers\": []", instead);
            for format in [Squad, Quac] {
                let file = file.replace("{\"context\"", "{\"id\": \"C\", \"context\"");
                let error = records(format, file.as_bytes(), |_| {}).unwrap_err();
                assert_eq!(error, expected, "{file}");
            }
        }
    }

    #[test]
    fn wrong_types_are_told_in_plain_words() {
        let check = |answers: &str, expected: &str| {
            let file = format!(
                r#"{{"data": [{{"paragraphs": [{{"qas": [{{"id": "a", "answers": {answers}}}]}}]}}]}}"#
            );
            let error = records(Squad, file.as_bytes(), |_| {}).unwrap_err();
            let message = error.split_once(": ").map(|(_, message)| message);
            assert_eq!(message, Some(expected), "{error}");
        };
        check("[\"x\"]", "found a text, expected an object");
        check("[[]]", "found a list of the wrong length, expected an object");
        check("{\"text\": \"x\"}", "found an object, expected a list");
        check("true", "found `true`, expected a list");
        check("[{\"text\": null}]", "found null, expected a text");
        check(
            "[{\"text\": \"x\", \"answer_start\": 1.5}]",
            "found a number, expected a whole number",
        );
        check("[{\"text\": \"x\", \"text\": \"y\"}]", "field `text` occurs twice");
    }

    #[test]
    fn json_lines_get_a_hint_at_their_format() {
        let lines = "{\"id\": 1, \"references\": []}\n{\"id\": 2, \"references\": []}\n";
        let expected = "`file`: the object has no `data`; it has `id`, `references`\n\
                        hint: is it another format? name it (`--dataset-format jsonl`, or \
                        `format = \"jsonl\"`)";
        assert_eq!(records(Squad, lines.as_bytes(), |_| {}).unwrap_err(), expected);
    }

    #[test]
    fn what_the_format_does_not_offer_is_refused() {
        let fields = records(Squad, FILE.as_bytes(), |source| {
            source.fields.id = Some("qid".to_owned());
        });
        let expected = "`file`: the fields of format `squad` have fixed names; only \
                        `group = \"title\"` can be named\n\
                        hint: remove `fields`, or name another format";
        assert_eq!(fields.unwrap_err(), expected);
    }

    #[test]
    fn other_members_of_the_questions_are_columns() {
        let file = FILE.replacen("\"id\": \"a\"", "\"topic\": [\"x\", 2], \"id\": \"a\"", 1);
        let named = |file: &str, name: &str| {
            records(Squad, file.as_bytes(), |source| source.columns = vec![name.to_owned()])
        };
        let found = named(&file, "topic").unwrap();
        let list = Value::List(vec![Value::Text("x".to_owned()), Value::Integer(2)]);
        assert_eq!(found[0].example.columns["topic"], list);
        assert!(found[1].example.columns.is_empty());
        let expected = "`file`: no question has the member `topics`";
        assert_eq!(named(&file, "topics").unwrap_err(), expected);
        let expected = "`file`, record 1: `topic` of question `a` is no plain value, expected a \
                        text, a number, true or false, or a list of them";
        assert_eq!(named(&file.replace("\"x\", 2", "{}"), "topic").unwrap_err(), expected);
    }

    #[test]
    fn the_questions_of_an_article_may_be_a_group() {
        let found = records(Squad, FILE.as_bytes(), |source| {
            source.fields.group = Some("title".to_owned());
        });
        let groups: Vec<Option<String>> =
            found.unwrap().into_iter().map(|record| record.example.group).collect();
        assert_eq!(groups, [Some("Leave".to_owned()), Some("Leave".to_owned()), None]);
    }

    #[test]
    fn a_file_may_begin_with_a_mark() {
        let file = "\u{feff}{\"data\": [{\"paragraphs\": [{\"qas\": [{\"id\": \"é\\u00e9\", \
                    \"answers\": []}]}]}]}";
        assert_eq!(example(Squad, file, |_| {}).id, "éé");
    }
}
