//! The hits of one query in little room: their ids in one text, and three numbers for each.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use qeval_core::{Hit, Ranking, Ties};

use crate::Problem;

/// Hits of one query.
#[derive(Clone, Debug, Default)]
pub(super) struct Hits {
    ids: String,
    hits: Vec<Packed>,
}

/// Where the id stands in the text, and the score.
#[derive(Clone, Copy, Debug)]
struct Packed {
    start: u32,
    end: u32,
    score: f64,
}

impl Packed {
    fn id(self, ids: &str) -> &str {
        &ids[self.start as usize..self.end as usize]
    }
}

impl Hits {
    pub(super) fn push(&mut self, passage: &str, score: f64) -> Result<(), Problem> {
        let place = |length: usize| {
            u32::try_from(length)
                .map_err(|_| Problem::new("the ids of the passages of one query take over 4 GiB"))
        };
        let start = place(self.ids.len())?;
        let end = place(self.ids.len() + passage.len())?;
        self.ids.push_str(passage);
        self.hits.push(Packed { start, end, score });
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.hits.clear();
    }

    /// Gives back the room that is not used.
    pub(super) fn shrink(&mut self) {
        self.ids.shrink_to_fit();
        self.hits.shrink_to_fit();
    }

    /// Puts the hits into the order of a ranking.
    pub(super) fn order(&mut self, ties: Ties) {
        let ids = self.ids.as_str();
        let compare =
            |a: &Packed, b: &Packed| ties.order((a.score, a.id(ids)), (b.score, b.id(ids)));
        // Most runs are written in this order.
        if !self.hits.is_sorted_by(|a, b| compare(a, b).is_le()) {
            self.hits.sort_by(compare);
        }
    }

    /// The first hits, which are in order and of different passages.
    pub(super) fn ranking(&self, depth: usize) -> Ranking {
        let hit =
            |packed: &Packed| Hit { passage: packed.id(&self.ids).to_owned(), score: packed.score };
        Ranking::from_distinct(self.hits.iter().take(depth).map(hit).collect())
    }
}

/// Finds passages that are there twice. One is used for many queries, so that its table is made
/// once.
#[derive(Default)]
pub(super) struct Twice {
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Twice {
    /// The first passage that is there for the second time.
    pub(super) fn find<'h>(&mut self, hits: &'h Hits) -> Option<&'h str> {
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
                hashbrown::hash_table::Entry::Occupied(_) => return Some(hit),
                hashbrown::hash_table::Entry::Vacant(vacant) => {
                    vacant.insert(place);
                }
            }
        }
        None
    }
}
