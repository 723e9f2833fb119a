//! HotpotQA's script.

use std::collections::BTreeMap;

use qeval_core::{Case, Example, Prediction, Score};
use serde::Deserialize;

use super::{metric, summary};
use crate::tally::{Record, Tally};

/// A supporting fact: title and number of the sentence.
type Fact = (String, u32);

/// What the script calls the numbers, and which metrics they are.
const ANSWER: [(&str, &str); 4] =
    [("em", "EM"), ("f1", "F1"), ("prec", "Precision"), ("recall", "Recall")];

#[derive(Deserialize)]
struct Question {
    prediction: String,
    gold: String,
    sp_prediction: Vec<Fact>,
    sp_gold: Vec<Fact>,
}

pub(super) fn question(record: &Record, tally: &mut Tally) {
    let Question { prediction, gold, sp_prediction, sp_gold } = record.input();
    let example = example(&gold, &sp_gold);
    let prediction = predict(&prediction, &sp_prediction);
    for (key, name) in ANSWER {
        let score = |part: &str| score(&format!("HotpotQA.{part}{name}"), &example, &prediction);
        tally.score(key, record.expected(key), score("").ok());
        let key = format!("sp_{key}");
        tally.score(&key, record.expected(&key), score("SP-").ok());
    }
}

#[derive(Deserialize)]
struct Dataset {
    gold: Vec<Gold>,
    prediction: Predictions,
}

#[derive(Deserialize)]
struct Gold {
    #[serde(rename = "_id")]
    id: String,
    answer: String,
    supporting_facts: Vec<Fact>,
}

#[derive(Deserialize)]
struct Predictions {
    answer: BTreeMap<String, String>,
    sp: BTreeMap<String, Vec<Fact>>,
}

pub(super) fn dataset(record: &Record, tally: &mut Tally) {
    let Dataset { gold, prediction } = record.input();
    for (prefix, part) in [("", ""), ("sp_", "SP-"), ("joint_", "Joint-")] {
        for (key, name) in ANSWER {
            let metric = metric(&format!("HotpotQA.{part}{name}"));
            let scores = gold.iter().map(|gold| {
                let (answer, facts) =
                    (prediction.answer.get(&gold.id), prediction.sp.get(&gold.id));
                // What the metric needs is missing: to the script that is a missing prediction.
                let missing = match part {
                    "" => answer.is_none(),
                    "SP-" => facts.is_none(),
                    _ => answer.is_none() || facts.is_none(),
                };
                let example = example(&gold.answer, &gold.supporting_facts);
                if missing {
                    return (metric.score(&Case::new(&example)), None);
                }
                let prediction = predict(
                    answer.map_or("", String::as_str),
                    facts.map_or(&[][..], Vec::as_slice),
                );
                (metric.score(&Case::new(&example).with_prediction(&prediction)), None)
            });
            let key = format!("{prefix}{key}");
            tally.score(&key, record.expected(&key), summary(&metric, scores).mean);
        }
    }
}

fn score(name: &str, example: &Example, prediction: &Prediction) -> Score {
    metric(name).score(&Case::new(example).with_prediction(prediction))
}

fn example(answer: &str, facts: &[Fact]) -> Example {
    let references = vec![answer.into()];
    Example { references, gold_passages: write(facts), ..Example::default() }
}

fn predict(answer: &str, facts: &[Fact]) -> Prediction {
    Prediction { citations: write(facts), ..Prediction::answer(answer) }
}

fn write(facts: &[Fact]) -> Vec<String> {
    facts.iter().map(|(title, sentence)| format!("{title}#{sentence}")).collect()
}
