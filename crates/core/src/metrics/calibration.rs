//! Calibration: whether answers of confidence p are correct in a share p of cases.

mod bins;

pub use bins::Bin;

use super::confidence::{self, MIN_SCORE, SCORE, Scale, tied};
use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Pooled, Score, Subject,
    Unscored,
};

const BINS: Parameter = Parameter {
    name: "bins",
    kind: Kind::Integer { min: 1, default: 15 },
    summary: "number of bins",
};

const SCHEME: Parameter = Parameter {
    name: "scheme",
    kind: Kind::Choice(&["uniform", "mass"]),
    summary: "bins of equal width, or of equally many examples",
};

/// Expected calibration error: how far confidence is from correctness, bin by bin.
///
/// # Definition
/// The sum over the bins of (size / n) · |mean correctness - mean confidence|. Bins of equal width
/// are (i / m, (i + 1) / m], the first with 0. Bins of equal mass cut the examples, by confidence,
/// at the ranks i n / m, rounded down. Correctness is the score of the metric `score`, or whether
/// that reaches `min_score`.
///
/// # Range
/// 0 to 1. Less is better.
///
/// # Edge cases
/// Each example counts with the mean correctness of all examples of its confidence, so that the
/// order does not matter where a bin of equal mass ends among equals. A missing confidence, or one
/// outside 0 to 1, is unscored. A missing prediction is wrong with confidence 1, if any other has a
/// confidence. An abstention
/// counts by its confidence and its score, as any prediction.
///
/// # Equals
/// ECE of Guo et al., "On Calibration of Modern Neural Networks" (2017), whose code drops
/// confidences of exactly 0. Equal mass: Nguyen and O'Connor, "Posterior Calibration and Exploratory
/// Analysis for Natural Language Processing Models" (2015).
pub static ECE: Definition = Definition {
    name: "ECE",
    synonyms: &[],
    summary: "expected calibration error: distance of confidence and correctness, bin by bin",
    equals: "Guo et al. (2017): ECE",
    parameters: &[BINS, SCHEME, SCORE, MIN_SCORE],
    estimator: Estimator::Pooled(&POOLED),
    score: |metric, case| confidence::alone(&POOLED, metric, case),
    ..BRIER
};

/// Mean squared distance of confidence and correctness.
///
/// # Definition
/// (confidence - correctness)², a mean over the examples. Correctness is the score of the metric
/// `score`, or whether that reaches `min_score`.
///
/// # Range
/// 0 to 1. Less is better.
///
/// # Edge cases
/// A missing confidence, or one outside 0 to 1, is unscored. A missing prediction scores 1,
/// if any other has a confidence.
///
/// # Equals
/// Brier, "Verification of Forecasts Expressed in Terms of Probability" (1950), in its form for two
/// classes; `brier_score_loss` of scikit-learn.
pub static BRIER: Definition = Definition {
    name: "Brier",
    synonyms: &["BrierScore"],
    summary: "squared distance of confidence and correctness",
    equals: "Brier (1950); scikit-learn: brier_score_loss",
    subject: Subject::Answer,
    needs: &[Need::Confidence],
    cutoff: Cutoff::Never,
    parameters: &[SCORE, MIN_SCORE],
    range: (0.0, 1.0),
    higher_is_better: false,
    estimator: Estimator::Mean,
    score: brier,
};

static POOLED: Pooled = Pooled { names: confidence::NAMES, of: statistics, finish };

fn brier(metric: &Metric, case: &Case<'_>) -> Score {
    let (confidence, correct) = confidence::statistics(metric, case, Scale::Probability)?;
    Ok((confidence - correct) * (confidence - correct))
}

fn statistics(metric: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    let (confidence, correct) = confidence::statistics(metric, case, Scale::Probability)?;
    Ok(vec![confidence, correct])
}

fn finish(metric: &Metric, columns: &[&[f64]]) -> Option<f64> {
    let examples = columns[0].len();
    let gaps = cut(metric, columns[0], columns[1]).iter().map(|bin| bin.gap.abs()).sum::<f64>();
    (examples > 0).then(|| (gaps / examples as f64).clamp(0.0, 1.0))
}

/// The bins of an [`ECE`] that hold examples, lowest first; `None` for another metric. The order of
/// the examples does not matter.
///
/// ```
/// use qeval_core::metrics::calibration::bins;
///
/// let bins = bins(&"ECE(bins=2)".parse()?, &[1.0, 0.75, 0.25], &[0.0, 1.0, 0.0]).unwrap();
/// assert_eq!((bins[1].low, bins[1].high, bins[1].count), (0.5, 1.0, 2));
/// assert_eq!((bins[1].confidence, bins[1].correct), (0.875, 0.5));
/// assert_eq!(bins[1].error(3), (0.875 - 0.5) * 2.0 / 3.0);
/// # Ok::<(), qeval_core::MetricError>(())
/// ```
pub fn bins(metric: &Metric, confidences: &[f64], correct: &[f64]) -> Option<Vec<Bin>> {
    let of_ece = std::ptr::eq(metric.definition(), &raw const ECE);
    of_ece.then(|| {
        let mut bins = cut(metric, confidences, correct);
        bins.reverse();
        bins
    })
}

/// The bins that hold examples, highest first.
#[expect(clippy::cast_sign_loss, reason = "there is at least one bin")]
fn cut(metric: &Metric, confidences: &[f64], correct: &[f64]) -> Vec<Bin> {
    let number = metric.integer(BINS.name) as usize;
    let groups = tied(confidences, correct);
    match metric.choice(SCHEME.name) {
        "mass" => bins::equal_mass(&groups, number, confidences.len()),
        _ => bins::equal_width(&groups, number),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::confidence::tests::{columns, finish, pairs},
        *,
    };

    /// Equal width by one look at all examples for each bin.
    fn slow_width(pairs: &[(f64, f64)], bins: usize) -> f64 {
        let m = bins as f64;
        let error = |bin: usize| {
            let (low, high) = (bin as f64 / m, (bin + 1) as f64 / m);
            let inside: Vec<&(f64, f64)> = (pairs.iter())
                .filter(|(c, _)| (*c > low && *c <= high) || (bin == 0 && *c <= 0.0))
                .collect();
            if inside.is_empty() {
                return 0.0;
            }
            let size = inside.len() as f64;
            let confidence = inside.iter().map(|pair| pair.0).sum::<f64>() / size;
            let correct = inside.iter().map(|pair| pair.1).sum::<f64>() / size;
            size / pairs.len() as f64 * (correct - confidence).abs()
        };
        (0..bins).map(error).sum()
    }

    /// Equal mass with the examples written out, each with the correctness of its equals.
    fn slow_mass(pairs: &[(f64, f64)], bins: usize) -> f64 {
        let n = pairs.len();
        let mut shared: Vec<(f64, f64)> = (pairs.iter())
            .map(|&(confidence, _)| {
                let equals = pairs.iter().filter(|(c, _)| c.to_bits() == confidence.to_bits());
                let equals: Vec<f64> = equals.map(|pair| pair.1).collect();
                (confidence, equals.iter().sum::<f64>() / equals.len() as f64)
            })
            .collect();
        shared.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
        let error = |bin: usize| {
            let part = &shared[bin * n / bins..(bin + 1) * n / bins];
            part.iter().map(|(confidence, correct)| correct - confidence).sum::<f64>().abs()
        };
        (0..bins).map(error).sum::<f64>() / n as f64
    }

    #[test]
    fn only_an_ece_has_bins() {
        assert_eq!(bins(&"Brier".parse().unwrap(), &[0.5], &[1.0]), None);
        assert_eq!(bins(&"ECE".parse().unwrap(), &[], &[]), Some(vec![]));
    }

    #[test]
    fn errors_of_a_bin_cancel_out() {
        let ece = |name: &str| finish(name, &[0.9, 0.8, 0.3, 0.2], &[1.0, 0.0, 1.0, 0.0]).unwrap();
        let close = |name: &str, expected: f64| {
            assert!((ece(name) - expected).abs() < 1e-12, "{name}: {}", ece(name));
        };
        close("ECE(bins=1)", 0.05);
        close("ECE(bins=2)", (0.7 + 0.5) / 4.0);
        close("ECE(bins=2,scheme=mass)", (0.7 + 0.5) / 4.0);
        close("ECE(bins=1000)", (0.1 + 0.8 + 0.7 + 0.2) / 4.0);
        close("ECE(bins=2147483647,scheme=mass)", (0.1 + 0.8 + 0.7 + 0.2) / 4.0);
        close("ECE(bins=2147483647)", (0.1 + 0.8 + 0.7 + 0.2) / 4.0);
        assert_eq!(finish("ECE", &[], &[]), None);
        assert_eq!(finish("ECE(scheme=mass)", &[], &[]), None);
    }

    proptest! {
        #[test]
        fn the_error_equals_a_slow_one(pairs in pairs(), bins in 1..30_usize) {
            let (confidences, correct) = columns(&pairs);
            let found = finish(&format!("ECE(bins={bins})"), &confidences, &correct).unwrap();
            let expected = slow_width(&pairs, bins);
            prop_assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            let name = format!("ECE(bins={bins},scheme=mass)");
            let found = finish(&name, &confidences, &correct).unwrap();
            let expected = slow_mass(&pairs, bins);
            prop_assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }

        #[test]
        fn the_bins_hold_all_examples_and_add_up_to_the_error(pairs in pairs(), count in 1..30_usize) {
            let (confidences, correct) = columns(&pairs);
            for scheme in ["uniform", "mass"] {
                let name = format!("ECE(bins={count},scheme={scheme})");
                let metric: Metric = name.parse().unwrap();
                let bins = bins(&metric, &confidences, &correct).unwrap();
                prop_assert!(bins.len() <= count);
                prop_assert_eq!(bins.iter().map(|bin| bin.count).sum::<usize>(), pairs.len());
                prop_assert!(bins.windows(2).all(|pair| pair[0].high <= pair[1].low));
                let error = |bin: &Bin| {
                    bin.count as f64 / pairs.len() as f64 * (bin.correct - bin.confidence).abs()
                };
                let shown = bins.iter().map(error).sum::<f64>();
                let added = bins.iter().map(|bin| bin.error(pairs.len())).sum::<f64>();
                let found = finish(&name, &confidences, &correct).unwrap();
                prop_assert!((found - shown).abs() < 1e-12, "{found} {shown}");
                prop_assert!((found - added).abs() < 1e-12, "{found} {added}");
                for bin in bins {
                    // A mean of equal numbers may be rounded.
                    prop_assert!(bin.low - 1e-12 <= bin.confidence);
                    prop_assert!(bin.confidence <= bin.high + 1e-12);
                    prop_assert!((-1e-12..=1.0 + 1e-12).contains(&bin.correct));
                }
            }
        }
    }
}
