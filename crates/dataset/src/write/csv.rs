//! A table, with the fields' own names. Lists are JSON inside their cells. A table has texts alone:
//! a number or a truth value of a column comes back as its text.

use qeval_core::{Value, metrics::verdict};
use serde_json::{Value as Json, json};

use super::{
    TargetFormat, Written, each,
    jsonl::{exchanges, reference},
    output::{Output, unwritable},
    refusal::{ALWAYS, FIELDS, refuse},
    survey::Survey,
};
use crate::{DatasetSource, Error, Problem, Record};

pub(super) fn write(source: &DatasetSource, output: Output) -> Result<Written, Error> {
    let survey = Survey::of(source, TargetFormat::Csv)?;
    let header = header(&survey);
    let mut writer = ::csv::Writer::from_writer(output);
    let failed = |error: &::csv::Error| Problem::new(format!("cannot be written: {error}"));
    let path = &source.path;
    writer.write_record(&header).map_err(|error| failed(&error).of_file(path))?;
    let written = each(source, |record| {
        for name in &header {
            let cell = cell(&record, name)?;
            writer.write_field(cell).map_err(|error| failed(&error))?;
        }
        writer.write_record(None::<&[u8]>).map_err(|error| failed(&error))
    })?;
    match writer.into_inner() {
        Ok(output) => output.finish()?,
        Err(error) => return Err(unwritable(error.error()).of_file(path)),
    }
    Ok(written)
}

fn header(survey: &Survey) -> Vec<&str> {
    let field = |name: &&str| ALWAYS.contains(name) || survey.has(name);
    let fields = FIELDS.into_iter().filter(field);
    fields.chain(survey.columns.keys().map(String::as_str)).collect()
}

/// The cell of a field; an empty one is null.
fn cell(record: &Record, name: &str) -> Result<String, Problem> {
    let Record { example, prediction } = record;
    let answer = prediction.as_ref();
    Ok(match name {
        "id" => example.id.clone(),
        "question" => example.question.clone(),
        "references" if example.references.is_empty() => String::new(),
        "references" => example.references.iter().map(reference).collect::<Json>().to_string(),
        "context" => text(record, name, example.context.as_deref())?,
        "gold_passages" if example.gold_passages.is_empty() => String::new(),
        "gold_passages" => json!(example.gold_passages).to_string(),
        "group" => example.group.clone().unwrap_or_default(),
        "turn" => example.turn.map_or(String::new(), |turn| turn.to_string()),
        "history" if example.history.is_empty() => String::new(),
        "history" => exchanges(&example.history).to_string(),
        "prediction" => answer.map_or(String::new(), |answer| answer.text.clone()),
        "confidence" => answer
            .and_then(|answer| answer.confidence)
            .map_or(String::new(), |confidence| json!(confidence).to_string()),
        "hits" => answer
            .and_then(|answer| answer.seen.as_ref())
            .map_or(String::new(), |seen| json!(seen).to_string()),
        "citations" => match answer.map(|answer| answer.citations.as_slice()) {
            None | Some([]) => String::new(),
            Some(citations) => json!(citations).to_string(),
        },
        "verdict" => {
            let verdict = answer.and_then(|answer| answer.labels.get(verdict::LABEL));
            text(record, name, verdict.map(String::as_str))?
        }
        column => match example.columns.get(column) {
            None => String::new(),
            Some(Value::Text(value)) => text(record, column, Some(value))?,
            Some(Value::List(_)) => {
                let why = "it is a list, and a cell of a column holds a text";
                return Err(refuse(TargetFormat::Csv, record, column, why));
            }
            Some(value) => value.to_string(),
        },
    })
}

/// A text that must not be empty, because an empty cell is null.
fn text(record: &Record, name: &str, text: Option<&str>) -> Result<String, Problem> {
    match text {
        Some("") => {
            let why = "it is an empty text, and an empty cell is null";
            Err(refuse(TargetFormat::Csv, record, name, why))
        }
        text => Ok(text.unwrap_or_default().to_owned()),
    }
}
