//! FARM's metrics of extractive readers.

use qeval_core::{
    Candidate, Case, Example, Prediction, Reference, arithmetic,
    families::farm::{Metrics, NO_ANSWER, Question, Span, squad},
};
use serde::Deserialize;

use super::metric;
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
    by_definition(&questions, record, tally);
    let split = squad(&questions).expect("each question has candidates and labels");
    compare("", split.all, record, tally);
    for (suffix, metrics) in [("_text_answer", split.text_answer), ("_no_answer", split.no_answer)]
    {
        compare(suffix, metrics, record, tally);
        let key = format!("Total{suffix}");
        tally.count(&key, record.expected(&key), Some(metrics.total as f64));
    }
}

/// Each token is a code point of its own, so that the spans are the same.
fn by_definition(questions: &[Question], record: &Record, tally: &mut Tally) {
    let metrics = [("EM", "FARM.EM"), ("f1", "FARM.F1"), ("top_n_accuracy", "FARM.Top-Accuracy")];
    let unanswerable = |question: &&Question| question.labels.contains(&NO_ANSWER);
    let all: Vec<&Question> = questions.iter().collect();
    let (without, with) = all.iter().copied().partition(unanswerable);
    let subsets: [(&str, Vec<&Question>); 3] =
        [("", all), ("_text_answer", with), ("_no_answer", without)];
    for (suffix, subset) in subsets {
        for (key, name) in metrics {
            let scores: Result<Vec<f64>, _> = (subset.iter())
                .map(|question| {
                    let (example, prediction) = parts(question);
                    metric(name).score(&Case::new(&example).with_prediction(&prediction))
                })
                .collect();
            let mean = arithmetic::mean(&scores.expect("every span has a place"));
            let key = format!("{key}{suffix}");
            let expected = record.expected(&key);
            // The mean of nothing is NaN there or 0, and no number here.
            if mean.is_some() || !subset.is_empty() {
                tally.score(&format!("{key}, {name}"), expected, mean);
            }
        }
    }
}

fn parts(question: &Question) -> (Example, Prediction) {
    let place = |place: i64| usize::try_from(place).expect("a token");
    let text = |(first, last): Span| "x".repeat(place(last + 1 - first));
    let candidate = |&span: &Span| match span {
        NO_ANSWER => Candidate::default(),
        (first, last) => Candidate {
            text: text(span),
            span: Some(place(first)..place(last) + 1),
            ..Candidate::default()
        },
    };
    let reference = |&span: &Span| match span {
        NO_ANSWER => Reference::default(),
        (first, _) => Reference { start: Some(place(first)), ..text(span).into() },
    };
    let references = match question.labels.as_slice() {
        [NO_ANSWER] => Vec::new(),
        labels => labels.iter().map(reference).collect(),
    };
    let prediction = Prediction::first_of(question.candidates.iter().map(candidate).collect());
    (Example { references, ..Example::default() }, prediction)
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
