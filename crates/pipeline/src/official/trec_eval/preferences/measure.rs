//! The measures of preferences.

use super::{
    Counts, Judge, Preferences, Ratio, fulfilled,
    order::{Class, Order, Partial},
};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Measure {
    /// How many preferences there are.
    Possible,
    /// How many are fulfilled.
    Fulfilled(Scope),
    /// Their share.
    Ratio(Scope),
    /// The mean share over pairs of passages, of each among the judges.
    Pairs(Scope),
    /// The mean share over judges.
    Judges(Scope),
    /// The mean share over judges, of each with as many nonrelevant passages as relevant ones.
    Balanced(Scope),
}

/// Which preferences count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Scope {
    /// All.
    All,
    /// Those of two retrieved passages.
    Retrieved,
    /// Those of at least one.
    Implied,
}

impl Measure {
    /// Whether it is a whole number, of which the sum is printed.
    pub(in super::super) fn is_count(self) -> bool {
        matches!(self, Self::Possible | Self::Fulfilled(_))
    }
}

impl Preferences {
    /// The value of a measure; 0 where nothing is possible.
    pub(in super::super) fn value(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Possible => self.total(Scope::All).possible as f64,
            Measure::Fulfilled(scope) => self.total(scope).fulfilled as f64,
            Measure::Ratio(scope) => self.total(scope).or_zero(),
            Measure::Pairs(scope) => self.pairs(scope),
            Measure::Judges(scope) => self.mean(|judge| judge.counts.within(scope).or_zero()),
            Measure::Balanced(scope) => {
                self.mean(|judge| judge.balanced(scope == Scope::Retrieved, self.retrieved).value())
            }
        }
    }

    fn total(&self, scope: Scope) -> Ratio {
        let counts = self.judges.iter().map(|judge| judge.counts.within(scope));
        counts.fold(Ratio::default(), |sum, ratio| sum + ratio)
    }

    /// The mean over judges. The program leaves 0 where one of them has no value.
    fn mean(&self, value: impl Fn(&Judge) -> f64) -> f64 {
        let sum = self.judges.iter().map(value).fold(0.0, |sum, value| sum + value);
        if sum > 0.0 { sum / self.judges.len() as f64 } else { 0.0 }
    }

    /// The mean over pairs of passages. Sums go over pairs of which both were retrieved, then over
    /// those of which one was.
    fn pairs(&self, scope: Scope) -> f64 {
        let mut preferences: Vec<(u32, u32, bool)> = Vec::new();
        for judge in &self.judges {
            judge.order.each(|better, worse| {
                preferences.push((better.min(worse), better.max(worse), better < worse));
            });
        }
        preferences.sort_unstable();
        let pairs = || preferences.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
        let share = |pair: &[(u32, u32, bool)]| {
            let first = pair.iter().filter(|preference| preference.2).count();
            first as f64 / pair.len() as f64
        };
        let (mut sum, mut count) = (0.0, 0_usize);
        for pair in pairs().filter(|pair| pair[0].1 < self.retrieved) {
            sum += share(pair);
            count += 1;
        }
        if scope != Scope::Retrieved {
            let one = |pair: &&[(u32, u32, bool)]| {
                pair[0].0 < self.retrieved && pair[0].1 >= self.retrieved
            };
            for pair in pairs().filter(one) {
                sum += share(pair);
                count += 1;
            }
        }
        if scope == Scope::All {
            count += pairs().filter(|pair| pair[0].0 >= self.retrieved).count();
        }
        if count == 0 { 0.0 } else { sum / count as f64 }
    }
}

impl Counts {
    fn within(self, scope: Scope) -> Ratio {
        match scope {
            Scope::All => self.both + self.one + self.none,
            Scope::Retrieved => self.both,
            Scope::Implied => self.both + self.one,
        }
    }
}

impl Ratio {
    fn or_zero(self) -> f64 {
        if self.possible == 0 { 0.0 } else { self.value() }
    }
}

impl Judge {
    /// With as many nonrelevant passages as relevant ones: where they are fewer, each that lacks
    /// counts as if it stood behind all hits; where they are more, the first ones are taken.
    fn balanced(&self, only_retrieved: bool, retrieved: u32) -> Ratio {
        let (relevant, other) = if only_retrieved {
            (self.relevant.retrieved, self.other.retrieved)
        } else {
            (self.relevant.all, self.other.all)
        };
        if let Some(lacking) = relevant.checked_sub(other) {
            let scope = if only_retrieved { Scope::Retrieved } else { Scope::All };
            let added = Ratio {
                fulfilled: self.relevant.retrieved * lacking,
                possible: self.relevant.all * lacking,
            };
            return self.counts.within(scope) + added;
        }
        let mut ratio = Ratio::default();
        let mut count = |better: u32, worse: u32| {
            if !only_retrieved || better.max(worse) < retrieved {
                ratio.add(fulfilled(better, worse, retrieved));
            }
        };
        match &self.order {
            Order::Complete(classes) => limited(classes, relevant, &mut count),
            Order::Partial(partial) => {
                let kept = partial.kept(self.relevant.all);
                self.order.each(|better, worse| {
                    if kept(better) && kept(worse) {
                        count(better, worse);
                    }
                });
            }
        }
        ratio
    }
}

/// The preferences where the last class has so many passages only. The program compares the last
/// class with what is left of it too.
fn limited(classes: &[Class], relevant: usize, take: &mut impl FnMut(u32, u32)) {
    let Some((last, higher)) = classes.split_last() else { return };
    for (number, class) in higher.iter().enumerate() {
        for worse in &higher[number + 1..] {
            class.each_before(&worse.places, take);
        }
    }
    let left = &last.places[..relevant.min(last.places.len())];
    for class in classes {
        class.each_before(left, take);
    }
}

impl Partial {
    /// Which passages are left when there are so many nonrelevant ones.
    fn kept(&self, relevant: usize) -> impl Fn(u32) -> bool {
        let mut nonrelevant = (0_u32..).zip(&self.levels).filter(|(_, level)| **level == 0.0);
        let end = nonrelevant.nth(relevant).map_or(u32::MAX, |(place, _)| place);
        move |place| place < end || self.levels[place as usize] != 0.0
    }
}
