//! The scripts of SQuAD 1.1 and 2.0.

use std::collections::BTreeMap;

use qeval_core::{
    Prediction, Score,
    families::squad2::{Measure, Question as Answered, best_threshold, classes, curve},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{answer_score, example, metric, summary};
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
    qas: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
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

#[derive(Deserialize)]
struct Dataset2 {
    data: Vec<Article>,
    predictions: BTreeMap<String, String>,
    /// In the order of the file, which decides between equal probabilities.
    na_probs: Option<Map<String, Value>>,
    na_prob_thresh: f64,
}

pub(super) fn v2_dataset(record: &Record, tally: &mut Tally) {
    let Dataset2 { data, predictions, na_probs, na_prob_thresh } = record.input();
    let no_answer = |id: &str| {
        let probability = na_probs.as_ref().and_then(|probabilities| probabilities.get(id));
        probability.and_then(Value::as_f64).unwrap_or(0.0)
    };
    let asked = data.iter().flat_map(|article| &article.paragraphs).flat_map(|p| &p.qas);
    let questions: Option<Vec<(&str, Answered)>> = asked
        .map(|asked| {
            let golds: Vec<String> = asked.answers.iter().map(|a| a.text.clone()).collect();
            let prediction = Prediction::answer(predictions.get(&asked.id)?.as_str());
            let id = asked.id.as_str();
            Some((id, Answered::new(&example(&golds), &prediction, no_answer(id))))
        })
        .collect();
    // The script stops where a prediction is missing.
    tally.same("error", &record.error(), &questions.is_none().then_some("KeyError"));
    let Some(questions) = questions else { return };
    let answered: Vec<Answered> = questions.iter().map(|&(_, question)| question).collect();
    let found = classes(&answered, na_prob_thresh);
    for (prefix, means) in
        [("", found.all), ("HasAns_", found.answerable), ("NoAns_", found.unanswerable)]
    {
        let key = |name: &str| format!("{prefix}{name}");
        let given = record.expected.get(key("total")).is_some();
        tally.same(&key("is given"), &given, &means.is_some());
        if let Some(means) = means {
            tally.percent(&key("exact"), record.expected(&key("exact")), Some(means.exact));
            tally.percent(&key("f1"), record.expected(&key("f1")), Some(means.f1));
            tally.count(&key("total"), record.expected(&key("total")), Some(means.total as f64));
        }
    }
    let Some(probabilities) = na_probs else { return };
    let in_order: Vec<Answered> = (probabilities.keys())
        .filter_map(|key| questions.iter().find(|(id, _)| id == key))
        .map(|&(_, question)| question)
        .collect();
    for (name, measure) in [("exact", Measure::Exact), ("f1", Measure::F1)] {
        let best = best_threshold(&in_order, measure);
        let key = format!("best_{name}");
        tally.percent(&key, record.expected(&key), best.map(|best| best.score));
        let key = format!("best_{name}_thresh");
        tally.count(&key, record.expected(&key), best.map(|best| best.threshold));
    }
    for (name, measure) in
        [("exact", Measure::Exact), ("f1", Measure::F1), ("oracle", Measure::Oracle)]
    {
        let key = format!("pr_{name}_ap");
        let found = curve(&in_order, measure).map(|curve| curve.average_precision);
        tally.same(&key, &record.expected.get(&key).is_some(), &found.is_some());
        if found.is_some() {
            tally.percent(&key, record.expected(&key), found);
        }
    }
}
