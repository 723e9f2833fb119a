//! Whether a system is no worse than another, but for a margin.

use super::Change;

/// What the interval of a difference says about a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonInferiority {
    /// The second system is worse by less than the margin, or better: all of the interval says so.
    Yes,
    /// It is worse by more than the margin: all of the interval says so.
    No,
    /// The interval holds both, or there is none.
    Undecided,
}

/// Whether the second system is no worse than the first but for `margin`, which is 0 or more, in
/// units of the metric.
///
/// Decided on one end of the interval of the difference. It is the end of a two-sided 95 %
/// interval, so the probability of a wrong `Yes` is at most 2.5 %, as is usual for such a claim. A
/// difference of exactly the margin is not yet too much: with a margin of 0, two systems that never
/// differ give `Yes`.
pub fn non_inferior(change: &Change, margin: f64, higher_is_better: bool) -> NonInferiority {
    let Some(interval) = change.interval else { return NonInferiority::Undecided };
    // From the worst that the second system may have gained to the best.
    let (worst, best) = if higher_is_better {
        (interval.low, interval.high)
    } else {
        (-interval.high, -interval.low)
    };
    if worst >= -margin {
        NonInferiority::Yes
    } else if best < -margin {
        NonInferiority::No
    } else {
        NonInferiority::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Unit, paired};

    /// A hundred units whose differences are near `by`.
    fn change(by: f64) -> Change {
        let after = |i: u32| by + f64::from(i % 2) / 100.0 - 0.005;
        let unit = |i| Unit { n: 1, before: 0.0, after: after(i) };
        paired(&(0..100).map(unit).collect::<Vec<_>>(), 7).unwrap()
    }

    #[test]
    fn the_margin_is_on_the_worse_side() {
        use NonInferiority::{No, Undecided, Yes};
        for (by, margin, higher_is_better, expected) in [
            (-0.05, 0.1, true, Yes),
            (-0.05, 0.05, true, Undecided),
            (-0.05, 0.01, true, No),
            (0.05, 0.01, true, Yes),
            (0.05, 0.01, false, No),
            (0.05, 0.1, false, Yes),
            (-0.05, 0.0, false, Yes),
        ] {
            assert_eq!(non_inferior(&change(by), margin, higher_is_better), expected, "{by}");
        }
        let few = paired(&[Unit { n: 1, before: 0.0, after: 1.0 }], 7).unwrap();
        assert_eq!(non_inferior(&few, 1.0, true), Undecided);
    }
}
