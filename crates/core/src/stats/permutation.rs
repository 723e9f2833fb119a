//! Whether two systems differ on the same examples: the paired randomisation test.
//!
//! If they do not differ, it is a coin that decides which of the two scores of an independent unit
//! is whose. So the difference of each unit keeps its size and gets its sign by lot, and the
//! p-value is the share of all ways to give signs whose sum lies as far from 0 as the sum that was
//! seen, on either side. The examples of one dialog or document change sides together.
//!
//! Fisher, "The Design of Experiments" (1935); Smucker, Allan and Carterette, "A Comparison of
//! Statistical Significance Tests for Information Retrieval Evaluation" (2007).

mod coins;
mod differences;
mod flips;
#[cfg(test)]
mod simulated;

pub(super) use differences::Differences;
use flips::Flips;

use super::{Unit, distributions::coin_p};

/// Ways to give signs that are drawn where there are too many to look at each.
pub const PERMUTATIONS: u32 = 10_000;

/// The most that are drawn, where a p-value is too small for fewer.
pub const MOST_PERMUTATIONS: u32 = 1_000_000;

/// The part of the largest score below which a difference is rounding.
pub(super) const ROUNDING: f64 = 1.0 / (1_u64 << 45) as f64;

/// Differences up to which all ways to give them signs are looked at.
const FEW: usize = 20;

/// If fewer drawn sums than this lie as far out as the one that was seen, more are drawn.
const ENOUGH: u64 = 20;

/// The result of a paired randomisation test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Permutation {
    /// The p-value, two-sided, above 0 and at most 1.
    pub p: f64,
    /// Whether it counts all ways to give signs, and not a sample of them.
    pub exact: bool,
    /// How many were drawn; 0 where the p-value is exact.
    pub permutations: u64,
}

/// The paired randomisation test on the sum of the differences; `None` without a unit.
///
/// It is exact up to 20 units that differ, and where all that differ do so by the same amount, as
/// scores of 0 and 1 do. Otherwise `permutations` ways to give signs are drawn, and with `b` of
/// them as far out as what was seen, p = (b + 1) / (`permutations` + 1): never 0, and never too
/// small on average (Phipson and Smyth, "Permutation P-values Should Never Be Zero", 2010).
///
/// The result depends on the seed and the multiset of the units. It is the same for A against B
/// and for B against A. Sums that are equal but for rounding count as equal.
pub fn sign_flip(units: &[Unit], seed: u64, permutations: u32) -> Option<Permutation> {
    sign_flip_up_to(units, seed, permutations, permutations)
}

/// As [`sign_flip`], but where fewer than 20 of the drawn sums lie as far out as what was seen, ten
/// times as many are drawn, and so on, up to `most`.
///
/// A p-value near 1 / (`permutations` + 1) says only that it is small, and a correction for many
/// comparisons needs to know how small; see [`permutations_for`]. The p-value stays valid: one that
/// is at most `a` after the last draws was also so after those draws that could first show an `a`.
pub fn sign_flip_up_to(
    units: &[Unit],
    seed: u64,
    permutations: u32,
    most: u32,
) -> Option<Permutation> {
    Differences::of(units).map(|differences| test(&differences, seed, permutations, most))
}

/// How many ways to give signs must be drawn at most, so that a correction for so many comparisons
/// can leave p-values far below 0.05: from [`PERMUTATIONS`] to [`MOST_PERMUTATIONS`].
pub fn permutations_for(comparisons: usize) -> u32 {
    // The smallest p-value times their number is 0.005.
    u32::try_from(comparisons.saturating_mul(200))
        .unwrap_or(MOST_PERMUTATIONS)
        .clamp(PERMUTATIONS, MOST_PERMUTATIONS)
}

pub(super) fn test(
    differences: &Differences,
    seed: u64,
    permutations: u32,
    most: u32,
) -> Permutation {
    let exact = |p| Permutation { p, exact: true, permutations: 0 };
    let sizes = &differences.sizes;
    match (sizes.first(), sizes.last()) {
        (Some(largest), Some(smallest)) if largest == smallest => {
            exact(coin_p(differences.positive, sizes.len() as u64))
        }
        (Some(_), Some(_)) if sizes.len() <= FEW => exact(enumerate(differences)),
        (Some(_), Some(_)) => sample(differences, seed, permutations.max(1), most),
        _ => exact(1.0),
    }
}

/// Share of all signs whose sum lies far enough out. Signs come in pairs with opposite sums, so
/// the last of them stays; each step turns one, in the order of Gray's code.
fn enumerate(differences: &Differences) -> f64 {
    let (free, fixed) = differences.sizes.split_at(differences.sizes.len() - 1);
    let mut signed = free.to_vec();
    let mut sum: i64 = fixed.iter().chain(&signed).sum();
    let mut extreme = u32::from(differences.is_reached_by(sum));
    let patterns = 1_u32 << free.len();
    for step in 1..patterns {
        let turned = &mut signed[step.trailing_zeros() as usize];
        *turned = -*turned;
        sum += 2 * *turned;
        extreme += u32::from(differences.is_reached_by(sum));
    }
    f64::from(extreme) / f64::from(patterns)
}

fn sample(differences: &Differences, seed: u64, permutations: u32, most: u32) -> Permutation {
    let mut flips = Flips::new(differences, seed);
    let mut drawn = permutations;
    loop {
        flips.draw_up_to(drawn);
        if flips.extreme >= ENOUGH || drawn >= most {
            let drawn = u64::from(drawn);
            let p = (flips.extreme + 1) as f64 / (drawn + 1) as f64;
            return Permutation { p, exact: false, permutations: drawn };
        }
        drawn = drawn.saturating_mul(10).min(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(differences: &[f64]) -> Vec<Unit> {
        differences.iter().map(|&d| Unit { n: 1, before: 0.0, after: d }).collect()
    }

    /// Forty units with many sizes, most of them positive.
    fn many() -> Vec<Unit> {
        let size = |i: u32| f64::from(i) / 100.0;
        units(&(1..=40).map(|i| if i % 3 == 0 { -size(i) } else { size(i) }).collect::<Vec<_>>())
    }

    #[test]
    fn few_differences_are_enumerated() {
        let p = |differences: &[f64]| sign_flip(&units(differences), 7, 100).unwrap();
        // 1, 2 and 3 sum to 6; of eight sums only 6 and -6 lie so far out.
        assert_eq!(p(&[1.0, 2.0, 3.0]), Permutation { p: 0.25, exact: true, permutations: 0 });
        // Sums of 4 and more: 6, 4 and their opposites.
        assert_eq!(p(&[-1.0, 2.0, 3.0]), Permutation { p: 0.5, exact: true, permutations: 0 });
        // What does not differ takes no part.
        assert_eq!(p(&[1.0, 2.0, 0.0, 0.0, 3.0]), p(&[1.0, 2.0, 3.0]));
        assert_eq!(p(&[0.0, 0.0]), Permutation { p: 1.0, exact: true, permutations: 0 });
        assert_eq!(sign_flip(&[], 7, 100), None);
        assert_eq!(sign_flip(&units(&[f64::NAN]), 7, 100), None);
    }

    #[test]
    fn sums_that_rounding_parts_are_equal() {
        // 0.1 + 0.2 is more than 0.3 in floats, and 0.7 - 0.4 is less.
        let exact = sign_flip(&units(&[1.0, 2.0, -3.0, 3.0]), 7, 100).unwrap();
        let round = sign_flip(&units(&[0.1, 0.2, -0.3, 0.7 - 0.4]), 7, 100).unwrap();
        assert_eq!(exact, round);
        // Thirty differences of one third, made in three ways, are one size.
        let thirds = [1.0 / 3.0, 1.0 - 2.0 / 3.0, 0.5 - 1.0 / 6.0];
        let thirds: Vec<f64> = (0..30).map(|i| thirds[i % 3]).collect();
        assert!(sign_flip(&units(&thirds), 7, 100).unwrap().exact);
        // Far from 1 nothing changes.
        for scale in [1e-300, 5e-320, 1e300] {
            let scaled: Vec<f64> = [1.0, 2.0, -3.0, 3.0].map(|d| d * scale).to_vec();
            assert_eq!(sign_flip(&units(&scaled), 7, 100), Some(exact), "{scale}");
        }
    }

    #[test]
    fn scores_of_0_and_1_are_counted() {
        let differences = |positive: usize, negative: usize| {
            let mut differences = vec![1.0; positive];
            differences.extend(vec![-1.0; negative]);
            sign_flip(&units(&differences), 7, 100).unwrap()
        };
        // scipy.stats.binomtest(9, 30).pvalue
        let few = differences(9, 21);
        assert!(few.exact && (few.p - 0.042_773_945_257_067_68).abs() < 1e-12, "{few:?}");
        assert_eq!(differences(21, 9), few);
        assert_eq!((differences(15, 15).p, differences(7, 8).p), (1.0, 1.0));
    }

    #[test]
    fn a_group_changes_sides_together() {
        let apart = [1.0, 1.0, 1.0, -1.0, 1.0, 1.0];
        let alone = sign_flip(&units(&apart), 7, 100).unwrap();
        let group = |n, after| Unit { n, before: 0.0, after };
        let together = sign_flip(&[group(3, 3.0), group(3, 1.0)], 7, 100).unwrap();
        assert_eq!((alone.p, together.p), (14.0 / 64.0, 0.5));
    }

    #[test]
    fn a_sample_depends_on_the_seed_and_the_multiset() {
        let units = many();
        let p = sign_flip(&units, 7, 20_000).unwrap();
        assert!(!p.exact && p.permutations == 20_000, "{p:?}");
        let mut other: Vec<Unit> = units.iter().rev().copied().collect();
        other.push(Unit { n: 1, before: 0.5, after: 0.5 });
        assert_eq!(sign_flip(&other, 7, 20_000), Some(p));
        let swapped = |unit: &Unit| Unit { n: 1, before: unit.after, after: unit.before };
        let swapped: Vec<Unit> = units.iter().map(swapped).collect();
        assert_eq!(sign_flip(&swapped, 7, 20_000), Some(p));
        let again = sign_flip(&units, 8, 20_000).unwrap();
        assert!(again != p && (again.p - p.p).abs() < 0.01, "{p:?} {again:?}");
    }

    #[test]
    fn small_p_values_are_looked_at_more_closely() {
        let units = units(&(1..=40).map(|i| f64::from(i) / 100.0).collect::<Vec<_>>());
        let floor = sign_flip(&units, 7, 1_000).unwrap();
        assert_eq!((floor.p, floor.permutations), (1.0 / 1_001.0, 1_000));
        let more = sign_flip_up_to(&units, 7, 1_000, 50_000).unwrap();
        assert_eq!((more.p, more.permutations), (1.0 / 50_001.0, 50_000));
        // Where the first draws decide, they are all there is.
        let decided = sign_flip_up_to(&many(), 7, 1_000, 50_000);
        assert_eq!(decided, sign_flip(&many(), 7, 1_000));
        assert_eq!([1, 1_000, 1 << 40].map(permutations_for), [10_000, 200_000, 1_000_000]);
    }
}
