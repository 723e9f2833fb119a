//! Rankings: the ordered hits of one query, and the rule that breaks ties.

mod hits;

use std::{cmp::Ordering, collections::BTreeMap};

use hashbrown::HashSet;

pub use self::hits::{Duplicates, Hit, Hits};

/// The ordered hits of one query.
///
/// The order is decided here once, for all metrics: by score, ties by [`Ties`]. No passage occurs
/// twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    hits: Hits,
}

/// How hits with equal scores are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// By passage id, descending, compared as bytes: what trec_eval does.
    #[default]
    Docno,
    /// As they came.
    Input,
}

/// All rankings of one system, by query: a TREC run.
pub type Run = BTreeMap<String, Ranking>;

/// Hits that cannot be a ranking.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRanking {
    /// A score is not a number.
    #[error("the score of passage `{0}` is not a number")]
    NotANumber(String),
    /// A passage occurs twice.
    #[error("passage `{0}` is retrieved twice")]
    Duplicate(String),
}

impl Ranking {
    /// Orders the hits by score, ties as `ties` says.
    pub fn new(mut hits: Hits, ties: Ties) -> Result<Self, InvalidRanking> {
        hits.order(ties);
        Self::from_ordered(hits)
    }

    /// Takes hits that are in their final order.
    pub fn from_ordered(hits: Hits) -> Result<Self, InvalidRanking> {
        match Duplicates::default().first(&hits) {
            Some(passage) => Err(InvalidRanking::Duplicate(passage.to_owned())),
            None => Ok(Self { hits }),
        }
    }

    /// Takes hits that are in their final order and known to be of different passages.
    pub fn from_distinct(hits: Hits) -> Self {
        Self { hits }
    }

    /// The hits, best first.
    pub fn hits(&self) -> &Hits {
        &self.hits
    }

    /// The ranking of documents: `document` names that of each passage. A document stands where its
    /// first passage does, and the passages of it that come later are left out.
    #[must_use]
    pub fn by_document<'a>(&'a self, document: impl Fn(&'a str) -> &'a str) -> Self {
        let mut seen = HashSet::with_capacity(self.hits.len());
        let documents = self.hits.iter().map(|hit| (document(hit.passage), hit.score));
        let firsts = documents.filter(|&(document, _)| seen.insert(document));
        Self { hits: Hits::of(firsts).expect("the scores of a ranking are numbers") }
    }

    /// Takes out the hit of that passage, if there is one.
    pub fn remove(&mut self, passage: &str) {
        self.hits.remove(passage);
    }

    /// Keeps the first `depth` hits.
    pub fn truncate(&mut self, depth: usize) {
        self.hits.truncate(depth);
    }
}

impl Ties {
    /// Orders two hits, each a score with a passage, the better one first.
    pub fn order(self, a: (f64, &str), b: (f64, &str)) -> Ordering {
        let by_score = b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal);
        by_score.then_with(|| match self {
            Self::Docno => b.1.as_bytes().cmp(a.1.as_bytes()),
            Self::Input => Ordering::Equal,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(hits: &[(&str, f64)], ties: Ties) -> Result<Vec<String>, InvalidRanking> {
        let ranking = Ranking::new(Hits::of(hits.iter().copied())?, ties)?;
        Ok(ranking.hits().iter().map(|hit| hit.passage.to_owned()).collect())
    }

    #[test]
    fn ties_are_broken_by_descending_id_or_by_input_order() {
        let hits = [("d1", 1.0), ("d2", 2.0), ("d10", 1.0), ("é", 1.0)];
        assert_eq!(ranking(&hits, Ties::Docno).unwrap(), ["d2", "é", "d10", "d1"]);
        assert_eq!(ranking(&hits, Ties::Input).unwrap(), ["d2", "d1", "d10", "é"]);
    }

    #[test]
    fn a_document_stands_where_its_first_passage_does() {
        let hits = ["b#2", "a", "b#1", "c#1", "a#1"].map(|id| (id, 1.0));
        let ranking = Ranking::from_ordered(Hits::of(hits).unwrap()).unwrap();
        let documents = ranking.by_document(|id| id.split('#').next().unwrap());
        let ids: Vec<&str> = documents.hits().iter().map(|hit| hit.passage).collect();
        assert_eq!(ids, ["b", "a", "c"]);
        assert_eq!(ranking.by_document(|id| id), ranking);
    }

    #[test]
    fn a_ranking_has_numbers_and_no_passage_twice() {
        assert_eq!(
            ranking(&[("a", f64::NAN)], Ties::Docno),
            Err(InvalidRanking::NotANumber("a".to_owned()))
        );
        assert_eq!(
            ranking(&[("a", 1.0), ("a", 2.0)], Ties::Docno),
            Err(InvalidRanking::Duplicate("a".to_owned()))
        );
        let hits = ["b", "a", "c", "a", "b", "a"].map(|id| (id, 1.0));
        let duplicate = Err(InvalidRanking::Duplicate("a".to_owned()));
        assert_eq!(ranking(&hits, Ties::Input), duplicate);
        assert!(ranking(&[("a", f64::INFINITY), ("b", -0.0)], Ties::Docno).is_ok());
    }
}
