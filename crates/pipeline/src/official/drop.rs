//! DROP's `drop_eval.py`.

use std::{collections::BTreeMap, fmt::Write as _};

use qeval_core::{
    arithmetic,
    metrics::drop::{self, SpanScore},
};
use qeval_dataset::verbatim::{
    self,
    drop::{Answer, Date, Pair},
};
use serde_json::{Map, Value};

use super::{Files, Output, Stop, python, refused};

/// Scores in the order of the dataset.
#[derive(Default)]
struct Scores {
    em: Vec<f64>,
    f1: Vec<f64>,
}

/// The means of all questions and of each kind of answer. A question without a prediction is named
/// and scores 0.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let predictions: Map<String, Value> = verbatim::json(files.predictions)?;
    let passages = verbatim::drop::passages(files.dataset)?;
    let mut all = Scores::default();
    let mut by_kind: BTreeMap<Option<&str>, Scores> = BTreeMap::new();
    let mut stdout = String::new();
    for pair in passages.iter().flat_map(|passage| &passage.qa_pairs) {
        let (kind, em, f1) = if let Some(prediction) = predictions.get(&pair.query_id) {
            score(pair, &spans(prediction, &pair.query_id)?)?
        } else {
            let _ = writeln!(stdout, "Missing prediction for question: {}", pair.query_id);
            (Some(kind_of_missing(pair)?), 0.0, 0.0)
        };
        all.push(em, f1);
        by_kind.entry(kind).or_default().push(em, f1);
    }
    if by_kind.len() > 1 && by_kind.contains_key(&None) {
        return Err(refused("a question has blank answers only, and so no kind to sort it by"));
    }
    let (em, f1) = (mean(&all.em) * 100.0, mean(&all.f1) * 100.0);
    let _ = writeln!(stdout, "Exact-match accuracy {em:.2}\nF1 score {f1:.2}");
    let _ = writeln!(stdout, "{em:.2}   &   {f1:.2}\n----");
    for (kind, scores) in by_kind {
        let (kind, count) = (kind.unwrap_or("None"), scores.em.len());
        let share = 100.0 * count as f64 / all.em.len() as f64;
        let (em, f1) = (100.0 * mean(&scores.em), 100.0 * mean(&scores.f1));
        let _ = writeln!(stdout, "{kind}: {count} ({share:.2}%)");
        let _ = writeln!(stdout, "  Exact-match accuracy {em:.3}\n  F1 score {f1:.3}");
    }
    Ok(Output { stdout, stderr: String::new() })
}

impl Scores {
    fn push(&mut self, em: f64, f1: f64) {
        self.em.push(em);
        self.f1.push(f1);
    }
}

fn mean(scores: &[f64]) -> f64 {
    arithmetic::mean(scores).expect("there is a question")
}

/// The best scores over the answers, and the kind of the last answer that reached one of them. An
/// answer that begins blank does not count; without any other there is no kind.
fn score<'a>(pair: &'a Pair, prediction: &[&str]) -> Result<(Option<&'a str>, f64, f64), Stop> {
    let (mut kind, mut best_em, mut best_f1) = (None, 0.0_f64, 0.0_f64);
    let validated = pair.validated_answers.iter().flatten();
    for answer in std::iter::once(&pair.answer).chain(validated) {
        let (its_kind, spans) = parts(answer, &pair.query_id)?;
        if spans[0].chars().all(qeval_core::metrics::normalize::is_blank) {
            continue;
        }
        let spans: Vec<&str> = spans.iter().map(String::as_str).collect();
        let SpanScore { em, f1 } = drop::compare(prediction, &spans);
        let f1 = f1.unwrap_or(0.0);
        if em >= best_em || f1 >= best_f1 {
            kind = Some(its_kind);
        }
        (best_em, best_f1) = (best_em.max(em), best_f1.max(f1));
    }
    Ok((kind, best_em, best_f1))
}

/// Under which kind a question counts that has no prediction.
fn kind_of_missing(pair: &Pair) -> Result<&'static str, Stop> {
    let Answer { number, spans, date } = &pair.answer;
    if number.is_none() && spans.is_none() && date.is_none() {
        return Ok("number");
    }
    Ok(parts(&pair.answer, &pair.query_id)?.0)
}

/// Kind and spans of an answer: its number if it has one, else its spans if there are any, else its
/// date.
fn parts(answer: &Answer, id: &str) -> Result<(&'static str, Vec<String>), Stop> {
    let Answer { number, spans, date } = answer;
    if let Some(number) = number.as_ref().filter(|number| python::is_true(number)) {
        return Ok(("number", vec![python::text(number)]));
    }
    match (spans.as_deref(), date) {
        (Some([span]), _) => Ok(("span", vec![span.clone()])),
        (Some(spans @ [_, ..]), _) => Ok(("spans", spans.to_vec())),
        (_, Some(Date { day, month, year })) => {
            let date = [day, month, year].map(python::text).join(" ");
            Ok(("date", vec![date]))
        }
        _ => Err(refused(format!("an answer of question `{id}` is of no kind"))),
    }
}

/// A prediction is a text or a list of texts.
fn spans<'a>(prediction: &'a Value, id: &str) -> Result<Vec<&'a str>, Stop> {
    let spans = match prediction {
        Value::String(text) => Some(vec![text.as_str()]),
        Value::Array(items) => items.iter().map(Value::as_str).collect(),
        _ => None,
    };
    spans.ok_or_else(|| refused(format!("the prediction of `{id}` is no text")))
}
