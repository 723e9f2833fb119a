//! QuAC's scorer.

use std::collections::BTreeMap;

use qeval_core::{
    Case, Example, Metric, Prediction, Score, Value,
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
    yesno: String,
    followup: String,
}

#[derive(Deserialize)]
struct Answer {
    text: String,
}

/// One question of the dataset as it is scored.
struct Asked {
    dialog: String,
    example: Example,
    prediction: Option<Prediction>,
}

pub(super) fn dataset(record: &Record, tally: &mut Tally) {
    let Dataset { data, predictions, min_f1 } = record.input();
    let mut asked = Vec::new();
    for dialog in data.iter().flat_map(|article| &article.paragraphs) {
        let answers = predictions.get(&dialog.id);
        asked.extend(dialog.qas.iter().map(|turn| Asked {
            dialog: dialog.id.clone(),
            example: turn.example(),
            prediction: answers.and_then(|answers| answers.get(&turn.id)).map(predict),
        }));
    }
    let with = |name: &str| metric(&format!("{name}(min_f1={min_f1})"));
    let mean = |metric: &Metric| {
        let scores = asked.iter().map(|asked| (asked.score(metric), Some(asked.dialog.as_str())));
        summary(metric, scores).mean
    };
    let unanswerable = mean(&with("QuAC.Unanswerable"));
    // The scorer divides by the number of questions that count, and by that of unanswerable ones.
    let error = unanswerable.is_none().then_some("ZeroDivisionError");
    tally.same("error", &record.error(), &error);
    if record.error().is_some() {
        return;
    }
    for (key, metric) in [
        ("f1", with("QuAC.F1")),
        ("HEQ", with("HEQ-Q")),
        ("DHEQ", with("HEQ-D")),
        ("yes/no", with("QuAC.YesNo")),
        ("followup", with("QuAC.Followup")),
        ("unfiltered_f1", metric("QuAC.F1(min_f1=0)")),
    ] {
        tally.percent(key, record.expected(key), mean(&metric));
    }
    tally.percent("unanswerable_acc", record.expected("unanswerable_acc"), unanswerable);
}

impl Turn {
    fn example(&self) -> Example {
        let labels = [("yesno", &self.yesno), ("followup", &self.followup)];
        let columns = labels.map(|(name, label)| (name.to_owned(), Value::Text(label.clone())));
        Example {
            references: self.answers.iter().map(|answer| answer.text.as_str().into()).collect(),
            columns: columns.into(),
            ..Example::default()
        }
    }
}

fn predict((text, yesno, followup): &(String, String, String)) -> Prediction {
    let labels = [("yesno", yesno), ("followup", followup)];
    let labels = labels.map(|(name, label)| (name.to_owned(), label.clone())).into();
    Prediction { labels, ..Prediction::answer(text.as_str()) }
}

impl Asked {
    fn case(&self) -> Case<'_> {
        let case = Case::new(&self.example);
        match &self.prediction {
            Some(prediction) => case.with_prediction(prediction),
            None => case,
        }
    }

    fn score(&self, metric: &Metric) -> Score {
        metric.score(&self.case())
    }
}
