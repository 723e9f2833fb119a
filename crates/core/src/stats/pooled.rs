//! Metrics that pool statistics of all examples.

use std::{cmp::Ordering, collections::BTreeMap};

use super::{
    Column,
    interval::{self, LEVEL, MANY},
    resample,
    spread::Spread,
};
use crate::{Estimate, Interval, Metric, Pooled};

/// Examples up to which [`RESAMPLES`] are drawn. A resample of a pooled metric computes all of it
/// again.
const FEW: usize = 2_000;

const RESAMPLES: u32 = 1000;

/// Resamples above that number of examples.
const FEWER: u32 = 200;

/// Blocks of the jackknife, each of which is left out once.
pub(super) const BLOCKS: usize = 40;

/// Quantile of Student's distribution with `BLOCKS` - 1 degrees of freedom at (1 + [`LEVEL`]) / 2.
const T: f64 = 2.022_690_920_036_761;

/// One resample in so many must lie on the rarer side of the number.
const ONE_SIDE: usize = 10;

/// The scores of one pooled metric, with the statistics beside them.
#[derive(Clone, Copy)]
pub struct PooledColumn<'a> {
    /// The column of the scores.
    pub column: Column<'a>,
    /// What makes numbers of the statistics.
    pub pooling: &'a dyn Pooling,
    /// The score of each example.
    pub scores: &'a [Option<f64>],
    /// For each statistic, that of each example.
    pub statistics: &'a [&'a [Option<f64>]],
}

/// What makes one number of the statistics of a group of examples.
pub trait Pooling {
    /// The number of each group, which is given by the rows of its examples: in any order, and as
    /// often as an example was drawn. All of them have statistics.
    fn numbers(
        &self,
        statistics: &[&[Option<f64>]],
        groups: &mut dyn Iterator<Item = Vec<usize>>,
    ) -> Result<Vec<Option<f64>>, PoolingError>;
}

/// Why there are no numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PoolingError(pub String);

/// A built-in metric with its rule.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInPooling<'a> {
    /// The metric, with its parameters.
    pub metric: &'a Metric,
    /// How its statistics become one number.
    pub pooled: &'static Pooled,
}

/// A summary of a pooled metric.
#[derive(Clone, Debug, PartialEq)]
pub struct PooledEstimate {
    /// What is known.
    pub estimate: Estimate,
    /// Why the mean or the interval is missing, where they could not be made.
    pub failure: Option<PoolingError>,
}

/// Summarises the examples with these indexes; `group` says which dialog or document each belongs
/// to. The mean is the pooled number; spread and extremes are those of the single examples, and
/// there are no bounds, because what an unscored example would change is not known.
///
/// The interval is a percentile bootstrap over examples, or over groups where they have several.
/// There is none where nearly all resamples lie on one side of the number: then resampling moves
/// it, as it does a calibration error near 0, and their percentiles would not hold it; and none where
/// all resamples have one number, as a BLEU of 0. Above 20,000
/// examples, in many groups if in groups, it is a jackknife that leaves out one of 40 random blocks
/// of them at a time (Shao and Wu, "A General Theory for Jackknife Variance Estimation", 1989).
pub fn estimate_pooled<'a>(
    of: PooledColumn<'_>,
    rows: &[usize],
    group: impl Fn(usize) -> Option<&'a str>,
) -> PooledEstimate {
    let whole = |&row: &usize| of.statistics.iter().all(|values| values[row].is_some());
    let scored: Vec<usize> = rows.iter().copied().filter(whole).collect();
    let n = scored.len() as u64;
    let unscored = rows.len() as u64 - n;
    if scored.is_empty() {
        let estimate = Estimate { unscored, ..Estimate::default() };
        return PooledEstimate { estimate, failure: None };
    }
    let units = in_order(&of, units(&scored, group));
    let values: Vec<f64> = scored.iter().filter_map(|&row| of.scores[row]).collect();
    let numbers = numbers(&of, &units, scored.len());
    let (mean, interval, failure) = match numbers {
        Ok(Numbers { mean, interval: Ok(interval) }) => (mean, interval, None),
        Ok(Numbers { mean, interval: Err(failure) }) => (mean, None, Some(failure)),
        Err(failure) => (None, None, Some(failure)),
    };
    let estimate = Estimate {
        n,
        unscored,
        mean: mean.filter(|mean| mean.is_finite()),
        stddev: Spread::of(&values).stddev,
        min: values.iter().copied().reduce(f64::min),
        max: values.iter().copied().reduce(f64::max),
        mean_worst: None,
        mean_best: None,
        interval: interval.and_then(|interval| of.column.in_range(interval)),
    };
    PooledEstimate { estimate, failure }
}

/// The number over all examples, and where it lies.
struct Numbers {
    mean: Option<f64>,
    interval: Result<Option<Interval>, PoolingError>,
}

/// Pools `units`, which have so many examples.
fn numbers(
    of: &PooledColumn<'_>,
    units: &[Vec<usize>],
    examples: usize,
) -> Result<Numbers, PoolingError> {
    let all = units.concat();
    let mean = of.numbers(&mut std::iter::once(all))?.first().copied().flatten();
    let interval = match mean {
        None => Ok(None),
        _ if units.len() < 2 => Ok(None),
        Some(mean) if examples > MANY && units.len() >= 10 * BLOCKS => jackknife(of, units, mean),
        mean => bootstrap(of, units, mean, examples),
    };
    Ok(Numbers { mean, interval })
}

fn bootstrap(
    of: &PooledColumn<'_>,
    units: &[Vec<usize>],
    mean: Option<f64>,
    examples: usize,
) -> Result<Option<Interval>, PoolingError> {
    let resamples = resamples(examples);
    let method = if units.len() < examples { "bootstrap over groups" } else { "bootstrap" };
    let seed = of.column.stream();
    // Each resample has a stream of its own.
    let mut drawn = (0..resamples).map(|index| {
        let mut stream = resample::stream(seed, index);
        let drawn = (0..units.len()).map(|_| interval::below(&mut stream, units.len()));
        drawn.flat_map(|unit| &units[unit]).copied().collect()
    });
    let numbers = of.numbers(&mut drawn)?;
    let count = |on_side: &dyn Fn(Option<f64>) -> bool| {
        numbers.iter().filter(|&&number| on_side(number)).count()
    };
    let rarer = count(&|number| number <= mean).min(count(&|number| number >= mean));
    if rarer * ONE_SIDE < resamples as usize {
        return Ok(None);
    }
    let numbers: Vec<f64> = numbers.into_iter().flatten().collect();
    // Numbers that are all the same say nothing of how far off they are.
    let same = numbers.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits());
    Ok(if same { None } else { interval::percentiles(method, seed, resamples, numbers) })
}

/// The number is near enough normal where there are many units; how far it moves when a block of
/// them is left out says how far it moves with chance.
fn jackknife(
    of: &PooledColumn<'_>,
    units: &[Vec<usize>],
    mean: f64,
) -> Result<Option<Interval>, PoolingError> {
    let seed = of.column.stream();
    let block = blocks(units.len(), seed);
    let without = |left_out: usize| {
        let kept = units.iter().zip(&block).filter(|&(_, &block)| block != left_out);
        kept.flat_map(|(unit, _)| unit).copied().collect()
    };
    let numbers: Option<Vec<f64>> =
        of.numbers(&mut (0..BLOCKS).map(without))?.into_iter().collect();
    let Some(numbers) = numbers else { return Ok(None) };
    let half = half_width(&numbers);
    let (low, high) = (mean - half, mean + half);
    Ok(Some(Interval {
        low,
        high,
        level: LEVEL,
        method: "jackknife",
        seed: Some(seed),
        resamples: None,
    }))
}

/// How many resamples are drawn of so many examples.
pub(super) fn resamples(examples: usize) -> u32 {
    if examples <= FEW { RESAMPLES } else { FEWER }
}

/// The block of each unit, by lot.
pub(super) fn blocks(units: usize, seed: u64) -> Vec<usize> {
    let mut stream = resample::stream(seed, 0);
    let mut shuffled: Vec<usize> = (0..units).collect();
    for last in (1..shuffled.len()).rev() {
        shuffled.swap(last, interval::below(&mut stream, last + 1));
    }
    let mut block = vec![0; units];
    for (place, unit) in shuffled.into_iter().enumerate() {
        block[unit] = place % BLOCKS;
    }
    block
}

/// Half of the width of a jackknife's interval, from the numbers without each of the blocks.
pub(super) fn half_width(numbers: &[f64]) -> f64 {
    let centre = numbers.iter().sum::<f64>() / BLOCKS as f64;
    let squares: f64 = numbers.iter().map(|number| (number - centre).powi(2)).sum();
    T * (squares * (BLOCKS - 1) as f64 / BLOCKS as f64).sqrt()
}

/// The independent units: the groups, and each example that has none.
fn units<'a>(rows: &[usize], group: impl Fn(usize) -> Option<&'a str>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut units = Vec::new();
    for &row in rows {
        match group(row) {
            Some(key) => groups.entry(key).or_default().push(row),
            None => units.push(vec![row]),
        }
    }
    units.extend(groups.into_values());
    units
}

/// Units in an order that depends on what they hold, not on their names or the order of the rows.
fn in_order(of: &PooledColumn<'_>, mut units: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let compare = |a: &usize, b: &usize| {
        let pair = |values: &&[Option<f64>]| match (values[*a], values[*b]) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        of.statistics.iter().map(pair).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    for unit in &mut units {
        unit.sort_by(compare);
    }
    units.sort_by(|a, b| {
        let pairs = a.iter().zip(b).map(|(a, b)| compare(a, b));
        pairs.into_iter().find(|order| order.is_ne()).unwrap_or(a.len().cmp(&b.len()))
    });
    units
}

impl PooledColumn<'_> {
    fn numbers(
        &self,
        groups: &mut dyn Iterator<Item = Vec<usize>>,
    ) -> Result<Vec<Option<f64>>, PoolingError> {
        self.pooling.numbers(self.statistics, groups)
    }
}

impl Pooling for BuiltInPooling<'_> {
    fn numbers(
        &self,
        statistics: &[&[Option<f64>]],
        groups: &mut dyn Iterator<Item = Vec<usize>>,
    ) -> Result<Vec<Option<f64>>, PoolingError> {
        // Kept from one group to the next.
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); statistics.len()];
        let number = |rows: Vec<usize>| {
            columns.iter_mut().for_each(Vec::clear);
            for row in rows {
                for (column, values) in columns.iter_mut().zip(statistics) {
                    column.extend(values[row]);
                }
            }
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            (self.pooled.finish)(self.metric, &columns)
        };
        Ok(groups.map(number).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Estimator, stats::Intervals};

    /// Sum of hits by sum of trials, as BLEU's precisions are.
    static RATIO: Pooled = Pooled {
        names: &["hits", "trials"],
        of: |_, _| Ok(vec![0.0, 0.0]),
        finish: |_, columns| {
            let [hits, trials] = [0, 1].map(|column: usize| columns[column].iter().sum::<f64>());
            (trials > 0.0).then(|| hits / trials)
        },
    };

    fn estimate(rows: &[(f64, f64, Option<&str>)]) -> Estimate {
        let scores: Vec<Option<f64>> = rows.iter().map(|row| Some(row.0 / row.1)).collect();
        let hits: Vec<Option<f64>> = rows.iter().map(|row| Some(row.0)).collect();
        let trials: Vec<Option<f64>> =
            rows.iter().map(|row| Some(row.1).filter(|&trials| trials > 0.0)).collect();
        let metric: Metric = "F1".parse().unwrap();
        let of = PooledColumn {
            column: Column {
                name: "ratio",
                estimator: Estimator::Pooled(&RATIO),
                range: (0.0, 1.0),
                higher_is_better: true,
                intervals: Intervals::auto(7),
            },
            pooling: &BuiltInPooling { metric: &metric, pooled: &RATIO },
            scores: &scores,
            statistics: &[&hits, &trials],
        };
        let all: Vec<usize> = (0..rows.len()).collect();
        let found = estimate_pooled(of, &all, |row| rows[row].2);
        assert_eq!(found.failure, None);
        found.estimate
    }

    #[test]
    fn statistics_are_pooled_and_not_averaged() {
        let found = estimate(&[(1.0, 1.0, None), (0.0, 3.0, None), (0.0, 0.0, None)]);
        assert_eq!((found.n, found.unscored, found.mean), (2, 1, Some(0.25)));
        assert_eq!((found.min, found.max, found.mean_worst), (Some(0.0), Some(1.0), None));
        assert_eq!(found.interval.unwrap().method, "bootstrap");
        assert_eq!(estimate(&[(0.0, 0.0, None)]).mean, None);
    }

    #[test]
    fn many_examples_have_the_interval_of_a_ratio() {
        let mut stream = resample::stream(3, 0);
        let mut draw = |n: usize| interval::below(&mut stream, n) as f64;
        let rows: Vec<(f64, f64, Option<&str>)> = (0..=MANY)
            .map(|_| {
                let trials = 1.0 + draw(5);
                ((draw(100) / 100.0 * trials).round(), trials, None)
            })
            .collect();
        let found = estimate(&rows);
        let (mean, interval) = (found.mean.unwrap(), found.interval.unwrap());
        assert_eq!(interval.method, "jackknife");
        // The delta method: the spread of hits - ratio * trials, over the mean of the trials.
        let n = rows.len() as f64;
        let trials = rows.iter().map(|row| row.1).sum::<f64>() / n;
        let spread = rows.iter().map(|row| (row.0 - mean * row.1).powi(2)).sum::<f64>() / n;
        let half = interval::Z * spread.sqrt() / trials / n.sqrt();
        let ratio = (interval.high - interval.low) / (2.0 * half);
        assert!((0.7..1.4).contains(&ratio), "{ratio}");
        assert!((f64::midpoint(interval.low, interval.high) - mean).abs() < 1e-12);
    }

    /// Makes numbers for the whole alone.
    struct Tired;

    impl Pooling for Tired {
        fn numbers(
            &self,
            _: &[&[Option<f64>]],
            groups: &mut dyn Iterator<Item = Vec<usize>>,
        ) -> Result<Vec<Option<f64>>, PoolingError> {
            match groups.count() {
                1 => Ok(vec![Some(0.5)]),
                _ => Err(PoolingError("tired".to_owned())),
            }
        }
    }

    #[test]
    fn a_failure_leaves_what_was_made_before_it() {
        let scores = [Some(0.0), Some(1.0)];
        let column = Column {
            name: "m",
            estimator: Estimator::Mean,
            range: (0.0, 1.0),
            higher_is_better: true,
            intervals: Intervals::auto(7),
        };
        let of = PooledColumn { column, pooling: &Tired, scores: &scores, statistics: &[&scores] };
        let PooledEstimate { estimate, failure } = estimate_pooled(of, &[0, 1], |_| None);
        assert_eq!((estimate.n, estimate.mean, estimate.interval), (2, Some(0.5), None));
        assert_eq!(failure, Some(PoolingError("tired".to_owned())));
    }

    #[test]
    fn order_and_names_of_groups_do_not_matter() {
        let rows = [
            (1.0, 2.0, Some("x")),
            (2.0, 2.0, Some("y")),
            (0.0, 5.0, Some("x")),
            (1.0, 1.0, None),
            (3.0, 7.0, Some("z")),
        ];
        let mut back = rows.map(|(hits, trials, group)| {
            (hits, trials, group.map(|name| if name == "x" { "zz" } else { name }))
        });
        back.reverse();
        assert_eq!(estimate(&rows), estimate(&back));
        assert_eq!(estimate(&rows).interval.unwrap().method, "bootstrap over groups");
    }
}
