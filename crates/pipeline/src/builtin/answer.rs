//! What a program or a service is asked for one example, and what it answers.

use qeval_sdk::{
    Failure, FailureKind, Request,
    core::{Candidate, Prediction, Usage},
};
use serde::Deserialize;
use serde_json::{Value, json};

/// The question of one example, as `{"id", "question", "context", "history": [{"question",
/// "answer"}], "passages": [{"id", "title", "text"}]}`.
pub(super) fn question(request: &Request<'_>) -> Value {
    json!({
        "id": request.example.id,
        "question": request.example.question,
        "context": request.example.context,
        "history": request.example.history.iter().map(|exchange| json!({
            "question": exchange.question,
            "answer": exchange.answer,
        })).collect::<Vec<_>>(),
        "passages": request.passages.iter().map(|passage| json!({
            "id": passage.id,
            "title": passage.title,
            "text": passage.text,
        })).collect::<Vec<_>>(),
    })
}

/// What is wrong with the id of an answer, where it has one: null is none, as in the other optional
/// keys.
pub(super) fn check_id(asked: &Value, answer: &Value) -> Result<(), String> {
    match answer.get("id") {
        Some(answered) if !answered.is_null() && *answered != asked["id"] => {
            Err(format!("it answered `{answered}` when asked `{}`", asked["id"]))
        }
        _ => Ok(()),
    }
}

/// Reads `{"id", "prediction", "confidence", "citations", "candidates": [{"text", "confidence",
/// "start", "end", "passage_id"}], "tokens_in", "tokens_out", "latency_ms", "cost"}`, of which only the
/// prediction is required; null says that the reader abstains. `by` is what messages call it.
pub(super) fn prediction(answer: &Value, by: &str) -> Result<Prediction, Failure> {
    let read = Answer::deserialize(answer).map_err(|error| {
        Failure::new(FailureKind::Protocol, format!("{by} answered `{answer}`: {error}"))
    })?;
    let Answer { prediction, confidence, citations, candidates, .. } = read;
    let prediction = prediction.map_or_else(Prediction::abstention, Prediction::answer);
    let candidates = candidates.into_iter().map(Offer::into_candidate);
    let candidates: Vec<Candidate> = candidates.collect::<Result<_, _>>()?;
    let usage = Usage {
        latency_ms: amount("latency_ms", read.latency_ms)?,
        tokens_in: read.tokens_in,
        tokens_out: read.tokens_out,
        cost: amount("cost", read.cost)?,
    };
    Ok(Prediction { candidates, confidence: finite(confidence)?, citations, usage, ..prediction })
}

/// What comes back.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(deserialize_with = "Option::deserialize")]
    prediction: Option<String>,
    confidence: Option<f64>,
    #[serde(default)]
    citations: Vec<String>,
    #[serde(default)]
    candidates: Vec<Offer>,
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    latency_ms: Option<f64>,
    cost: Option<f64>,
}

/// One of several answers that it gives.
#[derive(Debug, Deserialize)]
struct Offer {
    #[serde(deserialize_with = "Option::deserialize")]
    text: Option<String>,
    confidence: Option<f64>,
    start: Option<usize>,
    end: Option<usize>,
    passage_id: Option<String>,
}

impl Offer {
    fn into_candidate(self) -> Result<Candidate, Failure> {
        let Self { text, confidence, start, end, passage_id: passage } = self;
        let text = text.unwrap_or_default();
        let until = |start: usize| end.or_else(|| start.checked_add(text.chars().count()));
        let span = match start.map(|start| (start, until(start))) {
            Some((start, Some(end))) if start <= end => Some(start..end),
            None if end.is_none() => None,
            _ => {
                return Err(Failure::new(
                    FailureKind::Value,
                    "a candidate ends before its start, or has none",
                ));
            }
        };
        Ok(Candidate { text, confidence: finite(confidence)?, span, passage })
    }
}

/// What an answer says that it took, if that can be.
fn amount(key: &str, amount: Option<f64>) -> Result<Option<f64>, Failure> {
    match amount {
        Some(amount) if !amount.is_finite() || amount < 0.0 => {
            let message = format!("`{key}` is `{amount}`, expected a number from 0");
            Err(Failure::new(FailureKind::Value, message))
        }
        amount => Ok(amount),
    }
}

/// What an answer of that form took, as far as it says so.
pub(crate) fn usage(answer: &Value) -> Usage {
    let number = |key: &str| answer[key].as_f64().filter(|number| *number >= 0.0);
    Usage {
        latency_ms: number("latency_ms"),
        tokens_in: answer["tokens_in"].as_u64(),
        tokens_out: answer["tokens_out"].as_u64(),
        cost: number("cost"),
    }
}

fn finite(confidence: Option<f64>) -> Result<Option<f64>, Failure> {
    match confidence {
        Some(confidence) if !confidence.is_finite() => {
            Err(Failure::new(FailureKind::Value, "the confidence is not a number"))
        }
        confidence => Ok(confidence),
    }
}
