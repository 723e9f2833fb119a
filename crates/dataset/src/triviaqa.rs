//! TriviaQA: questions whose answers are the names of something, in all their spellings.
//!
//! The key of a question is that of the script: its id where the domain of the file is Wikipedia,
//! and its id with each of its documents (`tc_33--35/35_995.txt`) in any other domain, where a
//! question is answered once for each document.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    vec,
};

use qeval_core::{Example, Reference, Value};
use serde::Deserialize;

use crate::{
    Error, Place, Problem, Record, dataset::RecordStream, document::Document, fields::check_offered,
};

/// The columns that the format offers.
const COLUMNS: [&str; 4] = ["QuestionSource", "QuestionPartOfVerifiedEval", "Type", "Filename"];

/// The questions of a file, under their keys.
pub(crate) struct Keyed {
    document: Document,
    by_document: bool,
    columns: Vec<String>,
    records: vec::IntoIter<Record>,
    /// Questions read so far.
    count: u64,
}

/// What the file says of itself; it may say so behind the questions.
#[derive(Deserialize)]
struct Header {
    #[serde(rename = "Domain")]
    domain: Option<String>,
}

#[derive(Clone, Deserialize)]
struct Question {
    #[serde(rename = "QuestionId")]
    id: String,
    #[serde(default, rename = "Question")]
    text: String,
    #[serde(rename = "Answer")]
    answer: Option<Answer>,
    #[serde(default, rename = "EntityPages")]
    pages: Vec<Evidence>,
    #[serde(default, rename = "SearchResults")]
    results: Vec<Evidence>,
    #[serde(rename = "QuestionSource")]
    source: Option<String>,
    #[serde(rename = "QuestionPartOfVerifiedEval")]
    verified: Option<bool>,
}

#[derive(Clone, Deserialize)]
struct Answer {
    #[serde(rename = "NormalizedAliases")]
    aliases: Vec<String>,
    /// Answers of people. The metrics normalise them as they do the aliases.
    #[serde(default, rename = "HumanAnswers")]
    human: Vec<String>,
    #[serde(rename = "Type")]
    kind: Option<String>,
}

/// A document in which the answer was looked for.
#[derive(Clone, Deserialize)]
struct Evidence {
    #[serde(rename = "Filename")]
    file: Option<String>,
}

impl Keyed {
    pub(crate) fn open(path: &Path, columns: &[String]) -> Result<Self, Error> {
        check_offered(columns, &COLUMNS).map_err(|problem| problem.of_file(path))?;
        let document = Document::open(path, "Data")?;
        let Header { domain } = document.whole()?;
        let Some(domain) = domain else {
            let message = "the object has no `Domain`, expected `Wikipedia` or `Web`";
            return Err(Problem::new(message)
                .with_hint("the domain says what the ids of predictions are")
                .of_file(path));
        };
        Ok(Self {
            document,
            by_document: domain != "Wikipedia",
            columns: columns.to_vec(),
            records: Vec::new().into_iter(),
            count: 0,
        })
    }

    fn records_of(&self, question: &Question) -> Result<Vec<Record>, Problem> {
        let Question { id, text, answer, pages, results, .. } = question;
        let Some(answer) = answer else {
            return Err(Problem::new(format!("question `{id}` has no `Answer`"))
                .with_hint("the test set is published without answers; take another part"));
        };
        let references: Vec<Reference> =
            answer.aliases.iter().chain(&answer.human).map(|text| text.as_str().into()).collect();
        let example = |key: String, file: Option<&str>| Example {
            id: key,
            group: file.map(|_| id.clone()),
            question: text.clone(),
            references: references.clone(),
            columns: self.values(question, answer, file),
            ..Example::default()
        };
        if !self.by_document {
            return Ok(vec![example(id.clone(), None).into()]);
        }
        let mut seen = BTreeSet::new();
        let files = pages.iter().chain(results).filter_map(|evidence| evidence.file.as_deref());
        // A document may be named twice; it is one key.
        let files = files.filter(|file| seen.insert(*file));
        Ok(files.map(|file| example(format!("{id}--{file}"), Some(file)).into()).collect())
    }

    fn values(
        &self,
        question: &Question,
        answer: &Answer,
        file: Option<&str>,
    ) -> BTreeMap<String, Value> {
        let text = |text: Option<&str>| text.map(|text| Value::Text(text.to_owned()));
        let value = |name: &String| {
            let value = match name.as_str() {
                "QuestionSource" => text(question.source.as_deref()),
                "QuestionPartOfVerifiedEval" => question.verified.map(Value::Bool),
                "Type" => text(answer.kind.as_deref()),
                _ => text(file),
            };
            value.map(|value| (name.clone(), value))
        };
        self.columns.iter().filter_map(value).collect()
    }
}

impl RecordStream for Keyed {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            if let Some(record) = self.records.next() {
                return Ok(Some(record));
            }
            let Some(question) = self.document.next::<Question>()? else { return Ok(None) };
            self.count += 1;
            let records = self
                .records_of(&question)
                .map_err(|problem| problem.at(self.document.path(), Place::record(self.count)))?;
            self.records = records.into_iter();
        }
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::Value;

    use crate::{DatasetFormat::Triviaqa, Record, testing::records};

    const FILE: &str = r#"{"Data": [
        {"Answer": {"Aliases": ["The Dee"], "NormalizedAliases": ["dee", "river dee"],
            "HumanAnswers": ["The Dee!"], "Type": "WikipediaEntity"},
         "EntityPages": [{"Filename": "Dee.txt", "Title": "Dee"}, {"Filename": "Dee.txt"}],
         "SearchResults": [{"Filename": "3/3_1.txt", "Rank": 0}, {"Rank": 1}],
         "Question": "Which river?", "QuestionId": "tc_1", "QuestionPartOfVerifiedEval": true},
        {"Answer": {"NormalizedAliases": ["42"]}, "Question": "How many?", "QuestionId": "tc_2"}],
        "Domain": "Web", "Version": 1.0}"#;

    fn ids(records: &[Record]) -> Vec<&str> {
        records.iter().map(|record| record.example.id.as_str()).collect()
    }

    #[test]
    fn the_domain_decides_on_the_keys() {
        let web = records(Triviaqa, FILE.as_bytes(), |source| {
            source.columns = ["Filename", "QuestionPartOfVerifiedEval"].map(str::to_owned).to_vec();
        });
        let web = web.unwrap();
        assert_eq!(ids(&web), ["tc_1--Dee.txt", "tc_1--3/3_1.txt"]);
        assert_eq!(web[1].example.group.as_deref(), Some("tc_1"));
        let columns = &web[1].example.columns;
        assert_eq!(columns["Filename"], Value::Text("3/3_1.txt".to_owned()));
        assert_eq!(columns["QuestionPartOfVerifiedEval"], Value::Bool(true));

        let file = FILE.replace("\"Web\"", "\"Wikipedia\"");
        let wikipedia = records(Triviaqa, file.as_bytes(), |source| {
            source.columns = vec!["Type".to_owned()];
        });
        let wikipedia = wikipedia.unwrap();
        assert_eq!(ids(&wikipedia), ["tc_1", "tc_2"]);
        let first = &wikipedia[0].example;
        assert_eq!(first.references, ["dee".into(), "river dee".into(), "The Dee!".into()]);
        assert_eq!(first.columns["Type"], Value::Text("WikipediaEntity".to_owned()));
        assert_eq!((first.group.as_deref(), wikipedia[1].example.columns.len()), (None, 0));
    }

    #[test]
    fn errors_say_where_and_what() {
        let check = |file: &str, expected: &str| {
            assert_eq!(records(Triviaqa, file.as_bytes(), |_| {}).unwrap_err(), expected);
        };
        check(
            &FILE.replace("\"Domain\": \"Web\", ", ""),
            "`file`: the object has no `Domain`, expected `Wikipedia` or `Web`\n\
             hint: the domain says what the ids of predictions are",
        );
        check(
            &FILE.replace("\"Answer\": {\"NormalizedAliases\": [\"42\"]}, ", ""),
            "`file`, record 2: question `tc_2` has no `Answer`\n\
             hint: the test set is published without answers; take another part",
        );
    }
}
