//! `ir_measures`: many programs behind one grammar of names, which ours follows.

use std::collections::BTreeMap;

use qeval_core::{Hits, Judgments, Qrels, Ranking, Ties};
use serde::Deserialize;
use serde_json::Value;

use super::{
    metric,
    ranked::{Options, seen, topic_score, with_zero},
};
use crate::tally::{Record, Tally, number};

/// Measures that we do not have.
const OTHERS: [&str; 2] = ["Compat", "Accuracy"];

/// Judgments or scores by topic and document.
pub(super) type Table<T> = BTreeMap<String, BTreeMap<String, T>>;

#[derive(Deserialize)]
struct Input {
    qrels: Table<i32>,
    run: Table<Value>,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let input: Input = record.input();
    let options =
        Options { level: 1, depth: usize::MAX, judged_only: false, complete: true, single: true };
    let qrels = qrels(&input.qrels);
    let rows = record.expected("per_query").as_object().expect("the values of each topic");
    for (topic, row) in rows {
        let judgments = qrels.get(topic).expect("a topic of the output has judgments");
        let hits = input.run.get(topic).map(hits).unwrap_or_default();
        let tied = has_ties(&hits);
        let ranking = seen(&Ranking::new(hits, Ties::Docno).unwrap(), judgments, options);
        for (name, expected) in row.as_object().expect("a row is an object") {
            if OTHERS.iter().any(|other| name.contains(other)) {
                continue;
            }
            if name.starts_with("Num") && !input.run.contains_key(topic) {
                tally.skip("counts of topics that the run lacks, which are 0 there");
                continue;
            }
            let own = ["RR@", "Judged", "ERR"].iter().any(|own| name.starts_with(own));
            if tied && (own || name.contains("exp-log2")) {
                tally.skip("measures of its own programs on rankings with equal scores");
                continue;
            }
            let found = topic_score(&with_zero(&metric(name)), &ranking);
            let name = format!("{name} of topic `{topic}`");
            // The Perl script prints five decimals.
            if name.starts_with("ERR") || name.contains("exp-log2") {
                tally.five_decimals(&name, expected, found);
            } else {
                tally.score(&name, expected, found);
            }
        }
    }
}

pub(super) fn qrels(table: &Table<i32>) -> Qrels {
    let mut qrels = Qrels::default();
    for (topic, grades) in table {
        for (passage, &grade) in grades {
            qrels.insert(topic, passage, grade).unwrap();
        }
    }
    qrels
}

pub(super) fn hits(scores: &BTreeMap<String, Value>) -> Hits {
    let hits = scores.iter().map(|(passage, score)| (passage, number(score).expect("a number")));
    Hits::of(hits).expect("scores are numbers")
}

/// Whether two scores are equal, to 32 bits.
pub(super) fn has_ties(hits: &Hits) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "the programs keep so many bits")]
    let mut scores: Vec<u32> = hits.iter().map(|hit| (hit.score as f32).to_bits()).collect();
    scores.sort_unstable();
    scores.windows(2).any(|pair| pair[0] == pair[1])
}

/// The judgments of a topic, or none.
pub(super) fn judgments<'a>(qrels: &'a Qrels, topic: &str, none: &'a Judgments) -> &'a Judgments {
    qrels.get(topic).unwrap_or(none)
}
