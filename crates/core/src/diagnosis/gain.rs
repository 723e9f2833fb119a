//! What would be gained if one part of the system were perfect.

use super::Cause;
use crate::stats::{Change, paired, units};

/// What is known of one example when gains are estimated.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Its cause.
    pub cause: Cause,
    /// Whether the reader saw the evidence; `None` for an unanswerable question and where nobody
    /// knows.
    pub evidence_seen: Option<bool>,
    /// Whether the question has an answer.
    pub answerable: bool,
    /// Whether the answer on the gold passages alone is right; `None` where there is none.
    pub isolated_right: Option<bool>,
    /// Number of the dialog or document; `None` in all outcomes where all are independent.
    pub group: Option<u32>,
}

/// How the share of right answers would change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gain {
    /// From the share that is right to the one that would be, with its interval.
    Known(Change),
    /// Between these bounds: nothing says more. Differences of shares.
    Between(f64, f64),
}

/// What perfect parts would gain, in shares of right answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gains {
    /// If the reader always saw the evidence and nothing else: the answers on the gold passages. `None`
    /// where nothing is known of what it saw.
    pub retrieval: Option<Gain>,
    /// If every answer was right whose evidence was seen. `None` where nobody knows what was seen.
    pub reading: Option<Gain>,
    /// Answerable questions whose answer on the gold passages is unknown, though others have one: they
    /// are taken to stay as they are.
    pub unknown: u64,
}

/// Estimates the gains. Questions without an answer stay as they are: no passage would help.
///
/// With answers on the gold passages for some examples, the gain of a perfect retriever is the paired
/// difference to them. Without any it lies between 0 and the share of wrong answers whose evidence was
/// not seen.
pub fn gains(outcomes: &[Outcome], seed: u64) -> Gains {
    let n = outcomes.len() as f64;
    let known = outcomes.iter().any(|outcome| outcome.evidence_seen.is_some());
    let isolated = outcomes.iter().any(|outcome| outcome.isolated_right.is_some());
    let reading = known.then(|| {
        let perfect = |outcome: &Outcome| outcome.evidence_seen == Some(true) || right(outcome);
        change(outcomes, seed, perfect)
    });
    let retrieval = if isolated {
        let perfect = |outcome: &Outcome| {
            if outcome.answerable {
                outcome.isolated_right.unwrap_or(right(outcome))
            } else {
                right(outcome)
            }
        };
        change(outcomes, seed, perfect).map(Gain::Known)
    } else if known {
        let missed = |outcome: &&Outcome| outcome.evidence_seen == Some(false) && !right(outcome);
        Some(Gain::Between(0.0, outcomes.iter().filter(missed).count() as f64 / n))
    } else {
        None
    };
    let unknown = |outcome: &&Outcome| outcome.answerable && outcome.isolated_right.is_none();
    Gains {
        retrieval,
        reading: reading.flatten().map(Gain::Known),
        unknown: if isolated { outcomes.iter().filter(unknown).count() as u64 } else { 0 },
    }
}

fn right(outcome: &Outcome) -> bool {
    outcome.cause.is_right()
}

/// From what is right to what would be.
fn change(outcomes: &[Outcome], seed: u64, perfect: impl Fn(&Outcome) -> bool) -> Option<Change> {
    let share = |right: bool| f64::from(u8::from(right));
    let before: Vec<f64> = outcomes.iter().map(|outcome| share(right(outcome))).collect();
    let after: Vec<f64> = outcomes.iter().map(|outcome| share(perfect(outcome))).collect();
    let groups: Option<Vec<u32>> = outcomes.iter().map(|outcome| outcome.group).collect();
    paired(&units(&before, &after, groups.as_deref()), seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(cause: Cause, seen: Option<bool>, isolated_right: Option<bool>) -> Outcome {
        let answerable = cause != Cause::AnsweredUnanswerable;
        Outcome { cause, evidence_seen: seen, answerable, isolated_right, group: None }
    }

    /// Forty right, thirty missed, twenty misread, ten without an answer.
    fn outcomes(isolated: bool) -> Vec<Outcome> {
        let mut all = Vec::new();
        let of = |right| isolated.then_some(right);
        all.extend(vec![outcome(Cause::Right, Some(true), of(true)); 40]);
        all.extend(vec![outcome(Cause::RetrievalMiss, Some(false), of(true)); 20]);
        all.extend(vec![outcome(Cause::RetrievalMiss, Some(false), of(false)); 10]);
        all.extend(vec![outcome(Cause::ReadingError, Some(true), of(false)); 15]);
        all.extend(vec![outcome(Cause::Distraction, Some(true), of(true)); 5]);
        all.extend(vec![outcome(Cause::AnsweredUnanswerable, None, None); 10]);
        all
    }

    #[test]
    fn perfect_parts_gain_what_they_lost() {
        let found = gains(&outcomes(true), 7);
        let Some(Gain::Known(retrieval)) = found.retrieval else { panic!("{found:?}") };
        assert!((retrieval.difference() - 0.25).abs() < 1e-12);
        let interval = retrieval.interval.unwrap();
        assert!(interval.low > 0.15 && interval.high < 0.36, "{interval:?}");
        let Some(Gain::Known(reading)) = found.reading else { panic!("{found:?}") };
        assert!((reading.difference() - 0.2).abs() < 1e-12);
        assert_eq!(found.unknown, 0);
    }

    #[test]
    fn without_answers_on_the_gold_passages_there_are_bounds() {
        let found = gains(&outcomes(false), 7);
        assert_eq!(found.retrieval, Some(Gain::Between(0.0, 0.3)));
        assert!(matches!(found.reading, Some(Gain::Known(_))));
        let unknown = vec![outcome(Cause::Unknown, None, None); 5];
        assert_eq!(gains(&unknown, 7), Gains::default());
        assert_eq!(gains(&[], 7), Gains::default());
    }

    #[test]
    fn groups_widen_the_interval() {
        let mut grouped = outcomes(true);
        for (place, outcome) in grouped.iter_mut().enumerate() {
            outcome.group = Some(u32::try_from(place / 10).unwrap());
        }
        let width = |outcomes: &[Outcome]| match gains(outcomes, 7).retrieval {
            Some(Gain::Known(change)) => change.interval.map(|i| i.high - i.low).unwrap(),
            other => panic!("{other:?}"),
        };
        assert!(width(&grouped) > 1.5 * width(&outcomes(true)));
    }
}
