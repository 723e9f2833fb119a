//! Hits in little room: their ids in one text, and three numbers for each. A run of a large
//! evaluation has ten million of them.

use std::{fmt, hash::BuildHasher};

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};

use super::{InvalidRanking, Ties};

/// A retrieved passage with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<'a> {
    /// Id of the passage.
    pub passage: &'a str,
    /// The retriever's score; higher is better, never NaN.
    pub score: f64,
}

/// The hits of one query, in any order. One is filled hit by hit, and then made a ranking.
#[derive(Clone, Default)]
pub struct Hits {
    ids: String,
    hits: Vec<Packed>,
}

/// Where the id stands in the text, and the score.
#[derive(Clone, Copy)]
struct Packed {
    start: usize,
    end: usize,
    score: f64,
}

impl Packed {
    fn id(self, ids: &str) -> &str {
        &ids[self.start..self.end]
    }
}

impl Hits {
    /// Hits from passages with their scores.
    pub fn of<P: AsRef<str>>(
        hits: impl IntoIterator<Item = (P, f64)>,
    ) -> Result<Self, InvalidRanking> {
        let hits = hits.into_iter();
        let mut all = Self::with_capacity(hits.size_hint().0);
        for (passage, score) in hits {
            all.push(passage.as_ref(), score)?;
        }
        Ok(all)
    }

    /// None yet, with room for so many.
    fn with_capacity(length: usize) -> Self {
        const USUAL_ID: usize = 10;
        Self { ids: String::with_capacity(length * USUAL_ID), hits: Vec::with_capacity(length) }
    }

    /// Adds a hit, whose score must be a number.
    pub fn push(&mut self, passage: &str, score: f64) -> Result<(), InvalidRanking> {
        if score.is_nan() {
            return Err(InvalidRanking::NotANumber(passage.to_owned()));
        }
        self.add(passage, score);
        Ok(())
    }

    fn add(&mut self, passage: &str, score: f64) {
        let start = self.ids.len();
        self.ids.push_str(passage);
        self.hits.push(Packed { start, end: self.ids.len(), score });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.hits.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    /// The hits in their order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Hit<'_>> + ExactSizeIterator + Clone {
        let hit = |packed: &Packed| Hit { passage: packed.id(&self.ids), score: packed.score };
        self.hits.iter().map(hit)
    }

    /// The hit at a place from 0.
    pub fn get(&self, place: usize) -> Option<Hit<'_>> {
        self.iter().nth(place)
    }

    /// Removes all, and keeps the room.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.hits.clear();
    }

    /// Keeps the first ones.
    pub fn truncate(&mut self, length: usize) {
        self.hits.truncate(length);
    }

    /// Gives back the room that is not used.
    pub fn shrink_to_fit(&mut self) {
        self.ids.shrink_to_fit();
        self.hits.shrink_to_fit();
    }

    /// Puts them into the order of a ranking.
    pub fn order(&mut self, ties: Ties) {
        let ids = self.ids.as_str();
        let compare =
            |a: &Packed, b: &Packed| ties.order((a.score, a.id(ids)), (b.score, b.id(ids)));
        // Most runs are written in this order.
        if !self.hits.is_sorted_by(|a, b| compare(a, b).is_le()) {
            self.hits.sort_by(compare);
        }
    }

    /// A copy of the first ones.
    #[must_use]
    pub fn first(&self, length: usize) -> Self {
        let mut first = Self::with_capacity(length.min(self.len()));
        for hit in self.iter().take(length) {
            first.add(hit.passage, hit.score);
        }
        first
    }

    /// Removes the hits of a passage.
    pub fn remove(&mut self, passage: &str) {
        self.hits.retain(|hit| hit.id(&self.ids) != passage);
    }
}

impl PartialEq for Hits {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Hits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

/// Finds passages that are there twice. One is used for many queries, so that its table is made
/// once.
#[derive(Default)]
pub struct Duplicates {
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Duplicates {
    /// The first passage that is there for the second time.
    pub fn first<'h>(&mut self, hits: &'h Hits) -> Option<&'h str> {
        let Self { places, hasher } = self;
        let Hits { ids, hits } = hits;
        let hash = |id: &str| hasher.hash_one(id);
        let id = |place: u32| hits[place as usize].id(ids);
        places.clear();
        places.reserve(hits.len(), |&place| hash(id(place)));
        for (place, hit) in (0..).zip(hits) {
            let hit = hit.id(ids);
            let entry = places.entry(hash(hit), |&other| id(other) == hit, |&p| hash(id(p)));
            match entry {
                Entry::Occupied(_) => return Some(hit),
                Entry::Vacant(vacant) => {
                    vacant.insert(place);
                }
            }
        }
        None
    }
}
