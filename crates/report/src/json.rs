//! The report as JSON, with a stable shape and a version.

use qeval_core::{
    Summary,
    diagnosis::{Cause, Counts, share},
};
use serde_json::{Map, Value, json};

use crate::{
    DiagnosisReport, EvaluationReport, Report, abstention, caution, confidence, domains, gates,
    repeats, retrieval, sweep, unscored, usage, verdict,
};

/// Version of the shape; raised when the meaning of a key changes.
const VERSION: u32 = 1;

pub(crate) fn render(report: &Report) -> String {
    let value = json!({
        "version": VERSION,
        "group": report.group,
        "evaluations": report.evaluations.iter().map(evaluation).collect::<Vec<_>>(),
        "domains": report.domains.iter().map(domains::json).collect::<Vec<_>>(),
        "sweep": report.sweep.as_ref().map(sweep::json),
        "unfound": report.unfound.as_ref().map(retrieval::unfound_json),
    });
    format!("{value:#}\n")
}

fn evaluation(evaluation: &EvaluationReport) -> Value {
    json!({
        "evaluation_id": evaluation.id,
        "label": evaluation.label,
        "system": evaluation.system,
        "status": evaluation.status,
        "dataset": evaluation.dataset,
        "examples": evaluation.examples,
        "summaries": evaluation.summaries.iter().map(|s| summary(evaluation, s)).collect::<Vec<_>>(),
        "unscored": evaluation.unscored.iter().map(|u| unscored::json(evaluation, u)).collect::<Vec<_>>(),
        "failures": unscored::failures_json(evaluation),
        "retrieval": evaluation.retrieval.as_ref().map(retrieval::json),
        "abstention": evaluation.abstention.iter().map(abstention::json).collect::<Vec<_>>(),
        "risk_coverage": evaluation.risk.iter().map(confidence::risk_json).collect::<Vec<_>>(),
        "calibration":
            evaluation.calibration.iter().map(confidence::calibration_json).collect::<Vec<_>>(),
        "usage": evaluation.usage.iter().map(usage::json).collect::<Vec<_>>(),
        "repeats": evaluation.repeats.as_ref().map(repeats::json),
        "notices": evaluation.notices,
        "groups": evaluation.clusters.as_ref().map(|clusters| json!({
            "by": clusters.by,
            "source": clusters.source,
            "groups": clusters.groups,
        })),
        "cautions": caution::cautions(evaluation),
        "gates": evaluation.gates.iter().map(gates::json).collect::<Vec<_>>(),
        "diagnosis": evaluation.diagnosis.as_ref().map(diagnosis),
    })
}

fn summary(evaluation: &EvaluationReport, summary: &Summary) -> Value {
    let estimate = &summary.estimate;
    let interval = estimate.interval.as_ref();
    let metric = evaluation.metrics.iter().find(|metric| metric.column == summary.metric);
    let whole = summary.slice.is_none() && summary.dataset.is_none();
    json!({
        "metric": metric.map_or(summary.metric.as_str(), |metric| &metric.name),
        "column": summary.metric,
        "stage": summary.stage.name(),
        "dataset": summary.dataset,
        "slice": summary.slice,
        "slice_value": summary.slice_value,
        "n": estimate.n,
        "unscored": estimate.unscored,
        "mean": estimate.mean,
        "stddev": estimate.stddev,
        "min": estimate.min,
        "max": estimate.max,
        "mean_worst": estimate.mean_worst,
        "mean_best": estimate.mean_best,
        "ci_low": interval.map(|interval| interval.low),
        "ci_high": interval.map(|interval| interval.high),
        "ci_level": interval.map(|interval| interval.level),
        "ci_method": interval.map(|interval| interval.method),
        "when": metric.and_then(|metric| metric.when.as_deref()),
        "judged": metric.filter(|_| whole).and_then(|metric| metric.judged),
    })
}

fn diagnosis(diagnosis: &DiagnosisReport) -> Value {
    let slices = diagnosis.slices.iter().map(|slice| {
        let mut value = counts(&slice.counts);
        value.insert("slice".to_owned(), json!(slice.slice));
        value.insert("slice_value".to_owned(), json!(slice.value));
        Value::Object(value)
    });
    let mut value = counts(&diagnosis.counts);
    value.insert(
        "right_when".to_owned(),
        json!({
            "metric": diagnosis.right,
            "at_least": diagnosis.at_least,
        }),
    );
    value.insert("verdict".to_owned(), json!(verdict(&diagnosis.counts)));
    value.insert("slices".to_owned(), Value::Array(slices.collect()));
    Value::Object(value)
}

fn counts(counts: &Counts) -> Map<String, Value> {
    let errors = counts.errors();
    let causes: Map<String, Value> = Cause::ALL
        .into_iter()
        .map(|cause| (cause.name().to_owned(), json!(counts.of(cause))))
        .collect();
    let main = counts.main_cause().map(|(cause, n)| {
        json!({
            "cause": cause.name(),
            "n": n,
            "share_of_errors": share(n, errors).map(|(share, _)| share),
            "ci_low": share(n, errors).map(|(_, interval)| interval.low),
            "ci_high": share(n, errors).map(|(_, interval)| interval.high),
        })
    });
    let cell = |seen, right| json!(counts.cell(seen, right));
    Map::from_iter([
        ("examples".to_owned(), json!(counts.total())),
        ("errors".to_owned(), json!(errors)),
        (
            "evidence".to_owned(),
            json!({
                "seen": {"right": cell(true, true), "wrong": cell(true, false)},
                "not_seen": {"right": cell(false, true), "wrong": cell(false, false)},
            }),
        ),
        ("causes".to_owned(), Value::Object(causes)),
        ("main_cause".to_owned(), json!(main)),
    ])
}
