//! Natural Questions' `nq_eval.py`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
};

use qeval_core::metrics::natural_questions::{
    curve::{at_precision, best, curve},
    label::{Label, Span, yes_no},
    outcome::{Outcome, long_answer, short_answer},
};
use qeval_dataset::verbatim::{
    self,
    natural_questions::{Annotation, Example, Prediction, Predictions, Span as Written},
};
use serde_json::{Number, Value};

use super::{
    Files, Output, Stop,
    python::{self, Printed},
    refused,
};

/// The keys of one kind of answers, in the order in which the script makes them: F1, precision,
/// recall and threshold at the best threshold, then recall and precision for each least precision.
type Keys = [&'static str; 10];

const LONG: Keys = [
    "long-best-threshold-f1",
    "long-best-threshold-precision",
    "long-best-threshold-recall",
    "long-best-threshold",
    "long-recall-at-precision>=0.5",
    "long-precision-at-precision>=0.5",
    "long-recall-at-precision>=0.75",
    "long-precision-at-precision>=0.75",
    "long-recall-at-precision>=0.9",
    "long-precision-at-precision>=0.9",
];

const SHORT: Keys = [
    "short-best-threshold-f1",
    "short-best-threshold-precision",
    "short-best-threshold-recall",
    "short-best-threshold",
    "short-recall-at-precision>=0.5",
    "short-precision-at-precision>=0.5",
    "short-recall-at-precision>=0.75",
    "short-precision-at-precision>=0.75",
    "short-recall-at-precision>=0.9",
    "short-precision-at-precision>=0.9",
];

/// The least precisions.
const PRECISIONS: [f64; 3] = [0.5, 0.75, 0.9];

/// A line of JSON. Each example must have a prediction, and each prediction an example.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let gold = gold(&verbatim::json_lines::<Example>(files.dataset)?)?;
    let mut answers = answers(verbatim::json::<Predictions>(files.predictions)?.predictions)?;
    let (mut long, mut short) = (Scored::default(), Scored::default());
    for (id, annotators) in &gold {
        let answer = answers.remove(id);
        let answer = answer.ok_or_else(|| refused(format!("example {id} has no prediction")))?;
        let short_answer = short_answer(annotators, &answer.label, number(&answer.short_score));
        short.add(short_answer.map_err(|error| of(id, error))?, answer.short_score);
        let score = number(&answer.long_score);
        long.add(long_answer(annotators, &answer.label, score), answer.long_score);
    }
    if let Some(id) = answers.keys().next() {
        return Err(refused(format!("there is a prediction of {id} and no such example")));
    }
    let members = long.members(&LONG).into_iter().chain(short.members(&SHORT));
    Ok(Output { stdout: Printed::Dict(members.collect()).json(), stderr: String::new() })
}

/// What the annotators say of each example, under its id as it is written.
fn gold(examples: &[Example]) -> Result<Vec<(String, Vec<Label>)>, Stop> {
    let mut seen = BTreeSet::new();
    let mut gold = Vec::with_capacity(examples.len());
    for Example { example_id, annotations } in examples {
        let id = example_id.to_string();
        let annotator =
            |a: &Annotation| label(&id, &a.long_answer, &a.short_answers, &a.yes_no_answer);
        let annotators: Vec<Label> = annotations.iter().map(annotator).collect::<Result<_, _>>()?;
        if annotators.is_empty() {
            return Err(refused(format!("example {id} has no annotation")));
        }
        if !seen.insert(id.clone()) {
            return Err(twice(&id));
        }
        gold.push((id, annotators));
    }
    Ok(gold)
}

/// What the system says of an example.
struct Answer {
    label: Label,
    long_score: Number,
    short_score: Number,
}

fn answers(predictions: Vec<Prediction>) -> Result<BTreeMap<String, Answer>, Stop> {
    let mut answers = BTreeMap::new();
    for prediction in predictions {
        let Prediction { example_id, long_answer, short_answers, yes_no_answer, .. } = prediction;
        let id = example_id.to_string();
        let answer = Answer {
            label: label(&id, &long_answer, &short_answers, &yes_no_answer)?,
            long_score: prediction.long_answer_score,
            short_score: prediction.short_answers_score,
        };
        if answers.insert(id.clone(), answer).is_some() {
            return Err(twice(&id));
        }
    }
    Ok(answers)
}

fn label(id: &str, long: &Written, short: &[Written], word: &str) -> Result<Label, Stop> {
    let span = |&Written { start_byte, end_byte, start_token, end_token }: &Written| {
        Span::new((start_byte, end_byte), (start_token, end_token)).map_err(|error| of(id, error))
    };
    let yes_no =
        yes_no(word).ok_or_else(|| of(id, format!("`{word}` is neither yes nor no nor none")));
    Ok(Label {
        long: span(long)?,
        short: short.iter().map(span).collect::<Result<_, _>>()?,
        yes_no: yes_no?,
    })
}

/// The script would stop at this example.
fn of(id: &str, reason: impl Display) -> Stop {
    refused(format!("example {id}: {reason}"))
}

fn twice(id: &str) -> Stop {
    refused(format!("example {id} is given twice"))
}

fn number(score: &Number) -> f64 {
    score.as_f64().unwrap_or(f64::NAN)
}

/// One kind of answers, with their scores as they are written.
#[derive(Default)]
struct Scored {
    outcomes: Vec<Outcome>,
    written: Vec<Number>,
}

impl Scored {
    fn add(&mut self, outcome: Outcome, written: Number) {
        self.outcomes.push(outcome);
        self.written.push(written);
    }

    /// What the script prints. A number that it never set is 0 without a fraction, but for those of
    /// the best threshold.
    fn members(&self, keys: &Keys) -> Vec<(&'static str, Printed)> {
        let points = curve(&self.outcomes);
        let best = best(&points);
        let quality = best.quality;
        let mut values: Vec<Printed> =
            [quality.f1, quality.precision, quality.recall].map(Printed::from).into();
        values.push(self.as_written(best.threshold, quality.f1 > 0.0));
        for least in PRECISIONS {
            match at_precision(&points, least) {
                Some(point) => {
                    values.extend([point.quality.recall.into(), point.quality.precision.into()]);
                }
                None => values.extend([0_usize.into(), 0_usize.into()]),
            }
        }
        keys.iter().copied().zip(values).collect()
    }

    /// A threshold as the first prediction with that score has it; the script's own 0 where no
    /// answer is right.
    #[expect(clippy::float_cmp, reason = "the threshold is one of the scores")]
    fn as_written(&self, threshold: f64, found: bool) -> Printed {
        let place = self.outcomes.iter().position(|outcome| outcome.score == threshold);
        match place.filter(|_| found) {
            Some(place) => {
                Printed::Number(python::text(&Value::Number(self.written[place].clone())))
            }
            None => threshold.into(),
        }
    }
}
