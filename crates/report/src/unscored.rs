//! Why examples are unscored.

use serde_json::{Value, json};

use crate::{
    EvaluationReport, MetricReport, Report,
    table::Table,
    terminal::{metrics, title_of},
};

/// Metrics that are named in one line.
const NAMED: usize = 6;

/// Longest line of a reason, in characters.
const WIDEST: usize = 100;

/// Lines of a reason. What is longer loses its middle: the cause is at the end.
const LINES: usize = 4;

/// One reason why examples have no score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnscoredReport {
    /// Column of the metric.
    pub column: String,
    /// `error` for a failure, `note` for a property of the example.
    pub kind: String,
    /// The short reason.
    pub label: Option<String>,
    /// The reason in full; `None` for all that are too rare to be named.
    pub text: Option<String>,
    /// How many examples.
    pub count: u64,
}

/// A reason, and how many examples of each system it concerns.
type Line = (String, Vec<u64>);

/// The report for people; `None` where everything is scored. Metrics with the same reasons stand
/// together.
pub(crate) fn render(report: &Report) -> Option<String> {
    let mut groups: Vec<(Vec<String>, Vec<Line>)> = Vec::new();
    for metric in metrics(report) {
        let lines = lines(report, metric);
        if lines.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|(_, known)| *known == lines) {
            Some((titles, _)) => titles.push(title_of(metric)),
            None => groups.push((vec![title_of(metric)], lines)),
        }
    }
    if groups.is_empty() {
        return None;
    }
    let mut table = Table::default();
    let mut header = vec![String::new()];
    if report.evaluations.len() == 1 {
        header.push("n".to_owned());
    } else {
        header.extend(report.evaluations.iter().map(|evaluation| evaluation.system.clone()));
    }
    table.row(header);
    for (titles, lines) in groups {
        table.heading(together(&titles));
        for (reason, counts) in lines {
            let counts = counts.iter().map(u64::to_string);
            let mut broken = broken(&reason).into_iter();
            let first = broken.next().unwrap_or_default();
            table.row([format!("  {first}")].into_iter().chain(counts).collect());
            broken.for_each(|line| table.heading(format!("    {line}")));
        }
    }
    Some(table.render())
}

/// The names with commas between, not too many of them.
fn together(titles: &[String]) -> String {
    let named = titles[..titles.len().min(NAMED)].join(", ");
    match titles.len() - titles.len().min(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// The reasons of a metric in all systems, in the order in which they are found.
fn lines(report: &Report, metric: &MetricReport) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (place, evaluation) in report.evaluations.iter().enumerate() {
        for reason in evaluation.unscored.iter().filter(|reason| reason.column == metric.column) {
            let shown = shown(reason);
            let known = lines.iter().position(|(text, _)| *text == shown);
            let line = known.unwrap_or_else(|| {
                lines.push((shown, vec![0; report.evaluations.len()]));
                lines.len() - 1
            });
            lines[line].1[place] += reason.count;
        }
    }
    lines
}

/// The reason in one line.
fn shown(reason: &UnscoredReport) -> String {
    let text = match &reason.text {
        Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        None => "other reasons".to_owned(),
    };
    if reason.kind == "error" { format!("failed: {text}") } else { text }
}

/// The reason in lines that are not too long, and not too many.
fn broken(reason: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut width = 0;
    for word in reason.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        if width > 0 && width + 1 + word.len() > WIDEST {
            lines.push(String::new());
            width = 0;
        }
        while word.len() > WIDEST {
            let rest = word.split_off(WIDEST);
            lines.last_mut().expect("there is a line").extend(word);
            lines.push(String::new());
            word = rest;
        }
        let line = lines.last_mut().expect("there is a line");
        if width > 0 {
            line.push(' ');
            width += 1;
        }
        width += word.len();
        line.extend(word);
    }
    if lines.len() > LINES {
        let end = lines.split_off(lines.len() - LINES / 2);
        lines.truncate(LINES / 2);
        lines.last_mut().expect("there is a line").push_str(" ...");
        lines.extend(end);
    }
    lines
}

/// The same for programs.
pub(crate) fn json(evaluation: &EvaluationReport, reason: &UnscoredReport) -> Value {
    let metric = evaluation.metrics.iter().find(|metric| metric.column == reason.column);
    json!({
        "metric": metric.map_or(reason.column.as_str(), |metric| &metric.name),
        "column": reason.column,
        "stage": metric.map(|metric| metric.stage.name()),
        "kind": reason.kind,
        "reason": reason.label,
        "text": reason.text,
        "n": reason.count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_keeps_its_end() {
        assert_eq!(broken("short and whole"), ["short and whole"]);
        let long = format!("begins {} the cause", "word ".repeat(200));
        let lines = broken(&long.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(lines.len(), LINES);
        assert!(lines[0].starts_with("begins word") && lines[1].ends_with(" ..."), "{lines:?}");
        assert!(lines[3].ends_with("the cause"), "{lines:?}");
        let lines = broken(&"x".repeat(250));
        assert_eq!(lines.iter().map(String::len).collect::<Vec<_>>(), [100, 100, 50]);
    }
}
