//! Domains: several datasets side by side, and what another reader changes on each of them.

use std::fmt::Write as _;

use qeval_core::{Interval, Stage, stats::Change};
use serde_json::{Value, json};

use crate::table::Table;

/// One metric on several datasets.
#[derive(Clone, Debug)]
pub struct DomainReport {
    /// Official name of the metric.
    pub metric: String,
    /// What was scored.
    pub stage: Stage,
    /// Its column.
    pub column: String,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// The datasets in the order of the file: the first is the one that the others are compared
    /// with.
    pub datasets: Vec<String>,
    /// How far the others lie from the first, for each system.
    pub drops: Vec<SystemDrops>,
    /// What each system but the first changes.
    pub changes: Vec<SystemChange>,
}

/// How far the other datasets lie from the first, for one system.
#[derive(Clone, Debug)]
pub struct SystemDrops {
    /// The system.
    pub system: String,
    /// Scored examples of the first dataset.
    pub n: u64,
    /// For each dataset but the first the change from the first to it; `None` where one of the two
    /// has no score.
    pub targets: Vec<Option<Change>>,
}

/// What one system changes in comparison with another.
#[derive(Clone, Debug)]
pub struct SystemChange {
    /// The system that is compared with.
    pub before: String,
    /// The other one.
    pub after: String,
    /// For each dataset; `None` where nothing is scored in both.
    pub by_dataset: Vec<Option<Change>>,
}

/// What the part is called.
pub(crate) fn title(domains: &DomainReport) -> String {
    match domains.stage {
        Stage::Isolated => format!("{} by dataset, isolated", domains.metric),
        _ => format!("{} by dataset", domains.metric),
    }
}

/// The report for people.
pub(crate) fn render(domains: &DomainReport) -> String {
    let mut table = Table::default();
    let source = &domains.datasets[0];
    let header = ["", "n", "mean", "difference", "95 % interval", "ratio", "95 % interval"];
    table.row(header.map(str::to_owned).to_vec());
    for SystemDrops { system, n, targets } in &domains.drops {
        table.heading(format!("{system}: compared with {source}"));
        if let Some(change) = targets.iter().flatten().next() {
            table.row(vec![format!("  {source}"), n.to_string(), number(change.before)]);
        }
        for (dataset, change) in domains.datasets[1..].iter().zip(targets) {
            let Some(change) = change else { continue };
            let mut row = vec![format!("  {dataset}"), change.n.to_string(), number(change.after)];
            row.extend(cells(change));
            table.row(row);
        }
    }
    for change in &domains.changes {
        table.heading(format!("{} compared with {}", change.after, change.before));
        for (dataset, change) in domains.datasets.iter().zip(&change.by_dataset) {
            let Some(change) = change else { continue };
            let mut row = vec![format!("  {dataset}"), change.n.to_string(), number(change.after)];
            row.extend(cells(change));
            table.row(row);
        }
    }
    let mut text = table.render();
    for change in &domains.changes {
        for sentence in sentences(domains, change) {
            let _ = writeln!(text, "  {sentence}");
        }
    }
    text
}

/// Difference, its interval, ratio, and its interval.
fn cells(change: &Change) -> [String; 4] {
    let interval = |interval: Option<Interval>, number: fn(f64) -> String| {
        let text = |i: Interval| format!("{} to {}", number(i.low), number(i.high));
        interval.map(text).unwrap_or_default()
    };
    [
        signed(change.difference()),
        interval(change.interval, signed),
        change.ratio().map(factor).unwrap_or_default(),
        interval(change.ratio_interval, factor),
    ]
}

/// What was gained and lost, and where nobody can tell.
fn sentences(domains: &DomainReport, change: &SystemChange) -> Vec<String> {
    let of_dataset = domains.datasets.iter().zip(&change.by_dataset);
    let known = of_dataset.filter_map(|(dataset, change)| Some((dataset, change.as_ref()?)));
    known
        .map(|(dataset, found)| {
            let (after, metric) = (&change.after, &domains.metric);
            let difference = found.difference();
            if found.is_decided() {
                let better = (difference > 0.0) == domains.higher_is_better;
                let how = if better { "better" } else { "worse" };
                let by = number(difference.abs());
                return format!("{dataset}: {after} is {how} by {by} {metric}{}", bounds(found));
            }
            let n = found.n;
            match found.detectable.filter(|&detectable| detectable > 0.0) {
                Some(detectable) => format!(
                    "{dataset}: {n} examples are too few to tell {after} from {}: a difference \
                     below {} cannot be seen with them",
                    change.before,
                    number(detectable)
                ),
                None if found.interval.is_none() => {
                    let examples = if n == 1 { "example is" } else { "examples are" };
                    let before = &change.before;
                    format!("{dataset}: {n} {examples} too few to tell {after} from {before}")
                }
                None => format!("{dataset}: {after} changes no score of {metric}"),
            }
        })
        .collect()
}

fn bounds(change: &Change) -> String {
    let Some(interval) = change.interval else { return String::new() };
    let (low, high) = (interval.low.abs(), interval.high.abs());
    format!(" (95 % interval {} to {})", number(low.min(high)), number(low.max(high)))
}

fn number(value: f64) -> String {
    format!("{value:.4}")
}

fn signed(value: f64) -> String {
    format!("{value:+.4}")
}

fn factor(value: f64) -> String {
    format!("{value:.3}")
}

/// The same for programs.
pub(crate) fn json(domains: &DomainReport) -> Value {
    let drops = domains.drops.iter().map(|drops| {
        let targets = domains.datasets[1..].iter().zip(&drops.targets);
        json!({
            "system": drops.system,
            "source": domains.datasets[0],
            "n": drops.n,
            "targets": targets.map(|(dataset, change)| of(dataset, change.as_ref())).collect::<Vec<_>>(),
        })
    });
    let changes = domains.changes.iter().map(|change| {
        let datasets = domains.datasets.iter().zip(&change.by_dataset);
        json!({
            "before": change.before,
            "after": change.after,
            "datasets": datasets.map(|(dataset, change)| of(dataset, change.as_ref())).collect::<Vec<_>>(),
        })
    });
    json!({
        "metric": domains.metric,
        "stage": domains.stage.name(),
        "column": domains.column,
        "from_source": drops.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
    })
}

fn of(dataset: &str, change: Option<&Change>) -> Value {
    let Some(change) = change else { return json!({"dataset": dataset, "n": 0}) };
    let ends = |interval: Option<Interval>| {
        (interval.map(|interval| interval.low), interval.map(|interval| interval.high))
    };
    let (low, high) = ends(change.interval);
    let (ratio_low, ratio_high) = ends(change.ratio_interval);
    json!({
        "dataset": dataset,
        "n": change.n,
        "before": change.before,
        "after": change.after,
        "difference": change.difference(),
        "ci_low": low,
        "ci_high": high,
        "ratio": change.ratio(),
        "ratio_low": ratio_low,
        "ratio_high": ratio_high,
        "detectable": change.detectable,
        "decided": change.is_decided(),
    })
}
