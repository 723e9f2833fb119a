//! `pytrec_eval`: trec_eval 9 behind an interface of dictionaries.

use std::collections::{BTreeMap, BTreeSet};

use qeval_core::{Hits, Qrels, Ranking, Ties};
use serde::Deserialize;
use serde_json::Value;

use super::ranked::{Options, compare_topic, seen};
use crate::tally::{Record, Tally, number};

#[derive(Deserialize)]
struct Input {
    qrels: BTreeMap<String, BTreeMap<String, i32>>,
    run: BTreeMap<String, BTreeMap<String, Value>>,
    relevance_level: i32,
    judged_docs_only_flag: bool,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let input: Input = record.input();
    if record.error().is_some() || input.relevance_level < 1 {
        tally.skip("records with an exception, or a level that makes everything judged relevant");
        return;
    }
    let options = Options {
        level: input.relevance_level,
        depth: usize::MAX,
        judged_only: input.judged_docs_only_flag,
        complete: false,
        single: true,
    };
    let mut qrels = Qrels::default();
    for (topic, grades) in &input.qrels {
        for (passage, &grade) in grades {
            qrels.insert(topic, passage, grade).unwrap();
        }
    }
    let rows = record.expected.as_object().expect("the output is an object");
    let topics = input.run.keys().filter(|topic| input.qrels.contains_key(*topic));
    tally.same("topics", &rows.keys().collect::<BTreeSet<_>>(), &topics.collect());
    for (topic, row) in rows {
        let row = row.as_object().expect("a row is an object");
        let (Some(scores), Some(judgments)) = (input.run.get(topic), qrels.get(topic)) else {
            continue;
        };
        let hits =
            scores.iter().map(|(passage, score)| (passage, number(score).expect("a number")));
        let ranking = Ranking::new(Hits::of(hits).unwrap(), Ties::Docno).unwrap();
        compare_topic(topic, row, &seen(&ranking, judgments, options), options, tally);
    }
}
