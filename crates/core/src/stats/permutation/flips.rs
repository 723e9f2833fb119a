//! Sums of differences with signs by lot, many at a time.
//!
//! Differences of one size are coins of which only the number of heads matters: many of them cost
//! one draw. Of the others, eight differences have 256 sums. They are written into a table once,
//! and a random byte says which of them a permutation gets: one look into a table that lies in the
//! nearest cache instead of eight signs and eight additions.

use rand_core::Rng as _;

use super::{Differences, coins::Coins};
use crate::stats::resample;

/// Permutations that are drawn together; their sums stay in the nearest cache.
const CHUNK: usize = 2_048;

/// Differences of one table; each has a bit of a byte.
const BLOCK: usize = 8;

/// Differences of one size that are drawn as coins; fewer of them are faster by tables.
const MANY: usize = 64;

/// The draws so far.
pub(super) struct Flips<'a> {
    differences: &'a Differences,
    seed: u64,
    coins: Vec<Coins>,
    /// The sizes that are not coins.
    others: Vec<i64>,
    chunks: u32,
    drawn: u32,
    /// How many of the sums lie as far out as the one that was seen.
    pub(super) extreme: u64,
    sums: Vec<i64>,
}

impl<'a> Flips<'a> {
    pub(super) fn new(differences: &'a Differences, seed: u64) -> Self {
        let mut coins = Vec::new();
        let mut others = Vec::new();
        for alike in differences.sizes.chunk_by(|a, b| a == b) {
            if alike.len() < MANY {
                others.extend_from_slice(alike);
            } else {
                coins.push(Coins::new(alike[0], alike.len().cast_signed() as i64));
            }
        }
        Self {
            differences,
            seed,
            coins,
            others,
            chunks: 0,
            drawn: 0,
            extreme: 0,
            sums: vec![0; CHUNK],
        }
    }

    /// Draws until there are so many in all.
    pub(super) fn draw_up_to(&mut self, permutations: u32) {
        while self.drawn < permutations {
            let wanted = ((permutations - self.drawn) as usize).min(CHUNK);
            self.chunk(wanted);
            let reached = |&&sum: &&i64| self.differences.is_reached_by(sum);
            self.extreme += self.sums[..wanted].iter().filter(reached).count() as u64;
            self.drawn += u32::try_from(wanted).unwrap_or(u32::MAX);
            self.chunks += 1;
        }
    }

    /// Draws the first `wanted` sums anew, from a stream of their own.
    fn chunk(&mut self, wanted: usize) {
        let mut stream = resample::stream(self.seed, self.chunks);
        self.sums.fill(0);
        let sums = &mut self.sums[..wanted.next_multiple_of(BLOCK)];
        for coins in &self.coins {
            for sum in &mut *sums {
                *sum += coins.draw(&mut stream);
            }
        }
        // The tables of all would take 256 bytes for each difference, and making one costs little.
        for block in self.others.chunks(BLOCK) {
            let table = table(block);
            for sums in sums.chunks_exact_mut(BLOCK) {
                let bytes = stream.next_u64().to_le_bytes();
                for (sum, byte) in sums.iter_mut().zip(bytes) {
                    *sum += table[usize::from(byte)];
                }
            }
        }
    }
}

/// For each byte the sum of the sizes whose bits are set, less the sum of the others.
fn table(sizes: &[i64]) -> [i64; 256] {
    let mut table = [0; 256];
    table[0] = -sizes.iter().sum::<i64>();
    for byte in 1..table.len() {
        let size = sizes.get(byte.trailing_zeros() as usize).copied().unwrap_or_default();
        table[byte] = table[byte & (byte - 1)] + 2 * size;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Unit;

    #[test]
    fn a_table_holds_all_signs() {
        let three = table(&[4, 2, 1]);
        assert_eq!(three[..8], [-7, 1, -3, 5, -5, 3, -1, 7]);
        // Bits without a size change nothing.
        assert_eq!(three[8..16], three[..8]);
    }

    #[test]
    fn coins_and_tables_draw_from_the_exact_distribution() {
        // 100 of size 2 and 63 of size 1; a part of both is negative.
        let unit = |i: u32| {
            let size = if i < 100 { 2.0 } else { 1.0 };
            Unit { n: 1, before: 0.0, after: if i % 5 < 2 { -size } else { size } }
        };
        let units: Vec<Unit> = (0..163).map(unit).collect();
        let seen: f64 = units.iter().map(|unit| unit.after).sum();
        let heads = |count: u32| -> Vec<f64> {
            let next = |p: f64, heads: u32| p * f64::from(count - heads) / f64::from(heads + 1);
            let first = 0.5_f64.powi(count.cast_signed());
            let all =
                (0..count).scan(first, |p, heads| Some(std::mem::replace(p, next(*p, heads))));
            all.chain([first]).collect()
        };
        let mut exact = 0.0;
        for (a, p_a) in (0..).zip(heads(100)) {
            for (b, p_b) in (0..).zip(heads(63)) {
                let sum = 2 * (2 * a - 100) + (2 * b - 63);
                exact += if f64::from(sum).abs() >= seen.abs() { p_a * p_b } else { 0.0 };
            }
        }
        let differences = Differences::of(&units).unwrap();
        let mut flips = Flips::new(&differences, 7);
        assert_eq!((flips.coins.len(), flips.others.len()), (1, 63));
        flips.draw_up_to(200_000);
        let drawn = flips.extreme as f64 / 2e5;
        let error = (exact * (1.0 - exact) / 2e5).sqrt();
        assert!((drawn - exact).abs() < 4.0 * error, "{drawn} {exact}");
    }
}
