//! A comparison for programs, with a stable shape and a version.

use qeval_core::stats::NonInferiority;
use serde_json::{Value, json};

use super::{ChangedExamples, ComparedMetric, ComparedPair, ComparisonReport, verdict};

/// Version of the shape; raised when the meaning of a key changes.
const VERSION: u32 = 1;

pub(super) fn render(report: &ComparisonReport) -> String {
    let systems = report.systems.iter().map(|system| {
        json!({
            "name": system.name,
            "evaluation_id": system.evaluation,
            "examples": system.examples,
        })
    });
    let value = json!({
        "version": VERSION,
        "systems": systems.collect::<Vec<_>>(),
        "shared": report.shared,
        "groups": report.groups,
        "correction": report.correction.name(),
        "hypotheses": report.hypotheses,
        "margin": report.margin,
        "verdict": verdict::sentences(report),
        "metrics": report.metrics.iter().map(|one| metric(report, one)).collect::<Vec<_>>(),
        "changed": report.changed.iter().map(|one| changed(report, one)).collect::<Vec<_>>(),
        "overridden": report.overridden,
        "notes": report.notes,
    });
    format!("{value:#}\n")
}

fn metric(report: &ComparisonReport, metric: &ComparedMetric) -> Value {
    json!({
        "metric": metric.name,
        "column": metric.column,
        "stage": metric.stage.name(),
        "higher_is_better": metric.higher_is_better,
        "slice": metric.slice.as_ref().map(|(name, _)| name),
        "slice_value": metric.slice.as_ref().and_then(|(_, value)| value.as_ref()),
        "n": metric.n,
        "unscored": metric.unscored,
        "means": metric.means,
        "letters": metric.letters,
        "pairs": metric.pairs.iter().map(|one| pair(report, one)).collect::<Vec<_>>(),
        "no_test": metric.without,
    })
}

fn pair(report: &ComparisonReport, pair: &ComparedPair) -> Value {
    let comparison = &pair.comparison;
    let change = &comparison.change;
    let interval = change.interval.as_ref();
    let non_inferior = pair.non_inferior.map(|found| match found {
        NonInferiority::Yes => "yes",
        NonInferiority::No => "no",
        NonInferiority::Undecided => "undecided",
    });
    json!({
        "first": report.systems[pair.first].name,
        "second": report.systems[pair.second].name,
        "before": change.before,
        "after": change.after,
        "difference": change.difference(),
        "ci_low": interval.map(|interval| interval.low),
        "ci_high": interval.map(|interval| interval.high),
        "ci_method": interval.map(|interval| interval.method),
        "p": comparison.permutation.p,
        "p_exact": comparison.permutation.exact,
        "permutations": comparison.permutation.permutations,
        "p_corrected": pair.p,
        "differs": pair.differs(),
        "wins": comparison.outcomes.map(|outcomes| outcomes.wins),
        "ties": comparison.outcomes.map(|outcomes| outcomes.ties),
        "losses": comparison.outcomes.map(|outcomes| outcomes.losses),
        "units": comparison.units,
        "effect_size": comparison.effect_size,
        "detectable": change.detectable,
        "needed": comparison.needed,
        "mcnemar_p": comparison.mcnemar.map(|test| test.p),
        "non_inferior": non_inferior,
    })
}

fn changed(report: &ComparisonReport, changed: &ChangedExamples) -> Value {
    let examples = changed.examples.iter().map(|example| {
        json!({
            "example_id": example.id,
            "dataset": example.dataset,
            "before": example.scores[0],
            "after": example.scores[1],
            "question": example.question,
            "references": example.references,
            "answer_before": example.answers[0],
            "answer_after": example.answers[1],
        })
    });
    json!({
        "metric": changed.metric,
        "first": report.systems[changed.first].name,
        "second": report.systems[changed.second].name,
        "examples": examples.collect::<Vec<_>>(),
    })
}
