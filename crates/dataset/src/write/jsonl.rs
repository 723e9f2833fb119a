//! JSON lines, with the fields' own names; what an example lacks is left out, or null where a field was
//! asked for, so that it can be asked for again.

use std::io::Write as _;

use qeval_core::{Example, Exchange, Reference, Value};
use serde_json::{Map, Value as Json, json};

use super::{
    TargetFormat, Written, each,
    output::{Output, unwritable},
    refusal,
};
use crate::{DatasetFields, DatasetSource, Error, Problem, Record};

pub(super) fn write(source: &DatasetSource, mut output: Output) -> Result<Written, Error> {
    let asked = asked(source);
    let written = each(source, |record| {
        output.write_all(line(&record, &asked)?.as_bytes()).map_err(|error| unwritable(&error))
    })?;
    output.finish()?;
    Ok(written)
}

/// The names that the fields, labels and columns of a source get that were asked for.
pub(super) fn asked(source: &DatasetSource) -> Vec<&str> {
    let DatasetFields {
        id: _,
        question: _,
        references: _,
        context,
        gold_passages,
        group,
        turn,
        history,
        prediction,
        confidence,
        hits,
        citations,
        verdict,
        labels,
    } = &source.fields;
    let fields = [
        ("context", context),
        ("gold_passages", gold_passages),
        ("group", group),
        ("turn", turn),
        ("history", history),
        ("prediction", prediction),
        ("confidence", confidence),
        ("hits", hits),
        ("citations", citations),
        ("verdict", verdict),
    ];
    let given = |name: &Option<String>| name.as_ref().is_some_and(|name| !name.is_empty());
    let fields = fields.into_iter().filter(|(_, name)| given(name)).map(|(field, _)| field);
    let labels = labels.iter().filter(|(_, field)| !field.is_empty()).map(|(label, _)| label);
    fields
        .chain(labels.map(String::as_str))
        .chain(source.columns.iter().map(String::as_str))
        .collect()
}

/// The line of a record. What was asked for and is not there is null.
pub(super) fn line(record: &Record, asked: &[&str]) -> Result<String, Problem> {
    refusal::check(TargetFormat::Jsonl, record)?;
    let mut members = members(record);
    for &name in asked {
        members.entry(name).or_insert(Json::Null);
    }
    let mut line = Json::Object(members).to_string();
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
        // The name of the verdict is that of its field.
        for (name, label) in &prediction.labels {
            add(name, json!(label));
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
