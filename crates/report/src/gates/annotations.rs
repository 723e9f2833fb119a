//! Gates as the commands that GitHub's workflows read from the log.

use std::fmt::Write as _;

use super::{GatedEvaluation, Outcome, name};

/// A line for each gate that fails or warns: `::error title=...::...`.
pub fn annotations(evaluations: &[GatedEvaluation]) -> String {
    let mut text = String::new();
    for evaluation in evaluations {
        for gate in &evaluation.gates {
            let command = match gate.outcome {
                Outcome::Pass => continue,
                Outcome::Warn => "warning",
                Outcome::Fail => "error",
            };
            let title = property(&format!("{}: {}", name(evaluation), gate.title));
            let _ = writeln!(text, "::{command} title={title}::{}", message(&gate.reason));
        }
    }
    text
}

/// The message of a command: one line, in which `%` begins a code.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which ends at a comma or a colon besides.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
