//! BEIR's evaluation: `pytrec_eval` after taking out the query itself, and measures of its own.

use std::collections::BTreeMap;

use qeval_core::{Hits, Judgments, Ranking, Ties};
use serde::Deserialize;
use serde_json::Value;

use super::{
    ir_measures::{Table, has_ties, hits, judgments, qrels},
    metric,
    ranked::{Options, seen, topic_score, with_zero},
};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Input {
    qrels: Table<i32>,
    results: Table<Value>,
    ignore_identical_ids: bool,
}

/// Its names of measures and ours, and whether the mean is over the topics that are judged and in
/// the results, or over all judged ones.
const MEASURES: [(&str, &str, &str, bool); 7] = [
    ("evaluate", "NDCG@", "nDCG@", true),
    ("evaluate", "MAP@", "MAP@", true),
    ("evaluate", "Recall@", "Recall@", true),
    ("evaluate", "P@", "P@", true),
    ("mrr", "MRR@", "MRR@", false),
    ("recall_cap", "R_cap@", "RelP@", false),
    ("top_k_accuracy", "Accuracy@", "Success@", false),
];

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let input: Input = record.input();
    let options =
        Options { level: 1, depth: usize::MAX, judged_only: false, complete: false, single: true };
    let (qrels, none) = (qrels(&input.qrels), Judgments::default());
    let tied = input.results.values().any(|scores| has_ties(&hits(scores)));
    // The query itself is taken out for the measures of `pytrec_eval` alone.
    let [all, others] = [false, true].map(|taken_out| {
        let ranking = |(topic, scores): (&String, &BTreeMap<String, Value>)| {
            let all = hits(scores);
            let kept = all
                .iter()
                .filter(|hit| !(taken_out && input.ignore_identical_ids && hit.passage == *topic));
            let kept = Hits::of(kept.map(|hit| (hit.passage, hit.score))).unwrap();
            let ranking = Ranking::new(kept, Ties::Docno).unwrap();
            seen(&ranking, judgments(&qrels, topic, &none), options)
        };
        let judged = input.results.iter().filter(|(topic, _)| qrels.get(topic).is_some());
        judged.map(ranking).collect::<Vec<_>>()
    });
    for (script, theirs, ours, both) in MEASURES {
        let values = record.expected(script).as_object().expect("values by measure");
        if values.contains_key("error") {
            tally.skip("measures at which it raises an exception");
            continue;
        }
        if tied && !both {
            tally.skip("measures of its own on rankings with equal scores");
            continue;
        }
        for (name, expected) in values {
            let Some(cutoff) = name.strip_prefix(theirs) else { continue };
            let metric = with_zero(&metric(&format!("{ours}{cutoff}")));
            let rankings = if both { &others } else { &all };
            let scores: Vec<f64> =
                rankings.iter().filter_map(|ranking| topic_score(&metric, ranking)).collect();
            let topics = if both { scores.len() } else { input.qrels.len() };
            let mean = scores.iter().sum::<f64>() / topics as f64;
            tally.five_decimals(name, expected, Some(mean));
        }
    }
}
