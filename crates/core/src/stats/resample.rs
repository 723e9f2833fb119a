//! The totals of resamples: the work of every bootstrap.
//!
//! A resample draws as many items as there are, each with the same probability. How many of these
//! draws fall into one half of the items is a matter of as many fair coins, and so on for the half of
//! the half: so the items are cut into blocks whose length is a power of two, the coins are counted
//! 64 at a time, and only within a block of at most 4,096 items, which stays in the fastest memory,
//! single items are drawn, five or more from one random number. Where all items of a block are
//! the same, nothing needs to be drawn. Every probability is exact.

mod coins;

use std::ops::AddAssign;

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

use coins::{binomial, heads};

/// The longest block within which single items are drawn.
const BLOCK: usize = 4096;

/// Sums that are added up side by side.
const LANES: usize = 4;

/// What a resample adds up.
pub(super) trait Item: Copy + Default + PartialEq + AddAssign {
    /// Added so many times.
    fn times(self, count: u64) -> Self;
}

/// The total of each resample of `items`, which are in an order that depends on nothing but their
/// multiset, equal ones together.
///
/// Each resample has a random stream of its own, so its total depends on the seed, its number and
/// the items alone.
pub(super) fn totals<T: Item>(items: &[T], seed: u64, resamples: u32) -> Vec<T> {
    let mut resamples = Resamples {
        streams: (0..resamples).map(|index| stream(seed, index)).collect(),
        totals: vec![T::default(); resamples as usize],
    };
    let (mut rest, mut draws) = (items, vec![items.len() as u64; resamples.totals.len()]);
    while !rest.is_empty() {
        let (block, after) = rest.split_at(1 << rest.len().ilog2());
        let (share, whole) = (block.len() as u64, rest.len() as u64);
        let here =
            resamples.split(&mut draws, |draws, stream| binomial(draws, share, whole, stream));
        resamples.draw(block, here);
        rest = after;
    }
    resamples.totals
}

/// The random numbers of a resample.
pub(super) fn stream(seed: u64, index: u32) -> Pcg64Mcg {
    // The two halves keep streams of neighbouring seeds and resamples apart; the generator's own
    // output function does the mixing.
    let mut stream = Pcg64Mcg::new((u128::from(seed) << 64) | (u128::from(index) << 1) | 1);
    stream.next_u64();
    stream.next_u64();
    stream
}

/// All resamples go through the items together, so that a block is read from memory once.
struct Resamples<T> {
    streams: Vec<Pcg64Mcg>,
    totals: Vec<T>,
}

impl<T: Item> Resamples<T> {
    /// Takes from the draws of each resample those that `share` says.
    fn split(&mut self, draws: &mut [u64], share: impl Fn(u64, &mut Pcg64Mcg) -> u64) -> Vec<u64> {
        let split = |(draws, stream): (&mut u64, &mut Pcg64Mcg)| {
            let here = share(*draws, stream);
            *draws -= here;
            here
        };
        draws.iter_mut().zip(&mut self.streams).map(split).collect()
    }

    /// Adds for each resample so many draws from a block, whose length is a power of two.
    fn draw(&mut self, block: &[T], mut draws: Vec<u64>) {
        let (Some(&first), Some(&last)) = (block.first(), block.last()) else { return };
        if first == last {
            for (total, draws) in self.totals.iter_mut().zip(draws) {
                *total += first.times(draws);
            }
            return;
        }
        match block.len() {
            2 => self.gather::<1, 2>(block, &draws),
            4 => self.gather::<2, 4>(block, &draws),
            8 => self.gather::<3, 8>(block, &draws),
            16 => self.gather::<4, 16>(block, &draws),
            32 => self.gather::<5, 32>(block, &draws),
            64 => self.gather::<6, 64>(block, &draws),
            128 => self.gather::<7, 128>(block, &draws),
            256 => self.gather::<8, 256>(block, &draws),
            512 => self.gather::<9, 512>(block, &draws),
            1024 => self.gather::<10, 1024>(block, &draws),
            2048 => self.gather::<11, 2048>(block, &draws),
            BLOCK => self.gather::<12, BLOCK>(block, &draws),
            len => {
                let (low, high) = block.split_at(len / 2);
                let here = self.split(&mut draws, heads);
                self.draw(low, here);
                self.draw(high, draws);
            }
        }
    }

    /// Draws single items of a block of 2^`BITS` = `LEN`.
    fn gather<const BITS: usize, const LEN: usize>(&mut self, block: &[T], draws: &[u64]) {
        let block: &[T; LEN] = block.try_into().expect("the block was matched by its length");
        for ((total, stream), &draws) in self.totals.iter_mut().zip(&mut self.streams).zip(draws) {
            *total += sum_of_drawn::<T, BITS, LEN>(block, draws, stream);
        }
    }
}

fn sum_of_drawn<T: Item, const BITS: usize, const LEN: usize>(
    block: &[T; LEN],
    draws: u64,
    stream: &mut Pcg64Mcg,
) -> T {
    let each = 64 / BITS;
    let item = |word: u64| block[usize::try_from(word % LEN as u64).unwrap_or_default()];
    // Sums that do not wait for each other, and few enough for the registers.
    let mut sums = [T::default(); LANES];
    for _ in 0..draws / each as u64 {
        let word = stream.next_u64();
        for place in 0..each {
            sums[place % LANES] += item(word >> (place * BITS));
        }
    }
    let left = draws % each as u64;
    if left > 0 {
        let mut word = stream.next_u64();
        for _ in 0..left {
            sums[0] += item(word);
            word >>= BITS;
        }
    }
    sum(&sums)
}

/// All items, added up in their order.
pub(super) fn sum<T: Item>(items: &[T]) -> T {
    let mut total = T::default();
    for &item in items {
        total += item;
    }
    total
}

impl Item for f64 {
    fn times(self, count: u64) -> Self {
        self * count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Unit;

    #[test]
    fn each_item_is_drawn_alike() {
        const RESAMPLES: u32 = 3000;
        for items in [3_usize, 8, 13, 64, 100] {
            for item in [0, items / 2, items - 1] {
                let unit = |other: usize| Unit {
                    n: 1,
                    before: other as f64,
                    after: f64::from(u8::from(item == other)),
                };
                let units: Vec<Unit> = (0..items).map(unit).collect();
                let drawn = totals(&units, 11, RESAMPLES);
                let counts: Vec<f64> = drawn.iter().map(|total| total.after).collect();
                let n = f64::from(RESAMPLES);
                let mean = counts.iter().sum::<f64>() / n;
                let variance = counts.iter().map(|count| (count - 1.0).powi(2)).sum::<f64>() / n;
                let expected = 1.0 - 1.0 / items as f64;
                assert!((mean - 1.0).abs() < 5.0 / n.sqrt(), "{item} of {items}: {mean}");
                // The fourth moment of such a count is near 4.
                assert!((variance - expected).abs() < 9.0 / n.sqrt(), "{items}: {variance}");
            }
        }
    }

    #[test]
    fn totals_have_the_spread_of_theory() {
        for n in [9_usize, 1000, 5000, 20_000] {
            const RESAMPLES: u32 = 400;
            let items: Vec<f64> = (0..n).map(|i| ((i + 1) as f64 / n as f64).powi(3)).collect();
            let mean = items.iter().sum::<f64>() / n as f64;
            let variance = items.iter().map(|item| (item - mean).powi(2)).sum::<f64>() / n as f64;
            let means: Vec<f64> =
                totals(&items, 3, RESAMPLES).iter().map(|t| t / n as f64).collect();
            let centre = means.iter().sum::<f64>() / f64::from(RESAMPLES);
            let error = (variance / n as f64).sqrt();
            assert!((centre - mean).abs() < 5.0 * error / f64::from(RESAMPLES).sqrt(), "{n}");
            let found =
                means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / f64::from(RESAMPLES);
            assert!((found.sqrt() / error - 1.0).abs() < 0.15, "{n}: {}", found.sqrt() / error);
        }
    }

    #[test]
    fn a_resample_does_not_depend_on_the_others() {
        let items: Vec<f64> = (0..9000).map(|i| f64::from(i % 700)).collect();
        let many = totals(&items, 3, 50);
        assert_eq!(many[..7], totals(&items, 3, 7)[..]);
        assert_ne!(many[..7], totals(&items, 4, 7)[..]);
        assert_eq!(totals(&[0.5; 11], 3, 2), [5.5, 5.5]);
        assert_eq!(totals::<f64>(&[], 3, 2), [0.0, 0.0]);
    }

    /// All draws of a resample are made, however the items are cut.
    #[test]
    fn as_many_are_drawn_as_there_are() {
        let unit = |i: u32| Unit { n: 1, before: f64::from(i), after: f64::from(i % 3) };
        for n in [1, 2, 3, 5, 4095, 4096, 4097, 9999] {
            let units: Vec<Unit> = (0..n).map(unit).collect();
            assert!(totals(&units, 3, 20).iter().all(|total| total.n == u64::from(n)), "{n}");
        }
    }
}
