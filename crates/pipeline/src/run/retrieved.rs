//! What was retrieved for one example, joined with its judgments and with the passages' texts.

use std::{borrow::Cow, collections::HashSet};

use qeval_core::{Example, JudgedRanking, Judgments, Passage, Place, Ranking, retrieved::Answers};
use qeval_dataset::{Record, document_of_chunk};
use qeval_sdk::{Failure, Query};

use super::looks::{Look, look_at_hits};
use crate::{
    Plan,
    builtin::derived::Found,
    corpus::Corpus,
    plan::{DatasetPlan, PlannedRetriever, Search},
};

/// The hits of one example.
pub(super) struct Retrieved<'a> {
    /// The ranking; `None` when the retriever has nothing for the query.
    pub(super) ranking: Result<Option<Ranking>, Failure>,
    /// The ranking with the grades; `None` when the example has no judgments.
    pub(super) judged: Option<JudgedRanking>,
    /// The same by document, where a metric counts documents.
    pub(super) documents: Option<JudgedRanking>,
    /// The passages of the hits, as far as the corpus has them.
    pub(super) passages: Vec<&'a Passage>,
    /// Where these stand; empty where the corpus has all hits.
    pub(super) places: Vec<Place>,
    /// What the text of each hit says; empty where nobody keeps it.
    pub(super) looks: Vec<Look>,
}

impl Retrieved<'_> {
    pub(super) fn ranking(&self) -> Option<&Ranking> {
        self.ranking.as_ref().ok().and_then(Option::as_ref)
    }

    /// Looks at the texts of the hits.
    fn look(&mut self, plan: &Plan, example: &Example) {
        if let Some(ranking) = self.ranking().filter(|_| plan.corpus.is_some()) {
            let answers = Answers::new(example);
            self.looks = look_at_hits(ranking, &self.passages, answers.as_ref());
        }
    }
}

/// Searches for every example of a batch. `earlier` is what the retrievers before this one have
/// found.
pub(super) fn retrieve<'a>(
    plan: &'a Plan,
    retriever: &PlannedRetriever,
    records: &[Record],
    judgments: &[Option<Cow<'_, Judgments>>],
    earlier: &[Option<Vec<Retrieved<'_>>>],
) -> Vec<Retrieved<'a>> {
    let _span = tracing::info_span!("retrieval", retriever = retriever.name).entered();
    let queries: Vec<Query<'_>> = records
        .iter()
        .map(|Record { example, .. }| Query {
            id: &example.id,
            text: &example.question,
            dataset: example.dataset.as_deref(),
        })
        .collect();
    let rankings = match &retriever.search {
        Search::Alone(component) if plan.ignores_identical_ids => {
            // One more, for the one that may be taken out.
            let mut rankings = component.retrieve(&queries, retriever.depth.saturating_add(1));
            let found = rankings.iter_mut().zip(&queries);
            for (ranking, query) in found.filter_map(|(r, q)| Some((r.as_mut().ok()?.as_mut()?, q)))
            {
                ranking.remove(query.id);
                ranking.truncate(retriever.depth);
            }
            rankings
        }
        Search::Alone(component) => component.retrieve(&queries, retriever.depth),
        // What others have found is without the query already.
        Search::Derived { of, by } => {
            let inputs: Vec<Found<'_>> =
                of.iter().map(|&index| found(earlier[index].as_deref())).collect();
            by.derive(&queries, &inputs, retriever.depth)
        }
    };
    // Once for all systems with this retriever.
    let looked_at = plan.kept
        && plan.systems.iter().any(|system| {
            let own = system.retriever.map(|index| &plan.retrievers[index]);
            system.retrieves() && own.is_some_and(|own| own.name == retriever.name)
        });
    let joined = rankings.into_iter().zip(judgments).zip(records);
    joined
        .map(|((ranking, judgments), record)| {
            let mut found = join(plan, ranking, judgments.as_deref());
            if looked_at {
                found.look(plan, &record.example);
            }
            found
        })
        .collect()
}

/// What an earlier retriever has found.
fn found<'r>(retrieved: Option<&'r [Retrieved<'_>]>) -> Found<'r> {
    let retrieved = retrieved.expect("a retriever is asked after those that it is made from");
    retrieved.iter().map(|retrieved| retrieved.ranking.as_ref().map(Option::as_ref)).collect()
}

fn join<'a>(
    plan: &'a Plan,
    ranking: Result<Option<Ranking>, Failure>,
    judgments: Option<&Judgments>,
) -> Retrieved<'a> {
    let found = ranking.as_ref().ok().and_then(Option::as_ref);
    let nothing = Ranking::default();
    let judged =
        judgments.map(|judgments| JudgedRanking::new(found.unwrap_or(&nothing), judgments));
    let documents = judgments
        .filter(|_| plan.counted.documents)
        .map(|judgments| by_document(plan.corpus.as_deref(), found.unwrap_or(&nothing), judgments));
    let passages = match (&plan.corpus, found) {
        (Some(corpus), Some(ranking)) => {
            ranking.hits().iter().filter_map(|hit| corpus.get(hit.passage)).collect()
        }
        _ => Vec::new(),
    };
    let places = match (&plan.corpus, found) {
        (Some(corpus), Some(ranking)) if passages.len() < ranking.hits().len() => {
            places(corpus, ranking)
        }
        _ => Vec::new(),
    };
    Retrieved { ranking, judged, documents, passages, places, looks: Vec::new() }
}

/// Where the passages stand that the corpus has.
fn places(corpus: &Corpus, ranking: &Ranking) -> Vec<Place> {
    let mut documents = HashSet::new();
    let mut places = Vec::new();
    for (rank, hit) in ranking.hits().iter().enumerate() {
        let before = documents.len();
        let first = documents.insert(corpus.document_of(hit.passage));
        if corpus.get(hit.passage).is_some() {
            places.push(Place { passage: rank, document: first.then_some(before) });
        }
    }
    places
}

/// The ranking and the judgments of documents. The corpus knows the document of each passage;
/// without a corpus the ids of chunks say it.
fn by_document(corpus: Option<&Corpus>, ranking: &Ranking, judgments: &Judgments) -> JudgedRanking {
    match corpus {
        Some(corpus) => JudgedRanking::new(
            &ranking.by_document(|id| corpus.document_of(id)),
            &judgments.by_document(|id| corpus.document_of(id)),
        ),
        None => JudgedRanking::new(
            &ranking.by_document(document_of_chunk),
            &judgments.by_document(document_of_chunk),
        ),
    }
}

/// The judgments of each example: those of the qrels, else its gold passages.
pub(super) fn judgments<'p>(
    dataset: &'p DatasetPlan,
    records: &[Record],
) -> Vec<Option<Cow<'p, Judgments>>> {
    let of = |record: &Record| match &dataset.qrels {
        Some(qrels) => qrels.get(&record.example.id).map(Cow::Borrowed),
        None if record.example.gold_passages.is_empty() => None,
        None => {
            let gold = record.example.gold_passages.iter().map(String::as_str);
            Some(Cow::Owned(Judgments::from_gold(gold)))
        }
    };
    records.iter().map(of).collect()
}
