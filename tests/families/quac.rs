//! QuAC's scorer.

use std::collections::BTreeMap;

use qeval_core::{
    Score,
    metrics::quac::{agreement, settle},
};
use serde::Deserialize;

use super::{answer_score, metric, summary};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Question {
    prediction: String,
    references: Vec<String>,
}

pub(super) fn question(record: &Record, tally: &mut Tally) {
    let Question { prediction, references } = record.input();
    let texts = || references.iter().map(String::as_str);
    let handled: Option<Vec<&str>> = record
        .expected("handled_references")
        .as_array()
        .and_then(|texts| texts.iter().map(|text| text.as_str()).collect());
    tally.same("handled_references", &handled, &Some(settle(texts().collect())));
    let found = agreement(&prediction, texts());
    let found = found.as_ref();
    tally.score("human_f1", record.expected("human_f1"), found.map(|a| a.human_f1));
    tally.score("max_f1", record.expected("max_f1"), found.map(|a| a.prediction_f1));
    tally.score("plain_max_f1", record.expected("plain_max_f1"), found.map(|a| a.best_f1));
    let unfiltered = answer_score(&metric("QuAC.F1(min_f1=0)"), Some(&prediction), &references);
    tally.score("max_f1 as QuAC.F1", record.expected("max_f1"), unfiltered.ok());
}

#[derive(Deserialize)]
struct Dataset {
    data: Vec<Article>,
    predictions: BTreeMap<String, BTreeMap<String, (String, String, String)>>,
    min_f1: f64,
}

#[derive(Deserialize)]
struct Article {
    paragraphs: Vec<Dialog>,
}

#[derive(Deserialize)]
struct Dialog {
    id: String,
    qas: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    id: String,
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    text: String,
}

/// One question of the dataset as it is scored.
struct Asked<'a> {
    dialog: &'a str,
    prediction: Option<&'a str>,
    references: Vec<String>,
}

pub(super) fn dataset(record: &Record, tally: &mut Tally) {
    let Dataset { data, predictions, min_f1 } = record.input();
    let mut asked = Vec::new();
    for dialog in data.iter().flat_map(|article| &article.paragraphs) {
        let answers = predictions.get(&dialog.id);
        asked.extend(dialog.qas.iter().map(|turn| Asked {
            dialog: &dialog.id,
            prediction: answers.and_then(|a| a.get(&turn.id)).map(|(text, ..)| text.as_str()),
            references: turn.answers.iter().map(|answer| answer.text.clone()).collect(),
        }));
    }
    // The scorer divides by the number of unanswerable questions that count, and stops at zero.
    let f1 = format!("QuAC.F1(min_f1={min_f1})");
    let counted = asked.iter().filter(|asked| asked.score(&f1).is_ok());
    let unanswerable = counted.filter(|asked| asked.settled() == ["CANNOTANSWER"]).count();
    let error = (unanswerable == 0).then_some("ZeroDivisionError");
    tally.same("error", &record.error(), &error);
    if record.error().is_some() {
        return;
    }
    for (key, name) in [
        ("f1", f1),
        ("HEQ", format!("HEQ-Q(min_f1={min_f1})")),
        ("DHEQ", format!("HEQ-D(min_f1={min_f1})")),
        ("unfiltered_f1", "QuAC.F1(min_f1=0)".to_owned()),
    ] {
        let scores = asked.iter().map(|asked| (asked.score(&name), Some(asked.dialog)));
        let found = summary(&metric(&name), scores);
        tally.percent(key, record.expected(key), found.mean);
    }
}

impl Asked<'_> {
    fn score(&self, name: &str) -> Score {
        answer_score(&metric(name), self.prediction, &self.references)
    }

    fn settled(&self) -> Vec<&str> {
        settle(self.references.iter().map(String::as_str).collect())
    }
}
