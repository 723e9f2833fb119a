//! Precision and recall over all questions, at every threshold on the scores.

use super::outcome::Outcome;

/// Precision, recall and their harmonic mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Correct predictions by predictions; 0 without one.
    pub precision: f64,
    /// Correct predictions by questions with an answer; 0 without one.
    pub recall: f64,
    /// F1; 0 where both are 0.
    pub f1: f64,
}

impl Quality {
    fn new(correct: usize, predicted: usize, gold: usize) -> Self {
        let precision = divide(correct as f64, predicted as f64);
        let recall = divide(correct as f64, gold as f64);
        let f1 = divide(2.0 * precision * recall, precision + recall);
        Self { precision, recall, f1 }
    }
}

fn divide(x: f64, y: f64) -> f64 {
    if y == 0.0 { 0.0 } else { x / y }
}

/// Quality of all predictions, whatever their scores.
pub fn overall(outcomes: &[Outcome]) -> Quality {
    let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    Quality::new(count(|o| o.correct), count(|o| o.has_prediction), count(|o| o.has_gold))
}

/// A point on the curve of precision and recall.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Predictions with a lower score are taken for none.
    pub threshold: f64,
    /// What is reached there.
    pub quality: Quality,
}

/// One point for each different score, from the highest. The order of the questions does not
/// matter.
pub fn curve(outcomes: &[Outcome]) -> Vec<Point> {
    let gold = outcomes.iter().filter(|outcome| outcome.has_gold).count();
    let mut sorted: Vec<&Outcome> = outcomes.iter().collect();
    // Minus zero and zero are equal.
    sorted.sort_by(|a, b| (b.score + 0.0).total_cmp(&(a.score + 0.0)));
    let (mut correct, mut predicted) = (0, 0);
    let mut points = Vec::new();
    for (index, outcome) in sorted.iter().enumerate() {
        correct += usize::from(outcome.correct);
        predicted += usize::from(outcome.has_prediction);
        #[expect(clippy::float_cmp, reason = "scores are compared as they were given")]
        if sorted.get(index + 1).is_none_or(|next| next.score != outcome.score) {
            let quality = Quality::new(correct, predicted, gold);
            points.push(Point { threshold: outcome.score + 0.0, quality });
        }
    }
    points
}

/// The point with the best F1, the highest of several; all zero where F1 is 0 everywhere, as the
/// script has it.
pub fn best(curve: &[Point]) -> Point {
    highest(curve, |point| point.quality.f1).unwrap_or_default()
}

/// The point with the highest recall among those with at least this precision; `None` where that
/// recall is 0, for which the script prints 0 as well.
pub fn at_precision(curve: &[Point], precision: f64) -> Option<Point> {
    let enough = curve.iter().filter(|point| point.quality.precision >= precision);
    highest(enough, |point| point.quality.recall)
}

/// The first point with the highest value above 0.
fn highest<'a>(
    points: impl IntoIterator<Item = &'a Point>,
    value: impl Fn(&Point) -> f64,
) -> Option<Point> {
    let mut best: Option<&Point> = None;
    for point in points {
        if value(point) > best.map_or(0.0, &value) {
            best = Some(point);
        }
    }
    best.copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn outcome(correct: bool, score: f64) -> Outcome {
        Outcome { has_gold: true, has_prediction: true, correct, score }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these numbers are exact")]
    fn equal_scores_make_one_point() {
        let outcomes = [outcome(true, 1.0), outcome(false, 1.0), outcome(true, 0.0)];
        let points = curve(&outcomes);
        assert_eq!(points.len(), 2);
        assert_eq!(points[0].quality.precision, 0.5);
        assert_eq!(best(&points).threshold, 0.0);
        assert_eq!(at_precision(&points, 0.6).map(|point| point.threshold), Some(0.0));
        assert_eq!(at_precision(&points, 0.9), None);
        assert_eq!(best(&curve(&[outcome(false, 3.0)])), Point::default());
        assert_eq!(overall(&outcomes).f1, 2.0 / 3.0);
        assert_eq!(curve(&[]), []);
    }

    proptest! {
        #[test]
        fn the_order_of_the_questions_does_not_matter(
            mut outcomes in prop::collection::vec((any::<[bool; 3]>(), -2_i8..3), 0..9),
        ) {
            let outcome = |&([has_gold, has_prediction, correct], score): &([bool; 3], i8)| Outcome {
                has_gold,
                has_prediction,
                correct: correct && has_gold && has_prediction,
                score: f64::from(score),
            };
            let forth = curve(&outcomes.iter().map(outcome).collect::<Vec<_>>());
            outcomes.reverse();
            let back = curve(&outcomes.iter().map(outcome).collect::<Vec<_>>());
            prop_assert_eq!(&forth, &back);
            for point in forth {
                prop_assert!((0.0..=1.0).contains(&point.quality.f1));
            }
        }
    }
}
