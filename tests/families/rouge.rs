//! Google's `rouge_score`, the stemmer of NLTK that it uses, and the Perl script before it.

use std::collections::BTreeMap;

use qeval_core::metrics::rouge::{bootstrap, porter, tokens};
use serde::Deserialize;
use serde_json::Value;

use super::{answer_score, metric};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Pair {
    target: String,
    prediction: String,
}

pub(super) fn score(record: &Record, tally: &mut Tally) {
    let Pair { target, prediction } = record.input();
    for (key, stem) in [("plain", "no"), ("stemmed", "yes")] {
        same_types(tally, key, record.expected(key), stem, &prediction, &[target.as_str()]);
    }
}

#[derive(Deserialize)]
struct Several {
    targets: Vec<String>,
    prediction: String,
    use_stemmer: bool,
}

pub(super) fn multi(record: &Record, tally: &mut Tally) {
    let Several { targets, prediction, use_stemmer } = record.input();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let stem = if use_stemmer { "yes" } else { "no" };
    same_types(tally, "multi", &record.expected, stem, &prediction, &targets);
}

/// Compares all types of ROUGE in a record, by the script's names for them.
fn same_types(
    tally: &mut Tally,
    key: &str,
    expected: &Value,
    stem: &str,
    prediction: &str,
    targets: &[&str],
) {
    let targets: Vec<String> = targets.iter().map(|&text| text.to_owned()).collect();
    for (rouge, values) in expected.as_object().expect("scores by type") {
        for (value, expected) in values.as_object().expect("three numbers") {
            let ours = if value == "fmeasure" { "f" } else { value };
            let metric = metric(&format!("{rouge}(stem={stem},value={ours})"));
            let found = answer_score(&metric, Some(prediction), &targets);
            tally.score(&format!("{key} {rouge} {value}"), expected, found.ok());
        }
    }
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

pub(super) fn tokenize(record: &Record, tally: &mut Tally) {
    let Text { text } = record.input();
    let expected = |key: &str| Vec::deserialize(record.expected(key)).expect("a list of tokens");
    tally.same("tokens", &expected("tokens"), &tokens(&text, false));
    tally.same("tokens_stemmed", &expected("tokens_stemmed"), &tokens(&text, true));
}

#[derive(Deserialize)]
struct Word {
    word: String,
}

pub(super) fn stem(record: &Record, tally: &mut Tally) {
    let Word { word } = record.input();
    let expected = record.expected("stem").as_str().map(str::to_owned);
    tally.same("stem", &expected, &Some(porter::stem(&word)));
}

#[derive(Deserialize)]
struct Resampled {
    scores_precision_recall: Vec<[f64; 2]>,
    numpy_legacy_seed: u32,
    confidence_interval: f64,
    n_samples: usize,
}

pub(super) fn resample(record: &Record, tally: &mut Tally) {
    let input: Resampled = record.input();
    let with_f1 = |&[precision, recall]: &[f64; 2]| {
        let sum = precision + recall;
        [precision, recall, if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 }]
    };
    let scores: Vec<[f64; 3]> = input.scores_precision_recall.iter().map(with_f1).collect();
    let seed = input.numpy_legacy_seed;
    let found = bootstrap(&scores, input.confidence_interval, input.n_samples, seed)
        .expect("a record has scores");
    for (name, found) in [("low", found.low), ("mid", found.mid), ("high", found.high)] {
        for (index, found) in found.into_iter().enumerate() {
            let expected = &record.expected(name)[index];
            tally.score(&format!("{name} {index}"), expected, Some(found));
        }
    }
}

#[derive(Deserialize)]
struct Summaries {
    peer_lines: Vec<String>,
    model_lines: Vec<String>,
}

/// ROUGE-L of the Perl script is `rougeLsum`.
pub(super) fn perl(record: &Record, tally: &mut Tally) {
    let Summaries { peer_lines, model_lines } = record.input();
    let expected =
        BTreeMap::<String, BTreeMap<String, Value>>::deserialize(record.expected("no_stemming"))
            .expect("scores by type");
    for (rouge, ours) in [("ROUGE-1", "ROUGE-1"), ("ROUGE-2", "ROUGE-2"), ("ROUGE-L", "ROUGE-Lsum")]
    {
        for (key, value) in [("recall", "recall"), ("precision", "precision"), ("fmeasure", "f")] {
            let metric = metric(&format!("{ours}(value={value})"));
            let model = [model_lines.join("\n")];
            let found = answer_score(&metric, Some(&peer_lines.join("\n")), &model);
            tally.five_decimals(&format!("{rouge} {key}"), &expected[rouge][key], found.ok());
        }
    }
    tally.skip("ROUGE-W, which we do not have");
    tally.skip("-m: the Perl script's own stemmer");
}
