//! DPR: its tokenizer, its search for answers, its top-k accuracy.

use std::collections::BTreeMap;

use qeval_core::{Case, Example, Passage, Unscored, metrics::words::Words};
use serde::Deserialize;

use super::{example, metric, summary};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Text {
    text: String,
}

pub(super) fn simple_tokenizer(record: &Record, tally: &mut Tally) {
    let Text { text } = record.input();
    let expected: Option<Vec<&str>> = record
        .expected("words_uncased")
        .as_array()
        .and_then(|words| words.iter().map(|word| word.as_str()).collect());
    tally.same("words_uncased", &expected, &Some(Words::new(&text).iter().collect()));
}

#[derive(Deserialize)]
struct Search {
    text: String,
    answers: Vec<String>,
    match_type: String,
}

pub(super) fn has_answer(record: &Record, tally: &mut Tally) {
    let Search { text, answers, match_type } = record.input();
    for (key, match_type) in [("has_answer", match_type.as_str()), ("has_answer_kilt", "kilt")] {
        let metric = format!("AnswerRecall(match={match_type})@1");
        let found = hit(&metric, &example(&answers), &passages([text.as_str()]));
        tally.count(key, record.expected(key), Some(found));
    }
}

#[derive(Deserialize)]
struct Retrieval {
    documents: BTreeMap<String, String>,
    answers: Vec<Vec<String>>,
    retrieved: Vec<Vec<String>>,
}

pub(super) fn topk(record: &Record, tally: &mut Tally) {
    let Retrieval { documents, answers, retrieved } = record.input();
    let questions: Vec<(Example, Vec<Passage>)> = (answers.iter().zip(&retrieved))
        .map(|(answers, ids)| {
            let texts = ids.iter().map(|id| documents[id].as_str());
            (example(answers), passages(texts))
        })
        .collect();
    for (question, (example, passages)) in questions.iter().enumerate() {
        for (place, passage) in passages.iter().enumerate() {
            let name = format!("hits[{question}][{place}]");
            let found = hit("AnswerRecall@1", example, std::slice::from_ref(passage));
            tally.count(&name, &record.expected("hits")[question][place], Some(found));
        }
    }
    let cutoffs = record.expected("top_k_hits").as_array().map_or(0, Vec::len);
    tally.same("cutoffs", &retrieved.first().map(Vec::len), &Some(cutoffs));
    for (place, cutoff) in (1..=cutoffs).enumerate() {
        let metric = metric(&format!("AnswerRecall@{cutoff}"));
        let name = metric.to_string();
        let hits: Vec<f64> = questions.iter().map(|(e, p)| hit(&name, e, p)).collect();
        let name = format!("top_k_hits, k = {cutoff}");
        tally.count(&name, &record.expected("top_k_hits")[place], Some(hits.iter().sum()));
        let found = summary(&metric, hits.into_iter().map(|hit| (Ok(hit), None)));
        let name = format!("top_k_accuracy, k = {cutoff}");
        tally.score(&name, &record.expected("top_k_accuracy")[place], found.mean);
    }
}

/// Whether one of the first passages contains an answer. A question without answers, which is
/// unscored with us, has no hit in DPR.
fn hit(name: &str, example: &Example, passages: &[Passage]) -> f64 {
    let passages: Vec<&Passage> = passages.iter().collect();
    match metric(name).score(&Case::new(example).with_passages(&passages)) {
        Ok(score) => score,
        Err(Unscored::NoReference) if example.references.is_empty() => 0.0,
        Err(unscored) => panic!("{unscored}"),
    }
}

fn passages<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Passage> {
    let passage = |text: &str| Passage { text: text.to_owned(), ..Passage::default() };
    texts.into_iter().map(passage).collect()
}
