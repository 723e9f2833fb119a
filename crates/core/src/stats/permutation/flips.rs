//! Sums of differences with signs by lot, many at a time.
//!
//! Eight differences have 256 sums. They are written into a table once, and a random byte says
//! which of them a permutation gets: one look into a table that lies in the nearest cache instead
//! of eight signs and eight additions.

use rand_core::Rng as _;

use super::Differences;
use crate::stats::interval;

/// Permutations that are drawn together; their sums stay in the nearest cache.
const CHUNK: usize = 2_048;

/// Differences of one table; each has a bit of a byte.
const BLOCK: usize = 8;

/// The draws so far.
pub(super) struct Flips<'a> {
    differences: &'a Differences,
    seed: u64,
    chunks: u32,
    drawn: u32,
    /// How many of the sums lie as far out as the one that was seen.
    pub(super) extreme: u64,
    sums: Vec<i64>,
}

impl<'a> Flips<'a> {
    pub(super) fn new(differences: &'a Differences, seed: u64) -> Self {
        Self { differences, seed, chunks: 0, drawn: 0, extreme: 0, sums: vec![0; CHUNK] }
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
        let mut stream = interval::stream(self.seed, self.chunks);
        self.sums.fill(0);
        let sums = &mut self.sums[..wanted.next_multiple_of(BLOCK)];
        for block in self.differences.sizes.chunks(BLOCK) {
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

    #[test]
    fn a_table_holds_all_signs() {
        let three = table(&[4, 2, 1]);
        assert_eq!(three[..8], [-7, 1, -3, 5, -5, 3, -1, 7]);
        // Bits without a size change nothing.
        assert_eq!(three[8..16], three[..8]);
    }
}
