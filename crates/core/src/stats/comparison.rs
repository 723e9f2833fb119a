//! All that is said of two systems on one metric.

use super::{
    Change, McNemar, Permutation, change, mcnemar, needed, paired,
    permutation::{self, Differences},
    power::POWER,
    units,
};
use crate::stats::LEVEL;

/// The scores of two systems on the same examples.
#[derive(Clone, Copy, Debug)]
pub struct PairedColumn<'a> {
    /// The score that each example has with the first system.
    pub before: &'a [f64],
    /// With the second system, in the same order.
    pub after: &'a [f64],
    /// For each example the number of its dialog or document; examples with the same number are
    /// not independent. `None` where all are.
    pub groups: Option<&'a [u32]>,
    /// Whether a higher score is a better one.
    pub higher_is_better: bool,
    /// Seed of what is drawn by lot.
    pub seed: u64,
    /// Ways to give signs that the test draws; see [`sign_flip`](super::sign_flip).
    pub permutations: u32,
    /// How many it draws where the p-value is small; see
    /// [`sign_flip_up_to`](super::sign_flip_up_to).
    pub most_permutations: u32,
}

/// Two systems on one metric and the same examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Both means, their difference (the second less the first) and its interval.
    pub change: Change,
    /// Independent units: examples, or their groups.
    pub units: u64,
    /// The paired randomisation test, which the p-value is taken from.
    pub permutation: Permutation,
    /// How the second system does on single examples; `None` for a metric that is no mean of them.
    pub outcomes: Option<Outcomes>,
    /// Cohen's d of paired data: the difference, in standard deviations of the differences of
    /// single units. `None` where they do not vary or are fewer than six.
    pub effect_size: Option<f64>,
    /// McNemar's test, where all scores are 0 or 1 and the examples are independent.
    pub mcnemar: Option<McNemar>,
    /// How many units would show a true difference as large as this one with a probability of 80 %
    /// at a level of 5 %. `None` where nothing differs or the units are fewer than six.
    pub needed: Option<u64>,
}

/// On how many examples the second system is better, alike and worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcomes {
    /// Better.
    pub wins: u64,
    /// Alike, but for rounding.
    pub ties: u64,
    /// Worse.
    pub losses: u64,
}

impl Comparison {
    /// Whether the two systems differ in anything that is compared.
    pub fn is_tested(&self) -> bool {
        match self.outcomes {
            Some(outcomes) => outcomes.wins + outcomes.losses > 0,
            None => self.change.difference() != 0.0,
        }
    }
}

/// Compares two systems; `None` without an example, and where a score is no number.
///
/// The result depends on the seed and the multiset of the examples with their groups, not on the
/// order of the examples or the numbers of the groups.
pub fn compare(of: &PairedColumn<'_>) -> Option<Comparison> {
    let units = units(of.before, of.after, of.groups);
    let differences = Differences::of(&units)?;
    let change = paired(&units, of.seed)?;
    let (better, ties, worse) = signs(of);
    let (wins, losses) = if of.higher_is_better { (better, worse) } else { (worse, better) };
    let count = units.len() as u64;
    let stddev = change.error.map(|error| error * (count as f64).sqrt());
    let varied = stddev.filter(|&stddev| stddev > 0.0);
    Some(Comparison {
        change,
        units: count,
        permutation: permutation::test(
            &differences,
            of.seed,
            of.permutations,
            of.most_permutations,
        ),
        outcomes: Some(Outcomes { wins, ties, losses }),
        effect_size: varied.map(|stddev| change.difference() / stddev),
        mcnemar: if of.groups.is_none() { discordant(of) } else { None },
        // Fewer than six units show nothing to an exact test.
        needed: stddev
            .and_then(|s| needed(change.difference(), s, 1.0 - LEVEL, POWER))
            .map(|needed| needed.max(change::FEWEST as u64)),
    })
}

/// On how many examples the second score is higher, alike and lower.
fn signs(of: &PairedColumn<'_>) -> (u64, u64, u64) {
    let pairs = || of.before.iter().zip(of.after);
    let largest = pairs().fold(0.0_f64, |largest, (b, a)| largest.max(b.abs()).max(a.abs()));
    let rounding = largest * permutation::ROUNDING;
    let (mut higher, mut lower) = (0, 0);
    for (&before, &after) in pairs() {
        higher += u64::from(after > before + rounding);
        lower += u64::from(before > after + rounding);
    }
    (higher, pairs().len() as u64 - higher - lower, lower)
}

/// McNemar's test, where all scores are 0 or 1.
#[expect(clippy::float_cmp, reason = "a share is made of exact zeros and ones")]
fn discordant(of: &PairedColumn<'_>) -> Option<McNemar> {
    let (mut first, mut second) = (0, 0);
    for (&before, &after) in of.before.iter().zip(of.after) {
        if (before != 0.0 && before != 1.0) || (after != 0.0 && after != 1.0) {
            return None;
        }
        first += u64::from(before > after);
        second += u64::from(after > before);
    }
    Some(mcnemar(first, second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::PERMUTATIONS;

    fn outcomes(of: &Comparison) -> (u64, u64, u64) {
        let Outcomes { wins, ties, losses } = of.outcomes.unwrap();
        (wins, ties, losses)
    }

    fn column<'a>(before: &'a [f64], after: &'a [f64]) -> PairedColumn<'a> {
        PairedColumn {
            before,
            after,
            groups: None,
            higher_is_better: true,
            seed: 7,
            permutations: PERMUTATIONS,
            most_permutations: PERMUTATIONS,
        }
    }

    #[test]
    fn zeros_and_ones_have_both_tests() {
        let before: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let after: Vec<f64> = (0..100).map(|i| f64::from(i % 5 % 2)).collect();
        let comparison = compare(&column(&before, &after)).unwrap();
        let test = comparison.mcnemar.unwrap();
        assert_eq!((test.only_first, test.only_second), (30, 20));
        assert_eq!((test.p, true), (comparison.permutation.p, comparison.permutation.exact));
        assert_eq!(outcomes(&comparison), (20, 50, 30));
        let lower = PairedColumn { higher_is_better: false, ..column(&before, &after) };
        let lower = compare(&lower).unwrap();
        assert_eq!(outcomes(&lower), (30, 50, 20));
        assert_eq!(lower.permutation, comparison.permutation);
        // Fifty differences of 1 or -1 with a mean of -0.1 over 100.
        let stddev = (0.49_f64 * 100.0 / 99.0).sqrt();
        assert!((comparison.effect_size.unwrap() + 0.1 / stddev).abs() < 1e-12);
        let needed = (2.801_585 * stddev / 0.1).powi(2) + 1.92;
        assert!((comparison.needed.unwrap() as f64 - needed.ceil()).abs() < 1.5);
    }

    #[test]
    fn both_orders_give_one_p_value() {
        let before: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 61) / 61.0).collect();
        let after: Vec<f64> = (0..60).map(|i| f64::from(i * 17 % 59) / 55.0).collect();
        let there = compare(&column(&before, &after)).unwrap();
        let back = compare(&column(&after, &before)).unwrap();
        assert_eq!(there.permutation, back.permutation);
        assert!((there.change.difference() + back.change.difference()).abs() < 1e-15);
        let (wins, ties, losses) = outcomes(&back);
        assert_eq!(outcomes(&there), (losses, ties, wins));
        assert_eq!((there.mcnemar, there.needed), (None, back.needed));
    }

    #[test]
    fn groups_are_the_units() {
        let before = [0.0; 12];
        let after = [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0];
        let groups = [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6];
        let grouped = PairedColumn { groups: Some(&groups), ..column(&before, &after) };
        let comparison = compare(&grouped).unwrap();
        assert_eq!((comparison.units, comparison.change.n), (7, 12));
        assert_eq!(outcomes(&comparison), (8, 4, 0));
        assert_eq!(comparison.mcnemar, None);
        // Sums of 2, 2, 1, 1, 1, 1 and 0: only all on one side lie so far out.
        assert_eq!((comparison.permutation.p, comparison.permutation.exact), (2.0 / 64.0, true));
        let names: Vec<u32> = groups.iter().rev().map(|group| 90 - group).collect();
        let after: Vec<f64> = after.iter().rev().copied().collect();
        let other = PairedColumn { groups: Some(&names), ..column(&before, &after) };
        assert_eq!(compare(&other), Some(comparison));
    }

    #[test]
    fn what_never_differs_has_no_effect() {
        let scores: Vec<f64> = (0..30).map(|i| f64::from(i) / 30.0).collect();
        let comparison = compare(&column(&scores, &scores)).unwrap();
        assert_eq!((comparison.permutation.p, outcomes(&comparison).1), (1.0, 30));
        assert_eq!((comparison.effect_size, comparison.needed), (None, None));
        // One third in two ways is one third.
        let other: Vec<f64> = scores.iter().map(|score| 1.0 - (1.0 - score)).collect();
        let comparison = compare(&column(&scores, &other)).unwrap();
        assert_eq!((comparison.permutation.p, outcomes(&comparison).1), (1.0, 30));
        assert_eq!(compare(&column(&[], &[])), None);
        assert_eq!(compare(&column(&[f64::NAN], &[1.0])), None);
    }
}
