//! The sum of many differences of one size with signs by lot: how many coins show heads, at the
//! price of one number drawn by lot.

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

/// Outcomes that are less probable than the most probable one by this factor are left out. They
/// are fewer than one in 10^17 draws.
const NEVER: f64 = 1e-20;

/// Draws from the binomial distribution of fair coins by Walker's aliases: of equally probable
/// cells each holds at most two outcomes.
///
/// Walker, "An Efficient Method for Generating Discrete Random Variables with General
/// Distributions" (1977); the cells are filled as in Vose, "A Linear Algorithm for Generating
/// Random Numbers with a Given Distribution" (1991). Only sums, products and quotients are used, so
/// that all machines draw the same.
pub(super) struct Coins {
    /// The sum of the outcome with the fewest heads that is drawn.
    lowest: i64,
    /// What one more head adds.
    step: i64,
    cells: Vec<Cell>,
}

/// An outcome that a cell has up to `share` of 2^64, and the one that has the rest.
#[derive(Clone, Copy)]
struct Cell {
    share: u64,
    other: i64,
}

impl Coins {
    /// So many differences of one size.
    pub(super) fn new(size: i64, count: i64) -> Self {
        let (fewest, weights) = weights(count);
        Self { lowest: size * (2 * fewest - count), step: 2 * size, cells: cells(&weights) }
    }

    /// A sum of all with signs by lot.
    pub(super) fn draw(&self, stream: &mut Pcg64Mcg) -> i64 {
        let product = u128::from(stream.next_u64()) * self.cells.len() as u128;
        #[expect(clippy::cast_possible_truncation, reason = "the halves of the product")]
        let (index, fraction) = ((product >> 64) as usize, product as u64);
        let cell = self.cells[index];
        let outcome = if fraction < cell.share { index.cast_signed() as i64 } else { cell.other };
        self.lowest + self.step * outcome
    }
}

/// How probable numbers of heads are beside the most probable one, and the first of them.
fn weights(count: i64) -> (i64, Vec<f64>) {
    let middle = count / 2;
    let mut down = vec![1.0];
    let mut weight = 1.0;
    for heads in (1..=middle).rev() {
        weight *= heads as f64 / (count - heads + 1) as f64;
        if weight < NEVER {
            break;
        }
        down.push(weight);
    }
    let fewest = middle + 1 - i64::try_from(down.len()).unwrap_or(i64::MAX);
    // An even number of coins has one middle, an odd one has two.
    let repeated = usize::from(count % 2 == 0);
    let up = down[repeated..].to_vec();
    down.reverse();
    down.extend(up);
    (fewest, down)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shares are between 0 and 1; where rounding makes them more, they stay in the cell"
)]
fn cells(weights: &[f64]) -> Vec<Cell> {
    let sum: f64 = weights.iter().sum();
    let mut shares: Vec<f64> =
        weights.iter().map(|weight| weight / sum * weights.len() as f64).collect();
    let own = |index: usize| Cell { share: u64::MAX, other: index.cast_signed() as i64 };
    let mut cells: Vec<Cell> = (0..weights.len()).map(own).collect();
    let (mut poor, mut rich): (Vec<usize>, Vec<usize>) =
        (0..shares.len()).partition(|&index| shares[index] < 1.0);
    while let (Some(&taker), Some(&giver)) = (poor.last(), rich.last()) {
        poor.pop();
        cells[taker] = Cell {
            share: (shares[taker] * 2_f64.powi(64)) as u64,
            other: giver.cast_signed() as i64,
        };
        shares[giver] -= 1.0 - shares[taker];
        if shares[giver] < 1.0 {
            rich.pop();
            poor.push(giver);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::resample;

    #[test]
    fn the_cells_hold_the_distribution() {
        for count in [64_i64, 65, 1_001, 100_000] {
            let coins = Coins::new(1, count);
            let cells = coins.cells.len();
            let mut shares = vec![0.0; cells];
            for (index, cell) in coins.cells.iter().enumerate() {
                let share = cell.share as f64 / 2_f64.powi(64);
                shares[index] += share / cells as f64;
                shares[usize::try_from(cell.other).unwrap()] += (1.0 - share) / cells as f64;
            }
            let sum = |index: usize| (coins.lowest + 2 * i64::try_from(index).unwrap()) as f64;
            let moment = |power| -> f64 {
                shares.iter().enumerate().map(|(index, p)| p * sum(index).powi(power)).sum()
            };
            let n = count as f64;
            assert!(moment(1).abs() < 1e-9 * n, "{count}");
            assert!((moment(2) / n - 1.0).abs() < 1e-12, "{count}");
            assert!((moment(4) / (3.0 * n * n - 2.0 * n) - 1.0).abs() < 1e-12, "{count}");
        }
        // All 65 outcomes of 64 coins are there: 1 in 2^64 is not left out, 1e-20 of the middle is.
        assert_eq!(Coins::new(3, 64).cells.len(), 65);
    }

    #[test]
    fn draws_have_the_size_and_parity_of_the_coins() {
        let coins = Coins::new(5, 101);
        let mut stream = resample::stream(7, 0);
        let sums: Vec<i64> = (0..10_000).map(|_| coins.draw(&mut stream)).collect();
        assert!(sums.iter().all(|sum| sum % 10 == 5 || sum % 10 == -5));
        let mean_square = sums.iter().map(|sum| (sum * sum) as f64).sum::<f64>() / 1e4;
        assert!((mean_square / (25.0 * 101.0) - 1.0).abs() < 0.06, "{mean_square}");
    }
}
