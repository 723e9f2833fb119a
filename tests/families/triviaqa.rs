//! TriviaQA's script.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{answer_score, metric, summary};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    normalized_aliases: Vec<String>,
    #[serde(default)]
    human_answers: Vec<String>,
}

impl Answer {
    fn references(&self) -> Vec<String> {
        self.normalized_aliases.iter().chain(&self.human_answers).cloned().collect()
    }
}

#[derive(Deserialize)]
struct Question {
    prediction: String,
    answer: Answer,
}

pub(super) fn question(record: &Record, tally: &mut Tally) {
    let Question { prediction, answer } = record.input();
    let score = |name: &str| answer_score(&metric(name), Some(&prediction), &answer.references());
    tally.count("exact_match", record.expected("exact_match"), score("TriviaQA.EM").ok());
    tally.score("f1", record.expected("f1"), score("TriviaQA.F1").ok());
}

#[derive(Deserialize)]
struct Dataset {
    ground_truth: BTreeMap<String, Answer>,
    predictions: BTreeMap<String, String>,
}

pub(super) fn dataset(record: &Record, tally: &mut Tally) {
    let Dataset { ground_truth, predictions } = record.input();
    for (key, name) in [("exact_match", "TriviaQA.EM"), ("f1", "TriviaQA.F1")] {
        let metric = metric(name);
        let scores = ground_truth.iter().map(|(id, answer)| {
            let prediction = predictions.get(id).map(String::as_str);
            (answer_score(&metric, prediction, &answer.references()), None)
        });
        let found = summary(&metric, scores);
        tally.percent(key, record.expected(key), found.mean);
        tally.count("denominator", record.expected("denominator"), Some(found.n as f64));
    }
}
