//! The rule of equal scores, and rankings of documents: what must not matter does not, for any
//! measure of judged passages.

use std::collections::BTreeMap;

use proptest::prelude::*;
use qeval_core::{
    Case, Cutoff, Example, Hits, JudgedRanking, METRICS, Metric, Need, Qrels, Ranking, Score,
    Subject, Ties,
};

/// What was judged for a query, by subtopic, and what was found.
#[derive(Clone, Debug)]
struct Query {
    judged: Vec<(String, String, i32)>,
    retrieved: Vec<(String, f64)>,
}

impl Query {
    /// The same with other names of passages.
    fn renamed(&self, name: impl Fn(&str) -> String) -> Self {
        let judged = self.judged.iter().map(|(id, on, grade)| (name(id), on.clone(), *grade));
        let retrieved = self.retrieved.iter().map(|(id, score)| (name(id), *score));
        Self { judged: judged.collect(), retrieved: retrieved.collect() }
    }

    fn parts(&self) -> (Ranking, Qrels) {
        let mut qrels = Qrels::default();
        for (id, subtopic, grade) in &self.judged {
            qrels.insert_on("q", subtopic, id, *grade).unwrap();
        }
        let hits = self.retrieved.iter();
        let hits = Hits::of(hits.map(|(id, score)| (id, *score))).unwrap();
        (Ranking::new(hits, Ties::Docno).unwrap(), qrels)
    }

    /// All measures; those of documents too, each passage belonging to what stands before its `#`.
    fn scores(&self) -> Vec<(String, Score)> {
        let (ranking, qrels) = self.parts();
        let judgments = qrels.get("q").cloned().unwrap_or_default();
        let passages = JudgedRanking::new(&ranking, &judgments);
        let documents =
            JudgedRanking::new(&ranking.by_document(document), &judgments.by_document(document));
        let example = Example::default();
        let case = Case::new(&example).with_ranking(&passages).with_documents(&documents);
        metrics().iter().map(|metric| (metric.to_string(), metric.score(&case))).collect()
    }
}

fn document(id: &str) -> &str {
    id.split('#').next().unwrap_or(id)
}

fn metrics() -> Vec<Metric> {
    let judged = METRICS.iter().filter(|definition| {
        definition.subject == Subject::Retrieval
            && definition.needs.contains(&Need::Judgments)
            && definition.parameters.iter().any(|parameter| parameter.name == "unit")
    });
    let names = judged.flat_map(|definition| {
        let cutoff = if definition.cutoff == Cutoff::Required { "@3" } else { "" };
        ["", "(unit=document)"].map(|unit| format!("{}{unit}{cutoff}", definition.name))
    });
    names.map(|name| name.parse().unwrap()).collect()
}

/// Two scores are one when they are as near as sums in another order.
fn same(a: &[(String, Score)], b: &[(String, Score)]) -> bool {
    a.iter().zip(b).all(|((name, a), (_, b))| match (a, b) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-12,
        (a, b) => {
            assert!(a.is_err() && b.is_err(), "{name}: {a:?} and {b:?}");
            a == b
        }
    })
}

/// Few ids, so that much is judged and retrieved, and few scores, so that many are tied.
fn queries() -> impl Strategy<Value = Query> {
    let id = || prop::sample::select(vec!["a#1", "a#10", "a#2", "b", "b#1", "é#1", "北", "c#x"]);
    let subtopic = prop::sample::select(vec!["1", "2", "10"]);
    let score = prop::sample::select(vec![-1.5, 0.0, 0.5, 1.0]);
    let judged = prop::collection::btree_map((id(), subtopic), -1..4_i32, 0..9);
    let retrieved = prop::collection::btree_map(id(), score, 0..9);
    (judged, retrieved).prop_map(|(judged, retrieved)| Query {
        judged: judged.into_iter().map(|((id, on), grade)| (id.into(), on.into(), grade)).collect(),
        retrieved: retrieved.into_iter().map(|(id, score)| (id.into(), score)).collect(),
    })
}

/// A query, and the same lines in another order.
fn shuffled() -> impl Strategy<Value = (Query, Query)> {
    queries().prop_flat_map(|query| {
        let judged = Just(query.judged.clone()).prop_shuffle();
        let retrieved = Just(query.retrieved.clone()).prop_shuffle();
        let other = (judged, retrieved).prop_map(|(judged, retrieved)| Query { judged, retrieved });
        (Just(query), other)
    })
}

proptest! {
    #![proptest_config(super::config())]

    #[test]
    fn the_order_of_lines_does_not_matter((query, other) in shuffled()) {
        prop_assert_eq!(query.scores(), other.scores());
    }

    #[test]
    fn names_that_keep_their_order_do_not_matter(query in queries(), before in "\\PC{0,3}") {
        prop_assume!(!before.contains('#'));
        let other = query.renamed(|id| format!("{before}{id}"));
        prop_assert_eq!(query.scores(), other.scores());
    }

    #[test]
    fn no_names_matter_where_no_scores_are_equal(
        query in queries(),
        names in Just(vec!["s", "t", "u", "v", "w", "x", "y", "z"]).prop_shuffle(),
    ) {
        let mut query = query;
        for (place, (_, score)) in (0_u32..).zip(&mut query.retrieved) {
            *score = f64::from(place);
        }
        let (others, all) = (names, ["a#1", "a#10", "a#2", "b", "b#1", "é#1", "北", "c#x"]);
        // Each passage is a document of its own, and their order is another one.
        let name = |id: &str, names: &[&str]| {
            names[all.iter().position(|&known| known == id).unwrap()].to_owned()
        };
        let first = query.renamed(|id| name(id, &["s", "t", "u", "v", "w", "x", "y", "z"]));
        let second = query.renamed(|id| name(id, &others));
        // The ideal of alpha-nDCG is of the last of several passages that gain as much.
        let but_alpha = |query: &Query| {
            let mut scores = query.scores();
            scores.retain(|(metric, _)| !metric.starts_with("alpha"));
            scores
        };
        prop_assert!(same(&but_alpha(&first), &but_alpha(&second)));
    }

    #[test]
    fn documents_stand_where_their_best_passages_do(query in queries(), k in 1..6_usize) {
        let (ranking, qrels) = query.parts();
        let mut grades: BTreeMap<&str, i32> = BTreeMap::new();
        for (id, _, grade) in &query.judged {
            let highest = grades.entry(document(id)).or_insert(*grade);
            *highest = (*highest).max(*grade);
        }
        let rank = |wanted: &str| {
            let ids = ranking.hits().iter().map(|hit| document(hit.passage));
            let before: std::collections::BTreeSet<&str> =
                ids.clone().take_while(|&id| id != wanted).collect();
            ids.clone().any(|id| id == wanted).then(|| before.len() + 1)
        };
        let relevant: Vec<&str> =
            grades.iter().filter(|&(_, &grade)| grade > 0).map(|(&id, _)| id).collect();
        let found = relevant.iter().filter(|id| rank(id).is_some_and(|rank| rank <= k)).count();
        let judgments = qrels.get("q").cloned().unwrap_or_default();
        let passages = JudgedRanking::new(&ranking, &judgments);
        let documents =
            JudgedRanking::new(&ranking.by_document(document), &judgments.by_document(document));
        let example = Example::default();
        let case = Case::new(&example).with_ranking(&passages).with_documents(&documents);
        let metric: Metric = format!("Recall(unit=document)@{k}").parse().unwrap();
        let expected =
            (!relevant.is_empty()).then(|| found as f64 / relevant.len() as f64);
        prop_assert_eq!(metric.score(&case).ok(), expected);
    }
}
