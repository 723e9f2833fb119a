//! KILT's `eval_downstream.py`.

use std::{collections::BTreeMap, fmt::Write as _};

use qeval_core::{
    Case, Example, Prediction,
    metrics::{
        kilt::provenance::{Places, r_precision},
        normalize::is_blank,
    },
};
use qeval_dataset::verbatim::{
    self,
    kilt::{Item, Output as Answered},
};
use serde_json::{Map, Value};

use super::{Files, Output, Stop, metric, python, python::Printed, refused, sum};

/// The metrics of an answer, under their names with and without the right pages.
const METRICS: [(&str, &str, &str); 4] = [
    ("accuracy", "KILT-accuracy", "KILT.Accuracy"),
    ("em", "KILT-em", "KILT.EM"),
    ("f1", "KILT-f1", "KILT.F1"),
    ("rougel", "KILT-rougel", "KILT.ROUGE-L"),
];

/// What identifies a page.
const PAGE: &str = "wikipedia_id";

/// How many citations `recall@5` looks at.
const CUTOFF: usize = 5;

/// The dictionary of means, printed prettily.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let gold: Vec<Item> = verbatim::json_lines(files.dataset)?;
    let guesses: Vec<Item> = verbatim::json_lines(files.predictions)?;
    let mut stdout = String::new();
    if gold.len() != guesses.len() {
        let (gold, guesses) = (gold.len(), guesses.len());
        let _ = writeln!(stdout, "WARNING: DIFFERENT SIZE gold: {gold} guess: {guesses}");
    }
    let pairs = aligned(&gold, &guesses)?;
    let n = pairs.len() as f64;
    let metrics = METRICS.map(|(.., name)| metric(name));
    let mut downstream: [Vec<f64>; METRICS.len()] = Default::default();
    let mut joint: [Vec<f64>; METRICS.len()] = Default::default();
    let (mut r_precisions, mut recalls) = (Vec::new(), Vec::new());
    for (gold, guess) in pairs {
        let pages = Pages::new(gold, guess)?;
        let (example, prediction) = (example(gold)?, prediction(guess)?);
        let case = Case::new(&example).with_prediction(&prediction);
        for ((metric, downstream), joint) in metrics.iter().zip(&mut downstream).zip(&mut joint) {
            let score = metric.score(&case);
            let no_answer = || refused(format!("record `{}` has no answer", example.id));
            let score = score.map_err(|_| no_answer())?;
            downstream.push(score);
            joint.extend((pages.r_precision >= 1.0).then_some(score));
        }
        r_precisions.push(pages.r_precision);
        recalls.push(pages.recall);
    }
    let mean = |scores: &Vec<f64>| sum(scores) / n;
    let named = METRICS.iter().zip(&downstream).map(|(&(name, ..), scores)| (name, mean(scores)));
    let with_pages = METRICS.iter().zip(&joint).map(|(&(_, name, _), scores)| (name, mean(scores)));
    let retrieval = [("Rprec", mean(&r_precisions)), ("recall@5", mean(&recalls))];
    let result = Printed::Dict(vec![
        ("downstream", Printed::of_floats(named)),
        ("kilt", Printed::of_floats(with_pages)),
        ("retrieval", Printed::of_floats(retrieval)),
    ]);
    stdout.push_str(&result.pretty());
    Ok(Output { stdout, stderr: String::new() })
}

/// Each record of the dataset with its prediction.
fn aligned<'a>(gold: &'a [Item], guesses: &'a [Item]) -> Result<Vec<(&'a Item, &'a Item)>, Stop> {
    by_id(gold)?;
    let guesses = by_id(guesses)?;
    let pair = |gold: &'a Item| {
        let id = identity(&gold.id);
        let guess = guesses.get(&id);
        Ok((gold, *guess.ok_or_else(|| refused(format!("record `{id}` has no prediction")))?))
    };
    gold.iter().map(pair).collect()
}

fn by_id(items: &[Item]) -> Result<BTreeMap<String, &Item>, Stop> {
    let mut by_id = BTreeMap::new();
    for item in items {
        let id = identity(&item.id);
        if by_id.insert(id.clone(), item).is_some() {
            return Err(refused(format!("id `{id}` is given twice")));
        }
    }
    Ok(by_id)
}

/// A value as text without blanks around it.
fn identity(value: &Value) -> String {
    python::text(value).trim_matches(is_blank).to_owned()
}

fn example(gold: &Item) -> Result<Example, Stop> {
    let id = identity(&gold.id);
    if gold.input.is_none() {
        return Err(refused(format!("record `{id}` has no `input`")));
    }
    let mut references = Vec::new();
    for answer in gold.output.iter().filter_map(|output| output.answer.as_ref()) {
        match answer {
            Value::String(text) => references.push(text.as_str().into()),
            other if python::is_true(other) => {
                return Err(refused(format!("an answer of record `{id}` is no text")));
            }
            _ => {}
        }
    }
    Ok(Example { id, references, ..Example::default() })
}

fn prediction(guess: &Item) -> Result<Prediction, Stop> {
    let [Answered { answer: Some(answer), .. }] = guess.output.as_slice() else {
        let id = identity(&guess.id);
        return Err(refused(format!("the prediction of `{id}` is not exactly one answer")));
    };
    Ok(Prediction::answer(python::text(answer)))
}

/// How well the pages of a prediction are those of a record.
struct Pages {
    r_precision: f64,
    recall: f64,
}

impl Pages {
    fn new(gold: &Item, guess: &Item) -> Result<Self, Stop> {
        if gold.output.is_empty() {
            return Err(refused(format!("record `{}` has no `output`", identity(&gold.id))));
        }
        let cited = guess.output.first().map(named).unwrap_or_default();
        let cited: Vec<&str> = cited.iter().map(String::as_str).collect();
        let sets: Vec<Vec<String>> = gold.output.iter().map(named).collect();
        let r_precision = r_precision(&cited, &borrowed(&sets));
        // Here an output without provenance is none, and a page without an id has an empty one.
        let sets = gold.output.iter().filter_map(|output| output.provenance.as_ref());
        let id = |page: &Map<String, Value>| page.get(PAGE).map(identity).unwrap_or_default();
        let sets: Vec<Vec<String>> = sets.map(|pages| pages.iter().map(id).collect()).collect();
        Ok(Self { r_precision, recall: Places::new(&cited, &borrowed(&sets)).recall(CUTOFF) })
    }
}

fn borrowed(sets: &[Vec<String>]) -> Vec<Vec<&str>> {
    sets.iter().map(|set| set.iter().map(String::as_str).collect()).collect()
}

/// The ids of an output's pages that have one, each once.
fn named(output: &Answered) -> Vec<String> {
    let mut ids = Vec::new();
    for id in output.provenance.iter().flatten().filter_map(|page| page.get(PAGE)) {
        let id = identity(id);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}
