//! The order that one judge gives to passages.

use super::{Conflict, Placed};

/// Which passages a judge prefers to which, by their places.
#[derive(Debug)]
pub(super) enum Order {
    /// Of one subgroup: every passage of a class is preferred to every one of a later class.
    Complete(Vec<Class>),
    /// Of several subgroups.
    Partial(Partial),
}

/// Passages with the same level.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) level: f64,
    /// In ascending order.
    pub(super) places: Vec<u32>,
}

/// An order in which some passages are not compared.
#[derive(Debug)]
pub(super) struct Partial {
    pub(super) preferred: Relation,
    /// The level of each passage; -1 where the judge says nothing of it.
    pub(super) levels: Vec<f64>,
}

/// A set of pairs.
#[derive(Debug)]
pub(super) struct Relation {
    size: usize,
    /// How many words a row has.
    width: usize,
    bits: Vec<u64>,
}

impl Order {
    /// Of passages in the order of their subgroups, levels descending, and places.
    pub(super) fn new(placed: &[Placed<'_>], passages: &[&str]) -> Result<Self, Conflict> {
        let subgroups = placed.chunk_by(|a, b| a.subgroup == b.subgroup);
        if subgroups.clone().nth(1).is_none() {
            return complete(placed, passages).map(Self::Complete);
        }
        let mut partial = Partial {
            preferred: Relation::new(passages.len()),
            levels: vec![-1.0; passages.len()],
        };
        for subgroup in subgroups {
            partial.add(subgroup)?;
        }
        partial.preferred.close();
        match partial.preferred.circle() {
            Some((a, b)) => Err(Conflict::Circle(passages[a].to_owned(), passages[b].to_owned())),
            None => Ok(Self::Partial(partial)),
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        matches!(self, Self::Complete(_))
    }

    /// Each preference, the better passage first.
    pub(super) fn each(&self, mut take: impl FnMut(u32, u32)) {
        match self {
            Self::Complete(classes) => {
                for (number, class) in classes.iter().enumerate() {
                    for worse in &classes[number + 1..] {
                        class.each_before(&worse.places, &mut take);
                    }
                }
            }
            Self::Partial(partial) => {
                for better in 0..partial.levels.len() {
                    partial.preferred.row(better).for_each(|worse| take(place(better), worse));
                }
            }
        }
    }

    /// Each passage of which the judge says something, with its level.
    pub(super) fn each_level(&self, mut take: impl FnMut(u32, f64)) {
        match self {
            Self::Complete(classes) => {
                for class in classes {
                    for &place in &class.places {
                        take(place, class.level);
                    }
                }
            }
            Self::Partial(partial) => {
                (0..).zip(&partial.levels).for_each(|(place, &level)| take(place, level));
            }
        }
    }
}

fn complete(placed: &[Placed<'_>], passages: &[&str]) -> Result<Vec<Class>, Conflict> {
    #[expect(clippy::float_cmp, reason = "a level is the same or it is another one")]
    let classes = placed.chunk_by(|a, b| a.level == b.level);
    let mut seen = vec![None; passages.len()];
    let mut orders = Vec::new();
    for (number, class) in classes.enumerate() {
        for placed in class {
            let before = seen[placed.place as usize].replace(number);
            if before.is_some_and(|before| before != number) {
                return Err(Conflict::Levels(placed.passage.to_owned()));
            }
        }
        let places = class.iter().map(|placed| placed.place).collect();
        orders.push(Class { level: class[0].level, places });
    }
    Ok(orders)
}

impl Class {
    /// Each pair of a passage of this class and one of those.
    pub(super) fn each_before(&self, others: &[u32], take: &mut impl FnMut(u32, u32)) {
        for &better in &self.places {
            for &worse in others {
                take(better, worse);
            }
        }
    }
}

impl Partial {
    fn add(&mut self, subgroup: &[Placed<'_>]) -> Result<(), Conflict> {
        for (number, better) in subgroup.iter().enumerate() {
            let level = &mut self.levels[better.place as usize];
            if (*level > 0.0 && better.level == 0.0) || (*level == 0.0 && better.level > 0.0) {
                return Err(Conflict::Relevance(better.passage.to_owned()));
            }
            *level = better.level;
            for worse in subgroup[number..].iter().filter(|worse| worse.level < better.level) {
                self.preferred.insert(better.place as usize, worse.place as usize);
            }
        }
        Ok(())
    }
}

impl Relation {
    fn new(size: usize) -> Self {
        let width = size.div_ceil(64);
        Self { size, width, bits: vec![0; size * width] }
    }

    fn insert(&mut self, a: usize, b: usize) {
        self.bits[a * self.width + b / 64] |= 1 << (b % 64);
    }

    fn contains(&self, a: usize, b: usize) -> bool {
        self.bits[a * self.width + b / 64] >> (b % 64) & 1 == 1
    }

    /// What `a` is paired with, in ascending order.
    fn row(&self, a: usize) -> impl Iterator<Item = u32> {
        (0..self.size).filter(move |&b| self.contains(a, b)).map(place)
    }

    /// Adds what follows: a pair of `a` and `c` where there are one of `a` and `b` and one of `b`
    /// and `c`. Nothing is paired with itself.
    fn close(&mut self) {
        for b in 0..self.size {
            let row = self.bits[b * self.width..][..self.width].to_vec();
            for a in (0..self.size).filter(|&a| a != b) {
                if self.contains(a, b) {
                    let to = &mut self.bits[a * self.width..][..self.width];
                    to.iter_mut().zip(&row).for_each(|(to, from)| *to |= from);
                }
            }
        }
        for a in 0..self.size {
            self.bits[a * self.width + a / 64] &= !(1 << (a % 64));
        }
    }

    /// Two that are paired both ways.
    fn circle(&self) -> Option<(usize, usize)> {
        let pairs = (0..self.size).flat_map(|a| (0..a).map(move |b| (b, a)));
        pairs.into_iter().find(|&(a, b)| self.contains(a, b) && self.contains(b, a))
    }
}

/// A place as it is kept.
fn place(index: usize) -> u32 {
    u32::try_from(index).expect("passages are counted in 32 bits")
}
