//! The evaluation of Natural Questions: long and short answers of several annotators, at all
//! thresholds.
//!
//! An answer counts as given by the annotators where at least two of them gave one. A prediction is
//! right or wrong as a whole. Its score says how sure the system is; precision and recall are
//! computed for every threshold on it.

/// How many annotators must give an answer for the question to have one.
const ENOUGH: usize = 2;

/// A span of a page, by bytes, by tokens, or by both; null where it is neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    bytes: Option<(u64, u64)>,
    tokens: Option<(u64, u64)>,
}

/// A pair of numbers that is no span: only one of them is negative, or the start is not before the
/// end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` to `{1}` is no span")]
pub struct InvalidSpan(pub i64, pub i64);

impl Span {
    /// A span as the files write it: -1 twice where it has no bytes or no tokens.
    pub fn new(bytes: (i64, i64), tokens: (i64, i64)) -> Result<Self, InvalidSpan> {
        Ok(Self { bytes: pair(bytes)?, tokens: pair(tokens)? })
    }

    fn is_null(self) -> bool {
        self.bytes.is_none() && self.tokens.is_none()
    }

    /// Equal by bytes or by tokens; what one of them lacks is not compared.
    fn matches(self, other: Self) -> bool {
        let same = |a: Option<(u64, u64)>, b: Option<(u64, u64)>| a.is_some() && a == b;
        same(self.bytes, other.bytes) || same(self.tokens, other.tokens)
    }
}

fn pair((start, end): (i64, i64)) -> Result<Option<(u64, u64)>, InvalidSpan> {
    match (u64::try_from(start), u64::try_from(end)) {
        (Err(_), Err(_)) => Ok(None),
        (Ok(first), Ok(last)) if first < last => Ok(Some((first, last))),
        _ => Err(InvalidSpan(start, end)),
    }
}

/// A question that is answered with yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}

/// What an annotator or a system says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The passage that answers; null for none.
    pub long: Span,
    /// The spans of the short answer.
    pub short: Vec<Span>,
    /// The answer yes or no, instead of spans.
    pub yes_no: Option<YesNo>,
}

impl Label {
    fn spans(&self) -> impl Iterator<Item = Span> + Clone {
        self.short.iter().copied().filter(|span| !span.is_null())
    }

    fn has_short(&self) -> bool {
        self.yes_no.is_some() || self.spans().next().is_some()
    }
}

/// One question as it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Whether enough annotators gave an answer.
    pub has_gold: bool,
    /// Whether the system did.
    pub has_prediction: bool,
    /// Whether it is one of theirs.
    pub correct: bool,
    /// How sure the system is.
    pub score: f64,
}

/// A prediction with both yes or no and spans, which the script refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a prediction has both yes or no and short answers")]
pub struct BothKinds;

/// The long answer: right if it is the span of one annotator.
pub fn long_answer(gold: &[Label], prediction: &Label, score: f64) -> Outcome {
    let spans = || gold.iter().map(|label| label.long).filter(|span| !span.is_null());
    let has_gold = spans().count() >= ENOUGH;
    let has_prediction = !prediction.long.is_null();
    let correct = has_gold && has_prediction && spans().any(|span| span.matches(prediction.long));
    Outcome { has_gold, has_prediction, correct, score }
}

/// The short answer: right if it is the yes or no of one annotator, or else all spans of one.
pub fn short_answer(gold: &[Label], prediction: &Label, score: f64) -> Result<Outcome, BothKinds> {
    if prediction.yes_no.is_some() && prediction.spans().next().is_some() {
        return Err(BothKinds);
    }
    let has_gold = gold.iter().filter(|label| label.has_short()).count() >= ENOUGH;
    let has_prediction = prediction.has_short();
    let same = |label: &Label| match prediction.yes_no {
        Some(answer) => label.yes_no == Some(answer),
        None => same_spans(label, prediction),
    };
    let correct = has_gold && has_prediction && gold.iter().any(same);
    Ok(Outcome { has_gold, has_prediction, correct, score })
}

/// Whether each span of either side has its equal on the other.
fn same_spans(gold: &Label, prediction: &Label) -> bool {
    let all_in = |these: &Label, those: &Label| {
        these.spans().all(|this| those.spans().any(|that| this.matches(that)))
    };
    all_in(prediction, gold) && all_in(gold, prediction)
}

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
            points.push(Point { threshold: outcome.score, quality });
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

    fn label(long: (i64, i64), short: &[(i64, i64)], yes_no: Option<YesNo>) -> Label {
        let span = |tokens| Span::new((-1, -1), tokens).unwrap();
        Label { long: span(long), short: short.iter().copied().map(span).collect(), yes_no }
    }

    const NONE: (i64, i64) = (-1, -1);

    #[test]
    fn spans_are_equal_by_bytes_or_by_tokens() {
        let span = |bytes, tokens| Span::new(bytes, tokens).unwrap();
        assert!(span((0, 9), (1, 2)).matches(span((0, 9), (3, 4))));
        assert!(span((0, 9), (1, 2)).matches(span((0, 8), (1, 2))));
        assert!(span((0, 9), (1, 2)).matches(span(NONE, (1, 2))));
        assert!(!span((0, 9), NONE).matches(span(NONE, (1, 2))));
        assert_eq!(Span::new((5, 5), NONE), Err(InvalidSpan(5, 5)));
        assert_eq!(Span::new((-1, 5), NONE), Err(InvalidSpan(-1, 5)));
        assert!(span(NONE, NONE).is_null());
    }

    #[test]
    fn two_annotators_must_give_an_answer() {
        let answered = label((1, 5), &[(1, 2), (4, 5)], None);
        let nothing = label(NONE, &[NONE], None);
        let long = |gold: &[Label]| long_answer(gold, &answered, 0.5);
        assert!(!long(&[answered.clone(), nothing.clone()]).has_gold);
        assert!(long(&[answered.clone(), label((7, 8), &[], None)]).correct);
        let short =
            |gold: &[Label], prediction: &Label| short_answer(gold, prediction, 0.5).unwrap();
        let yes = label((1, 5), &[], Some(YesNo::Yes));
        let gold = [answered.clone(), yes.clone(), nothing.clone()];
        assert!(short(&gold, &answered).correct && short(&gold, &yes).correct);
        assert!(!short(&gold, &label(NONE, &[(1, 2)], None)).correct);
        assert!(!short(&gold, &label(NONE, &[], Some(YesNo::No))).correct);
        assert!(!short(&gold, &nothing).has_prediction);
        let both = label(NONE, &[(1, 2)], Some(YesNo::No));
        assert_eq!(short_answer(&gold, &both, 0.5), Err(BothKinds));
    }

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
