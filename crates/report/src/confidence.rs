//! What confidences are worth: risk by coverage, and calibration.

use std::{cmp::Ordering, fmt::Write as _};

use qeval_core::{
    Stage,
    metrics::{
        calibration::Bin,
        risk_coverage::{Point, steps},
    },
};
use serde_json::{Value, json};

use crate::{table::Table, terminal::number, verdict::percent};

/// Lines of the risk-coverage table.
const STEPS: u32 = 10;

/// Points of the curve for programs.
const POINTS: u32 = 100;

/// Lines of the calibration table.
const LINES: usize = 20;

/// A metric that is read from the same confidences, with its number.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue {
    /// Official name.
    pub metric: String,
    /// Its column.
    pub column: String,
    /// The number; `None` where nothing is scored.
    pub value: Option<f64>,
}

/// How wrong the answers are of which the reader is most certain, in one stage.
#[derive(Clone, Debug)]
pub struct RiskReport {
    /// The part of the system.
    pub stage: Stage,
    /// Name of the dataset, where there are several; `None` for all together.
    pub dataset: Option<String>,
    /// What an answer's correctness is, for example `EM`.
    pub correct: String,
    /// The areas under the curve.
    pub metrics: Vec<NamedValue>,
    /// Examples with a confidence.
    pub n: usize,
    /// The curve, with one point for each confidence.
    pub curve: Vec<Point>,
}

/// Whether confidences are probabilities, in one stage.
#[derive(Clone, Debug)]
pub struct CalibrationReport {
    /// The part of the system.
    pub stage: Stage,
    /// Name of the dataset, where there are several; `None` for all together.
    pub dataset: Option<String>,
    /// What an answer's correctness is, for example `EM`.
    pub correct: String,
    /// The calibration error, then the other metrics of the same confidences.
    pub metrics: Vec<NamedValue>,
    /// Examples with a probability.
    pub n: usize,
    /// The bins that hold examples, lowest first.
    pub bins: Vec<Bin>,
}

/// Risk and coverage for people.
pub(crate) fn render_risk(risk: &RiskReport) -> String {
    let mut text = format!(
        "  if only answers of at least this confidence are given; risk is the mean of 1 - {}\n",
        risk.correct
    );
    let mut table = Table::default();
    table.row(["coverage", "n", "confidence", "risk"].map(str::to_owned).to_vec());
    for point in steps(&risk.curve, STEPS) {
        table.row(vec![
            // The first column stands to the left.
            format!("{:>8}", percent(point.coverage)),
            examples(&point, risk.n).to_string(),
            least(&point).map_or_else(|| "no prediction".to_owned(), short),
            number(point.risk),
        ]);
    }
    text.push_str(&table.render());
    text.push_str(&values(&risk.metrics));
    text
}

/// Calibration for people.
pub(crate) fn render_calibration(calibration: &CalibrationReport) -> String {
    let CalibrationReport { bins, metrics, correct, .. } = calibration;
    let metric = metrics.first().map_or("ECE", |metric| &metric.metric);
    let error = |bin: &Bin| bin.error(calibration.n);
    let mut text = String::new();
    let mut shown: Vec<&Bin> = bins.iter().collect();
    if shown.len() > LINES {
        // The bins that the error is made of, in the order of their confidence.
        let larger =
            |a: &&Bin, b: &&Bin| error(b).partial_cmp(&error(a)).unwrap_or(Ordering::Equal);
        shown.sort_by(larger);
        shown.truncate(LINES);
        shown.sort_by(|a, b| a.low.partial_cmp(&b.low).unwrap_or(Ordering::Equal));
        let _ = writeln!(text, "  the {LINES} of {} bins that add most to {metric}", bins.len());
    }
    let mut table = Table::default();
    let header = ["confidence", "n", "mean confidence", &format!("mean {correct}"), "adds to ECE"];
    table.row(header.map(str::to_owned).to_vec());
    for bin in shown {
        table.row(vec![
            format!("{} to {}", short(bin.low), short(bin.high)),
            bin.count.to_string(),
            number(bin.confidence),
            number(bin.correct),
            number(error(bin)),
        ]);
    }
    text.push_str(&table.render());
    text.push_str(&values(metrics));
    text
}

/// The numbers in one line.
fn values(metrics: &[NamedValue]) -> String {
    let value = |metric: &NamedValue| {
        let value = metric.value.map_or_else(|| "-".to_owned(), number);
        format!("{} {value}", metric.metric)
    };
    format!("  {}\n", metrics.iter().map(value).collect::<Vec<_>>().join(", "))
}

/// How many examples a point covers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count is a count"
)]
fn examples(point: &Point, n: usize) -> u64 {
    (point.coverage * n as f64).round() as u64
}

/// The confidence from which on answers are given; `None` where those without a prediction count
/// too, which stand below all.
fn least(point: &Point) -> Option<f64> {
    (point.confidence > f64::MIN).then_some(point.confidence)
}

/// A confidence, which may be any number.
fn short(value: f64) -> String {
    let size = value.abs();
    if size > 0.0 && !(1e-3..1e6).contains(&size) { format!("{value:.3e}") } else { number(value) }
}

/// Risk and coverage for programs.
pub(crate) fn risk_json(risk: &RiskReport) -> Value {
    let point = |point: &Point| {
        json!({
            "coverage": point.coverage,
            "n": examples(point, risk.n),
            "confidence": least(point),
            "risk": point.risk,
        })
    };
    json!({
        "stage": risk.stage.name(),
        "dataset": risk.dataset,
        "correct": risk.correct,
        "n": risk.n,
        "metrics": risk.metrics.iter().map(value_json).collect::<Vec<_>>(),
        "points": steps(&risk.curve, POINTS).iter().map(point).collect::<Vec<_>>(),
    })
}

/// Calibration for programs.
pub(crate) fn calibration_json(calibration: &CalibrationReport) -> Value {
    let bin = |bin: &Bin| {
        json!({
            "low": bin.low,
            "high": bin.high,
            "n": bin.count,
            "confidence": bin.confidence,
            "correct": bin.correct,
            "error": bin.error(calibration.n),
        })
    };
    json!({
        "stage": calibration.stage.name(),
        "dataset": calibration.dataset,
        "correct": calibration.correct,
        "n": calibration.n,
        "metrics": calibration.metrics.iter().map(value_json).collect::<Vec<_>>(),
        "bins": calibration.bins.iter().map(bin).collect::<Vec<_>>(),
    })
}

fn value_json(value: &NamedValue) -> Value {
    json!({"metric": value.metric, "column": value.column, "value": value.value})
}
