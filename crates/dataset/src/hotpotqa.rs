//! HotpotQA: questions over several paragraphs, with the sentences that support the answer.
//!
//! A sentence is named `title#number`, with its number in the paragraph from 0. These are the gold
//! passages of a question and the citations of a prediction.

use std::{collections::BTreeMap, path::Path};

use qeval_core::{Example, Value};
use serde::Deserialize;

use crate::{
    Error, Place, Problem, Record, dataset::RecordStream, document::Document, fields::check_offered,
};

/// The questions of a file.
pub(crate) struct Questions {
    document: Document,
    columns: Vec<String>,
    /// Questions read so far.
    count: u64,
}

#[derive(Deserialize)]
struct Question {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default, rename = "question")]
    text: String,
    answer: Option<String>,
    supporting_facts: Option<Vec<Fact>>,
    #[serde(default)]
    context: Vec<Paragraph>,
    r#type: Option<String>,
    level: Option<String>,
}

/// A sentence: title of its paragraph and its number there.
#[derive(Deserialize)]
#[serde(expecting = "a title and a number")]
pub(crate) struct Fact(String, u64);

/// A paragraph: title and sentences.
#[derive(Deserialize)]
#[serde(expecting = "a title and a list of sentences")]
struct Paragraph(#[expect(dead_code, reason = "the place must be read")] String, Vec<String>);

/// The ids of sentences, each once.
pub(crate) fn ids(facts: Vec<Fact>) -> Vec<String> {
    let mut ids: Vec<String> = Vec::with_capacity(facts.len());
    for Fact(title, number) in facts {
        let id = format!("{title}#{number}");
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

impl Questions {
    pub(crate) fn open(path: &Path, columns: &[String]) -> Result<Self, Error> {
        check_offered(columns, &["type", "level"]).map_err(|problem| problem.of_file(path))?;
        let columns = columns.to_vec();
        Ok(Self { document: Document::open_list(path)?, columns, count: 0 })
    }

    fn record(&self, question: Question) -> Result<Record, Problem> {
        let Question { id, text, answer, supporting_facts, context, r#type, level } = question;
        let Some(answer) = answer else {
            return Err(Problem::new(format!("question `{id}` has no `answer`"))
                .with_hint("the test set is published without answers; take another part"));
        };
        let value = |name: &String| {
            let text = if name == "type" { r#type.clone() } else { level.clone() };
            text.map(|text| (name.clone(), Value::Text(text)))
        };
        let columns: BTreeMap<String, Value> = self.columns.iter().filter_map(value).collect();
        // Sentences begin with the blank that separates them.
        let paragraphs: Vec<String> =
            context.into_iter().map(|Paragraph(_, sentences)| sentences.concat()).collect();
        Ok(Record::from(Example {
            id,
            question: text,
            references: vec![answer.into()],
            context: (!paragraphs.is_empty()).then(|| paragraphs.join("\n")),
            gold_passages: ids(supporting_facts.unwrap_or_default()),
            columns,
            ..Example::default()
        }))
    }
}

impl RecordStream for Questions {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        let Some(question) = self.document.next::<Question>()? else { return Ok(None) };
        self.count += 1;
        let record = self.record(question);
        record
            .map(Some)
            .map_err(|problem| problem.at(self.document.path(), Place::record(self.count)))
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::Value;

    use crate::{DatasetFormat::Hotpotqa, testing::records};

    const FILE: &str = r#"[{"_id": "q1", "question": "Which is older?", "answer": "Ely",
        "supporting_facts": [["Ely", 0], ["C#", 1], ["Ely", 0]], "type": "comparison",
        "context": [["Ely", ["Ely is a city.", " It is old."]], ["C#", ["C# is young."]]]},
        {"_id": "q2", "question": "Is it?", "answer": "yes", "level": "hard"}]"#;

    #[test]
    fn facts_are_gold_passages_and_paragraphs_the_context() {
        let found = records(Hotpotqa, FILE.as_bytes(), |source| {
            source.columns = vec!["level".to_owned(), "type".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!(first.example.gold_passages, ["Ely#0", "C##1"]);
        let context = "Ely is a city. It is old.\nC# is young.";
        assert_eq!(first.example.context.as_deref(), Some(context));
        assert_eq!(first.example.columns["type"], Value::Text("comparison".to_owned()));
        assert_eq!(second.example.references, ["yes".into()]);
        assert_eq!((second.example.context, second.example.gold_passages.len()), (None, 0));
        assert_eq!(second.example.columns.len(), 1);
    }

    #[test]
    fn errors_say_where_and_what() {
        let check = |file: &str, expected: &str| {
            assert_eq!(records(Hotpotqa, file.as_bytes(), |_| {}).unwrap_err(), expected);
        };
        check(
            &FILE.replace("\"answer\": \"yes\", ", ""),
            "`file`, record 2: question `q2` has no `answer`\n\
             hint: the test set is published without answers; take another part",
        );
        check(
            &FILE.replace("[\"C#\", 1]", "[\"C#\"]"),
            "`file`, line 2, column 47: found a list of the wrong length, expected a title and \
             a number",
        );
        check("{}", "`file`, line 1, column 1: invalid JSON: expected a list");
        check("[]", "`file`: the file is empty: there is nothing to evaluate");
        check("[] x", "`file`, line 1, column 4: invalid JSON: something follows its end");
    }
}
