//! P-values that are read together, and what is left of them.

use qeval_core::stats::{holm, letters, tukey};
use qeval_report::{ComparedMetric, ComparedPair, Correction};

/// Corrects the p-values of all metrics, and gives systems their letters. The number of p-values that
/// were corrected together.
pub(super) fn correct(metrics: &mut [ComparedMetric], correction: Correction) -> u64 {
    // Two systems that are alike on every example cannot be told apart by any test: nothing is lost by
    // leaving them out (Tarone, "A Modified Bonferroni Method for Discrete Data", 1990).
    let mut tested: Vec<&mut ComparedPair> = metrics
        .iter_mut()
        .flat_map(|metric| &mut metric.pairs)
        .filter(|pair| pair.comparison.is_tested())
        .collect();
    let raw: Vec<f64> = tested.iter().map(|pair| pair.comparison.permutation.p).collect();
    if correction == Correction::Holm {
        tested.iter_mut().zip(holm(&raw)).for_each(|(pair, p)| pair.p = p);
    }
    for metric in &mut *metrics {
        metric.letters = of_systems(metric);
    }
    raw.len() as u64
}

/// Replaces the p-values by Tukey's of all systems together; where examples belong to groups, of the
/// means of the groups.
pub(super) fn by_tukey(pairs: &mut [ComparedPair], columns: &[Vec<f64>], groups: Option<&[u32]>) {
    let columns: Vec<Vec<f64>> = match groups {
        None => columns.to_vec(),
        Some(groups) => columns.iter().map(|column| of_groups(column, groups)).collect(),
    };
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let Some(found) = tukey(&columns) else { return };
    for pair in pairs {
        let mut all = found.pairs.iter();
        let own = all.find(|own| (own.first, own.second) == (pair.first, pair.second));
        pair.p = own.map_or(pair.p, |own| own.p);
    }
}

/// The mean of each group, in the order of their numbers.
fn of_groups(column: &[f64], groups: &[u32]) -> Vec<f64> {
    let mut sums = std::collections::BTreeMap::<u32, (f64, f64)>::new();
    for (score, &group) in column.iter().zip(groups) {
        let (sum, n) = sums.entry(group).or_default();
        *sum += score;
        *n += 1.0;
    }
    sums.into_values().map(|(sum, n)| sum / n).collect()
}

/// The mean of each system, from the pairs that it is in.
pub(super) fn means(pairs: &[ComparedPair], systems: usize) -> Vec<f64> {
    let of = |system: usize| {
        pairs.iter().find_map(|pair| {
            let change = &pair.comparison.change;
            if pair.first == system {
                Some(change.before)
            } else {
                (pair.second == system).then_some(change.after)
            }
        })
    };
    (0..systems).map_while(of).collect()
}

/// The letters of each system; none for two.
fn of_systems(metric: &ComparedMetric) -> Vec<String> {
    if metric.means.len() < 3 {
        return Vec::new();
    }
    let differ = |a: usize, b: usize| {
        let (a, b) = (a.min(b), a.max(b));
        metric.pairs.iter().any(|pair| (pair.first, pair.second) == (a, b) && pair.differs())
    };
    // The best system has the first letter.
    let sign = if metric.higher_is_better { 1.0 } else { -1.0 };
    let means: Vec<f64> = metric.means.iter().map(|mean| sign * mean).collect();
    letters(&means, &differ)
}
