//! CoQA's script.

use std::collections::BTreeMap;

use qeval_core::{
    families::coqa::{Row, domains},
    metrics::coqa::{TurnScore, human},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{answer_score, metric};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Turn {
    prediction: String,
    golds: Vec<String>,
}

pub(super) fn turn(record: &Record, tally: &mut Tally) {
    let Turn { prediction, golds } = record.input();
    let found = score(Some(&prediction), &golds);
    tally.score("em", record.expected("em"), Some(found.em));
    tally.score("f1", record.expected("f1"), Some(found.f1));
}

fn score(prediction: Option<&str>, golds: &[String]) -> TurnScore {
    let score = |name| answer_score(&metric(name), prediction, golds).expect("a turn has answers");
    TurnScore { em: score("CoQA.EM"), f1: score("CoQA.F1") }
}

#[derive(Deserialize)]
struct Dataset {
    data: Stories,
    predictions: Vec<Predicted>,
}

#[derive(Deserialize)]
struct Stories {
    data: Vec<Story>,
}

#[derive(Deserialize)]
struct Story {
    source: String,
    id: String,
    answers: Vec<Answer>,
    additional_answers: Map<String, Value>,
}

#[derive(Deserialize)]
struct Answer {
    turn_id: u32,
    input_text: String,
}

#[derive(Deserialize)]
struct Predicted {
    id: String,
    turn_id: u32,
    answer: String,
}

pub(super) fn dataset(record: &Record, tally: &mut Tally) {
    let Dataset { data, predictions } = record.input();
    let predictions: BTreeMap<(&str, u32), &str> =
        predictions.iter().map(|p| ((p.id.as_str(), p.turn_id), p.answer.as_str())).collect();
    let (mut model, mut people) = (Vec::new(), Vec::new());
    for story in &data.data {
        for (place, answer) in story.answers.iter().enumerate() {
            let more = story.additional_answers.values().map(|answers| {
                answers[place]["input_text"].as_str().expect("an answer is text").to_owned()
            });
            let golds: Vec<String> = [answer.input_text.clone()].into_iter().chain(more).collect();
            let prediction = predictions.get(&(story.id.as_str(), answer.turn_id)).copied();
            model.push((story.source.as_str(), score(prediction, &golds)));
            let golds: Vec<&str> = golds.iter().map(String::as_str).collect();
            people.push(human(&golds).map(|score| (story.source.as_str(), score)));
        }
    }
    compare("model", record.expected("model"), &domains(model).unwrap(), tally);
    // The script leaves off where a turn has one answer only.
    let people: Option<Vec<(&str, TurnScore)>> = people.into_iter().collect();
    let expected = record.expected("human");
    let error = people.is_none().then_some("SystemExit");
    tally.same("human, error", &expected["error"].as_str(), &error);
    if let Some(people) = people {
        compare("human", expected, &domains(people).unwrap(), tally);
    }
}

fn compare(name: &str, expected: &Value, rows: &[Row], tally: &mut Tally) {
    let domains: Option<Vec<&str>> =
        expected.as_object().map(|rows| rows.keys().map(String::as_str).collect());
    tally.same(name, &domains, &Some(rows.iter().map(|row| row.domain).collect()));
    for row in rows {
        let expected = &expected[row.domain];
        let name = |column: &str| format!("{name}, {}, {column}", row.domain);
        tally.count(&name("em"), &expected["em"], Some(row.em));
        tally.count(&name("f1"), &expected["f1"], Some(row.f1));
        tally.count(&name("turns"), &expected["turns"], Some(row.turns as f64));
    }
}
