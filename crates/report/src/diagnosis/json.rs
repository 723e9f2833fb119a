//! A diagnosis for programs, with a stable shape and a version.

use qeval_core::{diagnosis::Gain, stats::Change};
use serde_json::{Value, json};

use super::{CauseExamples, FullDiagnosis};

/// Version of the shape; raised when the meaning of a key changes.
const VERSION: u32 = 1;

pub(super) fn render(diagnosis: &FullDiagnosis) -> String {
    let counts = &diagnosis.counts;
    let causes = diagnosis.shares.iter().map(|share| {
        json!({
            "cause": share.cause.name(),
            "n": share.n,
            "share": share.n as f64 / counts.total() as f64,
            "ci_low": share.interval.map(|interval| interval.low),
            "ci_high": share.interval.map(|interval| interval.high),
        })
    });
    let curve = diagnosis.passages.as_ref().map(|curve| {
        let points = curve.points.iter().map(|point| {
            json!({ "k": point.k, "share": point.share, "step": point.step.as_ref().map(change) })
        });
        json!({
            "n": curve.n,
            "shown": curve.shown,
            "read": !curve.unread,
            "enough": curve.enough(),
            "points": points.collect::<Vec<_>>(),
        })
    });
    let settings = diagnosis.settings.iter().map(|setting| {
        json!({
            "evaluation_id": setting.evaluation,
            "passages": setting.passages,
            "right": setting.right,
            "ci_low": setting.interval.map(|interval| interval.low),
            "ci_high": setting.interval.map(|interval| interval.high),
            "step": setting.step.as_ref().map(change),
        })
    });
    let slices = diagnosis.slices.iter().map(|slice| {
        json!({
            "slice": slice.slice,
            "slice_value": slice.value,
            "examples": slice.counts.total(),
            "errors": slice.counts.errors(),
            "main_cause": slice.counts.main_cause().map(|(cause, n)| json!({
                "cause": cause.name(),
                "n": n,
            })),
        })
    });
    let hints =
        diagnosis.hints.iter().map(|hint| json!({ "unknown": hint.unknown, "lines": hint.lines }));
    let value = json!({
        "version": VERSION,
        "evaluation_id": diagnosis.evaluation,
        "label": diagnosis.label,
        "system": diagnosis.system,
        "right_when": diagnosis.right.as_ref().map(|(metric, least)| json!({
            "metric": metric,
            "at_least": least,
        })),
        "verdict": diagnosis.verdict(),
        "examples": counts.total(),
        "errors": counts.errors(),
        "groups": diagnosis.groups,
        "causes": causes.collect::<Vec<_>>(),
        "gains": {
            "retrieval": diagnosis.gains.retrieval.as_ref().map(gain),
            "reading": diagnosis.gains.reading.as_ref().map(gain),
            "unknown": diagnosis.gains.unknown,
        },
        "passages": curve,
        "settings": settings.collect::<Vec<_>>(),
        "slices": slices.collect::<Vec<_>>(),
        "of_causes": diagnosis.examples.iter().map(of_cause).collect::<Vec<_>>(),
        "hints": hints.collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn gain(gain: &Gain) -> Value {
    match gain {
        Gain::Known(known) => change(known),
        Gain::Between(low, high) => json!({ "at_least": low, "at_most": high }),
    }
}

fn change(change: &Change) -> Value {
    json!({
        "before": change.before,
        "after": change.after,
        "difference": change.difference(),
        "ci_low": change.interval.map(|interval| interval.low),
        "ci_high": change.interval.map(|interval| interval.high),
    })
}

fn of_cause(of: &CauseExamples) -> Value {
    let examples = of.examples.iter().map(|example| {
        let seen = example.seen.iter().map(|passage| {
            json!({
                "passage_id": passage.id,
                "gold": passage.gold,
                "has_answer": passage.answers,
                "snippet": passage.snippet,
            })
        });
        json!({
            "example_id": example.id,
            "dataset": example.dataset,
            "question": example.question,
            "references": example.references,
            "answer": example.answer,
            "isolated": example.isolated,
            "gold": example.gold,
            "seen": seen.collect::<Vec<_>>(),
        })
    });
    json!({ "cause": of.cause.name(), "n": of.n, "examples": examples.collect::<Vec<_>>() })
}
