//! The means of resamples.

use super::{
    super::{interval::percentile, resample},
    Mean,
};

/// Units up to which every resample is looked at: there are 6,435 of eight units.
pub(in crate::stats) const FEW: usize = 8;

/// The part of the largest mean below which a difference is rounding.
const ROUNDING: f64 = 1.0 / (1_u64 << 45) as f64;

/// The means of resamples, in ascending order.
pub(super) struct Means {
    means: Vec<f64>,
    /// In how many of all resamples each stands, where they are not drawn but all counted.
    weights: Option<Vec<f64>>,
}

impl Means {
    pub(super) fn of<T: Mean>(units: &[T], seed: u64, resamples: u32) -> Self {
        if units.len() <= FEW {
            let mut all = Vec::new();
            enumerate(units, units.len(), 1.0, T::default(), units.len(), &mut all);
            all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let (means, weights) = all.into_iter().unzip();
            return Self { means, weights: Some(weights) };
        }
        let totals = resample::totals(units, seed, resamples).into_iter();
        let mut means: Vec<f64> = totals.map(|total| T::mean(total, units.len())).collect();
        means.sort_unstable_by(f64::total_cmp);
        Self { means, weights: None }
    }

    /// Whether they are a sample of all resamples.
    pub(super) fn are_drawn(&self) -> bool {
        self.weights.is_none()
    }

    /// The mean below which so many of the resamples lie: between two of those that were drawn, as
    /// numpy has it, and one of them where all are counted. `None` without resamples.
    pub(super) fn at(&self, probability: f64) -> Option<f64> {
        let Some(weights) = &self.weights else { return percentile(&self.means, probability) };
        let wanted = weights.iter().sum::<f64>() * probability;
        let mut below = 0.0;
        let found = self.means.iter().zip(weights).find(|&(_, weight)| {
            below += weight;
            below >= wanted
        });
        found.map(|(&mean, _)| mean).or_else(|| self.means.last().copied())
    }

    /// The share of the resamples below `mean`, where half of those that are equal to it count.
    pub(super) fn share_below(&self, mean: f64) -> f64 {
        let largest = self.means.iter().fold(0.0_f64, |most, mean| most.max(mean.abs()));
        let (low, high) = (mean - largest * ROUNDING, mean + largest * ROUNDING);
        let weight = |index: usize| self.weights.as_ref().map_or(1.0, |weights| weights[index]);
        let (mut below, mut all) = (0.0, 0.0);
        for (index, &found) in self.means.iter().enumerate() {
            let part = if found < low {
                1.0
            } else if found <= high {
                0.5
            } else {
                0.0
            };
            below += part * weight(index);
            all += weight(index);
        }
        below / all
    }
}

/// Adds each way to draw `left` more times from `rest`, with its mean and the number of its orders.
/// `orders` counts those of what is drawn before, whose sum is `total`.
fn enumerate<T: Mean>(
    rest: &[T],
    left: usize,
    orders: f64,
    total: T,
    units: usize,
    all: &mut Vec<(f64, f64)>,
) {
    let Some((&first, others)) = rest.split_first() else { return };
    if others.is_empty() {
        let mut total = total;
        total += first.times(left as u64);
        all.push((T::mean(total, units), orders));
        return;
    }
    // Ways to place this unit among what is left: left! / (count! (left - count)!).
    let mut places = 1.0;
    for count in 0..=left {
        let mut with = total;
        with += first.times(count as u64);
        enumerate(others, left - count, orders * places, with, units, all);
        places = places * (left - count) as f64 / (count + 1) as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_resamples_of_few_units_are_counted() {
        let means = Means::of(&[0.0, 1.0, 4.0], 7, 100);
        assert!(!means.are_drawn());
        // (0 0 0), (0 0 1) three times, (0 1 1), (1 1 1), (0 0 4), (0 1 4) six times, ...
        let weights = means.weights.clone().unwrap();
        assert_eq!((weights.len(), weights.iter().sum::<f64>()), (10, 27.0));
        assert_eq!((means.at(0.0), means.at(1.0 / 27.0)), (Some(0.0), Some(0.0)));
        assert_eq!((means.at(0.04), means.at(1.0)), (Some(1.0 / 3.0), Some(4.0)));
        // Below 5/3: eight of 0 and 1, three of (0 0 4); (0 1 4) is equal.
        assert!((means.share_below(5.0 / 3.0) - (8.0 + 3.0 + 3.0) / 27.0).abs() < 1e-15);
        let eight: Vec<f64> = (0..8).map(f64::from).collect();
        let means = Means::of(&eight, 7, 100);
        assert_eq!((means.means.len(), means.share_below(3.5)), (6435, 0.5));
        let sum: f64 = means.weights.unwrap().iter().sum();
        assert!((sum - 8_f64.powi(8)).abs() < 1.0);
    }

    #[test]
    fn many_are_drawn() {
        let nine: Vec<f64> = (0..9).map(f64::from).collect();
        let means = Means::of(&nine, 7, 4000);
        assert!(means.are_drawn());
        assert!((means.share_below(4.0) - 0.5).abs() < 0.04);
        // The variance of nine equal steps is 20 / 3.
        let half = (means.at(0.975).unwrap() - means.at(0.025).unwrap()) / 2.0;
        assert!((half / (1.96 * (20.0 / 3.0 / 9.0_f64).sqrt()) - 1.0).abs() < 0.06, "{half}");
    }
}
