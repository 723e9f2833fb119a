//! The hits of another retriever, scored anew by a program or a service that reads their texts.

use std::sync::Arc;

use qeval_sdk::{
    Descriptor, Failure, FailureKind, Query,
    core::{Hit, Hits, Ranking, Ties},
};
use serde_json::{Value, json};

use super::{
    derived::{Derive, Found},
    peer::Peer,
    remote,
};
use crate::corpus::Corpus;

/// Asks a peer for a score of each hit.
///
/// It is sent `{"queries": [{"id", "text", "passages": [{"id", "title", "text"}]}]}` and answers
/// `{"scores": [[0.7, 0.1]]}` with a number for each passage, in their order.
pub(crate) struct Reranker {
    peer: Box<dyn Peer>,
    corpus: Arc<Corpus>,
    batch: usize,
    ties: Ties,
}

impl Reranker {
    /// `batch` is how many queries are sent at a time.
    pub(crate) fn new(peer: Box<dyn Peer>, corpus: Arc<Corpus>, batch: usize, ties: Ties) -> Self {
        Self { peer, corpus, batch, ties }
    }

    fn failure(&self, kind: FailureKind, message: &str) -> Failure {
        Failure::new(kind, format!("{}: {message}", self.peer.name()))
    }

    /// A query with the texts of its hits.
    fn query(&self, query: &Query<'_>, hits: &[Hit<'_>]) -> Result<Value, Failure> {
        let passage = |hit: &Hit<'_>| {
            let passage = self.corpus.get(hit.passage).ok_or_else(|| {
                let message = format!("passage `{}` is not in the corpus", hit.passage);
                self.failure(FailureKind::Value, &message)
            })?;
            Ok(json!({"id": passage.id, "title": passage.title, "text": passage.text}))
        };
        let passages = hits.iter().map(passage).collect::<Result<Vec<Value>, Failure>>()?;
        Ok(json!({"id": query.id, "text": query.text, "passages": passages}))
    }

    fn ranking(&self, hits: &[Hit<'_>], scores: &Value) -> Result<Ranking, Failure> {
        let scores = match scores.as_array() {
            Some(scores) if scores.len() == hits.len() => scores,
            Some(scores) => {
                let (found, expected) = (scores.len(), hits.len());
                let message = format!("{found} scores for {expected} passages");
                return Err(self.failure(FailureKind::Protocol, &message));
            }
            None => {
                let message = "the scores of a query are no list";
                return Err(self.failure(FailureKind::Protocol, message));
            }
        };
        let scored = hits.iter().zip(scores).map(|(hit, score)| {
            let score = remote::score(score).map_err(|message| {
                let message = format!("passage `{}`: {message}", hit.passage);
                self.failure(FailureKind::Value, &message)
            })?;
            Ok((hit.passage, score))
        });
        let hits = scored.collect::<Result<Vec<_>, Failure>>()?;
        Hits::of(hits)
            .and_then(|hits| Ranking::new(hits, self.ties))
            .map_err(|error| self.failure(FailureKind::Value, &error.to_string()))
    }
}

impl Derive for Reranker {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "reranker".to_owned(),
            version: "1".to_owned(),
            summary: "hits of a retriever, scored anew".to_owned(),
        }
    }

    fn asks_in_order(&self) -> bool {
        self.peer.asks_in_order()
    }

    fn derive(
        &self,
        queries: &[Query<'_>],
        inputs: &[Found<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>> {
        let mut rankings: Vec<Result<Option<Ranking>, Failure>> = Vec::new();
        // What is asked: the place of the query, the query, and its hits.
        let mut asked: Vec<(usize, Value, Vec<Hit<'_>>)> = Vec::new();
        for (index, query) in queries.iter().enumerate() {
            let found = inputs[0][index].map_err(Clone::clone);
            rankings.push(found.map(|ranking| ranking.map(|_| Ranking::default())));
            let Ok(Some(ranking)) = inputs[0][index] else { continue };
            let hits: Vec<Hit<'_>> = ranking.hits().iter().take(depth).collect();
            if hits.is_empty() {
                continue;
            }
            match self.query(query, &hits) {
                Ok(query) => asked.push((index, query, hits)),
                Err(failure) => rankings[index] = Err(failure),
            }
        }
        let batches: Vec<&[(usize, Value, Vec<Hit<'_>>)]> = asked.chunks(self.batch).collect();
        let requests = batches.iter().map(
            |batch| json!({"queries": batch.iter().map(|(_, query, _)| query).collect::<Vec<_>>()}),
        );
        let requests: Vec<Value> = requests.collect();
        let check = |index: usize, answer: &Value| {
            remote::lists(answer, "scores", batches[index].len()).map(|_| ())
        };
        let answers = self.peer.ask(&requests, &check);
        for ((batch, request), answer) in batches.iter().zip(&requests).zip(answers) {
            let places = batch.iter().enumerate();
            let read = places.map(|(position, (_, _, hits))| match &answer {
                Ok(answer) => self.ranking(hits, &answer["scores"][position]).map(Some),
                Err(failure) => Err(failure.clone()),
            });
            let mut reranked: Vec<_> = read.collect();
            if answer.is_ok() {
                remote::refuse(&*self.peer, request, reranked.iter_mut());
            }
            for (&(index, ..), ranking) in batch.iter().zip(reranked) {
                rankings[index] = ranking;
            }
        }
        rankings
    }
}
