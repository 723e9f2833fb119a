//! Natural Questions' `nq_eval.py`.

use qeval_core::{
    Case, Example, Metric, Prediction, Value as Column,
    metrics::natural_questions::{
        curve::{at_precision, curve},
        label::{LONG_SCORE, Label, SHORT_SCORE, Span, yes_no},
        outcome::{Outcome, long_answer, short_answer},
    },
};
use serde::Deserialize;

use super::metric;
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
    let (mut long, mut short, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
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
        let scores = [predicted.long_answer_score, predicted.short_answers_score];
        long.push(long_answer(&labels, &prediction, scores[0]));
        short.push(short_answer(&labels, &prediction, scores[1]).unwrap());
        pairs.push((example(&labels), answer(&prediction, scores)));
    }
    for (kind, name, outcomes) in [("long", "Long", &long), ("short", "Short", &short)] {
        compare(kind, name, &pairs, record, tally);
        precision_reached(kind, outcomes, record, tally);
    }
}

/// The metrics, on statistics as they are pooled.
fn compare(
    kind: &str,
    name: &str,
    pairs: &[(Example, Prediction)],
    record: &Record,
    tally: &mut Tally,
) {
    let mut score = |part: &str, key: &str, of: &str| {
        let found = pooled(&metric(&format!("NQ.{name}-{of}")), pairs);
        let key = format!("{kind}-{key}");
        tally.score(&key, &record.expected(part)[&key], found);
    };
    score("metrics", "best-threshold-f1", "F1(threshold=best)");
    score("metrics", "best-threshold-precision", "Precision(threshold=best)");
    score("metrics", "best-threshold-recall", "Recall(threshold=best)");
    score("metrics", "best-threshold", "Threshold");
    for precision in ["0.5", "0.75", "0.9"] {
        let of = format!("Recall-at-Precision(min={precision})");
        score("metrics", &format!("recall-at-precision>={precision}"), &of);
    }
    score("ignoring_scores", "answer-f1", "F1");
    score("ignoring_scores", "answer-precision", "Precision");
    score("ignoring_scores", "answer-recall", "Recall");
    let key = format!("{kind}-answer-n");
    tally.count(&key, &record.expected("ignoring_scores")[&key], Some(pairs.len() as f64));
}

/// The precision that goes with a recall, which is no metric.
fn precision_reached(kind: &str, outcomes: &[Outcome], record: &Record, tally: &mut Tally) {
    let points = curve(outcomes);
    for (text, precision) in [("0.5", 0.5), ("0.75", 0.75), ("0.9", 0.9)] {
        let quality = at_precision(&points, precision).unwrap_or_default().quality;
        let key = format!("{kind}-precision-at-precision>={text}");
        tally.score(&key, &record.expected("metrics")[&key], Some(quality.precision));
    }
}

fn pooled(metric: &Metric, pairs: &[(Example, Prediction)]) -> Option<f64> {
    let pooled = metric.pooled().expect("it pools its statistics");
    let mut columns = vec![Vec::new(); pooled.names.len()];
    for (example, prediction) in pairs {
        let case = Case::new(example).with_prediction(prediction);
        let statistics = (pooled.of)(metric, &case).expect("each prediction is whole");
        columns.iter_mut().zip(statistics).for_each(|(column, value)| column.push(value));
    }
    (pooled.finish)(metric, &columns.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn example(annotators: &[Label]) -> Example {
    let columns = Label::columns_of_example(annotators);
    let columns = columns.map(|(name, value)| (name.to_owned(), value)).into();
    Example { columns, ..Example::default() }
}

fn answer(label: &Label, [long, short]: [f64; 2]) -> Prediction {
    let scores = [(LONG_SCORE, Column::Number(long)), (SHORT_SCORE, Column::Number(short))];
    let columns = label.columns_of_prediction().into_iter().chain(scores);
    let columns = columns.map(|(name, value)| (name.to_owned(), value)).collect();
    Prediction { columns, ..Prediction::default() }
}

fn label(long: Option<&Place>, short: &[Place], word: Option<&str>) -> Label {
    Label {
        long: long.map(span).unwrap_or_default(),
        short: short.iter().map(span).collect(),
        yes_no: word.and_then(|word| yes_no(word).expect("yes, no or none")),
    }
}

fn span(place: &Place) -> Span {
    let bytes = (place.start_byte, place.end_byte);
    Span::new(bytes, (place.start_token, place.end_token)).unwrap()
}
