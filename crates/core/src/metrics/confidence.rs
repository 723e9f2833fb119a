//! Confidence and correctness: the two numbers of which calibration and risk-coverage are made.
//!
//! Examples of equal confidence cannot be told apart by it, so their order must not matter: each
//! of them counts with the mean correctness of all examples of that confidence.

use std::sync::LazyLock;

use crate::{Case, Kind, Metric, Parameter, Pooled, Score, Unscored};

/// The metrics that may say what is correct; the first is the default.
const SCORES: &[&str] = &[
    "EM",
    "F1",
    "SQuAD1.EM",
    "SQuAD1.F1",
    "QuAC.F1",
    "Contains",
    "Number",
    "Date",
    "YesNo",
    "Choice",
    "Regex",
    "Set.F1",
];

/// The same, read once.
static METRICS: LazyLock<Vec<Metric>> = LazyLock::new(|| {
    SCORES.iter().map(|name| name.parse().expect("the list names metrics of the table")).collect()
});

pub(super) const SCORE: Parameter = Parameter {
    name: "score",
    kind: Kind::Choice(SCORES),
    summary: "the metric that says how correct an answer is",
};

pub(super) const MIN_SCORE: Parameter = Parameter {
    name: "min_score",
    kind: Kind::Number { min: 0.0, max: 1.0, default: 0.0 },
    summary: "the score from which an answer is correct; at 0 the score itself is the correctness",
};

/// Names of the statistics that [`statistics`] gives.
pub(super) const NAMES: &[&str] = &["confidence", "correct"];

/// Confidence of an example without a prediction where any number is a confidence: below all.
const LOWEST: f64 = f64::MIN;

/// What confidence may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// A number from 0 to 1.
    Probability,
    /// Any finite number that grows with certainty.
    Any,
}

/// Confidence and correctness of an example.
///
/// Without a prediction the example is wrong, and confidently so where confidence is a probability;
/// where it only orders, it comes last.
pub(super) fn statistics(
    metric: &Metric,
    case: &Case<'_>,
    scale: Scale,
) -> Result<(f64, f64), Unscored> {
    let Some(prediction) = case.prediction else {
        let worst = match scale {
            Scale::Probability => 1.0,
            Scale::Any => LOWEST,
        };
        return Ok((worst, correctness(metric, case)?));
    };
    let confidence = prediction.confidence.ok_or_else(|| not("there is no confidence"))?;
    let fits = match scale {
        Scale::Probability => (0.0..=1.0).contains(&confidence),
        Scale::Any => confidence.is_finite(),
    };
    if !fits {
        let kind = if scale == Scale::Probability { "probability" } else { "number" };
        return Err(not(&format!("the confidence `{confidence}` is no {kind}")));
    }
    Ok((confidence, correctness(metric, case)?))
}

fn correctness(metric: &Metric, case: &Case<'_>) -> Score {
    let name = metric.choice(SCORE.name);
    let index = SCORES.iter().position(|&score| score == name);
    let score = METRICS[index.expect("a choice is one of its words")].score(case)?;
    let least = metric.number(MIN_SCORE.name);
    Ok(if least > 0.0 { f64::from(score >= least) } else { score })
}

fn not(reason: &str) -> Unscored {
    Unscored::NotApplicable(reason.to_owned())
}

/// What a pooled metric gives for an example alone.
pub(super) fn alone(pooled: &Pooled, metric: &Metric, case: &Case<'_>) -> Score {
    let statistics = (pooled.of)(metric, case)?;
    let columns: Vec<&[f64]> = statistics.iter().map(std::slice::from_ref).collect();
    (pooled.finish)(metric, &columns).ok_or_else(|| not("one example makes no number"))
}

/// Examples of equal confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tied {
    pub(super) confidence: f64,
    pub(super) count: usize,
    /// Mean correctness.
    pub(super) correct: f64,
}

/// The examples by confidence, highest first. The result does not depend on their order.
pub(super) fn tied(confidences: &[f64], correct: &[f64]) -> Vec<Tied> {
    // Adding zero makes one of both zeros.
    let mut pairs: Vec<(f64, f64)> =
        confidences.iter().map(|c| c + 0.0).zip(correct.iter().copied()).collect();
    pairs.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
    let same = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).is_eq();
    let group = |group: &[(f64, f64)]| Tied {
        confidence: group[0].0,
        count: group.len(),
        correct: group.iter().map(|pair| pair.1).sum::<f64>() / group.len() as f64,
    };
    pairs.chunk_by(same).map(group).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Estimator, Example, Prediction};

    /// What a pooled metric makes of these columns.
    pub(in crate::metrics) fn finish(
        name: &str,
        confidences: &[f64],
        correct: &[f64],
    ) -> Option<f64> {
        let metric: Metric = name.parse().unwrap();
        let Estimator::Pooled(pooled) = metric.definition().estimator else { panic!("{name}") };
        (pooled.finish)(&metric, &[confidences, correct])
    }

    /// Confidences with many ties, and how correct the answers are.
    pub(in crate::metrics) fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
        let confidence = prop_oneof![(0..=4_u8).prop_map(|n| f64::from(n) / 4.0), 0.0..=1.0];
        let correct = prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0];
        prop::collection::vec((confidence, correct), 1..40)
    }

    /// Both parts of all pairs.
    pub(in crate::metrics) fn columns(pairs: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
        pairs.iter().copied().unzip()
    }

    fn score(name: &str, prediction: Option<&Prediction>) -> Score {
        let example = Example { references: vec!["two days".into()], ..Example::default() };
        let mut case = Case::new(&example);
        case.prediction = prediction;
        name.parse::<Metric>().unwrap().score(&case)
    }

    fn answer(text: &str, confidence: f64) -> Prediction {
        Prediction { confidence: Some(confidence), ..Prediction::answer(text) }
    }

    #[test]
    fn no_confidence_is_no_score() {
        let silent = Prediction::answer("two days");
        let reason = Err(Unscored::NotApplicable("there is no confidence".to_owned()));
        for name in ["AURC", "E-AURC", "ECE", "Brier"] {
            assert_eq!(score(name, Some(&silent)), reason, "{name}");
            assert!(score(name, Some(&answer("x", f64::NAN))).is_err(), "{name}");
        }
        let outside = answer("two days", 7.0);
        let reason =
            Err(Unscored::NotApplicable("the confidence `7` is no probability".to_owned()));
        assert_eq!(score("Brier", Some(&outside)), reason);
        assert_eq!(score("ECE", Some(&outside)), reason);
        assert_eq!(score("AURC", Some(&outside)), Ok(0.0));
    }

    #[test]
    fn the_score_of_an_answer_is_its_correctness() {
        let half = answer("two", 0.5);
        let f1 = 2.0 / 3.0;
        assert_eq!(score("Brier", Some(&half)), Ok(0.25));
        assert_eq!(score("Brier(score=F1)", Some(&half)), Ok((0.5 - f1) * (0.5 - f1)));
        assert_eq!(score("Brier(score=F1,min_score=0.6)", Some(&half)), Ok(0.25));
        assert_eq!(score("ECE", Some(&answer("two days", 0.75))), Ok(0.25));
        assert_eq!(score("AURC(score=F1)", Some(&half)), Ok(1.0 - f1));
        assert_eq!(score("E-AURC", Some(&half)), Ok(0.0));
    }

    #[test]
    fn a_missing_prediction_is_wrong_with_confidence() {
        for name in ["AURC", "E-AURC", "ECE", "Brier", "Brier(score=F1,min_score=0.5)"] {
            assert_eq!(score(name, None), Ok(1.0), "{name}");
        }
        let example = Example { references: vec!["Rome".into()], ..Example::default() };
        let case = Case::new(&example);
        let of = |name: &str, scale| statistics(&name.parse().unwrap(), &case, scale);
        // Where the confidence is no probability it comes last.
        assert_eq!(of("AURC", Scale::Any), Ok((f64::MIN, 0.0)));
        assert_eq!(of("ECE", Scale::Probability), Ok((1.0, 0.0)));
        // Of a question that asks for no number a metric of numbers says nothing.
        assert!(of("ECE(score=Number)", Scale::Probability).is_err());
    }

    proptest! {
        #[test]
        fn the_order_of_the_examples_does_not_matter(
            (pairs, shuffled) in pairs().prop_flat_map(|p| (Just(p.clone()), Just(p).prop_shuffle())),
        ) {
            for name in ["AURC", "E-AURC", "ECE", "ECE(scheme=mass,bins=4)"] {
                let (confidences, correct) = columns(&pairs);
                let forth = finish(name, &confidences, &correct);
                let (confidences, correct) = columns(&shuffled);
                let back = finish(name, &confidences, &correct);
                prop_assert_eq!(forth.map(f64::to_bits), back.map(f64::to_bits));
                prop_assert!(forth.is_some_and(|value| (0.0..=1.0).contains(&value)));
            }
        }
    }
}
