//! Why examples are unscored.

use std::cmp::Reverse;

use serde_json::{Value, json};

use crate::{
    EvaluationReport, MetricReport, Report,
    table::Table,
    terminal::{metrics, title_of},
};

/// Metrics that are named in one line.
const NAMED: usize = 6;

/// Longest line of a reason in a table, in characters.
const WIDTH: usize = 100;

/// Longest reason that is shown in a table, in characters: a longer one lacks its middle, since a
/// message begins with who speaks and ends with the cause.
const LONGEST: usize = 600;

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
            let mut reason = wrapped(&reason).into_iter();
            let first = format!("  {}", reason.next().unwrap_or_default());
            table.row([first].into_iter().chain(counts).collect());
            reason.for_each(|line| table.heading(format!("    {line}")));
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
        // A text begins with the kind of failure, and here is none.
        None => match reason.label.as_deref().filter(|_| reason.kind == "error") {
            Some(kind) => format!("{kind}: other reasons"),
            None => "other reasons".to_owned(),
        },
    };
    let text = if reason.kind == "error" { format!("failed: {text}") } else { text };
    let length = text.chars().count();
    if length <= LONGEST {
        return text;
    }
    let begin: String = text.chars().take(LONGEST / 2).collect();
    let end: String = text.chars().skip(length - LONGEST / 2).collect();
    format!("{begin} ... {end}")
}

/// The lines of a text, cut between words; in a word where it is longer than a line.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut room = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if let Some(line) = lines.last_mut()
            && length < room
        {
            line.push(' ');
            line.push_str(word);
            room -= length + 1;
            continue;
        }
        let signs: Vec<char> = word.chars().collect();
        lines.extend(signs.chunks(WIDTH).map(String::from_iter));
        room = WIDTH - lines.last().map_or(0, |line| line.chars().count());
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

/// How many examples each metric lost to each kind of failure, for programs: in the order of the
/// metrics, the most frequent kind first.
pub(crate) fn failures_json(evaluation: &EvaluationReport) -> Vec<Value> {
    let mut failures: Vec<(&str, &str, u64)> = Vec::new();
    for reason in evaluation.unscored.iter().filter(|reason| reason.kind == "error") {
        let of = (reason.column.as_str(), reason.label.as_deref().unwrap_or("failed"));
        match failures.iter_mut().find(|(column, kind, _)| (*column, *kind) == of) {
            Some((.., count)) => *count += reason.count,
            None => failures.push((of.0, of.1, reason.count)),
        }
    }
    let place = |column: &str| evaluation.metrics.iter().position(|m| m.column == column);
    failures.sort_by_key(|&(column, kind, count)| (place(column), Reverse(count), kind));
    let json = |(column, kind, n): (&str, &str, u64)| {
        let metric = place(column).map(|place| &evaluation.metrics[place]);
        json!({
            "metric": metric.map_or(column, |metric| &metric.name),
            "column": column,
            "stage": metric.map(|metric| metric.stage.name()),
            "kind": kind,
            "n": n,
        })
    };
    failures.into_iter().map(json).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> UnscoredReport {
        let text = Some(text.to_owned());
        UnscoredReport { column: "mrr".into(), kind: "error".into(), label: None, text, count: 1 }
    }

    #[test]
    fn a_reason_keeps_its_end() {
        assert_eq!(shown(&reason("short\n text")), "failed: short text");
        let long = shown(&reason(&format!("crash: {} the cause", "é".repeat(700))));
        assert_eq!(long.chars().count(), LONGEST + 5);
        assert!(long.starts_with("failed: crash: é") && long.ends_with("é the cause"), "{long}");
        assert!(long.contains("é ... é"), "{long}");
    }

    #[test]
    fn failures_are_counted_by_kind() {
        let of = |column: &str, kind: &str, label: &str, count| UnscoredReport {
            column: column.to_owned(),
            kind: kind.to_owned(),
            label: Some(label.to_owned()),
            text: None,
            count,
        };
        let metric = |column: &str| MetricReport {
            column: column.to_owned(),
            name: column.to_uppercase(),
            stage: qeval_core::Stage::Integrated,
            judged: None,
            pooled: false,
            when: None,
            min: None,
            max: None,
        };
        let timeouts = of("em", "error", "timeout", 2);
        assert_eq!(shown(&timeouts), "failed: timeout: other reasons");
        assert_eq!(shown(&of("em", "note", "no reference", 1)), "other reasons");
        let unscored = vec![
            of("f1", "error", "crash", 1),
            timeouts,
            of("em", "note", "no reference", 7),
            of("em", "error", "rate limited", 4),
            of("em", "error", "timeout", 3),
        ];
        let metrics = vec![metric("em"), metric("f1")];
        let report = EvaluationReport { metrics, unscored, ..EvaluationReport::default() };
        let found = failures_json(&report);
        let short: Vec<(&str, &str, u64)> = found
            .iter()
            .map(|f| {
                (
                    f["metric"].as_str().unwrap(),
                    f["kind"].as_str().unwrap(),
                    f["n"].as_u64().unwrap(),
                )
            })
            .collect();
        assert_eq!(short, [("EM", "timeout", 5), ("EM", "rate limited", 4), ("F1", "crash", 1)]);
    }

    #[test]
    fn lines_are_cut_between_words() {
        let words = ["größe"; 40].join(" ");
        let lines = wrapped(&words);
        assert_eq!(lines.join(" "), words);
        let lengths: Vec<usize> = lines.iter().map(|line| line.chars().count()).collect();
        assert_eq!(lengths, [95, 95, 47]);
        let long = format!("a {} b", "é".repeat(205));
        let lengths: Vec<usize> = wrapped(&long).iter().map(|line| line.chars().count()).collect();
        assert_eq!(lengths, [1, 100, 100, 7]);
    }
}
