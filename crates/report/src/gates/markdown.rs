//! Gates as Markdown, for the summary of a check or a comment.

use std::fmt::Write as _;

use super::{GatedEvaluation, line, name};

/// A table for each evaluation, and below it the examples that speak against its gates.
pub fn markdown(evaluations: &[GatedEvaluation]) -> String {
    let mut text = String::from("## Gates\n");
    for evaluation in evaluations {
        let _ = writeln!(text, "\n### {}\n", cell(&name(evaluation)));
        text += "| outcome | gate | why |\n|---|---|---|\n";
        for gate in &evaluation.gates {
            let (outcome, title) = (gate.outcome.name(), cell(&gate.title));
            let _ = writeln!(text, "| {outcome} | {title} | {} |", cell(&gate.reason));
        }
        for gate in evaluation.gates.iter().filter(|gate| !gate.examples.is_empty()) {
            let _ = writeln!(text, "\n{}:\n", cell(&gate.title));
            for example in &gate.examples {
                let _ = writeln!(text, "- {}", cell(&line(example)));
            }
        }
    }
    text
}

/// A text that stays in its cell and means nothing to Markdown or HTML.
fn cell(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '#' | '~' => {
                shown.push('\\');
                shown.push(c);
            }
            '<' => shown += "&lt;",
            '>' => shown += "&gt;",
            '&' => shown += "&amp;",
            c if c.is_control() => shown.push(' '),
            c => shown.push(c),
        }
    }
    shown
}
