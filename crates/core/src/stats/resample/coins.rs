//! Fair coins, counted 64 at a time.

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

/// How many of so many fair coins show heads.
pub(super) fn heads(coins: u64, stream: &mut Pcg64Mcg) -> u64 {
    let whole = (0..coins / 64).map(|_| u64::from(stream.next_u64().count_ones())).sum::<u64>();
    match coins % 64 {
        0 => whole,
        rest => whole + u64::from((stream.next_u64() >> (64 - rest)).count_ones()),
    }
}

/// How many of so many draws hit something that has `share` of `whole` places.
///
/// Each draw is a fraction below 1 whose binary digits are coins, and a hit if it is below
/// `share / whole`: the first digit that differs decides. About half of the draws that are not
/// decided are so at each digit, so it takes two coins a draw.
pub(super) fn binomial(draws: u64, share: u64, whole: u64, stream: &mut Pcg64Mcg) -> u64 {
    if share >= whole {
        return draws;
    }
    let (mut undecided, mut hits, mut rest) = (draws, 0, share);
    while undecided > 0 && rest > 0 {
        rest *= 2;
        let zeros = heads(undecided, stream);
        if rest >= whole {
            rest -= whole;
            hits += zeros;
            undecided -= zeros;
        } else {
            undecided = zeros;
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::resample::stream;

    #[test]
    fn counts_have_the_mean_and_the_spread_of_theory() {
        for (draws, share, whole) in
            [(1000, 1, 2), (1000, 3, 10), (64, 1, 3), (7, 6, 7), (5000, 1, 4999), (1, 2, 5)]
        {
            const REPEATS: u32 = 20_000;
            let counts: Vec<f64> = (0..REPEATS)
                .map(|index| binomial(draws, share, whole, &mut stream(5, index)) as f64)
                .collect();
            let n = f64::from(REPEATS);
            let p = share as f64 / whole as f64;
            let variance = draws as f64 * p * (1.0 - p);
            let mean = counts.iter().sum::<f64>() / n;
            // Five standard errors.
            let error = 5.0 * (variance / n).sqrt();
            assert!((mean - draws as f64 * p).abs() < error, "{draws} {p}: {mean}");
            let found = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / n;
            // The spread of a variance of counts, whose excess kurtosis is (1 - 6pq)/(npq).
            let excess = (1.0 - 6.0 * p * (1.0 - p)) / variance;
            let error = 5.0 * variance * ((2.0 + excess) / n).sqrt();
            assert!((found - variance).abs() < error, "{draws} {p}: {found} for {variance}");
        }
        assert_eq!(binomial(9, 4, 4, &mut stream(5, 0)), 9);
        assert_eq!(binomial(9, 0, 4, &mut stream(5, 0)), 0);
        assert_eq!(heads(0, &mut stream(5, 0)), 0);
    }
}
