//! DROP's script.

use std::collections::BTreeMap;

use qeval_core::{Case, Example, Prediction, Reference, Score, Unscored, metrics::drop};
use serde::Deserialize;
use serde_json::Value;

use super::{metric, summary};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Question {
    prediction: Value,
    gold: Value,
}

pub(super) fn question(record: &Record, tally: &mut Tally) {
    let Question { prediction, gold } = record.input();
    let (prediction, gold) = (spans(&prediction), spans(&gold));
    let found = drop::compare(&texts(&prediction), &texts(&gold));
    tally.count("em", record.expected("em"), Some(found.em));
    tally.count("f1", record.expected("f1"), Some(found.f1.unwrap_or(f64::NAN)));
}

fn texts(spans: &[String]) -> Vec<&str> {
    spans.iter().map(String::as_str).collect()
}

/// An answer is a list of spans, or one.
fn spans(answer: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("a span is text").to_owned();
    answer.as_array().map_or_else(|| vec![text(answer)], |spans| spans.iter().map(text).collect())
}

#[derive(Deserialize)]
struct Dataset {
    annotations: BTreeMap<String, Passage>,
    predictions: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Passage {
    qa_pairs: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    query_id: String,
    answer: Answer,
    #[serde(default)]
    validated_answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    number: String,
    spans: Vec<String>,
    date: Date,
}

#[derive(Deserialize)]
struct Date {
    day: String,
    month: String,
    year: String,
}

impl Answer {
    fn reference(&self) -> Reference {
        if !self.number.is_empty() {
            return self.number.as_str().into();
        }
        if self.spans.is_empty() {
            let Date { day, month, year } = &self.date;
            return format!("{day} {month} {year}").into();
        }
        Reference { items: self.spans.clone(), ..Reference::default() }
    }
}

pub(super) fn dataset(record: &Record, tally: &mut Tally) {
    let Dataset { annotations, predictions } = record.input();
    for (key, name) in [("em", "DROP.EM"), ("f1", "DROP.F1")] {
        let metric = metric(name);
        let score = |asked: &Asked| -> Score {
            let answers = [&asked.answer].into_iter().chain(&asked.validated_answers);
            let references = answers.map(Answer::reference).collect();
            let example = Example { references, ..Example::default() };
            let case = Case::new(&example);
            match predictions.get(&asked.query_id) {
                None => metric.score(&case),
                Some(prediction) => {
                    let prediction = predict(prediction);
                    metric.score(&case.with_prediction(&prediction))
                }
            }
        };
        let asked = annotations.values().flat_map(|passage| &passage.qa_pairs);
        let scores: Vec<Score> = asked.map(score).collect();
        let blank = scores.iter().any(|score| matches!(score, Err(Unscored::NotApplicable(_))));
        let error = blank.then_some("TypeError");
        tally.same("error", &record.error(), &error);
        if record.error().is_none() {
            let found = summary(&metric, scores.into_iter().map(|score| (score, None)));
            tally.score(key, record.expected(key), found.mean);
        }
    }
}

fn predict(answer: &Value) -> Prediction {
    match answer.as_str() {
        Some(text) => Prediction::answer(text),
        None => Prediction { items: spans(answer), ..Prediction::default() },
    }
}
