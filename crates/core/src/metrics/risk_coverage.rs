//! Risk and coverage: how wrong the answers are of which a system is most certain.

use super::confidence::{self, MIN_SCORE, SCORE, Scale, tied};
use crate::{Case, Cutoff, Definition, Estimator, Metric, Need, Pooled, Subject, Unscored};

/// Area under the risk-coverage curve.
///
/// # Definition
/// The examples are taken by confidence, highest first. The risk at k is the mean loss of the first
/// k, where the loss of an answer is 1 minus its correctness; AURC is the mean of the risks at
/// 1 to n. Correctness is the score of the metric `score`, or whether that reaches `min_score`.
///
/// # Range
/// 0 (all answers correct) to 1. Less is better.
///
/// # Edge cases
/// Examples of equal confidence are one group: each counts with the mean loss of the group, which is
/// the expected value over all orders of them. Any finite number is a confidence. Without one the
/// example is unscored. A missing prediction is wrong and comes last. An abstention counts by its
/// confidence and its score, as any prediction.
///
/// # Equals
/// AURC of Geifman, Uziel and El-Yaniv, "Bias-Reduced Uncertainty Estimation for Deep Neural
/// Classifiers" (2019), where no two confidences are equal.
pub static AURC: Definition = Definition {
    name: "AURC",
    synonyms: &[],
    summary: "area under the risk-coverage curve: errors among the most confident answers",
    equals: "Geifman et al. (2019): AURC",
    subject: Subject::Answer,
    needs: &[Need::Confidence],
    cutoff: Cutoff::Never,
    parameters: &[SCORE, MIN_SCORE],
    range: (0.0, 1.0),
    higher_is_better: false,
    estimator: Estimator::Pooled(&POOLED_AURC),
    score: |metric, case| confidence::alone(&POOLED_AURC, metric, case),
};

/// What the order by confidence adds to the area under the risk-coverage curve.
///
/// # Definition
/// [`AURC`] minus the AURC of the same losses in the best order, lowest first.
///
/// # Range
/// 0 (every correct answer is more certain than every wrong one) to 1. Less is better.
///
/// # Edge cases
/// As [`AURC`]. An example alone has 0.
///
/// # Equals
/// E-AURC of Geifman et al. (2019), with the exact sum where the paper has its limit
/// r + (1 - r) ln(1 - r).
pub static E_AURC: Definition = Definition {
    name: "E-AURC",
    synonyms: &["EAURC"],
    summary: "AURC above that of the best order of the same answers",
    equals: "Geifman et al. (2019): E-AURC",
    estimator: Estimator::Pooled(&POOLED_E_AURC),
    score: |metric, case| confidence::alone(&POOLED_E_AURC, metric, case),
    ..AURC
};

static POOLED_AURC: Pooled = Pooled {
    names: confidence::NAMES,
    of: statistics,
    finish: |_, columns| area(columns[0], columns[1]),
};

static POOLED_E_AURC: Pooled = Pooled {
    names: confidence::NAMES,
    of: statistics,
    finish: |_, columns| {
        let best = area(columns[1], columns[1])?;
        // The best order can only lose by the rounding of sums.
        Some((area(columns[0], columns[1])? - best).max(0.0))
    },
};

fn statistics(metric: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    let (confidence, correct) = confidence::statistics(metric, case, Scale::Any)?;
    Ok(vec![confidence, correct])
}

/// AURC; `None` without an example.
fn area(confidences: &[f64], correct: &[f64]) -> Option<f64> {
    let (mut taken, mut loss, mut sum) = (0_usize, 0.0, 0.0);
    for group in tied(confidences, correct) {
        for _ in 0..group.count {
            taken += 1;
            loss += 1.0 - group.correct;
            sum += loss / taken as f64;
        }
    }
    // Each risk is a mean of losses; only rounding can lead out of the range.
    (taken > 0).then(|| (sum / taken as f64).clamp(0.0, 1.0))
}

/// A point of the risk-coverage curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The examples of at least this confidence are answered.
    pub confidence: f64,
    /// Their share of all examples.
    pub coverage: f64,
    /// Their mean loss, 1 minus their correctness.
    pub risk: f64,
}

/// The risk-coverage curve from the first confidence to full coverage, with one point for each
/// confidence: between two of them no threshold can stop. The order of the examples does not matter.
///
/// ```
/// use qeval_core::metrics::risk_coverage::curve;
///
/// let points = curve(&[0.9, 0.4, 0.9], &[1.0, 0.0, 0.0]);
/// assert_eq!((points[0].confidence, points[0].risk), (0.9, 0.5));
/// assert_eq!((points[1].coverage, points[1].risk), (1.0, 2.0 / 3.0));
/// ```
pub fn curve(confidences: &[f64], correct: &[f64]) -> Vec<Point> {
    let all = confidences.len().min(correct.len());
    let (mut taken, mut loss) = (0_usize, 0.0);
    let point = |group: confidence::Tied| {
        taken += group.count;
        loss += group.count as f64 * (1.0 - group.correct);
        Point {
            confidence: group.confidence,
            coverage: taken as f64 / all as f64,
            risk: loss / taken as f64,
        }
    };
    tied(confidences, correct).into_iter().map(point).collect()
}

/// The points of a curve at which the coverage first reaches 1 / `steps`, 2 / `steps` and so on, each
/// of them once: where many examples share a confidence, one point reaches several.
///
/// ```
/// use qeval_core::metrics::risk_coverage::{curve, steps};
///
/// let points = curve(&[0.9, 0.9, 0.9, 0.1], &[1.0, 1.0, 0.0, 0.0]);
/// let coverages: Vec<f64> = steps(&points, 10).iter().map(|point| point.coverage).collect();
/// assert_eq!(coverages, [0.75, 1.0]);
/// ```
pub fn steps(curve: &[Point], steps: u32) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    let mut points = curve.iter();
    let mut last = None;
    for step in 1..=steps {
        let wanted = f64::from(step) / f64::from(steps);
        let reaches = |point: &Point| point.coverage >= wanted;
        if last.as_ref().is_some_and(reaches) {
            continue;
        }
        let Some(point) = points.find(|point| reaches(point)) else { break };
        last = Some(*point);
        found.push(*point);
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::confidence::tests::{columns, finish, pairs},
        *,
    };

    /// AURC without sorting: for each k the threshold is looked for, and those at it share what is
    /// left of k.
    fn slow(confidences: &[f64], losses: &[f64]) -> f64 {
        let n = losses.len();
        let sum_where = |keep: &dyn Fn(f64) -> bool| {
            let kept = confidences.iter().zip(losses).filter(|(c, _)| keep(**c));
            kept.fold((0.0, 0.0), |(count, sum), (_, loss)| (count + 1.0, sum + loss))
        };
        let risk = |k: f64| {
            let threshold = (confidences.iter().copied())
                .find(|&t| {
                    let (above, _) = sum_where(&|c| c > t);
                    let (at_least, _) = sum_where(&|c| c >= t);
                    above < k && k <= at_least
                })
                .unwrap();
            let (above, above_loss) = sum_where(&|c| c > threshold);
            let (tied, tied_loss) = sum_where(&|c| c.total_cmp(&threshold).is_eq());
            (above_loss + (k - above) * tied_loss / tied) / k
        };
        (1..=n).map(|k| risk(k as f64)).sum::<f64>() / n as f64
    }

    /// All orders of the first n numbers.
    fn orders(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![vec![]];
        }
        let place = |order: Vec<usize>| {
            (0..n).map(move |at| {
                let mut order = order.clone();
                order.insert(at, n - 1);
                order
            })
        };
        orders(n - 1).into_iter().flat_map(place).collect()
    }

    #[test]
    fn the_first_answers_weigh_most() {
        let area = |confidences: &[f64], correct: &[f64]| finish("AURC", confidences, correct);
        assert_eq!(area(&[0.9, 0.5], &[1.0, 0.0]), Some(0.25));
        assert_eq!(area(&[0.5, 0.9], &[1.0, 0.0]), Some(0.75));
        assert_eq!(area(&[0.5, 0.5], &[1.0, 0.0]), Some(0.5));
        assert_eq!(area(&[], &[]), None);
        assert_eq!(finish("E-AURC", &[0.5, 0.9], &[1.0, 0.0]), Some(0.5));
        assert_eq!(finish("E-AURC", &[0.0, -0.0], &[1.0, 0.0]), Some(0.25));
    }

    proptest! {
        #[test]
        fn the_area_equals_a_slow_one(pairs in pairs()) {
            let (confidences, correct) = columns(&pairs);
            let losses: Vec<f64> = correct.iter().map(|c| 1.0 - c).collect();
            let expected = slow(&confidences, &losses);
            let found = finish("AURC", &confidences, &correct).unwrap();
            prop_assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            let best = slow(&correct, &losses);
            let found = finish("E-AURC", &confidences, &correct).unwrap();
            prop_assert!((found - (expected - best)).abs() < 1e-12, "{found}");
        }

        #[test]
        fn a_tie_is_the_mean_of_its_orders(
            pairs in prop::collection::vec((0..3_u8, any::<bool>()), 1..6),
        ) {
            let confidences: Vec<f64> = pairs.iter().map(|&(c, _)| f64::from(c)).collect();
            let correct: Vec<f64> = pairs.iter().map(|&(_, c)| f64::from(c)).collect();
            let sorted = |order: &[usize]| order.windows(2).all(|w| pairs[w[0]].0 >= pairs[w[1]].0);
            let area = |order: &[usize]| {
                let risk = |k: usize| {
                    order[..k].iter().map(|&i| 1.0 - correct[i]).sum::<f64>() / k as f64
                };
                (1..=order.len()).map(risk).sum::<f64>() / order.len() as f64
            };
            let areas: Vec<f64> =
                orders(pairs.len()).iter().filter(|o| sorted(o)).map(|o| area(o)).collect();
            let expected = areas.iter().sum::<f64>() / areas.len() as f64;
            let found = finish("AURC", &confidences, &correct).unwrap();
            prop_assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }

        #[test]
        fn a_step_is_the_first_point_that_covers_so_much(pairs in pairs(), count in 1..30_u32) {
            let (confidences, correct) = columns(&pairs);
            let points = curve(&confidences, &correct);
            let found = steps(&points, count);
            // Looked for anew for each step.
            let mut expected: Vec<Point> = (1..=count)
                .map(|step| {
                    let wanted = f64::from(step) / f64::from(count);
                    *points.iter().find(|point| point.coverage >= wanted).unwrap()
                })
                .collect();
            expected.dedup();
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(found.last(), points.last());
        }

        #[test]
        fn a_point_of_the_curve_is_a_threshold(pairs in pairs()) {
            let (confidences, correct) = columns(&pairs);
            for point in curve(&confidences, &correct) {
                let kept: Vec<f64> = pairs.iter()
                    .filter(|(c, _)| *c >= point.confidence).map(|(_, right)| 1.0 - right).collect();
                let coverage = kept.len() as f64 / pairs.len() as f64;
                let risk = kept.iter().sum::<f64>() / kept.len() as f64;
                prop_assert!((point.coverage - coverage).abs() < 1e-12);
                prop_assert!((point.risk - risk).abs() < 1e-12);
            }
        }
    }
}
