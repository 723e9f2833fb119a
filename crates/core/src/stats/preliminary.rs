//! A mean while its numbers still come in.

/// Distance from the mean to the ends of the interval, in standard errors: 95 % of a normal
/// distribution lie between.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The mean and the spread of the numbers so far, without the numbers. It is there to be looked at
/// while an evaluation runs: it is rounded, and the examples that come first need not be like those that
/// come last, so it is no result.
///
/// ```
/// use qeval_core::stats::Preliminary;
///
/// let mut all = Preliminary::default();
/// [1.0, 0.0, 1.0, 1.0].into_iter().for_each(|number| all.add(number));
/// assert_eq!(all.mean(), Some(0.75));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preliminary {
    count: u64,
    mean: f64,
    /// Sum of the squared distances from the mean.
    squares: f64,
}

impl Preliminary {
    /// Adds a number, which must be finite.
    pub fn add(&mut self, number: f64) {
        self.count += 1;
        let before = number - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (number - self.mean);
    }

    /// Those of some numbers, all of which are finite and near each other: their squares are added up as
    /// they are.
    pub fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let (mut count, mut sum, mut squares) = (0_u64, 0.0, 0.0);
        for number in numbers {
            count += 1;
            sum += number;
            squares += number * number;
        }
        if count == 0 {
            return Self::default();
        }
        let mean = sum / count as f64;
        Self { count, mean, squares: f64::max(squares - sum * mean, 0.0) }
    }

    /// Adds the numbers of another one (Chan, Golub and others, "Updating Formulae and a Pairwise
    /// Algorithm for Computing Sample Variances", 1979).
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        let count = self.count + other.count;
        let (share, apart) = (other.count as f64 / count as f64, other.mean - self.mean);
        self.squares += other.squares + apart * apart * self.count as f64 * share;
        self.mean += apart * share;
        self.count = count;
    }

    /// How many numbers there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; `None` without a number.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Half of the width of an interval that has the mean of all in 95 % of the cases, if the
    /// examples are independent and come in a random order; `None` below two numbers.
    pub fn margin(&self) -> Option<f64> {
        let freedom = self.count.checked_sub(1).filter(|&freedom| freedom > 0)?;
        let error = (self.squares / freedom as f64 / self.count as f64).sqrt();
        Some(error * NORMAL_95).filter(|margin| margin.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(numbers: &[f64]) -> Preliminary {
        let mut preliminary = Preliminary::default();
        for &number in numbers {
            preliminary.add(number);
        }
        preliminary
    }

    #[test]
    fn few_numbers_have_no_interval() {
        assert_eq!((of(&[]).mean(), of(&[]).margin()), (None, None));
        assert_eq!((of(&[0.5]).mean(), of(&[0.5]).margin()), (Some(0.5), None));
        assert_eq!(of(&[0.5, 0.5]).margin(), Some(0.0));
        let margin = of(&[0.0, 1.0, 0.0, 1.0]).margin().unwrap();
        assert!((margin - NORMAL_95 * (1.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn parts_are_merged_to_the_whole(
            left in prop::collection::vec(-1e3..1e3, 0..40),
            right in prop::collection::vec(-1e3..1e3, 0..40),
        ) {
            let short = Preliminary::of(left.iter().copied());
            prop_assert!((short.squares - of(&left).squares).abs() < 1e-3);
            let mut merged = of(&left);
            merged.merge(&of(&right));
            let numbers = [left, right].concat();
            let whole = of(&numbers);
            prop_assert_eq!(merged.count(), whole.count());
            let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-9,
                (a, b) => a == b,
            };
            let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
            prop_assert!(close(merged.mean(), (!numbers.is_empty()).then_some(mean)));
            prop_assert!(close(merged.margin(), whole.margin()));
        }
    }
}
