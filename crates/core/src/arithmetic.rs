//! Sums and rounding as Python and NumPy do them: scripts print what these give, to the last digit.

/// Rounds as Python's `round` does: to the decimal that is nearest to the exact binary value, ties
/// to even.
pub(crate) fn round(value: f64, digits: usize) -> f64 {
    format!("{value:.digits$}").parse().unwrap_or(value)
}

/// Rounds to two digits as NumPy does: the product with 100 is rounded, so that 0.665 becomes 0.66.
pub(crate) fn round_to_hundredths(value: f64) -> f64 {
    (value * 100.0).round_ties_even() / 100.0
}

/// NumPy's mean of a list: its sum is taken in blocks. `None` without a value, where NumPy says
/// NaN.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| sum(values) / values.len() as f64)
}

/// NumPy's sum of a list: eight running sums over blocks of at most 128 values; longer lists are
/// halved first.
pub(crate) fn sum(values: &[f64]) -> f64 {
    let n = values.len();
    if n > 128 {
        let half = n / 2;
        let (left, right) = values.split_at(half - half % 8);
        return sum(left) + sum(right);
    }
    let (eights, rest) = values.as_chunks::<8>();
    let (start, first_rest) = match eights {
        [] => (0.0, rest),
        [first, others @ ..] => {
            let mut sums = *first;
            for eight in others {
                sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value);
            }
            let half = |i: usize| (sums[i] + sums[i + 1]) + (sums[i + 2] + sums[i + 3]);
            (half(0) + half(4), rest)
        }
    };
    first_rest.iter().fold(start, |sum, value| sum + value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_of_the_binary_value_go_to_even() {
        for (value, digits, rounded) in
            [(0.25, 1, 0.2), (0.75, 1, 0.8), (0.35, 1, 0.3), (2.5, 0, 2.0), (29.55, 1, 29.6)]
        {
            assert_eq!(round(value, digits).to_string(), f64::to_string(&rounded), "{value}");
        }
        assert!(round(f64::NAN, 1).is_nan());
        assert_eq!(round(f64::INFINITY, 1).to_string(), "inf");
    }

    #[test]
    fn hundredths_are_rounded_after_the_product() {
        assert_eq!(round_to_hundredths(0.665).to_string(), "0.66");
        assert_eq!(round(0.665, 2).to_string(), "0.67");
    }

    #[test]
    fn a_mean_is_taken_in_blocks() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[1.0, 2.0]), Some(1.5));
        // The second block sees the small values before the large one swallows them.
        let mut values = vec![0.0; 16];
        (values[0], values[1], values[9]) = (1e16, 1.0, 1.0);
        assert_eq!(mean(&values), Some((1e16 + 2.0) / 16.0));
        let long: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(mean(&long), Some(499.5));
    }
}
