//! Gates as JUnit's XML, which services for checks read.

use std::fmt::Write as _;

use super::{GateExample, GateReport, GatedEvaluation, Outcome, line, name};

/// A suite for each evaluation, a case for each gate, and after a gate that fails a failed case for each
/// of the examples that speak against it. What is only a warning is a case that is passed, with a word to
/// the reader.
pub fn junit(evaluations: &[GatedEvaluation]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for evaluation in evaluations {
        let failing = || evaluation.gates.iter().filter(|gate| gate.outcome == Outcome::Fail);
        let examples: usize = failing().map(|gate| gate.examples.len()).sum();
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">",
            escaped(&name(evaluation)),
            evaluation.gates.len() + examples,
            failing().count() + examples
        );
        for gate in &evaluation.gates {
            let _ = write!(
                text,
                "    <testcase classname=\"{}\" name=\"{}\"",
                escaped(&name(evaluation)),
                escaped(&gate.title)
            );
            let reason = escaped(&gate.reason);
            let _ = match gate.outcome {
                Outcome::Fail => {
                    writeln!(text, ">\n      <failure message=\"{reason}\"/>\n    </testcase>")
                }
                Outcome::Warn => writeln!(
                    text,
                    ">\n      <system-out>warning: {reason}</system-out>\n    </testcase>"
                ),
                Outcome::Pass => writeln!(text, "/>"),
            };
            if gate.outcome == Outcome::Fail {
                gate.examples.iter().for_each(|example| text += &of_example(gate, example));
            }
        }
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

/// A failed case of one example.
fn of_example(gate: &GateReport, example: &GateExample) -> String {
    format!(
        "    <testcase classname=\"{}\" name=\"{}\">\n      <failure message=\"{}\"/>\n    </testcase>\n",
        escaped(&gate.title),
        escaped(&example.id),
        escaped(&line(example)),
    )
}

/// A text as XML 1.0 may have it: some characters stand for others, and those that XML has no way to
/// write are shown by their numbers.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' => escaped += "&#10;",
            '\t' => escaped += "&#9;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}
