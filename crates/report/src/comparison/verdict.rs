//! What the numbers of a comparison say, in sentences.

use std::fmt::Write as _;

use qeval_core::stats::wilson;

use super::{ComparedMetric, ComparedPair, ComparisonReport, Correction};
use crate::{terminal::number, verdict::percent};

/// Sentences about pairs that are told apart at most: more than that is a table.
const MOST: usize = 10;

/// A sentence for each pair that is told apart over all shared examples, and one for those that are
/// not.
pub(super) fn sentences(report: &ComparisonReport) -> Vec<String> {
    let whole = || report.metrics.iter().filter(|metric| metric.slice.is_none());
    let mut sentences = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for metric in whole() {
        for pair in &metric.pairs {
            if pair.differs() {
                sentences.push(decided(report, metric, pair));
            } else if report.systems.len() == 2 {
                open.push(undecided(metric, pair));
            }
        }
    }
    let told = sentences.len();
    if told > MOST {
        sentences.truncate(MOST);
        sentences.push(format!("{} more pairs are told apart; see the table.", told - MOST));
    }
    let pairs: usize = whole().map(|metric| metric.pairs.len()).sum();
    if report.systems.len() > 2 && pairs > told {
        let rest = pairs - told;
        open.push(format!("{rest} of {pairs} pairs of systems and metrics"));
    }
    if !open.is_empty() {
        let text = open.join("; ");
        sentences.push(format!("Not told apart: {text}."));
    }
    sentences
}

fn decided(report: &ComparisonReport, metric: &ComparedMetric, pair: &ComparedPair) -> String {
    let change = &pair.comparison.change;
    let difference = change.difference();
    let better = (difference > 0.0) == metric.higher_is_better;
    let (first, second) = (&report.systems[pair.first].name, &report.systems[pair.second].name);
    let word = if better { "better" } else { "worse" };
    let interval = change.interval.map_or_else(String::new, |interval| {
        format!(", 95 % interval {:+.4} to {:+.4}", interval.low, interval.high)
    });
    let corrected = match report.correction {
        Correction::None => "not corrected",
        Correction::Holm => "after Holm's correction",
        Correction::Tukey => "after Tukey's correction",
    };
    format!(
        "`{second}` is {word} than `{first}` on {} by {}{interval} (p {} {corrected}).",
        title(metric),
        number(difference.abs()),
        p_value(pair.p),
    )
}

fn undecided(metric: &ComparedMetric, pair: &ComparedPair) -> String {
    let comparison = &pair.comparison;
    if comparison.outcomes.is_some() && !comparison.is_tested() {
        let n = comparison.change.n;
        let all = if n == 1 { "the one example".to_owned() } else { format!("all {n} examples") };
        let others = wilson(0, comparison.units).map_or(1.0, |share| share.high);
        return format!(
            "{} (the same on {all}, of others up to {} may differ)",
            title(metric),
            percent(others)
        );
    }
    let mut text = format!("{} (p {}", title(metric), p_value(pair.p));
    if let Some(detectable) = pair.comparison.change.detectable {
        let _ = write!(text, "; so many examples show {} or more", number(detectable));
    }
    text + ")"
}

/// The name of a metric with its stage, where that is not the usual one.
pub(super) fn title(metric: &ComparedMetric) -> String {
    match metric.stage {
        qeval_core::Stage::Isolated => format!("isolated {}", metric.name),
        _ => metric.name.clone(),
    }
}

/// A p-value as short as it can be without saying 0.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}
