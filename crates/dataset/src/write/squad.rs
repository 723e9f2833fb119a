//! SQuAD's JSON, version 2.0: an article for each group, with the group as its title, and in it a
//! paragraph for each context. Groups, contexts and questions keep the order in which they come
//! first. Columns are further members of the questions.

use std::collections::HashMap;

use qeval_core::{Example, Value};
use serde_json::{Map, Value as Json, json};

use super::{
    TargetFormat, Written, each,
    jsonl::value,
    output::Output,
    refusal::{self, refuse},
};
use crate::{
    DatasetSource, Error, Problem, Record,
    squad::{ANSWERABLE, TITLE},
};

const FORMAT: TargetFormat = TargetFormat::Squad;

/// Members of a question that no column may have for a name.
const MEMBERS: [&str; 6] =
    ["id", "question", "answers", "is_impossible", "plausible_answers", "orig_answer"];

pub(super) fn write(source: &DatasetSource, mut output: Output) -> Result<Written, Error> {
    let mut articles = Articles::default();
    let written = each(source, |record| {
        check(&record)?;
        articles.add(&record.example);
        Ok(())
    })?;
    let document = articles.into_json();
    serde_json::to_writer(&mut output, &document).map_err(|error| output.error(&error.into()))?;
    output.finish()?;
    Ok(written)
}

/// Refuses what SQuAD's JSON has no place for.
fn check(record: &Record) -> Result<(), Problem> {
    const NO_FIELD: &str = "it has no such field";
    let refuse = |field: &str, why: &str| Err(refuse(FORMAT, record, field, why));
    refusal::check(FORMAT, record)?;
    let Record { example, prediction } = record;
    let lost = [
        ("turn", example.turn.is_some()),
        ("history", !example.history.is_empty()),
        ("gold_passages", !example.gold_passages.is_empty()),
        ("prediction", prediction.is_some()),
    ];
    if let Some((field, _)) = lost.iter().find(|(_, there)| *there) {
        return refuse(field, NO_FIELD);
    }
    if example.references.iter().any(|reference| !reference.items.is_empty()) {
        return refuse("references", "one of them is a list, and an answer is a text");
    }
    for (name, value) in &example.columns {
        match name.as_str() {
            TITLE if title(example) != Some(value_text(value)) => {
                return refuse(TITLE, "the title of its article is its group");
            }
            ANSWERABLE if *value != Value::Bool(example.answerable()) => {
                return refuse(ANSWERABLE, "whether there are references says something else");
            }
            name if MEMBERS.contains(&name) => {
                return refuse(name, "a question has another member of that name");
            }
            _ => {}
        }
    }
    Ok(())
}

/// The title of an example's article: its group, else what the column of that name says.
fn title(example: &Example) -> Option<&str> {
    match (&example.group, example.columns.get(TITLE)) {
        (Some(group), _) => Some(group),
        (None, Some(Value::Text(title))) => Some(title),
        (None, _) => None,
    }
}

/// The text of a value that is one; of others something that is no title.
fn value_text(value: &Value) -> &str {
    match value {
        Value::Text(text) => text,
        _ => "",
    }
}

/// The articles, each with its title and its paragraphs, in the order in which they come first.
#[derive(Default)]
struct Articles {
    list: Vec<Article>,
    places: HashMap<Option<String>, usize>,
}

#[derive(Default)]
struct Article {
    title: Option<String>,
    paragraphs: Vec<Paragraph>,
    places: HashMap<Option<String>, usize>,
}

struct Paragraph {
    context: Option<String>,
    questions: Vec<Json>,
}

impl Articles {
    fn add(&mut self, example: &Example) {
        let title = title(example).map(str::to_owned);
        let place = *self.places.entry(title.clone()).or_insert_with(|| {
            self.list.push(Article { title, ..Article::default() });
            self.list.len() - 1
        });
        let Article { paragraphs, places, .. } = &mut self.list[place];
        let place = *places.entry(example.context.clone()).or_insert_with(|| {
            let context = example.context.clone();
            paragraphs.push(Paragraph { context, questions: Vec::new() });
            paragraphs.len() - 1
        });
        paragraphs[place].questions.push(question(example));
    }

    fn into_json(self) -> Json {
        let articles = self.list.into_iter().map(|article| {
            let paragraphs = article.paragraphs.into_iter().map(|paragraph| {
                let context = paragraph.context.map(Json::String);
                object([("context", context), ("qas", Some(Json::Array(paragraph.questions)))])
            });
            let title = article.title.map(Json::String);
            object([("title", title), ("paragraphs", Some(paragraphs.collect()))])
        });
        let data = articles.collect();
        object([("version", Some(json!("v2.0"))), ("data", Some(data))])
    }
}

fn question(example: &Example) -> Json {
    let answers = example.references.iter().map(|reference| {
        let start = reference.start.map(|start| json!(start));
        object([("text", Some(json!(reference.text))), ("answer_start", start)])
    });
    let mut question = object([
        ("id", Some(json!(example.id))),
        ("question", Some(json!(example.question))),
        ("answers", Some(answers.collect())),
        ("is_impossible", Some(json!(!example.answerable()))),
    ]);
    for (name, column) in &example.columns {
        // These two are said by the article and by the answers.
        if name != TITLE && name != ANSWERABLE {
            question[name.as_str()] = value(column);
        }
    }
    question
}

/// An object of the members that are there, in this order.
fn object<const N: usize>(members: [(&str, Option<Json>); N]) -> Json {
    let there = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Json::Object(there.collect::<Map<_, _>>())
}
