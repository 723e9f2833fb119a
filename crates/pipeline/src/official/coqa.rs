//! CoQA's `evaluate-v1.0.py`.

use std::fmt::Write as _;

use qeval_core::{Case, Value, families::coqa::domains, metrics::coqa::TurnScore};
use qeval_dataset::{DatasetFormat, PredictionFormat, Record};

use super::{
    Files, Output, Stop, metric,
    python::{self, Printed},
    refused,
};

/// Column of the dataset with the source of a story.
const SOURCE: &str = "source";

/// Indented JSON of the table of domains. A turn without a prediction is named and scores 0.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let records = files.records(DatasetFormat::Coqa, &[SOURCE])?;
    let predictions = files.predictions(PredictionFormat::Coqa)?;
    let (em, f1) = (metric("CoQA.EM"), metric("CoQA.F1"));
    let mut stderr = String::new();
    for record in &records {
        warn_of_number(record, &mut stderr);
    }
    let mut turns = Vec::with_capacity(records.len());
    for record in &records {
        let (story, number) = turn(record);
        let Some(Value::Text(source)) = record.example.columns.get(SOURCE) else {
            return Err(refused(format!("story `{story}` has no source")));
        };
        let score = if let Some(prediction) = predictions.get(&record.example.id) {
            let case = Case::new(&record.example).with_prediction(prediction);
            let score = em.score(&case).and_then(|em| Ok(TurnScore { em, f1: f1.score(&case)? }));
            score.map_err(|reason| refused(format!("`{}`: {reason}", record.example.id)))?
        } else {
            let _ = writeln!(stderr, "Missing prediction for {story} and turn_id: {number}");
            TurnScore::default()
        };
        turns.push((source.as_str(), score));
    }
    let rows = domains(turns).map_err(|unknown| refused(unknown.to_string()))?;
    let rows = rows.into_iter().map(|row| {
        let members =
            vec![("em", row.em.into()), ("f1", row.f1.into()), ("turns", row.turns.into())];
        (row.domain, Printed::Dict(members))
    });
    Ok(Output { stdout: Printed::Dict(rows.collect()).indented_json(), stderr })
}

/// The script expects the turns of a story to be numbered from 1, and goes on where they are not.
fn warn_of_number(record: &Record, stderr: &mut String) {
    let place = record.example.turn.map_or(0, |turn| turn + 1);
    let (_, number) = turn(record);
    if number != place.to_string() {
        let question = python::quoted(&record.example.question);
        let _ = writeln!(
            stderr,
            "Turn id should match index {place}: {{'input_text': {question}, 'turn_id': {number}}}"
        );
    }
}

/// Story and number of a turn, of which its id is made.
fn turn(record: &Record) -> (&str, &str) {
    record.example.id.rsplit_once('#').expect("the id of a turn has its number")
}
