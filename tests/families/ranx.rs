//! `ranx`, whose order of equal scores is anybody's guess: rankings with ties are left out.

use qeval_core::{Ranking, Ties};
use serde::Deserialize;
use serde_json::Value;

use super::{
    ir_measures::{Table, has_ties, hits, qrels},
    metric,
    ranked::{Options, seen, topic_score, with_zero},
};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Input {
    qrels: Table<i32>,
    run: Table<Value>,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let input: Input = record.input();
    let options =
        Options { level: 1, depth: usize::MAX, judged_only: false, complete: true, single: false };
    let qrels = qrels(&input.qrels);
    let rows = record.expected("per_query").as_object().expect("the values of each measure");
    for (theirs, topics) in rows {
        let Some(ours) = ours(theirs) else { continue };
        let metric = with_zero(&metric(ours));
        for (topic, expected) in topics.as_object().expect("values by topic") {
            let judgments = qrels.get(topic).expect("a topic of the output has judgments");
            let hits = input.run.get(topic).map(hits).unwrap_or_default();
            if has_ties(&hits) {
                tally.skip("rankings with equal scores");
                continue;
            }
            let ranking = seen(&Ranking::new(hits, Ties::Docno).unwrap(), judgments, options);
            let found = topic_score(&metric, &ranking);
            tally.score(&format!("{theirs} of topic `{topic}`"), expected, found);
        }
    }
}

/// Our name of its measure. Its bpref and its RBP, which multiplies by the grade, are others.
fn ours(theirs: &str) -> Option<&'static str> {
    Some(match theirs {
        "hits" => "Hits",
        "hits@5" => "Hits@5",
        "hit_rate" => "Success@100000",
        "hit_rate@3" => "Success@3",
        "precision" => "SetP",
        "precision@5" => "P@5",
        "recall" => "SetR",
        "recall@5" => "Recall@5",
        "recall@5-l2" => "Recall(rel=2)@5",
        "f1" => "SetF",
        "r-precision" => "Rprec",
        "mrr" => "MRR",
        "mrr@3" => "MRR@3",
        "map" => "MAP",
        "map@5" => "MAP@5",
        "map-l2" => "MAP(rel=2)",
        "ndcg" => "nDCG",
        "ndcg@5" => "nDCG@5",
        "ndcg_burges" => "nDCG(dcg=exp-log2)",
        "ndcg_burges@5" => "nDCG(dcg=exp-log2)@5",
        _ => return None,
    })
}
