//! An explanation for programs.

use qeval_core::explain::Step;
use serde_json::{Map, Value, json};

use super::{ExampleExplanation, ExplainedHit, ExplainedMetric, ExplainedStage};

/// Version of the shape.
const VERSION: u32 = 1;

pub(super) fn render(of: &ExampleExplanation) -> String {
    let slices: Map<String, Value> =
        of.slices.iter().map(|(slice, value)| (slice.clone(), json!(value))).collect();
    let value = json!({
        "version": VERSION,
        "evaluation_id": of.evaluation_id,
        "label": of.label,
        "system": of.system,
        "dataset": of.dataset,
        "example_id": of.example_id,
        "question": of.question,
        "references": of.references,
        "group": of.group,
        "slices": slices,
        "cause": of.cause,
        "evidence_seen": of.evidence_seen,
        "stages": of.stages.iter().map(stage).collect::<Vec<_>>(),
        "hits": of.hits.as_ref().map(|hits| hits.iter().map(hit).collect::<Vec<_>>()),
        "missed": of.missed.iter().map(hit).collect::<Vec<_>>(),
        "notes": of.notes,
    });
    format!("{value:#}\n")
}

fn stage(of: &ExplainedStage) -> Value {
    json!({
        "stage": of.stage.name(),
        "answer": of.answer,
        "abstained": of.abstained,
        "error": of.error,
        "metrics": of.metrics.iter().map(metric).collect::<Vec<_>>(),
    })
}

fn metric(of: &ExplainedMetric) -> Value {
    let parts = of.parts.iter();
    json!({
        "metric": of.name,
        "column": of.column,
        "score": of.score,
        "unscored": of.unscored,
        "steps": of.steps.iter().map(step).collect::<Vec<_>>(),
        "parts": parts
            .map(|part| json!({"label": part.label, "value": part.value, "text": part.text}))
            .collect::<Vec<_>>(),
        "note": of.note,
    })
}

fn step(of: &Step) -> Value {
    match of {
        Step::Answer { normalised } => json!({"step": "answer", "normalised": normalised}),
        Step::Reference { text, normalised, score, decides, shared } => json!({
            "step": "reference",
            "text": text,
            "normalised": normalised,
            "score": score,
            "decides": decides,
            "shared_words": shared.as_ref().map(|shared| &shared.words),
            "words_of_answer": shared.as_ref().map(|shared| shared.of_answer),
            "words_of_reference": shared.as_ref().map(|shared| shared.of_reference),
        }),
        Step::Rank { rank, grade, relevant } => {
            json!({"step": "rank", "rank": rank, "grade": grade, "relevant": relevant})
        }
        Step::Relevant { judged, found, cutoff } => {
            json!({"step": "relevant", "judged": judged, "found": found, "cutoff": cutoff})
        }
        Step::Formula { text, value } => json!({"step": "formula", "text": text, "value": value}),
        Step::Note(text) => json!({"step": "note", "text": text}),
    }
}

fn hit(of: &ExplainedHit) -> Value {
    json!({
        "rank": of.rank,
        "passage_id": of.passage_id,
        "score": of.score,
        "grade": of.grade,
        "gold": of.gold,
        "seen": of.seen,
        "has_answer": of.has_answer,
        "snippet": of.snippet,
    })
}
