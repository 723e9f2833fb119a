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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::official::trec_eval::preferences::{Conflict, Stated};

    /// Lines `judge subgroup passage level`, and hits.
    fn preferences(hits: &str, lines: &[&str]) -> Result<Preferences, Conflict> {
        let stated = lines.iter().map(|line| {
            let [judge, subgroup, passage, level] =
                line.split(' ').collect::<Vec<_>>().try_into().unwrap();
            Stated {
                judge: str::to_owned(judge),
                subgroup: str::to_owned(subgroup),
                passage: str::to_owned(passage),
                level: str::parse(level).unwrap(),
            }
        });
        Preferences::new(&hits.split(' ').collect::<Vec<_>>(), &stated.collect::<Vec<_>>())
    }

    fn check(hits: &str, lines: &[&str], expected: &[(Measure, f64)]) {
        let preferences = preferences(hits, lines).unwrap();
        for &(measure, value) in expected {
            let found = preferences.value(measure);
            assert!((found - value).abs() < 1e-15, "{hits} {measure:?}: {found}, not {value}");
        }
    }

    /// Of three judges: one orders everything, one in two subgroups, of which it follows that `a`
    /// is preferred to `c`, and one orders what was not retrieved.
    const JUDGES: [&str; 10] = [
        "j1 s a 2",
        "j1 s b 1",
        "j1 s c 0",
        "j1 s d 0",
        "j2 s1 a 3",
        "j2 s1 e 1",
        "j2 s2 e 2",
        "j2 s2 c 1",
        "j3 s d 1",
        "j3 s e -0",
    ];

    #[test]
    fn preferences_are_counted() {
        check(
            "b x a c",
            &JUDGES,
            &[
                (Measure::Possible, 9.0),
                (Measure::Fulfilled(Scope::All), 6.0),
                (Measure::Fulfilled(Scope::Retrieved), 3.0),
                (Measure::Ratio(Scope::All), 6.0 / 9.0),
                (Measure::Ratio(Scope::Retrieved), 3.0 / 4.0),
                (Measure::Ratio(Scope::Implied), 6.0 / 8.0),
                (Measure::Judges(Scope::All), (4.0 / 5.0 + 2.0 / 3.0) / 3.0),
                (Measure::Judges(Scope::Retrieved), (2.0 / 3.0 + 1.0) / 3.0),
                (Measure::Judges(Scope::Implied), (4.0 / 5.0 + 2.0 / 3.0) / 3.0),
            ],
        );
    }

    #[test]
    fn a_pair_of_passages_counts_once() {
        check(
            "b x a c",
            &JUDGES,
            &[
                (Measure::Pairs(Scope::All), 5.0 / 8.0),
                (Measure::Pairs(Scope::Retrieved), 2.0 / 3.0),
                (Measure::Pairs(Scope::Implied), 5.0 / 7.0),
            ],
        );
        // Two judges of three.
        let lines = ["j1 s a 1", "j1 s b 0", "j2 s a 1", "j2 s b 0", "j3 s a 0", "j3 s b 1"];
        check("a b", &lines, &[(Measure::Pairs(Scope::All), 2.0 / 3.0)]);
    }

    #[test]
    fn nonrelevant_passages_are_as_many_as_relevant_ones() {
        // Judge 1 has 2 of each, judge 2 lacks 3: (2 + 2 * 3) of (3 + 3 * 3).
        let all = (4.0 / 5.0 + 8.0 / 12.0) / 3.0;
        check("b x a c", &JUDGES, &[(Measure::Balanced(Scope::All), all)]);
        // Of judge 3 nothing was retrieved, so that it has no value, and so there is none at all.
        check("b x a c", &JUDGES, &[(Measure::Balanced(Scope::Retrieved), 0.0)]);
        let retrieved = f64::midpoint(4.0 / 5.0, 5.0 / 7.0);
        check("b x a c", &JUDGES[..8], &[(Measure::Balanced(Scope::Retrieved), retrieved)]);
    }

    #[test]
    fn of_too_many_nonrelevant_passages_the_first_are_left() {
        // Of `b`, `c` and `d` only `b` is left, and those three are compared with it too.
        let complete = ["j s a 1", "j s b 0", "j s c 0", "j s d 0"];
        check(
            "a b c",
            &complete,
            &[
                (Measure::Balanced(Scope::All), 1.0 / 4.0),
                (Measure::Balanced(Scope::Retrieved), 1.0 / 3.0),
            ],
        );
        // Where the order is partial, they are not.
        let partial = ["j s1 a 1", "j s1 b 0", "j s2 a 1", "j s2 c 0", "j s3 a 1", "j s3 d 0"];
        for (hits, value) in [("c a b", 0.0), ("a c b", 1.0)] {
            check(
                hits,
                &partial,
                &[
                    (Measure::Balanced(Scope::All), value),
                    (Measure::Balanced(Scope::Retrieved), value),
                ],
            );
        }
    }

    #[test]
    fn judges_may_not_contradict_themselves() {
        for (lines, expected) in [
            (&["j s a 1", "j s b 0", "j s a 2"][..], Conflict::Levels("a".to_owned())),
            (
                &["j s1 a 1", "j s1 b 0", "j s2 b 2", "j s2 c 1"],
                Conflict::Relevance("b".to_owned()),
            ),
            (
                &["j s1 a 2", "j s1 b 1", "j s2 b 2", "j s2 c 1", "j s3 c 2", "j s3 a 1"],
                Conflict::Circle("a".to_owned(), "b".to_owned()),
            ),
        ] {
            assert_eq!(preferences("a b c", lines).unwrap_err(), expected);
        }
        // Judges may contradict one another.
        check("a b", &["j s a 1", "j s b 0", "k s a 0", "k s b 1"], &[(Measure::Possible, 2.0)]);
    }
}
