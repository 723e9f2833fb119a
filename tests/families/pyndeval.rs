//! `pyndeval`: NIST's ndeval for judgments on subtopics, behind an interface of lists.

use qeval_core::{Hits, JudgedRanking, Qrels, Ranking};
use serde::Deserialize;

use super::{metric, ranked::topic_score};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Input {
    /// Subtopic, document and grade.
    qrels: Vec<(String, String, i32)>,
    /// The documents, best first.
    run: Vec<String>,
    metric: String,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let input: Input = record.input();
    let mut qrels = Qrels::default();
    for (subtopic, document, grade) in &input.qrels {
        qrels.insert_on("q", subtopic, document, *grade).unwrap();
    }
    let hits = Hits::of(input.run.iter().map(|document| (document, 0.0))).unwrap();
    let ranking = Ranking::from_ordered(hits).unwrap();
    let ranking = JudgedRanking::new(&ranking, qrels.get("q").expect("something is judged"));
    // It says 0 where no document is relevant to any subtopic.
    let metric = metric(&input.metric.replacen('(', "(empty=zero,", 1));
    tally.score(&input.metric, record.expected("value"), topic_score(&metric, &ranking));
}
