//! Scores by group: the mergeable state of every metric whose examples are not independent or
//! whose value is not a mean of examples.

use std::collections::BTreeMap;

use super::ExactSum;

/// The scored examples of one dialog or document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// How many examples are scored.
    pub n: u64,
    sum: ExactSum,
}

impl Group {
    /// Adds the score of one example.
    pub fn add(&mut self, score: f64) {
        self.n += 1;
        self.sum.add(score);
    }

    /// Adds the examples of another part of the same group.
    pub fn merge(&mut self, other: &Self) {
        self.n += other.n;
        self.sum.merge(&other.sum);
    }

    /// Sum of the scores.
    pub fn sum(&self) -> f64 {
        self.sum.value()
    }

    /// Mean of the scores; `None` without one.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum.mean(self.n))
    }
}

/// All groups of an evaluation or of a slice, by key. Two states merge into the state of both
/// parts together, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups<K: Ord> {
    groups: BTreeMap<K, Group>,
}

impl<K: Ord> Groups<K> {
    /// Adds the score of one example of group `key`.
    pub fn add(&mut self, key: K, score: f64) {
        self.groups.entry(key).or_default().add(score);
    }

    /// Adds what another part of the evaluation has seen.
    pub fn merge(&mut self, other: Self) {
        for (key, group) in other.groups {
            self.groups.entry(key).or_default().merge(&group);
        }
    }

    /// The groups in the order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Group> {
        self.groups.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Estimator, metrics::quac::HEQ_D};

    fn heq_d(groups: &Groups<&str>) -> Option<f64> {
        let Estimator::Groups(finish) = HEQ_D.estimator else { panic!("HEQ-D is no mean") };
        finish(&mut groups.iter())
    }

    #[test]
    fn two_shards_of_a_dialog_make_one_dialog() {
        let mut left = Groups::default();
        let mut right = Groups::default();
        for (key, score) in [("a", 1.0), ("b", 1.0)] {
            left.add(key, score);
        }
        for (key, score) in [("a", 0.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)] {
            right.add(key, score);
        }
        assert_eq!(heq_d(&left), Some(1.0));
        left.merge(right);
        assert_eq!(heq_d(&left), Some(0.75));
        assert_eq!(heq_d(&Groups::default()), None);
    }
}
