//! The ranking metrics from their definitions, by counting again at each rank.

use proptest::prelude::*;
use qeval_core::{Case, Example, Hits, JudgedRanking, Metric, Qrels, Ranking, Score, Ties};

/// A query: what was judged and what was found, as they come.
#[derive(Clone, Debug)]
struct Query {
    judged: Vec<(String, i32)>,
    retrieved: Vec<(String, f64)>,
}

impl Query {
    fn grade(&self, id: &str) -> i32 {
        self.judged.iter().find(|(judged, _)| judged == id).map_or(-1, |&(_, grade)| grade)
    }

    /// Rank of a retrieved passage: one more than there are passages before it.
    fn rank(&self, id: &str) -> Option<usize> {
        let (id, score) = self.retrieved.iter().find(|(other, _)| other == id)?;
        let before = |(other, theirs): &&(String, f64)| {
            theirs > score || (theirs >= score && other.as_bytes() > id.as_bytes())
        };
        Some(1 + self.retrieved.iter().filter(before).count())
    }

    /// Ranks of the retrieved passages with at least this grade, up to the cutoff.
    fn relevant_ranks(&self, level: i32, cutoff: usize) -> Vec<usize> {
        let relevant = self.judged.iter().filter(|&&(_, grade)| grade >= level);
        let ranks = relevant.filter_map(|(id, _)| self.rank(id));
        ranks.filter(|&rank| rank <= cutoff).collect()
    }

    fn relevant(&self, level: i32) -> f64 {
        self.judged.iter().filter(|&&(_, grade)| grade >= level).count() as f64
    }

    fn average_precision(&self, level: i32, cutoff: usize) -> f64 {
        let ranks = self.relevant_ranks(level, cutoff);
        let precision =
            |rank: usize| ranks.iter().filter(|&&other| other <= rank).count() as f64 / rank as f64;
        ranks.iter().map(|&rank| precision(rank)).sum::<f64>() / self.relevant(level)
    }

    fn reciprocal_rank(&self, level: i32, cutoff: usize) -> f64 {
        self.relevant_ranks(level, cutoff).into_iter().min().map_or(0.0, |rank| 1.0 / rank as f64)
    }

    fn ndcg(&self, cutoff: usize) -> f64 {
        let discounted = |grade: i32, rank: usize| {
            if rank > cutoff { 0.0 } else { f64::from(grade.max(0)) / (1.0 + rank as f64).log2() }
        };
        let gain = |(id, _): &(String, f64)| {
            discounted(self.grade(id), self.rank(id).expect("it is retrieved"))
        };
        let found: f64 = self.retrieved.iter().map(gain).sum();
        let mut grades: Vec<i32> = self.judged.iter().map(|&(_, grade)| grade).collect();
        grades.sort_unstable();
        let best = grades.into_iter().rev().zip(1..).map(|(grade, rank)| discounted(grade, rank));
        found / best.sum::<f64>()
    }

    /// The metric from its definition; `None` for a query without a relevant passage.
    fn naive(&self, base: &str, level: i32, cutoff: usize) -> Option<f64> {
        let found = || self.relevant_ranks(level, cutoff).len() as f64;
        if self.relevant(level) < 1.0 {
            return None;
        }
        Some(match base {
            "MAP" => self.average_precision(level, cutoff),
            "MRR" => self.reciprocal_rank(level, cutoff),
            "nDCG" => self.ndcg(cutoff),
            "P" => found() / cutoff as f64,
            "Recall" => found() / self.relevant(level),
            "Success" => found().min(1.0),
            other => panic!("no definition of {other} here"),
        })
    }

    fn ours(&self, metric: &str) -> Score {
        let mut qrels = Qrels::default();
        for (id, grade) in &self.judged {
            qrels.insert("q", id, *grade).unwrap();
        }
        let hits = self.retrieved.iter().map(|(id, score)| (id, *score));
        let ranking = Ranking::new(Hits::of(hits).unwrap(), Ties::Docno).unwrap();
        let judgments = qrels.get("q").cloned().unwrap_or_default();
        let ranking = JudgedRanking::new(&ranking, &judgments);
        let example = Example::default();
        metric.parse::<Metric>().unwrap().score(&Case::new(&example).with_ranking(&ranking))
    }
}

/// Few ids, so that much is judged and retrieved, and few scores, so that many are tied.
fn queries() -> impl Strategy<Value = Query> {
    let id = || prop::sample::select(vec!["d1", "d10", "d2", "D2", "é", "北", "z", "", "d", "🙂"]);
    let score = prop::sample::select(vec![-1.5, -0.0, 0.0, 0.5, 1.0, 1e300, f64::INFINITY]);
    let judged = prop::collection::btree_map(id(), -1..4_i32, 0..9);
    let retrieved = prop::collection::btree_map(id(), score, 0..9);
    (judged.prop_map(shuffle), retrieved.prop_map(shuffle))
        .prop_map(|(judged, retrieved)| Query { judged, retrieved })
}

/// The entries in an order that is not that of their ids.
fn shuffle<T>(entries: std::collections::BTreeMap<&str, T>) -> Vec<(String, T)> {
    let mut entries: Vec<_> = entries.into_iter().map(|(id, t)| (id.to_owned(), t)).collect();
    let middle = entries.len() / 2;
    entries.rotate_left(middle);
    entries
}

proptest! {
    #![proptest_config(super::config())]

    #[test]
    fn ranking_metrics_are_their_definitions(
        query in queries(),
        level in 1..4_i32,
        k in 1..12_usize,
    ) {
        for (base, cutoff, graded) in [
            ("MAP", false, true),
            ("MAP", true, true),
            ("MRR", false, true),
            ("MRR", true, true),
            ("nDCG", false, false),
            ("nDCG", true, false),
            ("P", true, true),
            ("Recall", true, true),
            ("Success", true, true),
        ] {
            let rel = if graded { format!("(rel={level})") } else { String::new() };
            let at = if cutoff { format!("@{k}") } else { String::new() };
            let level = if graded { level } else { 1 };
            let expected = query.naive(base, level, if cutoff { k } else { usize::MAX });
            let metric = format!("{base}{rel}{at}");
            let found = query.ours(&metric).ok();
            let close = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() <= 1e-12,
                (found, expected) => found.is_none() && expected.is_none(),
            };
            prop_assert!(close, "{}: found {:?}, expected {:?}", metric, found, expected);
        }
    }
}
