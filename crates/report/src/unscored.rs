//! Why examples are unscored.

use serde_json::{Value, json};

use crate::{
    EvaluationReport, MetricReport, Report,
    table::Table,
    terminal::{metrics, title_of},
};

/// Metrics that are named in one line.
const NAMED: usize = 6;

/// Longest reason that is shown in a table, in characters.
const LONGEST: usize = 120;

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
            table.row([format!("  {reason}")].into_iter().chain(counts).collect());
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
    let text = if reason.kind == "error" { format!("failed: {text}") } else { text };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
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
