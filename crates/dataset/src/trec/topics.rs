//! Topics: lines `id TAB text`, or a stream of `<top>` elements.
//!
//! The classic stream has no end tags and labels its contents (`<num> Number: 301`); later ones
//! look like XML and seldom are. Both are read as marked text.

use std::{collections::BTreeMap, path::Path};

use qeval_core::{Example, Value};

use crate::{Error, Place, Problem, Record, document, input, markup};

/// What the ids of topics are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TopicIds {
    /// Those in the file.
    #[default]
    Given,
    /// Their positions from 1. The judgments of Cranfield count its topics like this, and the
    /// numbers in its file of topics are others.
    Position,
}

/// Reads topics. Columns are further elements of the stream, such as `desc`.
pub(crate) fn read(path: &Path, ids: TopicIds, columns: &[String]) -> Result<Vec<Record>, Error> {
    let text = input::read_text(path)?;
    let mut records = if text.trim_ascii_start().starts_with('<') {
        stream(&text, columns).map_err(|(problem, place)| problem.at(path, place))?
    } else {
        lines(&text, columns).map_err(|(problem, place)| problem.at(path, place))?
    };
    if records.is_empty() {
        return Err(document::empty().of_file(path));
    }
    if ids == TopicIds::Position {
        for (number, record) in (1_u64..).zip(&mut records) {
            record.example.id = number.to_string();
        }
    }
    Ok(records)
}

type Misplaced = (Problem, Place);

fn lines(text: &str, columns: &[String]) -> Result<Vec<Record>, Misplaced> {
    if let Some(column) = columns.first() {
        let message = format!("topics in lines have no column `{column}`, only an id and a text");
        return Err((Problem::new(message), Place::default()));
    }
    let mut records = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let split = line.split_once('\t').or_else(|| line.split_once(' '));
        let Some((id, question)) = split else {
            let message = format!("topic `{line}` has no text, expected `id TAB text`");
            return Err((Problem::new(message), Place::line(number)));
        };
        records.push(record(id.trim(), question.trim(), BTreeMap::new()));
    }
    Ok(records)
}

fn stream(text: &str, columns: &[String]) -> Result<Vec<Record>, Misplaced> {
    let mut records = Vec::new();
    for block in markup::blocks(text, "top") {
        let block = block?;
        let part = |name: &str, label: &str| {
            let content = markup::element(block.content, name)?;
            let labelled = content.trim_start();
            Some(markup::decode(labelled.strip_prefix(label).unwrap_or(labelled)))
        };
        let missing = |name: &str| {
            (Problem::new(format!("the topic has no `<{name}>`")), Place::line(block.line))
        };
        let id =
            part("num", "Number:").filter(|id| !id.is_empty()).ok_or_else(|| missing("num"))?;
        let question = part("title", "Topic:").ok_or_else(|| missing("title"))?;
        let labels = [("desc", "Description:"), ("narr", "Narrative:")];
        let value = |name: &String| {
            let label = labels.iter().find(|(element, _)| element == name);
            let content = part(name, label.map_or("", |(_, label)| label))?;
            Some((name.clone(), Value::Text(content)))
        };
        let values = columns.iter().filter_map(value).collect();
        records.push(record(&id, &question, values));
    }
    let found = |name: &&String| records.iter().any(|r| r.example.columns.contains_key(*name));
    match columns.iter().find(|name| !found(name)) {
        Some(column) if !records.is_empty() => {
            Err((Problem::new(format!("no topic has the element `<{column}>`")), Place::default()))
        }
        _ => Ok(records),
    }
}

fn record(id: &str, question: &str, columns: BTreeMap<String, Value>) -> Record {
    Record::from(Example {
        id: id.to_owned(),
        question: question.to_owned(),
        columns,
        ..Example::default()
    })
}
