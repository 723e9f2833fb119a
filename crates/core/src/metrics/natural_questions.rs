//! The metrics of Natural Questions: long and short answers of several annotators, at all
//! thresholds.
//!
//! The long answer is a passage of the page, the short one some spans of it, or yes or no. An answer
//! counts as given by the annotators where at least two of them gave one. A prediction is right or
//! wrong as a whole. Its score says how sure the system is; precision and recall are computed for
//! every threshold on it.
//!
//! What the annotators say stands in columns of the example, what the system says in columns of the
//! prediction; [`label`] has their names.

pub mod curve;
pub mod label;
pub mod long;
pub mod outcome;
pub mod short;

use self::{
    curve::{Quality, at_precision, best, curve, overall},
    label::{Label, LabelError},
    outcome::{Outcome, long_answer, short_answer},
};
use crate::{Case, Kind, Metric, Parameter, Score, Unscored};

const THRESHOLD: Parameter = Parameter {
    name: "threshold",
    kind: Kind::Choice(&["none", "best"]),
    summary: "whether all predictions count, or those with at least the score that makes F1 best",
};

const LEAST_PRECISION: Parameter = Parameter {
    name: "min",
    kind: Kind::Number { min: 0.0, max: 1.0, default: 0.5 },
    summary: "the least precision",
};

/// Names of the statistics that [`statistics`] gives.
const NAMES: &[&str] = &["gold", "predicted", "correct", "score"];

/// Score of a missing prediction, which is wrong at every threshold.
const HIGHEST: f64 = f64::MAX;

/// Which answer is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Long,
    Short,
}

impl Answer {
    /// The column of the prediction with its score.
    fn score_column(self) -> &'static str {
        match self {
            Self::Long => label::LONG_SCORE,
            Self::Short => label::SHORT_SCORE,
        }
    }

    fn gold(self, case: &Case<'_>) -> Result<Vec<Label>, Unscored> {
        let columns = &case.example.columns;
        let gold = match self {
            Self::Long => Label::long_answers(columns),
            Self::Short => Label::short_answers(columns),
        };
        let gold = gold.map_err(|error| not("example", &error))?;
        if gold.is_empty() {
            let reason = "the example has no annotation".to_owned();
            return Err(Unscored::NotApplicable(reason));
        }
        Ok(gold)
    }

    /// The example as it counts. Its score is needed where the system gave an answer and a threshold
    /// may leave it out; else it is 0.
    fn outcome(self, case: &Case<'_>, with_score: bool) -> Result<Outcome, Unscored> {
        let gold = self.gold(case)?;
        let Some(prediction) = case.prediction else {
            let nothing = self.compare(&gold, &Label::default())?;
            return Ok(Outcome { has_prediction: true, score: HIGHEST, ..nothing });
        };
        let predicted = match self {
            Self::Long => Label::long_answer(&prediction.columns),
            Self::Short => Label::short_answer(&prediction.columns),
        };
        let predicted = predicted.map_err(|error| not("prediction", &error))?;
        let outcome = self.compare(&gold, &predicted)?;
        if !(with_score && outcome.has_prediction) {
            return Ok(outcome);
        }
        let score = label::score(&prediction.columns, self.score_column());
        let score = score.map_err(|error| not("prediction", &error))?;
        Ok(Outcome { score, ..outcome })
    }

    fn compare(self, gold: &[Label], prediction: &Label) -> Result<Outcome, Unscored> {
        match self {
            Self::Long => Ok(long_answer(gold, prediction, 0.0)),
            Self::Short => short_answer(gold, prediction, 0.0)
                .map_err(|error| Unscored::NotApplicable(format!("the prediction: {error}"))),
        }
    }

    /// The statistics of a metric that may leave out predictions by their scores.
    fn statistics(self, case: &Case<'_>, with_score: bool) -> Result<Vec<f64>, Unscored> {
        let Outcome { has_gold, has_prediction, correct, score } =
            self.outcome(case, with_score)?;
        Ok(vec![has_gold.into(), has_prediction.into(), correct.into(), score])
    }

    fn f1(self, metric: &Metric, case: &Case<'_>) -> Score {
        let outcome = self.outcome(case, at_best(metric))?;
        let counts = outcome.has_gold || outcome.has_prediction;
        counts.then(|| outcome.correct.into()).ok_or_else(|| none("no answer is right"))
    }

    fn precision(self, metric: &Metric, case: &Case<'_>) -> Score {
        let outcome = self.outcome(case, at_best(metric))?;
        let counts = outcome.has_prediction;
        counts.then(|| outcome.correct.into()).ok_or_else(|| none("no answer is given"))
    }

    fn recall(self, case: &Case<'_>, with_score: bool) -> Score {
        let outcome = self.outcome(case, with_score)?;
        let counts = outcome.has_gold;
        counts.then(|| outcome.correct.into()).ok_or_else(|| none("it has no answer"))
    }

    fn threshold(self, case: &Case<'_>) -> Score {
        let outcome = self.outcome(case, true)?;
        outcome.correct.then_some(outcome.score).ok_or_else(|| none("the answer is not right"))
    }
}

/// Whether the metric is that of the predictions above the best threshold.
fn at_best(metric: &Metric) -> bool {
    metric.choice(THRESHOLD.name) == "best"
}

fn long(metric: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    Answer::Long.statistics(case, at_best(metric))
}

fn long_with_score(_: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    Answer::Long.statistics(case, true)
}

fn short(metric: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    Answer::Short.statistics(case, at_best(metric))
}

fn short_with_score(_: &Metric, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
    Answer::Short.statistics(case, true)
}

/// The outcomes of which these are the statistics; `None` without one.
fn outcomes(columns: &[&[f64]]) -> Option<Vec<Outcome>> {
    let [gold, predicted, correct, scores] = columns else { return None };
    let rows = gold.iter().zip(*predicted).zip(correct.iter().zip(*scores));
    let outcomes: Vec<Outcome> = rows
        .map(|((&gold, &predicted), (&correct, &score))| Outcome {
            has_gold: gold > 0.0,
            has_prediction: predicted > 0.0,
            correct: correct > 0.0,
            score,
        })
        .collect();
    (!outcomes.is_empty()).then_some(outcomes)
}

fn quality(metric: &Metric, columns: &[&[f64]]) -> Option<Quality> {
    let outcomes = outcomes(columns)?;
    Some(if at_best(metric) { best(&curve(&outcomes)).quality } else { overall(&outcomes) })
}

fn pooled_f1(metric: &Metric, columns: &[&[f64]]) -> Option<f64> {
    Some(quality(metric, columns)?.f1)
}

fn pooled_precision(metric: &Metric, columns: &[&[f64]]) -> Option<f64> {
    Some(quality(metric, columns)?.precision)
}

fn pooled_recall(metric: &Metric, columns: &[&[f64]]) -> Option<f64> {
    Some(quality(metric, columns)?.recall)
}

fn pooled_threshold(_: &Metric, columns: &[&[f64]]) -> Option<f64> {
    Some(best(&curve(&outcomes(columns)?)).threshold)
}

fn pooled_recall_at_precision(metric: &Metric, columns: &[&[f64]]) -> Option<f64> {
    let least = metric.number(LEAST_PRECISION.name);
    let point = at_precision(&curve(&outcomes(columns)?), least);
    Some(point.unwrap_or_default().quality.recall)
}

fn not(whose: &str, error: &LabelError) -> Unscored {
    Unscored::NotApplicable(format!("the {whose} {error}"))
}

fn none(reason: &str) -> Unscored {
    Unscored::NotApplicable(format!("the example does not count here: {reason}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        label::{LONG_SCORE, SHORT_SCORE, Span, YesNo},
        *,
    };
    use crate::{Example, Family, Prediction, Value};

    const NOWHERE: (i64, i64) = (-1, -1);

    fn label(long: (i64, i64), short: &[(i64, i64)], yes_no: Option<YesNo>) -> Label {
        let span = |tokens| Span::new(NOWHERE, tokens).unwrap();
        Label { long: span(long), short: short.iter().copied().map(span).collect(), yes_no }
    }

    fn example(annotators: &[Label]) -> Example {
        let columns = Label::columns_of_example(annotators);
        let columns = columns.map(|(name, value)| (name.to_owned(), value)).into();
        Example { columns, ..Example::default() }
    }

    fn prediction(label: &Label, scores: Option<f64>) -> Prediction {
        let columns = label.columns_of_prediction().into_iter();
        let scores = scores
            .into_iter()
            .flat_map(|score| [LONG_SCORE, SHORT_SCORE].map(|name| (name, Value::Number(score))));
        let columns = columns.chain(scores).map(|(name, value)| (name.to_owned(), value));
        Prediction { columns: columns.collect(), ..Prediction::default() }
    }

    /// The number over all questions, and the scores of each.
    fn scores(
        name: &str,
        rows: &[(Example, Option<Prediction>)],
    ) -> (Option<f64>, Vec<Score>, usize) {
        let metric: Metric = name.parse().unwrap();
        let pooled = metric.pooled().unwrap();
        let mut columns = vec![Vec::new(); pooled.names.len()];
        let mut scores = Vec::new();
        for (example, prediction) in rows {
            let mut case = Case::new(example);
            case.prediction = prediction.as_ref();
            if let Ok(statistics) = (pooled.of)(&metric, &case) {
                columns.iter_mut().zip(statistics).for_each(|(column, value)| column.push(value));
            }
            scores.push(metric.score(&case));
        }
        let counted = columns[0].len();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        ((pooled.finish)(&metric, &columns), scores, counted)
    }

    #[test]
    fn answers_count_over_all_questions() {
        let gold = label((1, 9), &[(2, 4)], None);
        let wrong = label((1, 8), &[(2, 4), (5, 6)], None);
        let nothing = label(NOWHERE, &[], None);
        let two = [gold.clone(), gold.clone(), nothing.clone()];
        let one = [gold.clone(), nothing.clone(), nothing.clone()];
        let rows = [
            (example(&two), Some(prediction(&gold, Some(3.0)))),
            (example(&two), Some(prediction(&wrong, Some(2.0)))),
            (example(&one), Some(prediction(&gold, Some(4.0)))),
            (example(&one), Some(prediction(&nothing, None))),
            (example(&two), Some(prediction(&gold, Some(1.0)))),
        ];
        for kind in ["Long", "Short"] {
            let found = |name: &str| scores(&format!("NQ.{kind}-{name}"), &rows).0;
            assert_eq!(found("Precision"), Some(0.5));
            assert_eq!(found("Recall"), Some(2.0 / 3.0));
            let f1 = 2.0 * 0.5 * (2.0 / 3.0) / (0.5 + 2.0 / 3.0);
            assert_eq!(found("F1"), Some(f1));
            assert_eq!(found("F1(threshold=best)"), Some(f1));
            assert_eq!(found("Threshold"), Some(1.0));
            assert_eq!(found("Recall-at-Precision(min=0.5)"), Some(2.0 / 3.0));
            assert_eq!(found("Recall-at-Precision(min=0.6)"), Some(0.0));
            let (_, own, counted) = scores(&format!("NQ.{kind}-F1"), &rows);
            let own: Vec<Option<f64>> = own.into_iter().map(Result::ok).collect();
            assert_eq!(own, [Some(1.0), Some(0.0), Some(0.0), None, Some(1.0)]);
            assert_eq!(counted, 5);
        }
    }

    #[test]
    fn a_missing_prediction_is_a_wrong_one() {
        let gold = label((1, 9), &[], Some(YesNo::No));
        let right = Some(prediction(&gold, Some(3.0)));
        let rows = [
            (example(&[gold.clone(), gold.clone()]), right),
            (example(&[gold.clone(), Label::default()]), None),
        ];
        for name in
            ["NQ.Long-Precision", "NQ.Short-Precision", "NQ.Short-Precision(threshold=best)"]
        {
            let (number, own, _) = scores(name, &rows);
            assert_eq!((number, &own[1]), (Some(0.5), &Ok(0.0)), "{name}");
        }
        assert_eq!(scores("NQ.Long-Recall", &rows).0, Some(1.0));
        let (threshold, own, _) = scores("NQ.Short-Threshold", &rows);
        assert_eq!((threshold, &own[0]), (Some(3.0), &Ok(3.0)));
        assert!(own[1].is_err());
        assert_eq!(scores("NQ.Long-F1", &[]).0, None);
    }

    #[test]
    fn what_cannot_be_counted_says_why() {
        let gold = label((1, 9), &[(2, 4)], None);
        let both = [gold.clone(), gold.clone()];
        let reason = |name: &str, example: &Example, prediction: &Prediction| {
            let metric: Metric = name.parse().unwrap();
            let case = Case::new(example).with_prediction(prediction);
            let error = (metric.pooled().unwrap().of)(&metric, &case).unwrap_err();
            assert_eq!(metric.score(&case), Err(error.clone()));
            error.to_string()
        };
        let unsure = prediction(&gold, None);
        let best = "NQ.Short-F1(threshold=best)";
        let expected = "the prediction has no column `short_answers_score`";
        assert_eq!(reason(best, &example(&both), &unsure), expected);
        let case = example(&both);
        let case = Case::new(&case).with_prediction(&unsure);
        assert_eq!("NQ.Short-F1".parse::<Metric>().unwrap().score(&case), Ok(1.0));
        let expected = "the example has no annotation";
        assert_eq!(reason("NQ.Long-F1", &example(&[]), &unsure), expected);
        let text = Prediction::answer("x");
        let expected = "the prediction has no column `long_answer`";
        assert_eq!(reason("NQ.Long-F1", &example(&both), &text), expected);
        let kinds = prediction(&label(NOWHERE, &[(2, 4)], Some(YesNo::Yes)), Some(1.0));
        let expected = "the prediction: it has both yes or no and short answers";
        assert_eq!(reason("NQ.Short-F1", &example(&both), &kinds), expected);
        let expected = "the example has no column `long_answers`";
        assert_eq!(reason("NQ.Long-F1", &Example::default(), &unsure), expected);
    }

    #[test]
    fn spans_are_not_compared_as_texts() {
        let gold = label((1, 9), &[(2, 4)], None);
        let example =
            Example { references: vec!["x".into()], ..example(&[gold.clone(), gold.clone()]) };
        let spans = prediction(&gold, Some(1.0));
        let case = Case::new(&example).with_prediction(&spans);
        let score = |name: &str| name.parse::<Metric>().unwrap().score(&case);
        let reason = "the prediction says where the answer stands, and not its text".to_owned();
        for name in ["EM", "F1", "Contains", "BLEU", "AURC", "SQuAD1.F1"] {
            assert_eq!(score(name), Err(Unscored::NotApplicable(reason.clone())), "{name}");
        }
        let bleu: Metric = "BLEU".parse().unwrap();
        assert!(bleu.statistics(bleu.pooled().unwrap(), &case).is_err());
        assert_eq!((score("Answered"), score("NQ.Short-F1")), (Ok(1.0), Ok(1.0)));
        let yes = Prediction { text: "x".to_owned(), ..spans.clone() };
        let score = |name: &str| {
            name.parse::<Metric>().unwrap().score(&Case::new(&example).with_prediction(&yes))
        };
        assert_eq!(score("EM"), Ok(1.0));
    }

    fn some_label() -> impl Strategy<Value = Label> {
        let span = || prop_oneof![Just(NOWHERE), (0_i64..2).prop_map(|start| (start, start + 1))];
        let short = prop_oneof![
            prop::collection::vec(span(), 0..3).prop_map(|spans| (spans, None)),
            Just((vec![], Some(YesNo::Yes))),
        ];
        (span(), short).prop_map(|(long, (short, yes_no))| label(long, &short, yes_no))
    }

    proptest! {
        #[test]
        fn neither_the_order_of_questions_nor_that_of_annotators_matters(
            rows in prop::collection::vec(
                (prop::collection::vec(some_label(), 1..4), some_label(), -2_i8..3, any::<bool>()),
                1..8,
            ),
        ) {
            let row = |backwards: bool| move |row: &(Vec<Label>, Label, i8, bool)| {
                let (mut annotators, label, score, given) = row.clone();
                if backwards {
                    annotators.reverse();
                }
                let prediction = prediction(&label, Some(f64::from(score)));
                (example(&annotators), given.then_some(prediction))
            };
            let forth: Vec<_> = rows.iter().map(row(false)).collect();
            let back: Vec<_> = rows.iter().rev().map(row(true)).collect();
            for metric in Family::named("NQ").unwrap().metrics() {
                let (name, (low, high)) = (metric.to_string(), metric.definition().range);
                let (number, mut own, counted) = scores(&name, &forth);
                own.reverse();
                prop_assert_eq!((number, own, counted), scores(&name, &back));
                prop_assert_eq!(counted, rows.len());
                prop_assert!(number.is_some_and(|number| (low..=high).contains(&number)), "{}", name);
            }
            let number = |name: &str| scores(name, &forth).0.unwrap();
            for kind in ["Long", "Short"] {
                let all = number(&format!("NQ.{kind}-F1"));
                let best = number(&format!("NQ.{kind}-F1(threshold=best)"));
                prop_assert!(best >= all, "{} {}", best, all);
            }
        }
    }
}
