//! Scores that a plugin did not give: which, and why.

use std::{fmt, ops::Range};

use qeval_core::{Case, FailureKind, Score, Unscored};
use qeval_dataset::Record;
use qeval_sdk::Failure;

use crate::plan::OnError;

/// A failure of a plugin, with all that it concerns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{failure} ({}; batch `{batch}`; {examples})", named(what, names))]
pub struct LostScores {
    /// How it failed.
    pub kind: FailureKind,
    /// What happened, which names the plugin.
    pub failure: Box<str>,
    /// What kind of component failed: `metric`, `retriever`, `reader`.
    pub what: &'static str,
    /// Those of the kind that the file names, and that have nothing for it.
    pub names: Box<[String]>,
    /// Which batch it was, from 1, over all datasets.
    pub batch: u64,
    /// The examples that have no scores for it.
    pub examples: LostExamples,
}

/// Some examples of one batch, named by the first and the last of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostExamples {
    /// How many.
    pub count: usize,
    /// The id of the first one.
    pub first: String,
    /// The id of the last one.
    pub last: String,
}

impl fmt::Display for LostExamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, first, last } = self;
        match count {
            1 => write!(f, "example `{first}`"),
            _ => write!(f, "`{count}` examples, `{first}` to `{last}`"),
        }
    }
}

fn named(what: &str, names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let plural = if names.len() == 1 { "" } else { "s" };
    format!("{what}{plural} {}", quoted.join(", "))
}

/// The first failures of a retriever or of a reader in a batch, as the end of the evaluation; nothing
/// where `on_error` says that it goes on. Of examples of which something else failed there is `None`.
pub(super) fn end_with_first<'f>(
    on_error: OnError,
    (what, name): (&'static str, &str),
    failures: impl Iterator<Item = Option<&'f Failure>>,
    batch: u64,
    records: &[Record],
) -> Result<(), LostScores> {
    if on_error == OnError::Null {
        return Ok(());
    }
    let given = |failure: Option<&Failure>| match failure {
        Some(failure) => Err(Unscored::from(failure)),
        None => Ok(0.0),
    };
    let column: Vec<Score> = failures.map(given).collect();
    let cases: Vec<Case<'_>> = records.iter().map(|record| Case::new(&record.example)).collect();
    let names = [name.to_owned()];
    let lost = of_columns(&[&column], (what, &names), batch, &cases).into_iter().next();
    lost.map_or(Ok(()), |lost| Err(lost.scores))
}

/// Scores of some columns, in a row of cases, that were lost to one failure.
pub(super) struct Lost {
    /// Places of the columns.
    pub(super) columns: Vec<usize>,
    /// Places of the cases.
    pub(super) cases: Range<usize>,
    pub(super) scores: LostScores,
}

/// What is lost of a batch in which all that these metrics gave is here: for each failure the
/// metrics and the row of cases that have it, in the order of the first cases.
pub(super) fn of_columns(
    columns: &[&[Score]],
    (what, names): (&'static str, &[String]),
    batch: u64,
    cases: &[Case<'_>],
) -> Vec<Lost> {
    let mut lost: Vec<Lost> = Vec::new();
    // Those that go on to the case before.
    let mut open: Vec<usize> = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let mut still_open = Vec::new();
        for (failure, places) in failures(columns, index) {
            let same = |&&at: &&usize| {
                let Lost { columns, scores, .. } = &lost[at];
                *columns == places && (scores.kind, &*scores.failure) == failure
            };
            if let Some(&at) = open.iter().find(same) {
                let Lost { cases, scores, .. } = &mut lost[at];
                cases.end += 1;
                scores.examples.count += 1;
                scores.examples.last.clone_from(&case.example.id);
                still_open.push(at);
            } else {
                let names = places.iter().map(|&place| names[place].clone()).collect();
                let scores = LostScores::new(failure, (what, names), batch, case);
                still_open.push(lost.len());
                lost.push(Lost { columns: places, cases: index..index + 1, scores });
            }
        }
        open = still_open;
    }
    lost
}

/// How something failed, and what happened.
type Failed<'a> = (FailureKind, &'a str);

/// The failures of one case, each with the places of the columns that have it.
fn failures<'s>(columns: &[&'s [Score]], case: usize) -> Vec<(Failed<'s>, Vec<usize>)> {
    let mut failures: Vec<(Failed<'_>, Vec<usize>)> = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        let Some(Err(Unscored::Failed(kind, text))) = column.get(case) else { continue };
        let failure = (*kind, text.as_str());
        match failures.iter_mut().find(|(known, _)| *known == failure) {
            Some((_, places)) => places.push(place),
            None => failures.push((failure, vec![place])),
        }
    }
    failures
}

impl LostScores {
    /// Of one case.
    fn new(
        (kind, failure): Failed<'_>,
        (what, names): (&'static str, Vec<String>),
        batch: u64,
        case: &Case<'_>,
    ) -> Self {
        let id = &case.example.id;
        Self {
            kind,
            failure: failure.into(),
            what,
            names: names.into(),
            batch: batch + 1,
            examples: LostExamples { count: 1, first: id.clone(), last: id.clone() },
        }
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::Example;

    use super::*;

    #[test]
    fn examples_that_have_the_same_failure_are_named_together() {
        let examples: Vec<Example> = (1..=5)
            .map(|number| Example { id: format!("q{number}"), ..Example::default() })
            .collect();
        let cases: Vec<Case<'_>> = examples.iter().map(Case::new).collect();
        let crash =
            || Err(Unscored::Failed(FailureKind::Crash, "crash: plugin `p` ended".to_owned()));
        let wrong = || {
            Err(Unscored::Failed(FailureKind::Value, "value: plugin `p`: `b` is NaN".to_owned()))
        };
        let columns = [
            &[Ok(1.0), crash(), crash(), Ok(0.5), crash()][..],
            &[wrong(), crash(), crash(), wrong(), wrong()],
        ];
        let metrics = ["p.a".to_owned(), "p.b".to_owned()];
        let lost = of_columns(&columns, ("metric", &metrics), 2, &cases);
        let found: Vec<(Range<usize>, &[usize], String)> = lost
            .iter()
            .map(|lost| (lost.cases.clone(), lost.columns.as_slice(), lost.scores.to_string()))
            .collect();
        let crash = "crash: plugin `p` ended";
        let wrong = "value: plugin `p`: `b` is NaN";
        let expected = [
            (0..1, &[1][..], format!("{wrong} (metric `p.b`; batch `3`; example `q1`)")),
            (
                1..3,
                &[0, 1],
                format!("{crash} (metrics `p.a`, `p.b`; batch `3`; `2` examples, `q2` to `q3`)"),
            ),
            (3..5, &[1], format!("{wrong} (metric `p.b`; batch `3`; `2` examples, `q4` to `q5`)")),
            (4..5, &[0], format!("{crash} (metric `p.a`; batch `3`; example `q5`)")),
        ];
        assert_eq!(found, expected);
    }
}
