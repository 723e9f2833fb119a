//! The table of four cells: answered or abstained, by answerable or not.

use crate::{Case, Prediction};

/// What a system did with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It gave an answer, right or wrong.
    Answered,
    /// It declined to answer.
    Abstained,
    /// Neither: there is no prediction.
    Missing,
}

impl Decision {
    /// What a prediction, or a missing one, says.
    pub fn of(prediction: Option<&Prediction>) -> Self {
        match prediction {
            Some(prediction) if prediction.abstained => Self::Abstained,
            Some(_) => Self::Answered,
            None => Self::Missing,
        }
    }
}

/// The table: how many examples were answered or not, by whether they have an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// Has an answer and got one, right or wrong.
    pub answered_answerable: u64,
    /// Has no answer and got one.
    pub answered_unanswerable: u64,
    /// Has an answer, and the system abstained.
    pub abstained_answerable: u64,
    /// Has no answer, and the system abstained.
    pub abstained_unanswerable: u64,
}

impl Decisions {
    /// The table of one example. Without a prediction it stands in the wrong cell.
    pub fn of(case: &Case<'_>) -> Self {
        Self::one(case.example.answerable(), Decision::of(case.prediction))
    }

    /// The same of what is known of the example.
    pub fn one(answerable: bool, decision: Decision) -> Self {
        let abstained = match decision {
            Decision::Answered => false,
            Decision::Abstained => true,
            Decision::Missing => answerable,
        };
        let cell = |a, b| u64::from((abstained, answerable) == (a, b));
        Self {
            answered_answerable: cell(false, true),
            answered_unanswerable: cell(false, false),
            abstained_answerable: cell(true, true),
            abstained_unanswerable: cell(true, false),
        }
    }

    /// The table of the statistics that the metrics here keep of each example.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "they are counts")]
    pub(super) fn sum(columns: &[&[f64]]) -> Self {
        let total = |index: usize| columns[index].iter().sum::<f64>() as u64;
        Self {
            answered_answerable: total(0),
            answered_unanswerable: total(1),
            abstained_answerable: total(2),
            abstained_unanswerable: total(3),
        }
    }

    /// Adds the examples of another table.
    pub fn merge(&mut self, other: Self) {
        self.answered_answerable += other.answered_answerable;
        self.answered_unanswerable += other.answered_unanswerable;
        self.abstained_answerable += other.abstained_answerable;
        self.abstained_unanswerable += other.abstained_unanswerable;
    }

    /// Share of the abstentions that were right; `None` without one.
    pub fn precision(self) -> Option<f64> {
        self.share(Rate::Precision)
    }

    /// Share of the unanswerable questions that were left unanswered; `None` without one.
    pub fn recall(self) -> Option<f64> {
        self.share(Rate::Recall)
    }

    /// Harmonic mean of both; `None` without an abstention or an unanswerable question.
    pub fn f1(self) -> Option<f64> {
        ratio(2 * self.abstained_unanswerable, self.abstentions() + self.unanswerable())
    }

    /// A rate as a number; `None` where it is about no example.
    pub fn share(self, rate: Rate) -> Option<f64> {
        let (part, whole) = self.rate(rate);
        ratio(part, whole)
    }

    /// A rate as two counts: how many, and of how many.
    pub fn rate(self, rate: Rate) -> (u64, u64) {
        match rate {
            Rate::Recall => (self.abstained_unanswerable, self.unanswerable()),
            Rate::Precision => (self.abstained_unanswerable, self.abstentions()),
            Rate::AnsweredUnanswerable => (self.answered_unanswerable, self.unanswerable()),
            Rate::AbstainedAnswerable => (self.abstained_answerable, self.answerable()),
        }
    }

    /// Questions that have an answer.
    pub fn answerable(self) -> u64 {
        self.answered_answerable + self.abstained_answerable
    }

    /// Questions that have none.
    pub fn unanswerable(self) -> u64 {
        self.answered_unanswerable + self.abstained_unanswerable
    }

    /// Questions that were left unanswered.
    pub fn abstentions(self) -> u64 {
        self.abstained_answerable + self.abstained_unanswerable
    }
}

/// A share that is read from the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Of the unanswerable questions, those that were abstained from.
    Recall,
    /// Of the abstentions, those from unanswerable questions.
    Precision,
    /// Of the unanswerable questions, those that were answered.
    AnsweredUnanswerable,
    /// Of the answerable questions, those that were abstained from.
    AbstainedAnswerable,
}

impl Rate {
    /// All rates, in the order in which reports show them.
    pub const ALL: [Self; 4] =
        [Self::Recall, Self::Precision, Self::AnsweredUnanswerable, Self::AbstainedAnswerable];

    /// The word for it in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recall => "no_answer_recall",
            Self::Precision => "no_answer_precision",
            Self::AnsweredUnanswerable => "answered_unanswerable",
            Self::AbstainedAnswerable => "abstained_answerable",
        }
    }

    /// What one example adds: 1 or 0, and nothing where the rate is not about it.
    pub fn score(self, example: Decisions) -> Option<f64> {
        example.share(self)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Example;

    fn decision() -> impl Strategy<Value = Decision> {
        prop_oneof![Just(Decision::Answered), Just(Decision::Abstained), Just(Decision::Missing)]
    }

    proptest! {
        #[test]
        fn tables_merge(rows in prop::collection::vec(any::<(bool, bool)>(), 0..20)) {
            let mut merged = Decisions::default();
            for &(answerable, answered) in &rows {
                let references = if answerable { vec!["x".into()] } else { vec![] };
                let example = Example { references, ..Example::default() };
                let prediction = Prediction { abstained: !answered, ..Prediction::default() };
                merged.merge(Decisions::of(&Case::new(&example).with_prediction(&prediction)));
            }
            let count = |cell| rows.iter().filter(|&&row| row == cell).count() as u64;
            prop_assert_eq!(merged, Decisions {
                answered_answerable: count((true, true)),
                answered_unanswerable: count((false, true)),
                abstained_answerable: count((true, false)),
                abstained_unanswerable: count((false, false)),
            });
        }

        #[test]
        fn a_rate_is_the_mean_of_what_the_examples_add(
            rows in prop::collection::vec((any::<bool>(), decision()), 0..20),
        ) {
            let examples = rows.iter().map(|&(answerable, decision)| {
                Decisions::one(answerable, decision)
            });
            let mut table = Decisions::default();
            examples.clone().for_each(|example| table.merge(example));
            prop_assert_eq!(table.answerable() + table.unanswerable(), rows.len() as u64);
            for rate in Rate::ALL {
                let scores: Vec<f64> = examples.clone().filter_map(|e| rate.score(e)).collect();
                let (part, whole) = table.rate(rate);
                prop_assert_eq!(scores.len() as u64, whole);
                prop_assert_eq!(scores.iter().filter(|&&score| score > 0.0).count() as u64, part);
            }
            // The two rates of the unanswerable questions are the two sides of one thing.
            let (abstained, all) = table.rate(Rate::Recall);
            prop_assert_eq!(table.rate(Rate::AnsweredUnanswerable), (all - abstained, all));
        }
    }
}
