//! The scripts of SQuAD 1.1 and 2.0.

use std::collections::BTreeMap;

use qeval_core::Score;
use serde::Deserialize;

use super::{answer_score, metric, summary};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Question {
    prediction: String,
    golds: Vec<String>,
}

pub(super) fn v1_question(record: &Record, tally: &mut Tally) {
    let question: Question = record.input();
    let exact_match = question.score("SQuAD1.EM");
    let f1 = question.score("SQuAD1.F1");
    if let Some(error) = record.error() {
        tally.same(error, &(true, true), &(exact_match.is_err(), f1.is_err()));
        return;
    }
    tally.count("exact_match", record.expected("exact_match"), exact_match.ok());
    tally.score("f1", record.expected("f1"), f1.ok());
}

pub(super) fn v2_question(record: &Record, tally: &mut Tally) {
    let question: Question = record.input();
    tally.count("exact", record.expected("exact"), question.score("EM").ok());
    tally.score("f1", record.expected("f1"), question.score("F1").ok());
}

impl Question {
    fn score(&self, name: &str) -> Score {
        answer_score(&metric(name), Some(&self.prediction), &self.golds)
    }
}

#[derive(Deserialize)]
struct Dataset {
    data: Vec<Article>,
    predictions: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Article {
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    qas: Vec<Answered>,
}

#[derive(Deserialize)]
struct Answered {
    id: String,
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    text: String,
}

pub(super) fn v1_dataset(record: &Record, tally: &mut Tally) {
    let Dataset { data, predictions } = record.input();
    let questions: Vec<(Option<&str>, Vec<String>)> = (data.iter())
        .flat_map(|article| &article.paragraphs)
        .flat_map(|paragraph| &paragraph.qas)
        .map(|question| {
            let prediction = predictions.get(&question.id).map(String::as_str);
            (prediction, question.answers.iter().map(|answer| answer.text.clone()).collect())
        })
        .collect();
    for (key, name) in [("exact_match", "SQuAD1.EM"), ("f1", "SQuAD1.F1")] {
        let metric = metric(name);
        let scores = (questions.iter())
            .map(|(prediction, golds)| (answer_score(&metric, *prediction, golds), None));
        let found = summary(&metric, scores);
        if let Some(error) = record.error() {
            tally.same(error, &true, &(found.unscored > 0 || found.n == 0));
        } else {
            tally.percent(key, record.expected(key), found.mean);
        }
    }
}
