//! The table of four cells: answered or abstained, by answerable or not.

use crate::Case;

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
        let answerable = case.example.answerable();
        let abstained = case.prediction.map_or(answerable, |prediction| prediction.abstained);
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
        ratio(self.abstained_unanswerable, self.abstentions())
    }

    /// Share of the unanswerable questions that were left unanswered; `None` without one.
    pub fn recall(self) -> Option<f64> {
        ratio(self.abstained_unanswerable, self.unanswerable())
    }

    /// Harmonic mean of both; `None` without an abstention or an unanswerable question.
    pub fn f1(self) -> Option<f64> {
        ratio(2 * self.abstained_unanswerable, self.abstentions() + self.unanswerable())
    }

    fn abstentions(self) -> u64 {
        self.abstained_answerable + self.abstained_unanswerable
    }

    fn unanswerable(self) -> u64 {
        self.answered_unanswerable + self.abstained_unanswerable
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction};

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
    }
}
