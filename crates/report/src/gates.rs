//! Gates, decided: for people, for programs, and for the services that run checks.

mod annotations;
mod junit;
mod markdown;

use std::fmt::Write as _;

use qeval_core::{Interval, gate::Decision};
use serde_json::{Value, json};

pub use annotations::annotations;
pub use junit::junit;
pub use markdown::markdown;

use crate::{table::Table, terminal::number};

/// A gate with its decision.
#[derive(Clone, Debug)]
pub struct GateReport {
    /// The gate in words.
    pub title: String,
    /// Official name of the metric.
    pub metric: String,
    /// What the data say.
    pub decision: Decision,
    /// What follows.
    pub outcome: Outcome,
    /// Why, as a sentence.
    pub reason: String,
    /// The number; the difference, second less first, where it is compared with another evaluation.
    pub value: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Scored examples, or pairs.
    pub n: u64,
    /// Examples without a score, for whatever reason.
    pub unscored: u64,
    /// Examples without a score because something failed.
    pub failed: u64,
    /// Id of the evaluation that it is compared with.
    pub baseline: Option<String>,
    /// The examples with the lowest scores, or that lost most, worst first; as many as are asked for.
    pub examples: Vec<GateExample>,
}

/// An example that speaks against a gate.
#[derive(Clone, Debug, Default)]
pub struct GateExample {
    /// Its id.
    pub id: String,
    /// Its score.
    pub score: f64,
    /// The score of the baseline, where there is one.
    pub before: Option<f64>,
    /// What was asked, where it is known.
    pub question: Option<String>,
    /// What was answered.
    pub answer: Option<String>,
    /// The acceptable answers.
    pub references: Vec<String>,
}

/// What follows from a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing.
    Pass,
    /// A word to the reader.
    Warn,
    /// Exit code 3.
    Fail,
}

impl Outcome {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// The gates of one evaluation.
#[derive(Clone, Debug, Default)]
pub struct GatedEvaluation {
    /// Id of the evaluation.
    pub evaluation: String,
    /// Its label.
    pub label: String,
    /// Its system.
    pub system: String,
    /// The gates, in the order of the file.
    pub gates: Vec<GateReport>,
}

/// The gates for people.
pub fn gates(evaluations: &[GatedEvaluation]) -> String {
    let mut table = Table::default();
    for evaluation in evaluations.iter().filter(|evaluation| !evaluation.gates.is_empty()) {
        table.heading(name(evaluation));
        for gate in &evaluation.gates {
            table.heading(format!("  {:<4}  {}: {}", gate.outcome.name(), gate.title, gate.reason));
        }
    }
    let text = table.render();
    if text.is_empty() { text } else { format!("Gates\n{text}") }
}

/// The same for programs, with the version of the shape.
pub fn gates_json(evaluations: &[GatedEvaluation]) -> String {
    let evaluations = evaluations.iter().map(|evaluation| {
        json!({
            "evaluation_id": evaluation.evaluation,
            "label": evaluation.label,
            "system": evaluation.system,
            "gates": evaluation.gates.iter().map(json).collect::<Vec<_>>(),
        })
    });
    let value = json!({ "version": 1, "evaluations": evaluations.collect::<Vec<_>>() });
    format!("{value:#}\n")
}

pub(crate) fn json(gate: &GateReport) -> Value {
    let interval = gate.interval.as_ref();
    let examples = gate.examples.iter().map(|example| {
        json!({
            "example_id": example.id,
            "score": example.score,
            "before": example.before,
        })
    });
    json!({
        "gate": gate.title,
        "metric": gate.metric,
        "decision": gate.decision.name(),
        "outcome": gate.outcome.name(),
        "reason": gate.reason,
        "value": gate.value,
        "ci_low": interval.map(|interval| interval.low),
        "ci_high": interval.map(|interval| interval.high),
        "n": gate.n,
        "unscored": gate.unscored,
        "failed": gate.failed,
        "baseline": gate.baseline,
        "examples": examples.collect::<Vec<_>>(),
    })
}

/// What an evaluation is called.
fn name(evaluation: &GatedEvaluation) -> String {
    match evaluation.system.as_str() {
        "" => evaluation.label.clone(),
        system => format!("{}:{system}", evaluation.label),
    }
}

/// An example on one line.
fn line(example: &GateExample) -> String {
    let before = example.before.map(|before| format!("{} -> ", number(before))).unwrap_or_default();
    let mut text = format!("{}: {before}{}", example.id, number(example.score));
    if let Some(question) = &example.question {
        let _ = write!(text, "; {question}");
    }
    if let Some(answer) = &example.answer {
        let _ = write!(text, " -> {answer}");
    }
    if !example.references.is_empty() {
        let _ = write!(text, " (expected: {})", example.references.join(" | "));
    }
    text.replace(['\r', '\n'], " ")
}
