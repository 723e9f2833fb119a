//! NQ-open's `evaluate_predictions.py`, which ORQA and EfficientQA have in common.

use std::fmt::Write as _;

use qeval_core::Case;
use qeval_dataset::{
    DatasetFormat, PredictionFields, PredictionFormat, PredictionSource, predictions,
};

use super::{Files, Output, Stop, metric, refused};

/// What was found, and the accuracy. A question without a prediction counts as wrong.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let records = files.records(DatasetFormat::NqOpen, &[])?;
    let name = |name: &str| Some(name.to_owned());
    let predictions = predictions(&PredictionSource {
        format: Some(PredictionFormat::Jsonl),
        fields: PredictionFields { id: name("question"), ..PredictionFields::default() },
        ..PredictionSource::new(files.predictions)
    })?;
    let metric = metric("NQ-open.EM");
    let (mut missing, mut correct) = (0, 0);
    for record in &records {
        let Some(prediction) = predictions.get(&record.example.id) else {
            missing += 1;
            continue;
        };
        let score = metric.score(&Case::new(&record.example).with_prediction(prediction));
        let no_answer = || refused(format!("question `{}` has no answer", record.example.id));
        correct += usize::from(score.map_err(|_| no_answer())? > 0.0);
    }
    let (references, path) = (records.len(), files.dataset.display().to_string());
    let mut stdout = String::new();
    if path.contains("CuratedTrec") {
        stdout.push_str("Warning: regex evaluation should (only) be applied to CuratedTrec.\n");
    }
    let accuracy = correct as f64 / references as f64;
    let (count, from) = (predictions.len(), files.predictions.display());
    let _ = writeln!(stdout, "Found {references} references in {path}");
    let _ = writeln!(stdout, "Found {count} predictions in {from}");
    let _ = writeln!(stdout, "Found {missing} missing predictions.");
    let _ = writeln!(stdout, "Accuracy: {accuracy:.4} ({correct}/{references})");
    Ok(Output { stdout, stderr: String::new() })
}
