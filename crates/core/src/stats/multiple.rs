//! What remains of p-values when many comparisons are read, and how to show it.

/// P-values after Holm's correction, in the order given: with it, the probability that any of the
/// comparisons without a true difference falls below `a` is at most `a`, however they depend on
/// each other.
///
/// Holm, "A Simple Sequentially Rejective Multiple Test Procedure" (1979).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut corrected = vec![1.0; p.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max(p[index] * (p.len() - rank) as f64).min(1.0);
        corrected[index] = largest;
    }
    corrected
}

/// The compact letter display: two systems share a letter exactly where `differ` is false for
/// them. The system with the highest mean has an `a`. For metrics where lower is better, give the
/// means with a minus. After `z` come `A` to `Z`, then `(53)` and so on.
///
/// Piepho, "An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons" (2004).
///
/// ```
/// use qeval_core::stats::letters;
///
/// // The first and the last differ; the one between them differs from neither.
/// let differ = |a: usize, b: usize| a.abs_diff(b) == 2;
/// assert_eq!(letters(&[0.8, 0.6, 0.5], &differ), ["a", "ab", "b"]);
/// ```
pub fn letters(means: &[f64], differ: &dyn Fn(usize, usize) -> bool) -> Vec<String> {
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
    // Each column says which systems have one letter, by their place in that order.
    let mut columns = vec![vec![true; order.len()]];
    for first in 0..order.len() {
        for second in first + 1..order.len() {
            if differ(order[first], order[second]) {
                part(&mut columns, first, second);
            }
        }
    }
    columns.sort_by(|a, b| b.cmp(a));
    let mut letters = vec![String::new(); means.len()];
    for (place, &system) in order.iter().enumerate() {
        for (index, column) in columns.iter().enumerate() {
            if column[place] {
                letters[system].push_str(&letter(index));
            }
        }
    }
    letters
}

/// Parts two systems: a column that has both becomes two that have one of them each. A column
/// that says no more than another goes.
fn part(columns: &mut Vec<Vec<bool>>, first: usize, second: usize) {
    let (both, mut kept): (Vec<_>, Vec<_>) =
        std::mem::take(columns).into_iter().partition(|column| column[first] && column[second]);
    for column in both {
        for left_out in [second, first] {
            let mut new = column.clone();
            new[left_out] = false;
            if !kept.iter().any(|other| holds(other, &new)) {
                kept.retain(|other| !holds(&new, other));
                kept.push(new);
            }
        }
    }
    *columns = kept;
}

/// Whether each system of `part` is in `whole`.
fn holds(whole: &[bool], part: &[bool]) -> bool {
    whole.iter().zip(part).all(|(whole, part)| *whole || !part)
}

fn letter(index: usize) -> String {
    let letter = ('a'..='z').chain('A'..='Z').nth(index);
    letter.map_or_else(|| format!("({})", index + 1), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn holm_goes_down_step_by_step() {
        // statsmodels.stats.multitest.multipletests(p, method="holm")
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(corrected.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn all_alike_or_all_apart() {
        assert_eq!(letters(&[0.1, 0.3, 0.2], &|_, _| false), ["a", "a", "a"]);
        assert_eq!(letters(&[0.1, 0.3, 0.2], &|_, _| true), ["c", "a", "b"]);
        assert_eq!(letters(&[0.5], &|_, _| true), ["a"]);
        assert!(letters(&[], &|_, _| true).is_empty());
        let many = letters(&[0.0; 54], &|_, _| true);
        assert_eq!((many[25].as_str(), many[26].as_str(), many[53].as_str()), ("z", "A", "(54)"));
    }

    proptest! {
        #[test]
        fn letters_say_what_differs(pairs in prop::collection::vec(any::<bool>(), 49)) {
            let differ = |a: usize, b: usize| pairs[a.min(b) * 7 + a.max(b)];
            let means = [0.5, 0.9, 0.1, 0.7, 0.3, 0.2, 0.4];
            let letters = letters(&means, &differ);
            prop_assert!(letters[1].contains('a'));
            for a in 0..7 {
                for b in a + 1..7 {
                    let shared = letters[a].chars().any(|letter| letters[b].contains(letter));
                    prop_assert_eq!(shared, !differ(a, b), "{:?}", letters);
                }
            }
        }
    }
}
