//! The mean of best scores that leaves one reference out in turn, as QuAC and CoQA take it: so a
//! system is compared with as many references as a person can be.

/// Mean over i of the best score but for the i-th; the score itself where there is one only, and
/// 0 where there is none.
pub(crate) fn mean(scores: &[f64]) -> f64 {
    match scores {
        [] => 0.0,
        [score] => *score,
        _ => {
            let best = best(scores.iter().copied());
            let first = scores.iter().position(|&score| score >= best).unwrap_or(0);
            let others = scores.iter().enumerate().filter(|&(i, _)| i != first);
            let second = self::best(others.map(|(_, &score)| score));
            let without = |i: usize| if i == first { second } else { best };
            (0..scores.len()).map(without).sum::<f64>() / scores.len() as f64
        }
    }
}

/// How well the references do among themselves, each against all others; `score(i, j)` compares
/// the i-th, as a prediction, with the j-th. `None` below two references.
pub(crate) fn among(references: usize, score: impl Fn(usize, usize) -> f64) -> Option<f64> {
    let against = |i: usize| best((0..references).filter(|&j| j != i).map(|j| score(i, j)));
    let sum = || (0..references).map(against).sum::<f64>();
    (references > 1).then(|| sum() / references as f64)
}

fn best(scores: impl Iterator<Item = f64>) -> f64 {
    scores.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_left_out_once() {
        assert!((mean(&[1.0, 0.0, 0.5]) - 2.5 / 3.0).abs() < 1e-15);
        assert!((mean(&[0.5, 0.5]) - 0.5).abs() < 1e-15);
        assert!((mean(&[0.3]) - 0.3).abs() < 1e-15);
        assert_eq!(among(1, |_, _| 1.0), None);
        assert_eq!(among(3, |i, j| f64::from(u8::from(i + j == 1))), Some(2.0 / 3.0));
    }
}
