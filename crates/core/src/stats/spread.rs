//! How far scores lie apart.

use super::{
    ExactSum,
    wide::{exponent, times_power_of_two},
};

/// The share of the sum of squares below which the difference of two such sums says nothing of how
/// far the scores lie apart: their common part was rounded away with it.
const CANCELLED: f64 = 1.0 / (1_u64 << 24) as f64;

/// What the scores of a column have in common, in any order.
pub(super) struct Spread {
    /// Their sum.
    pub(super) sum: ExactSum,
    /// Their sample standard deviation; `None` below two, and where it is too large for a float.
    pub(super) stddev: Option<f64>,
}

/// The sums that a spread is made of, while scores come in.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    sum: ExactSum,
    squares: ExactSum,
    /// Whether there is a score whose square is no float, or has lost its digits, as that of what is
    /// far from 1 is.
    unusual: bool,
}

impl Sums {
    /// Adds a finite score.
    pub(super) fn add(&mut self, score: f64) {
        self.sum.add(score);
        if score == 0.0 || (1e-100..=1e100).contains(&score.abs()) {
            self.squares.add(score * score);
        } else {
            self.unusual = true;
        }
    }

    /// The spread of these `n` scores; `None` where it takes the scores themselves.
    pub(super) fn spread(&self, n: u64) -> Option<Spread> {
        let Self { sum, squares, unusual } = self;
        if n < 2 {
            return Some(Spread { sum: sum.clone(), stddev: None });
        }
        let squared = squares.value() - sum.value() * sum.mean(n);
        let known = !unusual && squared > squares.value() * CANCELLED;
        known.then(|| Spread::new(sum.clone(), (squared / (n - 1) as f64).sqrt()))
    }

    /// The spread of scores that are all 0 or all 1.
    pub(super) fn constant(&self) -> Spread {
        Spread::new(self.sum.clone(), 0.0)
    }
}

impl Spread {
    fn new(sum: ExactSum, stddev: f64) -> Self {
        Self { sum, stddev: Some(stddev).filter(|stddev| stddev.is_finite()) }
    }

    /// Of finite scores.
    pub(super) fn of(scores: &[f64]) -> Self {
        let mut sums = Sums::default();
        for &score in scores {
            sums.add(score);
        }
        let known = sums.spread(scores.len() as u64);
        known.unwrap_or_else(|| Self::new(sums.sum, from_deviations(scores)))
    }
}

/// From the deviations from the mean, made about 1 in size by a power of two. Nothing here depends
/// on the order of the scores.
fn from_deviations(scores: &[f64]) -> f64 {
    let n = scores.len() as u64;
    let largest = |numbers: &[f64]| numbers.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let scaled = |numbers: &[f64]| -> Option<(Vec<f64>, i32)> {
        let most = largest(numbers);
        let power = exponent(most);
        let scaled = |&number: &f64| times_power_of_two(number, -power);
        (most > 0.0).then(|| (numbers.iter().map(scaled).collect(), power))
    };
    let total = |numbers: &mut dyn Iterator<Item = f64>| {
        let mut sum = ExactSum::default();
        numbers.for_each(|number| sum.add(number));
        sum
    };
    let Some((scores, of_scores)) = scaled(scores) else { return 0.0 };
    let mean = total(&mut scores.iter().copied()).mean(n);
    let deviations: Vec<f64> = scores.iter().map(|score| score - mean).collect();
    let Some((deviations, of_deviations)) = scaled(&deviations) else { return 0.0 };
    // The mean was rounded, so that the deviations do not cancel quite.
    let rest = total(&mut deviations.iter().copied());
    let squares = total(&mut deviations.iter().map(|deviation| deviation * deviation));
    let squared = (squares.value() - rest.value() * rest.mean(n)).max(0.0);
    times_power_of_two((squared / (n - 1) as f64).sqrt(), of_scores + of_deviations)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stddev(scores: &[f64]) -> Option<f64> {
        Spread::of(scores).stddev
    }

    #[test]
    fn scores_that_lie_close_together_keep_their_deviation() {
        assert_eq!(stddev(&[0.3; 7]), Some(0.0));
        assert_eq!(stddev(&[1e9, 1e9 + 2.0, 1e9 + 4.0]), Some(2.0));
        assert_eq!(stddev(&[0.5]), None);
        assert_eq!(stddev(&[0.0, 0.0]), Some(0.0));
        assert_eq!(stddev(&[5e-324, 1.5e-323, 2.5e-323]), Some(1e-323));
    }

    proptest! {
        /// Multiples of a power of two are exact in whole numbers.
        #[test]
        fn it_is_what_whole_numbers_give(
            (numbers, mixed) in prop::collection::vec(-1_000_000..1_000_000_i64, 2..20)
                .prop_flat_map(|numbers| (Just(numbers.clone()), Just(numbers).prop_shuffle())),
            power in -1000..1000_i32,
            offset in prop::sample::select(vec![0_i64, 1 << 40, -(1 << 50)]),
        ) {
            let of = |numbers: &[i64]| -> Vec<f64> {
                let score = |&number: &i64| times_power_of_two((number + offset) as f64, power);
                numbers.iter().map(score).collect()
            };
            prop_assume!(power < 900);
            let n = numbers.len() as i128;
            let sum: i128 = numbers.iter().map(|&number| i128::from(number)).sum();
            let squares: i128 = numbers.iter().map(|&number| i128::from(number).pow(2)).sum();
            let variance = (n * squares - sum * sum) as f64 / (n * (n - 1)) as f64;
            let expected = times_power_of_two(variance.sqrt(), power);
            let found = stddev(&of(&numbers)).unwrap();
            prop_assert!((found - expected).abs() <= 1e-8 * expected, "{found} {expected}");
            prop_assert_eq!(stddev(&of(&mixed)).map(f64::to_bits), Some(found.to_bits()));
        }
    }
}
