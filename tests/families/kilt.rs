//! KILT's two scripts.

use qeval_core::{
    Case, Example, Metric, Prediction, Reference, Unscored,
    Value::{List, Text},
    metrics::kilt::{
        EVIDENCE,
        provenance::{Places, r_precision},
    },
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::metric;
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Input {
    gold: Vec<Item>,
    guess: Vec<Item>,
    ks: Vec<usize>,
    rank_keys: Vec<String>,
}

#[derive(Deserialize)]
struct Item {
    id: String,
    output: Vec<Output>,
}

#[derive(Deserialize)]
struct Output {
    answer: Option<String>,
    provenance: Option<Vec<Map<String, Value>>>,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let Input { gold, guess, ks, rank_keys } = record.input();
    let pairs: Vec<(&Item, &Item)> = (gold.iter())
        .filter_map(|gold| {
            Some((gold, guess.iter().find(|guess| guess.id.trim() == gold.id.trim())?))
        })
        .collect();
    let page = ["wikipedia_id".to_owned()];
    let expected = record.expected("downstream");
    for (key, name) in [("accuracy", "Accuracy"), ("em", "EM"), ("f1", "F1"), ("rougel", "ROUGE-L")]
    {
        let scores = answers(&metric(&format!("KILT.{name}")), &pairs);
        tally.score(key, &expected["downstream"][key], mean(&scores));
        let joint = answers(&metric(&format!("KILT.Joint-{name}")), &pairs);
        let key = format!("KILT-{key}");
        tally.score(&key, &expected["kilt"][&key], mean(&joint));
    }
    let score = |of: &dyn Fn((&Item, &Item)) -> f64| {
        mean(&pairs.iter().map(|&pair| of(pair)).collect::<Vec<_>>())
    };
    let expected = &expected["retrieval"];
    tally.score("downstream, Rprec", &expected["Rprec"], score(&|pair| rprec(pair, &page)));
    let recall = score(&|pair| places(pair, &page).recall(5));
    tally.score("downstream, recall@5", &expected["recall@5"], recall);
    let expected = record.expected("retrieval");
    tally.score("Rprec", &expected["Rprec"], score(&|pair| rprec(pair, &rank_keys)));
    for k in ks {
        let mut at = |name: &str, of: &dyn Fn(&Places) -> f64| {
            let key = format!("{name}@{k}");
            let found = score(&|pair| of(&places(pair, &rank_keys)));
            tally.score(&key, &expected[&key], found);
        };
        at("precision", &|places| places.precision(k));
        // The script has these two for k above 1 only.
        if k > 1 {
            at("recall", &|places| places.recall(k));
            at("success_rate", &|places| places.success(k));
        }
    }
    tally.skip("answers and entities in the text of the provenance");
}

fn mean(scores: &[f64]) -> Option<f64> {
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

/// The scores of all answers. An example without evidence has none where evidence matters; in the
/// script it has 0.
fn answers(metric: &Metric, pairs: &[(&Item, &Item)]) -> Vec<f64> {
    let page = ["wikipedia_id".to_owned()];
    let score = |&(gold, guess): &(&Item, &Item)| {
        let answers = gold.output.iter().filter_map(|output| output.answer.as_deref());
        let pages = |output| ids(output, &page).into_iter().map(Text).collect();
        let evidence = gold.output.iter().map(pages).map(List).collect();
        let example = Example {
            references: answers.map(Reference::from).collect(),
            columns: [(EVIDENCE.to_owned(), List(evidence))].into(),
            ..Example::default()
        };
        let guess = &guess.output[0];
        let prediction = Prediction {
            citations: ids(guess, &page),
            ..Prediction::answer(guess.answer.as_deref().unwrap_or_default())
        };
        match metric.score(&Case::new(&example).with_prediction(&prediction)) {
            Ok(score) => score,
            Err(Unscored::NoRelevantPassage) => 0.0,
            Err(other) => panic!("{metric}: {other}"),
        }
    };
    pairs.iter().map(score).collect()
}

fn rprec((gold, guess): (&Item, &Item), keys: &[String]) -> f64 {
    let sets: Vec<Vec<String>> = gold.output.iter().map(|output| ids(output, keys)).collect();
    let guess = ids(&guess.output[0], keys);
    r_precision(&texts(&guess), &sets.iter().map(|set| texts(set)).collect::<Vec<_>>())
}

fn places((gold, guess): (&Item, &Item), keys: &[String]) -> Places {
    let sets: Vec<Vec<String>> = (gold.output.iter())
        .filter_map(|output| output.provenance.as_ref())
        .map(|pages| pages.iter().map(|page| id(page, keys)).collect())
        .collect();
    let guess = ids(&guess.output[0], keys);
    Places::new(&texts(&guess), &sets.iter().map(|set| texts(set)).collect::<Vec<_>>())
}

fn texts(ids: &[String]) -> Vec<&str> {
    ids.iter().map(String::as_str).collect()
}

/// The ids of the pages that have all keys, each once.
fn ids(output: &Output, keys: &[String]) -> Vec<String> {
    let mut ids = Vec::new();
    for page in output.provenance.iter().flatten() {
        let id = id(page, keys);
        if keys.iter().all(|key| page.contains_key(key)) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// The id of a page: the values of the keys that it has.
fn id(page: &Map<String, Value>, keys: &[String]) -> String {
    let values = keys.iter().filter_map(|key| page.get(key));
    let text =
        |value: &Value| value.as_str().map_or(value.to_string(), |text| text.trim().to_owned());
    values.map(text).collect::<Vec<_>>().join("+")
}
