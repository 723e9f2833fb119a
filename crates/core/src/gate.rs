//! Gates: whether a number is good enough, as far as the data can tell.
//!
//! A mean above a limit proves little on forty examples. So a limit is held against the interval of
//! the number: it passes where all of the interval is on the right side, fails where all of it is on
//! the wrong one, and is undecided otherwise.

use crate::{
    Estimate,
    stats::{Change, NonInferiority, non_inferior},
};

/// A limit on one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// It is to be so much or more.
    AtLeast(f64),
    /// It is to be so much or less.
    AtMost(f64),
}

/// What the data say about a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is kept.
    Pass,
    /// It is not.
    Fail,
    /// So few examples do not tell.
    Undecided,
}

impl Decision {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undecided => "undecided",
        }
    }
}

/// Whether a number keeps its limit. The ends of the interval count as part of it, and the limit as kept.
/// A number without an interval fails on the wrong side of the limit, and is undecided on the other.
pub fn decide(estimate: &Estimate, limit: Limit) -> Decision {
    let Some(interval) = estimate.interval else {
        let misses = estimate.mean.is_some_and(|mean| match limit {
            Limit::AtLeast(limit) => mean < limit,
            Limit::AtMost(limit) => mean > limit,
        });
        return if misses { Decision::Fail } else { Decision::Undecided };
    };
    let (surely, hardly) = match limit {
        Limit::AtLeast(limit) => (interval.low >= limit, interval.high < limit),
        Limit::AtMost(limit) => (interval.high <= limit, interval.low > limit),
    };
    match (surely, hardly) {
        (true, _) => Decision::Pass,
        (_, true) => Decision::Fail,
        (false, false) => Decision::Undecided,
    }
}

/// Whether a system is no worse than its baseline, which comes first in `change`, but for `margin`.
pub fn decide_against(change: &Change, margin: f64, higher_is_better: bool) -> Decision {
    match non_inferior(change, margin, higher_is_better) {
        NonInferiority::Yes => Decision::Pass,
        NonInferiority::No => Decision::Fail,
        NonInferiority::Undecided => Decision::Undecided,
    }
}

/// Whether more is unscored than a share allows: `failed` of `n + failed` examples have no score
/// because something failed.
pub fn too_much_unscored(n: u64, failed: u64, most: f64) -> bool {
    failed as f64 > most * (n + failed) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Unit, paired, wilson};

    #[test]
    fn a_limit_is_held_against_the_interval() {
        let estimate =
            |right| Estimate { n: 100, interval: wilson(right, 100), ..Estimate::default() };
        // From 0.71 to 0.87.
        let found = estimate(80);
        for (limit, expected) in [
            (Limit::AtLeast(0.7), Decision::Pass),
            (Limit::AtLeast(0.8), Decision::Undecided),
            (Limit::AtLeast(0.9), Decision::Fail),
            (Limit::AtMost(0.9), Decision::Pass),
            (Limit::AtMost(0.8), Decision::Undecided),
            (Limit::AtMost(0.7), Decision::Fail),
        ] {
            assert_eq!(decide(&found, limit), expected, "{limit:?}");
        }
        assert_eq!(decide(&estimate(100), Limit::AtMost(1.0)), Decision::Pass);
        assert_eq!(decide(&Estimate::default(), Limit::AtLeast(0.0)), Decision::Undecided);
        // A BLEU of 0 has no interval, and is no 30.
        let bare = Estimate { n: 50, mean: Some(0.0), ..Estimate::default() };
        assert_eq!(decide(&bare, Limit::AtLeast(30.0)), Decision::Fail);
        assert_eq!(decide(&bare, Limit::AtMost(30.0)), Decision::Undecided);
    }

    #[test]
    fn a_baseline_is_held_against_the_interval_of_the_difference() {
        let units: Vec<Unit> = (0..100)
            .map(|i| Unit { n: 1, before: 0.5, after: 0.45 + f64::from(i % 2) / 100.0 })
            .collect();
        let change = paired(&units, 7).unwrap();
        assert_eq!(decide_against(&change, 0.1, true), Decision::Pass);
        assert_eq!(decide_against(&change, 0.01, true), Decision::Fail);
        assert_eq!(decide_against(&change, 0.045, true), Decision::Undecided);
        assert_eq!(decide_against(&change, 0.0, false), Decision::Pass);
    }

    #[test]
    fn what_failed_is_not_forgiven() {
        assert!(!too_much_unscored(100, 0, 0.0));
        assert!(too_much_unscored(99, 1, 0.0));
        assert!(!too_much_unscored(98, 2, 0.02));
        assert!(too_much_unscored(97, 3, 0.02));
    }
}
