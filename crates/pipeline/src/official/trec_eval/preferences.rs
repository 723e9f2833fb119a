//! What judges prefer to what, and how far the order of the hits agrees with it.
//!
//! A judge orders the passages of a subgroup by level, and prefers a higher level to a lower one. With
//! several subgroups the order is partial, and what follows from two preferences is a preference too.
//! A preference is fulfilled where the better passage stands before the other one; a passage that
//! was not retrieved stands behind all that were. Where neither was retrieved it is not fulfilled.

mod measure;
mod order;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use self::measure::{Measure, Scope};
use self::order::Order;

/// A line of the judgments of one topic.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    pub(super) judge: String,
    pub(super) subgroup: String,
    pub(super) passage: String,
    /// Which is a number.
    pub(super) level: f64,
}

/// The preferences in one topic, and the hits that they are of.
#[derive(Debug)]
pub(super) struct Preferences {
    judges: Vec<Judge>,
    /// How many judged passages were retrieved; they have the places below it.
    retrieved: u32,
}

/// What one judge says.
#[derive(Debug)]
struct Judge {
    order: Order,
    counts: Counts,
    /// How many passages have a positive level.
    relevant: Found,
    /// How many have another one.
    other: Found,
}

/// A number of passages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    all: usize,
    retrieved: usize,
}

/// A passage with a level, by its place: that among the judged hits, and behind them those that were
/// not retrieved, by ascending id.
#[derive(Clone, Copy, Debug)]
struct Placed<'a> {
    subgroup: &'a str,
    passage: &'a str,
    level: f64,
    place: u32,
}

/// How many preferences there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Both passages were retrieved.
    both: Ratio,
    /// One of them was.
    one: Ratio,
    /// None was.
    none: Ratio,
}

/// How many preferences are fulfilled, of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ratio {
    fulfilled: usize,
    possible: usize,
}

/// Judgments that contradict themselves, where the program stops.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Conflict {
    /// Within one subgroup.
    #[error("`{0}` has two levels in one subgroup of a judge")]
    Levels(String),
    /// Between subgroups.
    #[error("`{0}` has the level 0 and a positive one from the same judge")]
    Relevance(String),
    /// Through several preferences.
    #[error("a judge prefers `{0}` to `{1}`, and `{1}` to `{0}`")]
    Circle(String, String),
}

impl Preferences {
    /// The preferences that are stated, with the hits best first.
    pub(super) fn new(hits: &[&str], stated: &[Stated]) -> Result<Self, Conflict> {
        let judged: BTreeSet<&str> = stated.iter().map(|line| line.passage.as_str()).collect();
        let hits: Vec<&str> = hits.iter().copied().filter(|hit| judged.contains(hit)).collect();
        let mut places: BTreeMap<&str, u32> = hits.iter().copied().zip(0..).collect();
        let others: Vec<&str> =
            judged.into_iter().filter(|passage| !places.contains_key(passage)).collect();
        let mut passages = hits;
        let retrieved = u32::try_from(places.len()).expect("passages are counted in 32 bits");
        places.extend(others.iter().copied().zip(retrieved..));
        passages.extend(others);

        let mut judges: BTreeMap<&str, Vec<Placed<'_>>> = BTreeMap::new();
        for Stated { judge, subgroup, passage, level } in stated {
            let place = places[passage.as_str()];
            // Minus 0 is 0.
            let placed = Placed { subgroup, passage, level: level + 0.0, place };
            judges.entry(judge).or_default().push(placed);
        }
        let judges = judges.into_values().map(|placed| Judge::new(placed, &passages, retrieved));
        Ok(Self { judges: judges.collect::<Result<_, _>>()?, retrieved })
    }
}

impl Judge {
    fn new(
        mut placed: Vec<Placed<'_>>,
        passages: &[&str],
        retrieved: u32,
    ) -> Result<Self, Conflict> {
        placed.sort_by(|a, b| {
            let by_level = || b.level.total_cmp(&a.level);
            a.subgroup.cmp(b.subgroup).then_with(by_level).then(a.place.cmp(&b.place))
        });
        let order = Order::new(&placed, passages)?;
        let mut counts = Counts::default();
        order.each(|better, worse| counts.add(better, worse, retrieved));
        let (mut relevant, mut other) = (Found::default(), Found::default());
        order.each_level(|place, level| {
            if level > 0.0 {
                relevant.add(place, retrieved);
            } else if level == 0.0 || order.is_complete() {
                other.add(place, retrieved);
            }
        });
        Ok(Self { order, counts, relevant, other })
    }
}

impl Found {
    fn add(&mut self, place: u32, retrieved: u32) {
        self.all += 1;
        self.retrieved += usize::from(place < retrieved);
    }
}

impl Counts {
    fn add(&mut self, better: u32, worse: u32, retrieved: u32) {
        let ratio = match (better < retrieved, worse < retrieved) {
            (true, true) => &mut self.both,
            (false, false) => &mut self.none,
            _ => &mut self.one,
        };
        ratio.add(fulfilled(better, worse, retrieved));
    }
}

impl Ratio {
    fn add(&mut self, fulfilled: bool) {
        self.possible += 1;
        self.fulfilled += usize::from(fulfilled);
    }

    /// NaN where nothing is possible.
    fn value(self) -> f64 {
        self.fulfilled as f64 / self.possible as f64
    }
}

impl std::ops::Add for Ratio {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            fulfilled: self.fulfilled + other.fulfilled,
            possible: self.possible + other.possible,
        }
    }
}

/// Whether the hits have the better passage first.
fn fulfilled(better: u32, worse: u32, retrieved: u32) -> bool {
    better < worse && better < retrieved
}
