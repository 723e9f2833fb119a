//! FARM's metrics of extractive readers.

use qeval_core::families::farm::{Metrics, Question, Span, squad};
use serde::Deserialize;

use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Input {
    predictions: Vec<Vec<Span>>,
    labels: Vec<Vec<Span>>,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let Input { predictions, labels } = record.input();
    let questions: Vec<Question> = (predictions.into_iter().zip(labels))
        .map(|(candidates, labels)| Question { candidates, labels })
        .collect();
    let split = squad(&questions).expect("each question has candidates and labels");
    compare("", split.all, record, tally);
    for (suffix, metrics) in [("_text_answer", split.text_answer), ("_no_answer", split.no_answer)]
    {
        compare(suffix, metrics, record, tally);
        let key = format!("Total{suffix}");
        tally.count(&key, record.expected(&key), Some(metrics.total as f64));
    }
}

fn compare(suffix: &str, metrics: Metrics, record: &Record, tally: &mut Tally) {
    for (key, found) in
        [("EM", Some(metrics.em)), ("f1", metrics.f1), ("top_n_accuracy", metrics.top_n_accuracy)]
    {
        let key = format!("{key}{suffix}");
        match (record.expected(&key).as_str(), found) {
            // The mean of nothing: NaN there, nothing here.
            (Some("NaN"), None) => tally.same(&key, &true, &found.is_none()),
            _ => tally.score(&key, record.expected(&key), found),
        }
    }
}
