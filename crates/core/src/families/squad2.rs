//! What SQuAD 2.0's script says beside two means: the classes with and without an answer, the best
//! threshold, and the curves of precision and recall.
//!
//! A system may give, beside its answer, how probable it is that there is none. Above a threshold
//! the question counts as not answered, whatever the text is. Everything here is a share from 0 to
//! 1 where the script prints percent.

use crate::{
    Case, Example, Prediction,
    metrics::{exact_match, token_f1},
};

/// One answered question. There is none for a missing prediction: the script stops at one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// Whether the question has an answer.
    pub answerable: bool,
    /// Whether a text was predicted at all.
    pub answered: bool,
    /// Exact match, before any threshold.
    pub exact: f64,
    /// Token F1, before any threshold.
    pub f1: f64,
    /// How probable the system thinks it that there is no answer.
    pub no_answer: f64,
}

impl Question {
    /// Scores a prediction with `EM` and `F1`.
    pub fn new(example: &Example, prediction: &Prediction, no_answer: f64) -> Self {
        let case = Case::new(example).with_prediction(prediction);
        let answers = case.squad_answers();
        Self {
            answerable: example.answerable(),
            answered: !prediction.text.is_empty(),
            exact: f64::from(exact_match::matches(answers)),
            f1: token_f1::best_f1(answers),
            no_answer,
        }
    }

    /// The question as it counts if no answer is taken for given above a probability.
    #[must_use]
    pub fn at_threshold(self, threshold: f64) -> Self {
        if self.no_answer > threshold {
            let score = f64::from(!self.answerable);
            Self { exact: score, f1: score, ..self }
        } else {
            self
        }
    }

    fn score(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Exact => self.exact,
            Measure::F1 => self.f1,
            Measure::Oracle => f64::from(self.answerable),
        }
    }
}

/// Means over some questions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// Mean exact match.
    pub exact: f64,
    /// Mean token F1.
    pub f1: f64,
    /// How many questions there are.
    pub total: usize,
}

/// The means of all questions and of the two classes; `None` for a class without a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classes {
    /// All questions: `exact`, `f1`, `total`.
    pub all: Option<Means>,
    /// Questions with an answer: `HasAns_*`.
    pub answerable: Option<Means>,
    /// Questions without an answer: `NoAns_*`.
    pub unanswerable: Option<Means>,
}

/// Means by class, of questions as they count at a threshold; the script's default is 1.
pub fn classes(questions: &[Question], threshold: f64) -> Classes {
    let at = || questions.iter().map(|question| question.at_threshold(threshold));
    Classes {
        all: means(at()),
        answerable: means(at().filter(|question| question.answerable)),
        unanswerable: means(at().filter(|question| !question.answerable)),
    }
}

fn means(questions: impl Iterator<Item = Question>) -> Option<Means> {
    let (mut exact, mut f1, mut total) = (0.0, 0.0, 0);
    for question in questions {
        exact += question.exact;
        f1 += question.f1;
        total += 1;
    }
    let n = total as f64;
    (total > 0).then(|| Means { exact: exact / n, f1: f1 / n, total })
}

/// What is averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Exact match.
    Exact,
    /// Token F1.
    F1,
    /// 1 for a question with an answer, 0 for one without: how well the probabilities alone tell
    /// them apart.
    Oracle,
}

/// The best score over all thresholds, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The score, a mean over all questions.
    pub score: f64,
    /// The sum of which it is the mean.
    pub sum: f64,
    /// Answer where the probability of no answer is at most this.
    pub threshold: f64,
}

/// `best_exact` and `best_f1` with their thresholds; `None` without a question.
///
/// As in the script, questions of equal probability are taken one after the other in the order
/// given, so that the score may be one that no threshold reaches; and an unanswerable question with
/// any text costs a point, also where that text normalises to nothing and scores 1.
pub fn best_threshold(questions: &[Question], measure: Measure) -> Option<Best> {
    let unanswerable = questions.iter().filter(|question| !question.answerable).count() as f64;
    let n = questions.len() as f64;
    let mut best = Best { score: unanswerable / n, sum: unanswerable, threshold: 0.0 };
    let mut sum = unanswerable;
    for question in by_probability(questions) {
        sum += match (question.answerable, question.answered) {
            (true, _) => question.score(measure),
            (false, true) => -1.0,
            (false, false) => 0.0,
        };
        if sum > best.sum {
            best = Best { score: sum / n, sum, threshold: question.no_answer };
        }
    }
    (!questions.is_empty()).then_some(best)
}

/// A curve of precision and recall.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Precision and recall at each threshold between different probabilities, from the lowest.
    pub points: Vec<(f64, f64)>,
    /// The area under the steps.
    pub average_precision: f64,
}

/// The curve behind `pr_exact_ap`, `pr_f1_ap` and `pr_oracle_ap`; `None` where no question has an
/// answer.
pub fn curve(questions: &[Question], measure: Measure) -> Option<Curve> {
    let answerable = questions.iter().filter(|question| question.answerable).count();
    if answerable == 0 {
        return None;
    }
    let sorted = by_probability(questions);
    let mut curve = Curve { points: Vec::new(), average_precision: 0.0 };
    let (mut right, mut reached) = (0.0, 0.0);
    for (index, question) in sorted.iter().enumerate() {
        if question.answerable {
            right += question.score(measure);
        }
        let next = sorted.get(index + 1);
        #[expect(clippy::float_cmp, reason = "probabilities are compared as they were given")]
        if next.is_some_and(|next| next.no_answer == question.no_answer) {
            continue;
        }
        let precision = right / (index + 1) as f64;
        let recall = right / answerable as f64;
        curve.average_precision += precision * (recall - reached);
        curve.points.push((precision, recall));
        reached = recall;
    }
    Some(curve)
}

/// From the lowest probability of no answer; equal ones keep their order.
fn by_probability(questions: &[Question]) -> Vec<&Question> {
    let mut sorted: Vec<&Question> = questions.iter().collect();
    // Minus zero and zero are equal.
    sorted.sort_by(|a, b| (a.no_answer + 0.0).total_cmp(&(b.no_answer + 0.0)));
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn question(reference: Option<&str>, prediction: &str, no_answer: f64) -> Question {
        let references = reference.map(Into::into).into_iter().collect();
        let example = Example { references, ..Example::default() };
        Question::new(&example, &Prediction::answer(prediction), no_answer)
    }

    #[test]
    fn above_the_threshold_nothing_is_answered() {
        let questions = [question(Some("x"), "x", 0.9), question(None, "y", 0.9)];
        let of = |threshold| classes(&questions, threshold);
        assert_eq!(of(1.0).answerable, Some(Means { exact: 1.0, f1: 1.0, total: 1 }));
        assert_eq!(of(0.5).answerable, Some(Means { exact: 0.0, f1: 0.0, total: 1 }));
        assert_eq!(of(0.5).unanswerable, Some(Means { exact: 1.0, f1: 1.0, total: 1 }));
        assert_eq!(of(0.5).all, Some(Means { exact: 0.5, f1: 0.5, total: 2 }));
        assert_eq!(classes(&questions[..1], 1.0).unanswerable, None);
    }

    #[test]
    fn the_best_threshold_walks_one_by_one() {
        let questions = [question(Some("x"), "x", 0.2), question(None, "y", 0.2)];
        let best = |questions: &[Question]| best_threshold(questions, Measure::Exact);
        // Both cannot be right with one threshold; the walk says they can.
        assert_eq!(best(&questions), Some(Best { score: 1.0, sum: 2.0, threshold: 0.2 }));
        let turned = [questions[1], questions[0]];
        assert_eq!(best(&turned), Some(Best { score: 0.5, sum: 1.0, threshold: 0.0 }));
        assert_eq!(best(&[]), None);
        // "the" is right and costs a point.
        let empty = [question(None, "the", 0.1), question(Some("x"), "x", 0.2)];
        assert_eq!(best(&empty), Some(Best { score: 0.5, sum: 1.0, threshold: 0.0 }));
    }

    #[test]
    fn a_curve_has_a_point_between_different_probabilities() {
        let questions = [
            question(Some("x"), "x", 0.1),
            question(Some("x"), "y", 0.2),
            question(None, "z", 0.2),
        ];
        let found = curve(&questions, Measure::Exact).unwrap();
        assert_eq!(found.points, [(1.0, 0.5), (1.0 / 3.0, 0.5)]);
        assert!((found.average_precision - 0.5).abs() < 1e-15);
        let oracle = curve(&questions, Measure::Oracle).unwrap();
        assert!((oracle.average_precision - (0.5 + 2.0 / 3.0 * 0.5)).abs() < 1e-15);
        assert_eq!(curve(&questions[2..], Measure::Exact), None);
    }

    proptest! {
        #[test]
        fn the_best_is_no_worse_than_no_answer_at_all(
            questions in prop::collection::vec(
                ("[ab]?", "\\PC{0,3}|[ab]", prop::num::f64::ANY),
                1..6,
            ),
        ) {
            let questions: Vec<Question> = questions
                .iter()
                .map(|(gold, text, p)| question(Some(gold.as_str()).filter(|g| !g.is_empty()), text, *p))
                .collect();
            let nothing = classes(&questions, f64::NEG_INFINITY).all.unwrap();
            for measure in [Measure::Exact, Measure::F1] {
                let best = best_threshold(&questions, measure).unwrap();
                let finite = questions.iter().all(|q| q.no_answer > f64::NEG_INFINITY);
                prop_assert!(!finite || best.score >= nothing.exact - 1e-12);
                if let Some(curve) = curve(&questions, measure) {
                    prop_assert!((0.0..=1.0 + 1e-12).contains(&curve.average_precision));
                }
            }
        }
    }
}
