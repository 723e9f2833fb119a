//! MS MARCO's `ms_marco_eval.py`: MRR@10 over all judged queries, with the ranks as they are given.

use std::collections::{BTreeMap, BTreeSet};

use qeval_core::JudgedRanking;
use serde::Deserialize;

use super::{metric, ranked::topic_score};
use crate::tally::{Record, Tally};

/// How many ranks the script has room for.
const RANKS: usize = 1000;

#[derive(Deserialize)]
struct Input {
    reference_tsv: String,
    candidate_tsv: String,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let input: Input = record.input();
    if record.error().is_some() {
        tally.skip("records with an exception");
        return;
    }
    let mut relevant: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for line in input.reference_tsv.lines() {
        if let [query, _, passage, _] = numbers(line)[..] {
            relevant.entry(query).or_default().insert(passage);
        }
    }
    // A rank without a line has the passage 0.
    let mut ranked: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for line in input.candidate_tsv.lines() {
        if let [query, passage, rank] = numbers(line)[..] {
            let places = ranked.entry(query).or_insert_with(|| vec![0; RANKS]);
            // Rank 0 is the last place of a list in Python.
            let place = usize::try_from(rank - 1).unwrap_or(RANKS - 1);
            places[place] = passage;
        }
    }
    let mrr = metric("MRR(empty=zero)@10");
    let mut sum = 0.0;
    for (query, places) in &ranked {
        let Some(relevant) = relevant.get(query) else { continue };
        let grade = |passage| relevant.contains(passage).then_some(1);
        let ranking = JudgedRanking {
            grades: places.iter().map(grade).collect(),
            ideal: vec![1; relevant.len()],
            zeros: Some(0),
            subtopics: None,
        };
        sum += topic_score(&mrr, &ranking).expect("it has one or zero");
    }
    let expected = record.expected("MRR @10");
    tally.score("MRR @10", expected, Some(sum / relevant.len() as f64));
    tally.count("QueriesRanked", record.expected("QueriesRanked"), Some(ranked.len() as f64));
}

fn numbers(line: &str) -> Vec<i64> {
    line.split('\t').filter_map(|column| column.trim().parse().ok()).collect()
}
