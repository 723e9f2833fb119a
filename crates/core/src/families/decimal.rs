//! Rounding as Python and NumPy do it.

/// Rounds as Python's `round` does: to the decimal that is nearest to the exact binary value, ties
/// to even.
pub(crate) fn round(value: f64, digits: usize) -> f64 {
    format!("{value:.digits$}").parse().unwrap_or(value)
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
}
