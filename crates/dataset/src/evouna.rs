//! EVOUNA: questions with the answers of several systems and the judgments of people.
//!
//! The file has no ids and some questions twice, so the ids are the positions from 1. Which
//! system's answers are the predictions is for the source to say: `prediction = "answer_gpt4"`.

use std::{collections::BTreeMap, path::Path};

use qeval_core::{Example, Prediction, Value, metrics::verdict};
use serde_json::{Map, Value as Json};

use crate::{
    DatasetFields, Error, Place, Problem, Record, dataset::RecordStream, document::Document, fields,
};

/// What stands between the acceptable answers. An answer that has one itself is in two pieces:
/// the file does not tell.
const SEPARATOR: char = '/';

/// The questions of a file.
pub(crate) struct Answers {
    document: Document,
    /// The member with the predictions.
    prediction: Option<String>,
    /// The member with people's verdicts on them.
    verdict: Option<String>,
    columns: Vec<String>,
    /// Questions read so far.
    count: u64,
}

impl Answers {
    pub(crate) fn open(
        path: &Path,
        fields: &DatasetFields,
        columns: &[String],
    ) -> Result<Self, Error> {
        Ok(Self {
            document: Document::open_list(path)?,
            prediction: fields.prediction.clone().filter(|name| !name.is_empty()),
            verdict: fields.verdict.clone().filter(|name| !name.is_empty()),
            columns: columns.to_vec(),
            count: 0,
        })
    }

    fn record(&self, item: &Map<String, Json>) -> Result<Record, Problem> {
        let question = text(item, "question")?.unwrap_or_default();
        // The few questions without an answer are among those that are marked as improper.
        let golden = text(item, "golden_answer")?.unwrap_or_default();
        let answers = golden.split(SEPARATOR).filter(|answer| !answer.trim().is_empty());
        let mut prediction = match &self.prediction {
            None => None,
            Some(name) => {
                Some(text(item, name)?.map_or_else(Prediction::abstention, Prediction::answer))
            }
        };
        if let (Some(prediction), Some(name)) = (&mut prediction, &self.verdict) {
            let found = value(name, member(item, name)?)?;
            let label = found.map(|found| (verdict::LABEL.to_owned(), found.to_string()));
            prediction.labels.extend(label);
        }
        let mut columns = BTreeMap::new();
        for name in &self.columns {
            if let Some(value) = value(name, member(item, name)?)? {
                columns.insert(name.clone(), value);
            }
        }
        let example = Example {
            id: self.count.to_string(),
            question: question.to_owned(),
            references: answers.map(Into::into).collect(),
            columns,
            ..Example::default()
        };
        Ok(Record { example, prediction })
    }
}

impl RecordStream for Answers {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        let Some(item) = self.document.next()? else { return Ok(None) };
        self.count += 1;
        self.record(&item)
            .map(Some)
            .map_err(|problem| problem.at(self.document.path(), Place::record(self.count)))
    }
}

fn member<'i>(item: &'i Map<String, Json>, name: &str) -> Result<&'i Json, Problem> {
    item.get(name).ok_or_else(|| {
        let present: Vec<String> = item.keys().cloned().collect();
        let present = fields::list(&present);
        Problem::new(format!("field `{name}` is missing; the record has {present}"))
    })
}

fn text<'i>(item: &'i Map<String, Json>, name: &str) -> Result<Option<&'i str>, Problem> {
    match member(item, name)? {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text)),
        _ => Err(Problem::new(format!("field `{name}` is no text"))),
    }
}

fn value(name: &str, json: &Json) -> Result<Option<Value>, Problem> {
    Ok(match json {
        Json::Null => None,
        Json::Bool(value) => Some(Value::Bool(*value)),
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Number(number) => Some(match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Integer(whole),
            (None, Some(number)) => Value::Number(number),
            (None, None) => return Err(Problem::new(format!("field `{name}` is no number"))),
        }),
        Json::Array(_) | Json::Object(_) => {
            let message = format!("field `{name}` is a list or an object, expected a plain value");
            return Err(Problem::new(message));
        }
    })
}

#[cfg(test)]
mod tests {
    use qeval_core::{Prediction, Value};

    use crate::{DatasetFormat::Evouna, DatasetSource, testing::records};

    const FILE: &str = r#"[
        {"question": "who?", "golden_answer": "Ann/ Bo/", "answer_a": "Ann.", "judge_a": true,
         "answer_b": null, "judge_b": null, "improper": false},
        {"question": "who?", "golden_answer": null, "answer_a": "Cy", "judge_a": false,
         "answer_b": "Bo", "judge_b": true, "improper": true}]"#;

    fn named(source: &mut DatasetSource, prediction: &str) {
        source.fields.prediction = Some(prediction.to_owned());
        source.columns = vec!["judge_b".to_owned(), "improper".to_owned()];
    }

    #[test]
    fn one_system_is_chosen() {
        let found = records(Evouna, FILE.as_bytes(), |source| named(source, "answer_b"));
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!((first.example.id.as_str(), second.example.id.as_str()), ("1", "2"));
        assert_eq!(first.example.references, ["Ann".into(), " Bo".into()]);
        assert_eq!(first.prediction, Some(Prediction::abstention()));
        assert_eq!(second.prediction, Some(Prediction::answer("Bo")));
        assert_eq!((first.example.columns.len(), second.example.answerable()), (1, false));
        assert_eq!(second.example.columns["judge_b"], Value::Bool(true));
        let found = records(Evouna, FILE.as_bytes(), |_| {}).unwrap();
        assert_eq!(found[0].prediction, None);
        let judged = records(Evouna, FILE.as_bytes(), |source| {
            named(source, "answer_a");
            source.fields.verdict = Some("judge_a".to_owned());
        });
        let verdict =
            |record: &crate::Record| record.prediction.as_ref().unwrap().labels["verdict"].clone();
        assert_eq!(judged.unwrap().iter().map(verdict).collect::<Vec<_>>(), ["true", "false"]);
    }

    #[test]
    fn errors_say_where_and_what() {
        let check = |prediction: &str, expected: &str| {
            let found = records(Evouna, FILE.as_bytes(), |source| named(source, prediction));
            assert_eq!(found.unwrap_err(), expected);
        };
        check(
            "answer_c",
            "`file`, record 1: field `answer_c` is missing; the record has `question`, \
             `golden_answer`, `answer_a`, `judge_a`, `answer_b`, `judge_b`, `improper`",
        );
        check("judge_a", "`file`, record 1: field `judge_a` is no text");
        let other = records(Evouna, FILE.as_bytes(), |source| {
            source.fields.id = Some("question".to_owned());
        });
        let expected = "`file`: the fields of format `evouna` have fixed names; only `prediction` \
                        and `verdict` can be named\nhint: remove `fields`, or name another format";
        assert_eq!(other.unwrap_err(), expected);
    }
}
