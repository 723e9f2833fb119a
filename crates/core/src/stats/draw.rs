//! Decisions by lot that come out the same in every run.

use rand_core::{Rng as _, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{interval, summary::fnv1a};

/// An index below `n`, which must not be 0, drawn from a random stream of its own: it depends on
/// the seed and the id alone, so neither the order of the examples nor what is drawn for others
/// changes it.
pub(crate) fn draw(seed: u64, id: &str, n: usize) -> usize {
    // Only the first number of the stream is used, so both halves of its state must be mixed.
    let mut stream = Pcg64Mcg::seed_from_u64(seed ^ fnv1a(id.as_bytes()));
    interval::below(&mut stream, n)
}

/// A number that is drawn for an id from such a stream: the ids with the lowest ones are a random
/// sample of all.
pub fn lot(seed: u64, id: &str) -> u64 {
    Pcg64Mcg::seed_from_u64(seed ^ fnv1a(id.as_bytes())).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_fair_and_depends_on_seed_and_id_alone() {
        const DRAWS: usize = 30_000;
        let drawn = |seed| -> Vec<usize> {
            (0..DRAWS).map(|index| draw(seed, &format!("C_{index}_q#0"), 3)).collect()
        };
        let (one, other) = (drawn(13), drawn(14));
        // Four standard deviations around a third.
        let third = DRAWS / 3 - 330..DRAWS / 3 + 330;
        for value in 0..3 {
            let count = one.iter().filter(|&&drawn| drawn == value).count();
            assert!(third.contains(&count), "{value}: {count}");
        }
        let same = one.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(third.contains(&same), "{same}");
        assert_eq!(one, drawn(13));
        assert_eq!(draw(13, "C_1_q#0", 1), 0);
    }
}
