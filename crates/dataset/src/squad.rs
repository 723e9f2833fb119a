//! SQuAD's JSON (versions 1.1 and 2.0), and QuAC's, which is built in the same way.
//!
//! Articles are parsed one at a time and their questions handed out paragraph by paragraph, since
//! every example has a context of its own.

use std::{collections::BTreeMap, path::Path, vec};

use qeval_core::{Example, Reference, Value};
use serde::Deserialize;

use crate::{Error, Problem, Record, document::Document, fields, quac};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Squad,
    Quac,
}

impl Kind {
    /// The columns that the format offers.
    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Squad => &["title", "answerable"],
            Self::Quac => &["title", "yesno", "followup"],
        }
    }
}

/// The questions of a file.
pub(crate) struct Articles {
    document: Document,
    kind: Kind,
    columns: Vec<String>,
    title: Option<String>,
    paragraphs: vec::IntoIter<Paragraph>,
    records: vec::IntoIter<Record>,
    /// Paragraphs read so far.
    count: u64,
}

#[derive(Deserialize)]
struct Article {
    title: Option<String>,
    paragraphs: Vec<Paragraph>,
}

/// A text with its questions.
#[derive(Deserialize)]
pub(crate) struct Paragraph {
    /// Id of the dialog, in QuAC.
    pub(crate) id: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) qas: Vec<Question>,
}

/// A question with its answers.
#[derive(Deserialize)]
pub(crate) struct Question {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) answers: Vec<Answer>,
    pub(crate) yesno: Option<String>,
    pub(crate) followup: Option<String>,
    pub(crate) orig_answer: Option<Answer>,
}

/// An answer with its place in the context.
#[derive(Deserialize)]
pub(crate) struct Answer {
    pub(crate) text: String,
    #[serde(rename = "answer_start")]
    start: Option<i64>,
}

impl From<Answer> for Reference {
    fn from(answer: Answer) -> Self {
        // Datasets write -1 for a place that they don't know.
        let start = answer.start.and_then(|start| usize::try_from(start).ok());
        Self { text: answer.text, start }
    }
}

impl Articles {
    pub(crate) fn open(path: &Path, kind: Kind, columns: &[String]) -> Result<Self, Error> {
        if let Some(unknown) = columns.iter().find(|name| !kind.columns().contains(&name.as_str()))
        {
            let offered: Vec<String> = kind.columns().iter().map(|&name| name.to_owned()).collect();
            let offered = fields::list(&offered);
            let message = format!("the format has no column `{unknown}`, only {offered}");
            return Err(Problem::new(message).of_file(path));
        }
        Ok(Self {
            document: Document::open(path, "data")?,
            kind,
            columns: columns.to_vec(),
            title: None,
            paragraphs: Vec::new().into_iter(),
            records: Vec::new().into_iter(),
            count: 0,
        })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            if let Some(record) = self.records.next() {
                return Ok(Some(record));
            }
            if let Some(paragraph) = self.paragraphs.next() {
                self.count += 1;
                self.records = self.records_of(paragraph)?.into_iter();
            } else if let Some(article) = self.document.next::<Article>()? {
                self.title = article.title;
                self.paragraphs = article.paragraphs.into_iter();
            } else {
                return Ok(None);
            }
        }
    }

    fn records_of(&self, paragraph: Paragraph) -> Result<Vec<Record>, Error> {
        match self.kind {
            Kind::Squad => {
                let Paragraph { context, qas, .. } = paragraph;
                let record = |question| self.record(question, context.clone());
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
        let references = question.answers.into_iter().map(Reference::from).collect();
        Record::from(Example {
            id: question.id,
            question: question.question,
            references,
            context,
            columns,
            ..Example::default()
        })
    }

    fn values(&self, question: &Question) -> BTreeMap<String, Value> {
        let text = |text: &Option<String>| text.clone().map(Value::Text);
        let value = |name: &String| {
            let value = match name.as_str() {
                "title" => text(&self.title),
                "yesno" => text(&question.yesno),
                "followup" => text(&question.followup),
                _ => Some(Value::Bool(!question.answers.is_empty())),
            };
            value.map(|value| (name.clone(), value))
        };
        self.columns.iter().filter_map(value).collect()
    }
}
