//! What a plan is, as a digest: what is evaluated, never where it lies or when it runs.
//!
//! The digest covers the resolved options and the content of every file, so the same plan has the
//! same evaluation id on every machine.

use qeval_core::{Ties, stats::Intervals};
use qeval_dataset::TopicIds;
use qeval_store::EvaluationId;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{DatasetPlan, Plan, PlannedMetric, System, plugins::INTERPRETER};
use crate::Part;

/// Fills in the digest and the id of one system.
pub(super) fn identify(plan: &Plan, system: &mut System) {
    let resolved = resolve(plan, system);
    system.digest = digest(&resolved);
    system.id = EvaluationId::new(&plan.label, &system.digest);
}

/// Fills in the digest of the whole execution and its resolved file.
pub(super) fn identify_group(plan: &mut Plan) {
    let systems: Vec<&str> = plan.systems.iter().map(|system| system.digest.as_str()).collect();
    plan.digest = digest(&json!(systems));
    plan.group = EvaluationId::new(&plan.label, &plan.digest).to_string();
    plan.resolved = json!({
        "systems": plan.systems.iter().map(|system| resolve(plan, system)).collect::<Vec<_>>(),
    });
}

impl Plan {
    /// The id that all evaluations of a sweep have in common, made from its first combination: with
    /// further values of the same keys it stays what it is.
    pub fn group_of_sweep(&self) -> String {
        let swept = self.swept.iter().flat_map(|swept| &swept.values);
        let keys: Vec<&str> = swept.map(|(key, _)| key.as_str()).collect();
        EvaluationId::new(&self.label, &digest(&json!([self.digest, keys]))).to_string()
    }
}

/// The plan of one system with everything filled in.
pub(crate) fn resolve(plan: &Plan, system: &System) -> Value {
    let component = |info: &qeval_store::ComponentInfo, name: &str| {
        json!({
            "name": name,
            "type": info.name,
            "version": info.version,
            "options": info.options,
        })
    };
    let retriever = system.retriever.map(|index| &plan.retrievers[index]);
    let reader = system.reader.map(|index| &plan.readers[index]);
    let mut resolved = json!({
        "version": crate::config::VERSION,
        "label": plan.label,
        "system": system.name,
        "seed": plan.intervals.seed,
        "ties": match plan.ties { Ties::Docno => "docno", Ties::Input => "input" },
        "stages": system.stages.iter().map(|stage| stage.name()).collect::<Vec<_>>(),
        "dataset": match plan.datasets.as_slice() {
            [only] => describe(only),
            several => several.iter().map(describe).collect(),
        },
        "corpus": plan.corpus.as_ref().map(|corpus| json!({
            "digest": corpus.digest,
            "fields": corpus.fields,
        })),
        "retriever": retriever.map(|part| component(&part.info, &part.name)),
        "reader": reader.map(|part| component(&part.info, &part.name)),
        "metrics": plan.metrics.iter().filter(|metric| metric.statistic_of.is_none())
            .map(|metric| describe_metric(plan, metric)).collect::<Vec<_>>(),
        "plugins": plan.scorer_components.iter().map(plugin).collect::<Vec<_>>(),
        "diagnosis": plan.diagnosis.as_ref().map(|diagnosis| json!({
            "right": plan.metrics[diagnosis.metric].descriptor.name,
            "at_least": diagnosis.at_least,
        })),
    });
    // Named where it is so, that the ids of plans without it stay as they were.
    if plan.ignores_identical_ids {
        resolved["ignore_identical_ids"] = json!(true);
    }
    if plan.intervals != Intervals::auto(plan.intervals.seed) {
        let Intervals { method, resamples, .. } = plan.intervals;
        resolved["interval"] = json!({ "method": method.name(), "resamples": resamples });
    }
    if let Some(swept) = &plan.swept {
        let values: serde_json::Map<String, Value> =
            swept.values.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        resolved["sweep"] = json!({ "system": system.unswept, "values": values });
    }
    match plan.part {
        None => {}
        Some(Part::First(most)) => resolved["limit"] = json!(most),
        Some(Part::Sample(size)) => resolved["sample"] = json!(size),
    }
    resolved
}

fn describe_metric(plan: &Plan, metric: &PlannedMetric) -> Value {
    let descriptor = &metric.descriptor;
    let mut described = json!({ "name": descriptor.name, "version": descriptor.version });
    if let Some(when) = plan.when.get(&metric.scorer) {
        described["when"] = json!(when.text);
    }
    described
}

fn plugin(info: &qeval_store::ComponentInfo) -> Value {
    let mut options = info.options.clone();
    if let Some(options) = options.as_object_mut() {
        options.remove(INTERPRETER);
    }
    json!({ "name": info.name, "version": info.version, "options": options })
}

fn digest(value: &Value) -> String {
    digest_of(value.to_string().as_bytes())
}

/// SHA-256 in hexadecimal.
pub(crate) fn digest_of(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        use std::fmt::Write as _;
        write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
    }
    hex
}

fn describe(dataset: &DatasetPlan) -> Value {
    let fields = &dataset.source.fields;
    let mut described = json!({
        "name": dataset.name,
        "format": dataset.source.format.name(),
        "digest": dataset.digest,
        "qrels": dataset.qrels_digest,
        "fields": {
            "id": fields.id,
            "question": fields.question,
            "references": fields.references,
            "context": fields.context,
            "gold_passages": fields.gold_passages,
            "group": fields.group,
            "turn": fields.turn,
            "prediction": fields.prediction,
            "confidence": fields.confidence,
            "hits": fields.hits,
            "citations": fields.citations,
            "verdict": fields.verdict,
        },
        "topic_ids": match dataset.source.topic_ids {
            TopicIds::Given => "given",
            TopicIds::Position => "position",
        },
        "slices": dataset.slices,
    });
    // Named where it is given, so that the ids of plans without it stay as they were.
    if let Some(history) = &fields.history {
        described["fields"]["history"] = json!(history);
    }
    if let Some(split) = &dataset.source.split {
        described["split"] = json!(split);
    }
    if !fields.labels.is_empty() {
        described["fields"]["labels"] = json!(fields.labels);
    }
    described
}
