//! Natural Questions' `nq_eval.py`.

use qeval_core::families::natural_questions::{
    Label, Outcome, Span, YesNo, at_precision, best, curve, long_answer, overall, short_answer,
};
use serde::Deserialize;

use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Input {
    gold: Vec<Gold>,
    predictions: Vec<Predicted>,
}

#[derive(Deserialize)]
struct Gold {
    example_id: i64,
    annotations: Vec<Annotation>,
}

#[derive(Deserialize)]
struct Annotation {
    long_answer: Place,
    short_answers: Vec<Place>,
    yes_no_answer: String,
}

#[derive(Deserialize)]
struct Predicted {
    example_id: i64,
    long_answer: Option<Place>,
    long_answer_score: f64,
    #[serde(default)]
    short_answers: Vec<Place>,
    short_answers_score: f64,
    yes_no_answer: Option<String>,
}

#[derive(Deserialize)]
struct Place {
    start_byte: i64,
    end_byte: i64,
    start_token: i64,
    end_token: i64,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let Input { gold, predictions } = record.input();
    let (mut long, mut short) = (Vec::new(), Vec::new());
    for gold in &gold {
        let labels: Vec<Label> = (gold.annotations.iter())
            .map(|a| label(Some(&a.long_answer), &a.short_answers, Some(&a.yes_no_answer)))
            .collect();
        let of_this = |predicted: &&Predicted| predicted.example_id == gold.example_id;
        let predicted = predictions.iter().find(of_this).expect("each example has a prediction");
        let prediction = label(
            predicted.long_answer.as_ref(),
            &predicted.short_answers,
            predicted.yes_no_answer.as_deref(),
        );
        long.push(long_answer(&labels, &prediction, predicted.long_answer_score));
        short.push(short_answer(&labels, &prediction, predicted.short_answers_score).unwrap());
    }
    compare("long", &long, record, tally);
    compare("short", &short, record, tally);
}

fn compare(kind: &str, outcomes: &[Outcome], record: &Record, tally: &mut Tally) {
    let expected = record.expected("metrics");
    let mut score = |key: &str, found: f64| {
        let key = format!("{kind}-{key}");
        tally.score(&key, &expected[&key], Some(found));
    };
    let points = curve(outcomes);
    let point = best(&points);
    score("best-threshold-f1", point.quality.f1);
    score("best-threshold-precision", point.quality.precision);
    score("best-threshold-recall", point.quality.recall);
    score("best-threshold", point.threshold);
    for (text, precision) in [("0.5", 0.5), ("0.75", 0.75), ("0.9", 0.9)] {
        let quality = at_precision(&points, precision).unwrap_or_default().quality;
        score(&format!("recall-at-precision>={text}"), quality.recall);
        score(&format!("precision-at-precision>={text}"), quality.precision);
    }
    let expected = record.expected("ignoring_scores");
    let quality = overall(outcomes);
    for (key, found) in [
        ("n", outcomes.len() as f64),
        ("f1", quality.f1),
        ("precision", quality.precision),
        ("recall", quality.recall),
    ] {
        let key = format!("{kind}-answer-{key}");
        tally.score(&key, &expected[&key], Some(found));
    }
}

fn label(long: Option<&Place>, short: &[Place], yes_no: Option<&str>) -> Label {
    let yes_no = match yes_no.map(str::to_lowercase).as_deref() {
        Some("yes") => Some(YesNo::Yes),
        Some("no") => Some(YesNo::No),
        _ => None,
    };
    Label {
        long: long.map(span).unwrap_or_default(),
        short: short.iter().map(span).collect(),
        yes_no,
    }
}

fn span(place: &Place) -> Span {
    let bytes = (place.start_byte, place.end_byte);
    Span::new(bytes, (place.start_token, place.end_token)).unwrap()
}
