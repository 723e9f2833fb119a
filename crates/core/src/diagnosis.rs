//! Where an error comes from: one cause for each example, by string evidence alone.
//!
//! Only passages that the reader really saw count. What a later question needs is *which part to
//! mend*: if the evidence was not among the passages, retrieval; if it was and the answer is
//! wrong, reading; and if the answer stands word for word in a passage that has been replaced or
//! that is no evidence, the source.

mod gain;

pub use gain::{Gain, Gains, Outcome, gains};

use crate::{Case, Interval, Passage, Prediction, metrics::words::Words, stats::wilson};

/// The one cause of an example's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Right.
    Right,
    /// Right although the evidence was not among the passages that the reader saw.
    RightWithoutEvidence,
    /// Wrong, and the answer stands in a superseded passage that the reader saw or cited, and in no
    /// gold passage.
    StaleSource,
    /// The same of a passage that is not superseded, and no evidence.
    WrongSource,
    /// One of the two: what evaluations of older versions say.
    StaleOrWrongSource,
    /// Wrong, and the evidence was not among the passages that the reader saw.
    RetrievalMiss,
    /// Wrong, although the reader saw the evidence.
    ReadingError,
    /// Wrong, although the reader saw the evidence and is right where it sees nothing else: what else
    /// was retrieved led it astray.
    Distraction,
    /// The reader saw the evidence and gave no answer.
    AbstainedWrongly,
    /// The question has no answer and got one.
    AnsweredUnanswerable,
    /// The system has no prediction for the example, which counts as wrong.
    NoPrediction,
    /// Wrong, and nobody knows what the reader saw.
    Unknown,
}

impl Cause {
    /// All causes, in the order in which reports show them.
    pub const ALL: [Self; 12] = [
        Self::Right,
        Self::RightWithoutEvidence,
        Self::StaleSource,
        Self::WrongSource,
        Self::StaleOrWrongSource,
        Self::RetrievalMiss,
        Self::ReadingError,
        Self::Distraction,
        Self::AbstainedWrongly,
        Self::AnsweredUnanswerable,
        Self::NoPrediction,
        Self::Unknown,
    ];

    /// The words for it in tables and stored results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::RightWithoutEvidence => "right without evidence",
            Self::StaleSource => "stale source",
            Self::WrongSource => "wrong source",
            Self::StaleOrWrongSource => "stale or wrong source",
            Self::RetrievalMiss => "retrieval miss",
            Self::ReadingError => "reading error",
            Self::Distraction => "distraction",
            Self::AbstainedWrongly => "abstained wrongly",
            Self::AnsweredUnanswerable => "answered the unanswerable",
            Self::NoPrediction => "no prediction",
            Self::Unknown => "unknown",
        }
    }

    /// The cause of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.name() == name)
    }

    /// Whether the answer is right.
    pub fn is_right(self) -> bool {
        matches!(self, Self::Right | Self::RightWithoutEvidence)
    }
}

/// What is known of one example when it is put down to a cause.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Ids of the passages that hold the answer: gold passages, or those judged relevant. Empty
    /// where nobody says.
    pub gold: &'a [&'a str],
    /// The passages that the reader saw; `None` when nobody knows.
    pub seen: Option<&'a [&'a Passage]>,
    /// The passages that the reader cites.
    pub cited: &'a [&'a Passage],
    /// The texts of the gold passages, as far as the corpus has them.
    pub gold_passages: &'a [&'a Passage],
}

/// Finding of one example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether the reader saw the evidence; `None` for an unanswerable question and where nobody
    /// knows.
    pub evidence_seen: Option<bool>,
    /// The cause.
    pub cause: Cause,
}

/// Puts one example down to its cause; `isolated_right` says whether the answer on the gold passages
/// alone is right, where there is one.
pub fn find(
    case: &Case<'_>,
    right: bool,
    isolated_right: Option<bool>,
    evidence: &Evidence<'_>,
) -> Finding {
    let answerable = case.example.answerable();
    let evidence_seen = if answerable { evidence.was_seen(case) } else { None };
    let cause = match (right, evidence_seen) {
        (true, Some(false)) => Cause::RightWithoutEvidence,
        (true, _) => Cause::Right,
        (false, _) if case.prediction.is_none() => Cause::NoPrediction,
        (false, _) if let Some(cause) = evidence.explains(case.prediction) => cause,
        (false, _) if !answerable => Cause::AnsweredUnanswerable,
        (false, Some(false)) => Cause::RetrievalMiss,
        (false, Some(true)) if case.prediction.is_some_and(|p| p.abstained) => {
            Cause::AbstainedWrongly
        }
        (false, Some(true)) if isolated_right == Some(true) => Cause::Distraction,
        (false, Some(true)) => Cause::ReadingError,
        (false, None) => Cause::Unknown,
    };
    Finding { evidence_seen, cause }
}

impl Evidence<'_> {
    /// Whether a gold passage was among those seen; without gold passages, whether a seen passage
    /// contains a reference.
    fn was_seen(&self, case: &Case<'_>) -> Option<bool> {
        let seen = self.seen?;
        if self.gold.is_empty() {
            let references: Vec<Words> = case.example.reference_texts().map(Words::new).collect();
            let contains = |passage: &&Passage| {
                let text = Words::new(&passage.text);
                references.iter().any(|reference| text.contain(reference))
            };
            return Some(seen.iter().any(contains));
        }
        Some(seen.iter().any(|passage| self.gold.contains(&passage.id.as_str())))
    }

    /// Where the answer stands in a passage that is superseded or no evidence, and in none that is
    /// evidence. That it stands in a superseded one says more: others may have its words by chance.
    fn explains(&self, prediction: Option<&Prediction>) -> Option<Cause> {
        if self.seen.is_none_or(<[_]>::is_empty) && self.cited.is_empty() {
            return None;
        }
        let answer = match prediction {
            Some(prediction) if !prediction.abstained => Words::new(&prediction.text),
            _ => return None,
        };
        if answer.is_empty() {
            return None;
        }
        let supports = |passage: &&&Passage| Words::new(&passage.text).contain(&answer);
        let is_gold = |passage: &Passage| self.gold.contains(&passage.id.as_str());
        let sources = || self.seen.unwrap_or_default().iter().chain(self.cited);
        let stale = sources().filter(|passage| passage.superseded()).any(|p| supports(&p));
        let other = |passage: &&&Passage| !self.gold.is_empty() && !is_gold(passage);
        let wrong = stale || sources().filter(other).any(|passage| supports(&passage));
        if !wrong || self.gold_passages.iter().any(|passage| supports(&passage)) {
            return None;
        }
        Some(if stale { Cause::StaleSource } else { Cause::WrongSource })
    }
}

/// Counts of findings: the causes, and the table *evidence seen* by *answer right*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    causes: [u64; Cause::ALL.len()],
    /// Evidence seen, answer right; likewise the other three.
    table: [[u64; 2]; 2],
}

impl Counts {
    /// Counts one finding.
    pub fn add(&mut self, finding: Finding) {
        self.causes[finding.cause as usize] += 1;
        if let Some(seen) = finding.evidence_seen {
            self.table[usize::from(seen)][usize::from(finding.cause.is_right())] += 1;
        }
    }

    /// How many examples have this cause.
    pub fn of(&self, cause: Cause) -> u64 {
        self.causes[cause as usize]
    }

    /// How many examples there are.
    pub fn total(&self) -> u64 {
        self.causes.iter().sum()
    }

    /// How many answers are wrong.
    pub fn errors(&self) -> u64 {
        Cause::ALL.into_iter().filter(|cause| !cause.is_right()).map(|cause| self.of(cause)).sum()
    }

    /// One cell of the table.
    pub fn cell(&self, evidence_seen: bool, right: bool) -> u64 {
        self.table[usize::from(evidence_seen)][usize::from(right)]
    }

    /// Share of right answers among the examples whose evidence was seen or not, with its
    /// interval; `None` where there is no such example.
    pub fn right_when(&self, evidence_seen: bool) -> Option<(f64, Interval)> {
        let right = self.cell(evidence_seen, true);
        share(right, right + self.cell(evidence_seen, false))
    }

    /// Share of right answers over all examples, with its interval.
    pub fn right(&self) -> Option<(f64, Interval)> {
        share(self.total() - self.errors(), self.total())
    }

    /// The cause of most errors, with its count; ties go to the one that is listed first.
    pub fn main_cause(&self) -> Option<(Cause, u64)> {
        let wrong = Cause::ALL.into_iter().filter(|cause| !cause.is_right());
        let counted = wrong.map(|cause| (cause, self.of(cause))).filter(|&(_, count)| count > 0);
        counted.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }
}

/// `k` of `n` as a share, with Wilson's interval.
pub fn share(k: u64, n: u64) -> Option<(f64, Interval)> {
    wilson(k, n).map(|interval| (k as f64 / n as f64, interval))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Example;

    fn passage(id: &str, text: &str, superseded_by: Option<&str>) -> Passage {
        Passage {
            id: id.to_owned(),
            text: text.to_owned(),
            superseded_by: superseded_by.map(str::to_owned),
            ..Passage::default()
        }
    }

    /// The finding for an answer to a question whose gold passage is `new`.
    fn check(
        answer: Option<&str>,
        right: bool,
        seen: Option<&[&str]>,
        expected: (Option<bool>, Cause),
    ) {
        let corpus = [
            passage("old", "You get 25 days of leave.", Some("new")),
            passage("new", "You get 30 days of leave, 12 of them in a row.", None),
            passage("other", "Trips are claimed within 14 days.", None),
        ];
        let by_id = |id: &str| corpus.iter().find(|passage| passage.id == id).unwrap();
        let example = Example { references: vec!["30 days".into()], ..Example::default() };
        let prediction = answer.map(Prediction::answer);
        let mut case = Case::new(&example);
        if let Some(prediction) = &prediction {
            case = case.with_prediction(prediction);
        }
        let seen: Option<Vec<&Passage>> = seen.map(|ids| ids.iter().map(|id| by_id(id)).collect());
        let evidence = Evidence {
            gold: &["new"],
            seen: seen.as_deref(),
            cited: &[],
            gold_passages: &[by_id("new")],
        };
        let finding = find(&case, right, None, &evidence);
        assert_eq!((finding.evidence_seen, finding.cause), expected, "{answer:?} {seen:?}");
    }

    #[test]
    fn every_example_has_one_cause() {
        let (old, new) = (Some(["old", "other"].as_slice()), Some(["new", "other"].as_slice()));
        check(Some("30 days"), true, new, (Some(true), Cause::Right));
        check(Some("30 days"), true, old, (Some(false), Cause::RightWithoutEvidence));
        check(Some("30 days"), true, None, (None, Cause::Right));
        check(Some("25 days"), false, old, (Some(false), Cause::StaleSource));
        check(Some("14 days"), false, new, (Some(true), Cause::WrongSource));
        check(Some("12"), false, new, (Some(true), Cause::ReadingError));
        check(Some("40 days"), false, old, (Some(false), Cause::RetrievalMiss));
        check(Some(""), false, new, (Some(true), Cause::AbstainedWrongly));
        check(Some(""), false, old, (Some(false), Cause::RetrievalMiss));
        check(None, false, new, (Some(true), Cause::NoPrediction));
        check(Some("40 days"), false, None, (None, Cause::Unknown));
    }

    #[test]
    fn what_is_right_alone_was_led_astray() {
        let gold = passage("new", "You get 30 days of leave.", None);
        let example = Example { references: vec!["30 days".into()], ..Example::default() };
        let cause = |answer: &str, isolated_right| {
            let prediction = Prediction::answer(answer);
            let case = Case::new(&example).with_prediction(&prediction);
            let evidence = Evidence {
                gold: &["new"],
                seen: Some(&[&gold]),
                cited: &[],
                gold_passages: &[&gold],
            };
            find(&case, false, isolated_right, &evidence).cause
        };
        assert_eq!(cause("40", Some(true)), Cause::Distraction);
        assert_eq!(cause("40", Some(false)), Cause::ReadingError);
        assert_eq!(cause("40", None), Cause::ReadingError);
        assert_eq!(cause("", Some(true)), Cause::AbstainedWrongly);
    }

    #[test]
    fn an_unanswerable_question_has_no_evidence_to_see() {
        let example = Example::default();
        let prediction = Prediction::answer("30 days");
        let case = Case::new(&example).with_prediction(&prediction);
        let evidence = Evidence { gold: &[], seen: Some(&[]), cited: &[], gold_passages: &[] };
        let finding = find(&case, false, None, &evidence);
        assert_eq!(finding.evidence_seen, None);
        assert_eq!(finding.cause, Cause::AnsweredUnanswerable);
        let nothing = find(&Case::new(&example), false, None, &evidence);
        assert_eq!(nothing.cause, Cause::NoPrediction);
    }

    #[test]
    fn counts_make_the_table() {
        let mut counts = Counts::default();
        for (seen, cause) in [
            (Some(true), Cause::Right),
            (Some(true), Cause::ReadingError),
            (Some(false), Cause::StaleOrWrongSource),
            (Some(false), Cause::StaleOrWrongSource),
            (None, Cause::AnsweredUnanswerable),
        ] {
            counts.add(Finding { evidence_seen: seen, cause });
        }
        assert_eq!((counts.total(), counts.errors()), (5, 4));
        assert_eq!(counts.cell(true, true), 1);
        assert_eq!(counts.cell(false, false), 2);
        assert_eq!(counts.right_when(true).map(|(share, _)| share), Some(0.5));
        assert_eq!(counts.main_cause(), Some((Cause::StaleOrWrongSource, 2)));
    }

    #[test]
    fn names_are_read_back() {
        for cause in Cause::ALL {
            assert_eq!(Cause::from_name(cause.name()), Some(cause));
        }
    }
}
