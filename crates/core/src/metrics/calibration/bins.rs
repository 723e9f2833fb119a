//! The bins of a calibration error.

use crate::metrics::confidence::Tied;

/// A bin of an [`ECE`](super::ECE) that holds examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Confidence at which the bin begins: its lower end, or the lowest confidence in it where bins
    /// hold equally many examples.
    pub low: f64,
    /// Confidence at which it ends.
    pub high: f64,
    /// How many examples it holds.
    pub count: usize,
    /// Their mean confidence.
    pub confidence: f64,
    /// Their mean correctness.
    pub correct: f64,
    /// Sum of their correctness less their confidence.
    pub(super) gap: f64,
}

impl Bin {
    /// What the bin adds to the calibration error of so many examples.
    pub fn error(&self, examples: usize) -> f64 {
        self.gap.abs() / examples as f64
    }
}

/// The bins of equal width that hold examples; the groups come highest first, and so do the bins.
pub(super) fn equal_width(groups: &[Tied], bins: usize) -> Vec<Bin> {
    let number = |group: &Tied| bin_of(group.confidence, bins);
    let bin = |groups: &[Tied]| {
        let mut open = Open::default();
        for group in groups {
            open.add(group, group.count);
        }
        let number = number(&groups[0]);
        let end = |number: usize| number as f64 / bins as f64;
        Bin { low: end(number), high: end(number + 1), ..open.close() }
    };
    groups.chunk_by(|a, b| number(a) == number(b)).map(bin).collect()
}

/// Number of the bin whose upper end is the first that the confidence does not exceed.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in 0..=bins")]
fn bin_of(confidence: f64, bins: usize) -> usize {
    let upper = |bin: usize| (bin + 1) as f64 / bins as f64;
    // The product is rounded, so it may miss the bin by one.
    let near = ((confidence * bins as f64) as usize).saturating_sub(2);
    (near..bins).find(|&bin| confidence <= upper(bin)).unwrap_or(bins - 1)
}

/// The same where each bin holds equally many examples.
pub(super) fn equal_mass(groups: &[Tied], bins: usize, examples: usize) -> Vec<Bin> {
    let bins = bins.min(examples);
    // Where the bins end, counted from the highest confidence: the lowest bins are the smaller ones.
    let end = |bin: usize| examples - (bins - 1 - bin) * examples / bins;
    let (mut taken, mut open, mut closed) = (0, Open::default(), Vec::with_capacity(bins));
    for group in groups {
        let mut left = group.count;
        while left > 0 {
            let part = left.min(end(closed.len()) - taken);
            open.add(group, part);
            taken += part;
            left -= part;
            if taken == end(closed.len()) {
                closed.push(std::mem::take(&mut open).close());
            }
        }
    }
    closed
}

/// A bin while it is filled, highest confidence first.
#[derive(Default)]
struct Open {
    ends: Option<(f64, f64)>,
    count: usize,
    confidence: f64,
    correct: f64,
    gap: f64,
}

impl Open {
    /// Adds so many of the examples of equal confidence.
    fn add(&mut self, group: &Tied, count: usize) {
        let high = self.ends.map_or(group.confidence, |(_, high)| high);
        self.ends = Some((group.confidence, high));
        self.count += count;
        self.confidence += count as f64 * group.confidence;
        self.correct += count as f64 * group.correct;
        self.gap += count as f64 * gap(group);
    }

    fn close(self) -> Bin {
        let (low, high) = self.ends.unwrap_or_default();
        let mean = |sum: f64| sum / self.count as f64;
        Bin {
            low,
            high,
            count: self.count,
            confidence: mean(self.confidence),
            correct: mean(self.correct),
            gap: self.gap,
        }
    }
}

fn gap(group: &Tied) -> f64 {
    group.correct - group.confidence
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_edge_belongs_to_the_lower_bin(bins in 1..2000_usize, edge in 0..2000_usize) {
            let edge = edge.min(bins);
            let confidence = edge as f64 / bins as f64;
            prop_assert_eq!(bin_of(confidence, bins), edge.saturating_sub(1));
        }
    }
}
