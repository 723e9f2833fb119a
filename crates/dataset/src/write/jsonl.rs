//! JSON lines, with the fields' own names; what an example lacks is left out.

use std::io::Write as _;

use qeval_core::{Example, Exchange, Reference, Value, metrics::verdict};
use serde_json::{Map, Value as Json, json};

use super::{
    TargetFormat, Written, each,
    output::{Output, unwritable},
    refusal,
};
use crate::{DatasetSource, Error, Problem, Record};

pub(super) fn write(source: &DatasetSource, mut output: Output) -> Result<Written, Error> {
    let written = each(source, |record| {
        output.write_all(line(&record)?.as_bytes()).map_err(|error| unwritable(&error))
    })?;
    output.finish()?;
    Ok(written)
}

/// The line of a record.
pub(super) fn line(record: &Record) -> Result<String, Problem> {
    refusal::check(TargetFormat::Jsonl, record)?;
    let mut line = Json::Object(members(record)).to_string();
    line.push('\n');
    Ok(line)
}

fn members(record: &Record) -> Map<String, Json> {
    let Record { example, prediction } = record;
    let Example { id, dataset: _, group, turn, question, references, context, history, .. } =
        example;
    let mut members = Map::new();
    let mut add = |name: &str, value: Json| members.insert(name.to_owned(), value);
    add("id", json!(id));
    add("question", json!(question));
    add("references", references.iter().map(reference).collect());
    if let Some(context) = context {
        add("context", json!(context));
    }
    if !example.gold_passages.is_empty() {
        add("gold_passages", json!(example.gold_passages));
    }
    if let Some(group) = group {
        add("group", json!(group));
    }
    if let Some(turn) = turn {
        add("turn", json!(turn));
    }
    if !history.is_empty() {
        add("history", exchanges(history));
    }
    if let Some(prediction) = prediction {
        let answer = match (prediction.items.as_slice(), prediction.text.as_str()) {
            ([], "") => Json::Null,
            ([], text) => json!(text),
            (items, _) => json!(items),
        };
        add("prediction", answer);
        if let Some(confidence) = prediction.confidence {
            add("confidence", json!(confidence));
        }
        if let Some(seen) = &prediction.seen {
            add("hits", json!(seen));
        }
        if !prediction.citations.is_empty() {
            add("citations", json!(prediction.citations));
        }
        if let Some(verdict) = prediction.labels.get(verdict::LABEL) {
            add("verdict", json!(verdict));
        }
    }
    for (name, column) in &example.columns {
        add(name, value(column));
    }
    members
}

/// A reference: a text where that is all.
pub(super) fn reference(reference: &Reference) -> Json {
    let Reference { text, start, items } = reference;
    if start.is_none() && items.is_empty() {
        return json!(text);
    }
    let mut object = json!({"text": text});
    if let Some(start) = start {
        object["answer_start"] = json!(start);
    }
    if !items.is_empty() {
        object["items"] = json!(items);
    }
    object
}

/// The earlier questions of a dialog.
pub(super) fn exchanges(history: &[Exchange]) -> Json {
    let exchange =
        |Exchange { question, answer }: &Exchange| json!({"question": question, "answer": answer});
    history.iter().map(exchange).collect()
}

/// The value of a column.
pub(super) fn value(column: &Value) -> Json {
    match column {
        Value::Text(text) => json!(text),
        Value::Integer(number) => json!(number),
        Value::Number(number) => json!(number),
        Value::Bool(truth) => json!(truth),
        Value::List(values) => values.iter().map(value).collect(),
    }
}
