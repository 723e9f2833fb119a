//! Many systems at once, by the analysis of variance.

use super::{LEVEL, studentised_range::StudentisedRange};

/// All pairs of several systems, with Tukey's correction for all of them together.
#[derive(Clone, Debug, PartialEq)]
pub struct Tukey {
    /// The mean of each system, in the order given.
    pub means: Vec<f64>,
    /// Standard deviation of what neither the systems nor the examples explain.
    pub stddev: f64,
    /// Degrees of freedom of that.
    pub degrees: u64,
    /// The pairs: first with second, first with third and so on.
    pub pairs: Vec<TukeyPair>,
}

/// Two of the systems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TukeyPair {
    /// Index of the first.
    pub first: usize,
    /// Index of the second.
    pub second: usize,
    /// Mean of the second less that of the first.
    pub difference: f64,
    /// Lower end of the simultaneous 95 % interval of the difference.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The corrected p-value. Below 1e-12 it is not told from that.
    pub p: f64,
}

impl TukeyPair {
    /// Whether the pair differs at the level of the interval.
    pub fn differs(&self) -> bool {
        self.p < 1.0 - LEVEL
    }
}

/// Tukey's honestly significant differences of systems on the same examples: `scores` has for each
/// system its scores, in the same order of the examples. `None` below two systems or two examples,
/// where lists differ in length, and where a score is no number.
///
/// Examples are hard or easy for all systems; that is taken out first, as in an analysis of
/// variance by system and example. It assumes that what remains is normal and spread alike for all
/// systems, which scores of 0 and 1 are not: with few examples, [`sign_flip`](super::sign_flip) and
/// [`holm`](super::holm) are safer. Examples must be independent; of dialogs or documents give the
/// means of each.
///
/// Tukey, "The Problem of Multiple Comparisons" (1953); Carterette, "Multiple Testing in
/// Statistical Analysis of Systems-Based Information Retrieval Experiments" (2012).
pub fn tukey(scores: &[&[f64]]) -> Option<Tukey> {
    let (systems, examples) = (scores.len(), scores.first()?.len());
    if systems < 2 || examples < 2 || scores.iter().any(|scores| scores.len() != examples) {
        return None;
    }
    let means: Vec<f64> = scores.iter().map(|scores| mean(scores)).collect();
    let all = mean(&means);
    let squares: f64 = (0..examples)
        .map(|example| {
            let of_example = scores.iter().map(|scores| scores[example]);
            let usual = of_example.clone().sum::<f64>() / systems as f64 - all;
            let rest = of_example.zip(&means).map(|(score, mean)| score - mean - usual);
            rest.map(|rest| rest * rest).sum::<f64>()
        })
        .sum();
    let degrees = (systems as u64 - 1) * (examples as u64 - 1);
    table(means, &vec![examples; systems], squares, degrees)
}

/// The same for systems on examples of their own: `samples` has for each its scores, as many as
/// there are. `None` below two systems, where the scores are not more than the systems, where a
/// system has none, and where a score is no number.
///
/// Equals `pairwise_tukeyhsd` of statsmodels. Where numbers of examples differ, it is Kramer's form
/// ("Extension of Multiple Range Tests to Group Means with Unequal Numbers of Replications", 1956).
/// On the same examples, [`tukey`] sees much more.
pub fn tukey_one_way(samples: &[&[f64]]) -> Option<Tukey> {
    let sizes: Vec<usize> = samples.iter().map(|scores| scores.len()).collect();
    let total: usize = sizes.iter().sum();
    if samples.len() < 2 || sizes.contains(&0) || total <= samples.len() {
        return None;
    }
    let means: Vec<f64> = samples.iter().map(|scores| mean(scores)).collect();
    let squares = samples.iter().zip(&means).map(|(scores, mean)| {
        scores.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>()
    });
    let squares = squares.sum();
    table(means, &sizes, squares, (total - samples.len()) as u64)
}

fn table(means: Vec<f64>, sizes: &[usize], squares: f64, degrees: u64) -> Option<Tukey> {
    let variance = squares / degrees as f64;
    if !variance.is_finite() || means.iter().any(|mean| !mean.is_finite()) {
        return None;
    }
    let range = StudentisedRange::new(means.len(), degrees as f64);
    let critical = range.quantile(1.0 - LEVEL);
    let mut pairs = Vec::new();
    for first in 0..means.len() {
        for second in first + 1..means.len() {
            let difference = means[second] - means[first];
            let shares = 1.0 / sizes[first] as f64 + 1.0 / sizes[second] as f64;
            let error = (variance * shares / 2.0).sqrt();
            // Without an error, what differs does so infinitely, and what does not has no range.
            let p = if difference == 0.0 { 1.0 } else { range.p(difference.abs() / error) };
            let (low, high) = (difference - critical * error, difference + critical * error);
            pairs.push(TukeyPair { first, second, difference, low, high, p });
        }
    }
    Some(Tukey { means, stddev: variance.sqrt(), degrees, pairs })
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_examples_share_is_taken_out() {
        // The second system is better by about 0.1 on every example, and examples differ by 1.
        let first: Vec<f64> = (0..20).map(|i| f64::from(i % 2)).collect();
        let shift = |by: f64, every: u32| -> Vec<f64> {
            let noise = |i: u32| if (i / every).is_multiple_of(2) { 0.05 } else { -0.05 };
            (0..20).zip(&first).map(|(i, score)| score + by + noise(i)).collect()
        };
        let (second, third) = (shift(0.1, 1), shift(0.001, 5));
        let systems = [&first[..], &second, &third];
        let found = tukey(&systems).unwrap();
        let differs: Vec<bool> = found.pairs.iter().map(TukeyPair::differs).collect();
        assert_eq!((differs, found.degrees), (vec![true, false, true], 38));
        let apart = tukey_one_way(&systems).unwrap();
        assert!(apart.pairs.iter().all(|pair| !pair.differs()) && apart.degrees == 57);
        // At the critical range, the interval ends at 0.
        for pair in found.pairs {
            assert_eq!(pair.differs(), pair.low > 0.0 || pair.high < 0.0, "{pair:?}");
        }
    }

    #[test]
    fn without_any_error_only_what_differs_does() {
        let found = tukey(&[&[0.0, 0.0], &[0.0, 0.0], &[1.0, 1.0]]).unwrap();
        let differs: Vec<bool> = found.pairs.iter().map(TukeyPair::differs).collect();
        assert_eq!((differs, found.stddev), (vec![false, true, true], 0.0));
    }

    #[test]
    fn too_little_has_no_result() {
        assert_eq!(tukey(&[]), None);
        assert_eq!(tukey(&[&[1.0, 2.0]]), None);
        assert_eq!(tukey(&[&[1.0], &[2.0]]), None);
        assert_eq!(tukey(&[&[1.0, 2.0], &[2.0]]), None);
        assert_eq!(tukey(&[&[1.0, f64::NAN], &[2.0, 1.0]]), None);
        assert_eq!(tukey_one_way(&[&[1.0], &[2.0]]), None);
        assert_eq!(tukey_one_way(&[&[1.0, 2.0], &[]]), None);
    }
}
