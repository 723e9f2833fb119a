//! Two systems on one metric whose number is not the mean of examples.
//!
//! BLEU counts n-grams over all examples, and HEQ-D counts dialogs. There is no score of an example
//! that such a number is the mean of, so nothing can be said of differences of scores. But all of
//! the number can be made again: of examples drawn anew, the same for both systems, which gives an
//! interval; and of examples that change sides by lot, which gives the paired randomisation test.

mod systems;

use rand_core::Rng as _;

use super::{
    Change, Comparison, LEVEL, PairedColumn, Permutation, Pooling, PoolingError,
    interval::{self, MANY},
    permutation::ROUNDING,
    pooled::{self, BLOCKS},
    resample,
};
use crate::{Interval, stats::Group};
use systems::{Grouped, Statistics, Systems};

/// Examples up to which they change sides; each time all of the number is made twice.
const MOST: usize = 100_000;

/// Examples that change sides in all permutations together.
const BUDGET: usize = 20_000_000;

/// The fewest permutations for that budget.
const FEWEST: usize = 200;

/// Units up to which all ways to change sides are looked at.
const FEW: usize = 12;

/// The statistics of two systems on the same examples.
#[derive(Clone, Copy)]
pub struct PairedStatistics<'a> {
    /// What makes one number of the statistics.
    pub pooling: &'a dyn Pooling,
    /// For each statistic of the first system, that of each example.
    pub before: &'a [&'a [Option<f64>]],
    /// Of the second system, with the examples in the same order.
    pub after: &'a [&'a [Option<f64>]],
    /// For each example the number of its dialog or document, where examples are not independent.
    pub groups: Option<&'a [u32]>,
    /// Seed of what is drawn by lot.
    pub seed: u64,
    /// Permutations to draw; with many examples fewer are drawn.
    pub permutations: u32,
}

/// Two systems on a metric that pools.
#[derive(Clone, Debug, PartialEq)]
pub struct PooledComparison {
    /// The number of the first system.
    pub before: f64,
    /// The number of the second.
    pub after: f64,
    /// Examples that both have.
    pub n: u64,
    /// Independent units: examples, or their groups.
    pub units: u64,
    /// Interval of the second number less the first, or why there is none.
    pub interval: Result<Interval, NotCompared>,
    /// The paired randomisation test, or why there is none.
    pub permutation: Result<Permutation, NotCompared>,
}

impl PooledComparison {
    /// The second number less the first.
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }

    /// As the comparison of a mean, which knows more; what has no meaning here is missing. An error
    /// where there is no test.
    pub fn into_comparison(self) -> Result<Comparison, NotCompared> {
        let change = Change {
            before: self.before,
            after: self.after,
            n: self.n,
            interval: self.interval.ok(),
            ratio_interval: None,
            error: None,
            detectable: None,
        };
        Ok(Comparison {
            change,
            units: self.units,
            permutation: self.permutation?,
            outcomes: None,
            effect_size: None,
            mcnemar: None,
            needed: None,
        })
    }
}

/// Why something is not said of two systems.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCompared {
    /// Nothing to compare.
    #[error("no example is scored for both systems")]
    NoExample,
    /// The metric does not exist for one of the systems, as a ratio does not without a trial.
    #[error("the metric has no number for one of the systems")]
    NoNumber,
    /// One unit says nothing of others.
    #[error("all examples are one group, and one group says nothing of others")]
    OneUnit,
    /// Some draws have no number.
    #[error("the metric has no number for some of the examples that were drawn")]
    NoNumberOfDraws,
    /// It would take minutes.
    #[error(
        "{n} examples are too many to make the number anew for each permutation, at most {most}"
    )]
    TooMany {
        /// Examples there are.
        n: usize,
        /// Examples that are not too many.
        most: usize,
    },
    /// What makes the numbers failed.
    #[error(transparent)]
    Pooling(#[from] PoolingError),
}

/// Compares two systems on a metric that pools statistics, as BLEU and GMAP do. Examples that lack
/// a statistic of either system are left out.
///
/// The result depends on the seed and the multiset of the examples with their groups. The p-value
/// is the same for A against B and for B against A.
pub fn compare_pooled(of: &PairedStatistics<'_>) -> Result<PooledComparison, NotCompared> {
    compare(&Statistics::new(of)?, of.seed, of.permutations)
}

/// Compares two systems on a metric that is a function of groups, as HEQ-D is; `finish` is that
/// function. Without groups each example is one. What [`PairedColumn`] says of better scores and
/// of small p-values has no meaning here.
pub fn compare_groups(
    of: &PairedColumn<'_>,
    finish: fn(&mut dyn Iterator<Item = &Group>) -> Option<f64>,
) -> Result<PooledComparison, NotCompared> {
    compare(&Grouped::new(of, finish)?, of.seed, of.permutations)
}

fn compare(
    systems: &dyn Systems,
    seed: u64,
    permutations: u32,
) -> Result<PooledComparison, NotCompared> {
    let units = systems.units();
    let whole = |second| {
        let all = (0..units).collect();
        let number = systems.of_one(second, &mut std::iter::once(all))?.first().copied().flatten();
        number.filter(|number| number.is_finite()).ok_or(NotCompared::NoNumber)
    };
    let numbers = (whole(false)?, whole(true)?);
    let (interval, permutation) = if units < 2 {
        (Err(NotCompared::OneUnit), Err(NotCompared::OneUnit))
    } else if systems.examples() > MANY && units >= 10 * BLOCKS {
        (jackknife(systems, numbers, seed), test(systems, numbers, seed, permutations))
    } else {
        (bootstrap(systems, seed), test(systems, numbers, seed, permutations))
    };
    Ok(PooledComparison {
        before: numbers.0,
        after: numbers.1,
        n: systems.examples() as u64,
        units: units as u64,
        interval,
        permutation,
    })
}

/// The differences of both systems on the same choices of units.
fn differences(
    systems: &dyn Systems,
    sets: impl Iterator<Item = Vec<usize>> + Clone,
) -> Result<Vec<f64>, NotCompared> {
    let before = systems.of_one(false, &mut sets.clone())?;
    let after = systems.of_one(true, &mut { sets })?;
    let difference = |(before, after): (Option<f64>, Option<f64>)| Some(after? - before?);
    let found: Option<Vec<f64>> = before.into_iter().zip(after).map(difference).collect();
    found.filter(|found| found.iter().all(|d| d.is_finite())).ok_or(NotCompared::NoNumberOfDraws)
}

fn bootstrap(systems: &dyn Systems, seed: u64) -> Result<Interval, NotCompared> {
    let units = systems.units();
    let resamples = pooled::resamples(systems.examples());
    let sets = (0..resamples).map(|index| {
        let mut stream = resample::stream(seed, index);
        (0..units).map(|_| interval::below(&mut stream, units)).collect()
    });
    let grouped = units < systems.examples();
    let method = if grouped { "paired bootstrap over groups" } else { "paired bootstrap" };
    let found = differences(systems, sets)?;
    interval::percentiles(method, seed, resamples, found).ok_or(NotCompared::NoNumberOfDraws)
}

/// As for the number of one system: see [`estimate_pooled`](super::estimate_pooled).
fn jackknife(
    systems: &dyn Systems,
    (before, after): (f64, f64),
    seed: u64,
) -> Result<Interval, NotCompared> {
    let block = pooled::blocks(systems.units(), seed);
    let sets = (0..BLOCKS).map(|left_out| {
        let kept = block.iter().enumerate().filter(|&(_, &block)| block != left_out);
        kept.map(|(unit, _)| unit).collect()
    });
    let half = pooled::half_width(&differences(systems, sets)?);
    Ok(Interval {
        low: after - before - half,
        high: after - before + half,
        level: LEVEL,
        method: "paired jackknife",
        seed: Some(seed),
        resamples: None,
    })
}

fn test(
    systems: &dyn Systems,
    (before, after): (f64, f64),
    seed: u64,
    permutations: u32,
) -> Result<Permutation, NotCompared> {
    let (units, examples) = (systems.units(), systems.examples());
    if examples > MOST {
        return Err(NotCompared::TooMany { n: examples, most: MOST });
    }
    // What differs by rounding alone is equal.
    let seen = (after - before).abs() - before.abs().max(after.abs()) * ROUNDING;
    let far = |difference: f64| difference.abs() >= seen;
    if units <= FEW {
        // The last unit stays; the other half of all ways are these with the sides changed.
        let patterns = 1_u32 << (units - 1);
        let sets =
            (0..patterns).map(|pattern| (0..units).map(|unit| pattern >> unit & 1 == 1).collect());
        let extreme = extreme(systems, sets, far)?;
        return Ok(Permutation {
            p: extreme as f64 / f64::from(patterns),
            exact: true,
            permutations: 0,
        });
    }
    let affordable = u32::try_from((BUDGET / examples).max(FEWEST)).unwrap_or(u32::MAX);
    let drawn = permutations.clamp(1, affordable);
    let sets = (0..drawn).map(|index| {
        let mut stream = resample::stream(seed, index);
        let words = (0..units.div_ceil(64)).map(|_| stream.next_u64());
        let bits = words.flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1));
        bits.take(units).collect()
    });
    let extreme = extreme(systems, sets, far)?;
    Ok(Permutation {
        p: (extreme + 1) as f64 / f64::from(drawn + 1),
        exact: false,
        permutations: u64::from(drawn),
    })
}

/// How many ways to change sides give a difference that lies far enough out.
fn extreme(
    systems: &dyn Systems,
    sets: impl Iterator<Item = Vec<bool>>,
    far: impl Fn(f64) -> bool,
) -> Result<u64, NotCompared> {
    let mut both = sets.flat_map(|set: Vec<bool>| {
        let other = set.iter().map(|side| !side).collect();
        [set, other]
    });
    let numbers: Option<Vec<f64>> = systems.mixed(&mut both)?.into_iter().collect();
    let numbers = numbers.ok_or(NotCompared::NoNumberOfDraws)?;
    Ok(numbers.chunks_exact(2).filter(|pair| far(pair[1] - pair[0])).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Estimator, Metric, Pooled,
        metrics::quac::HEQ_D,
        stats::{BuiltInPooling, Unit, paired, sign_flip},
    };

    /// The mean of the one statistic, as a number that is pooled.
    static MEAN: Pooled = Pooled {
        names: &["score"],
        of: |_, _| Ok(vec![0.0]),
        finish: |_, columns| {
            let n = columns[0].len() as f64;
            (n > 0.0).then(|| columns[0].iter().sum::<f64>() / n)
        },
    };

    /// Sum of the first by sum of the second, as BLEU's precisions are.
    static RATIO: Pooled = Pooled {
        names: &["hits", "trials"],
        of: |_, _| Ok(vec![0.0, 0.0]),
        finish: |_, columns| {
            let [hits, trials] = [0, 1].map(|column: usize| columns[column].iter().sum::<f64>());
            (trials > 0.0).then(|| hits / trials)
        },
    };

    fn pooled(
        pooled: &'static Pooled,
        before: &[Vec<Option<f64>>],
        after: &[Vec<Option<f64>>],
        groups: Option<&[u32]>,
    ) -> Result<PooledComparison, NotCompared> {
        let metric: Metric = "F1".parse().unwrap();
        compare_pooled(&PairedStatistics {
            pooling: &BuiltInPooling { metric: &metric, pooled },
            before: &before.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            after: &after.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            groups,
            seed: 7,
            permutations: 2_000,
        })
    }

    fn scores(n: u32, factor: u32, by: f64) -> Vec<f64> {
        (0..n).map(|i| f64::from(i * factor % 101) / 101.0 + by).collect()
    }

    fn some(scores: &[f64]) -> Vec<Option<f64>> {
        scores.iter().copied().map(Some).collect()
    }

    #[test]
    fn a_mean_that_is_pooled_is_compared_as_a_mean() {
        let (before, after) = (scores(60, 37, 0.0), scores(60, 17, 0.08));
        let found = pooled(&MEAN, &[some(&before)], &[some(&after)], None).unwrap();
        let pairs = before.iter().zip(&after);
        let units: Vec<Unit> =
            pairs.map(|(&before, &after)| Unit { n: 1, before, after }).collect();
        let (test, change) = (sign_flip(&units, 7, 20_000).unwrap(), paired(&units, 7).unwrap());
        let permutation = found.permutation.clone().unwrap();
        assert!((permutation.p - test.p).abs() < 0.04, "{permutation:?} {test:?}");
        assert!((found.difference() - change.difference()).abs() < 1e-12);
        let (ours, theirs) = (found.interval.clone().unwrap(), change.interval.unwrap());
        assert!((ours.low - theirs.low).abs() < 0.02 && (ours.high - theirs.high).abs() < 0.02);
        let back = pooled(&MEAN, &[some(&after)], &[some(&before)], None).unwrap();
        assert_eq!(back.permutation, found.permutation);
        let reverse = |scores: &[f64]| some(&scores.iter().rev().copied().collect::<Vec<_>>());
        let other = pooled(&MEAN, &[reverse(&before)], &[reverse(&after)], None).unwrap();
        assert_eq!((other.permutation, other.interval), (found.permutation, found.interval));
    }

    #[test]
    fn few_units_are_enumerated() {
        // Of a mean it is the exact test of `few_differences_are_enumerated` in `permutation`.
        let (zeros, others) = ([some(&[0.0; 3])], [some(&[-1.0, 2.0, 3.0])]);
        let found = pooled(&MEAN, &zeros, &others, None).unwrap();
        assert_eq!(found.permutation, Ok(Permutation { p: 0.5, exact: true, permutations: 0 }));
        let grouped = pooled(&MEAN, &zeros, &others, Some(&[4, 4, 9])).unwrap();
        assert_eq!((grouped.units, grouped.n), (2, 3));
        assert_eq!(grouped.permutation.unwrap().p.to_bits(), 0.5_f64.to_bits());
        assert_eq!(grouped.interval.unwrap().method, "paired bootstrap over groups");
        let same = pooled(&MEAN, &zeros, &zeros, None).unwrap();
        assert_eq!(same.permutation.unwrap().p.to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        let one = [some(&[1.0]), some(&[2.0])];
        let alone = pooled(&RATIO, &one, &one, None).unwrap();
        assert_eq!(alone.interval, Err(NotCompared::OneUnit));
        assert_eq!(alone.permutation, Err(NotCompared::OneUnit));
        let lacking = [vec![None], some(&[2.0])];
        assert_eq!(pooled(&RATIO, &one, &lacking, None), Err(NotCompared::NoExample));
        let nothing = [some(&[0.0, 0.0]), some(&[0.0, 0.0])];
        assert_eq!(pooled(&RATIO, &nothing, &nothing, None), Err(NotCompared::NoNumber));
        // One of two examples has trials: without it there is no ratio.
        let half = [some(&[1.0, 0.0]), some(&[2.0, 0.0])];
        let found = pooled(&RATIO, &half, &half, None).unwrap();
        assert_eq!(found.interval, Err(NotCompared::NoNumberOfDraws));
        let many = [vec![Some(0.0); MOST + 1]];
        let found = pooled(&MEAN, &many, &many, None).unwrap();
        assert_eq!(found.permutation, Err(NotCompared::TooMany { n: 100_001, most: MOST }));
        assert_eq!(found.interval.unwrap().method, "paired jackknife");
    }

    #[test]
    fn dialogs_are_compared_as_dialogs() {
        let Estimator::Groups(finish) = HEQ_D.estimator else { panic!("HEQ-D is no mean") };
        // Eight dialogs of two questions. The second system has all of seven, the first of none.
        let before: Vec<f64> = (0..16).map(|i| f64::from(i % 2)).collect();
        let after: Vec<f64> = (0..16).map(|i| f64::from(i != 3)).collect();
        let groups: Vec<u32> = (0..16).map(|i| i / 2).collect();
        let of = PairedColumn {
            before: &before,
            after: &after,
            groups: Some(&groups),
            higher_is_better: true,
            seed: 7,
            permutations: 1_000,
            most_permutations: 1_000,
        };
        let found = compare_groups(&of, finish).unwrap();
        assert_eq!((found.before, found.after, found.units), (0.0, 7.0 / 8.0, 8));
        // Seven that differ, all in one direction.
        assert_eq!(found.permutation.unwrap().p.to_bits(), (2.0_f64 / 128.0).to_bits());
        assert!(found.interval.unwrap().low > 0.3);
    }
}
