//! Hits by query, as they come from a file.

use hashbrown::HashMap;
use qeval_core::{Duplicates, Hits, InvalidRanking, Ties};

/// Hits by query. Those of a query need not come together.
#[derive(Default)]
pub(super) struct Collected {
    hits: Vec<(String, Hits)>,
    places: HashMap<String, usize>,
    /// Place of the query of the hit before.
    current: usize,
}

/// A passage that is retrieved twice for a query.
pub(super) struct Retrieved {
    pub(super) query: String,
    pub(super) passage: String,
}

impl Collected {
    pub(super) fn add(
        &mut self,
        query: &str,
        passage: &str,
        score: f64,
    ) -> Result<(), InvalidRanking> {
        match self.hits.get_mut(self.current) {
            Some((current, hits)) if current == query => hits.push(passage, score),
            _ => self.go_to(query).push(passage, score),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    fn go_to(&mut self, query: &str) -> &mut Hits {
        self.current = self.places.get(query).copied().unwrap_or(self.hits.len());
        if self.current == self.hits.len() {
            self.places.insert(query.to_owned(), self.current);
            self.hits.push((query.to_owned(), Hits::default()));
        }
        &mut self.hits[self.current].1
    }

    /// The queries in the order of their ids, each with its hits in their order.
    pub(super) fn finish(self, ties: Ties) -> Result<(Vec<String>, Vec<Hits>), Retrieved> {
        let mut queries = self.hits;
        let mut duplicates = Duplicates::default();
        for (query, hits) in &mut queries {
            if let Some(passage) = duplicates.first(hits) {
                return Err(Retrieved { query: query.clone(), passage: passage.to_owned() });
            }
            hits.order(ties);
            hits.shrink_to_fit();
        }
        queries.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(queries.into_iter().unzip())
    }
}
