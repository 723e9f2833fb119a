//! Scores that a plugin did not give: which, and why.

use std::fmt;

use qeval_core::{Case, Score, Unscored};
use qeval_dataset::Record;
use qeval_sdk::Failure;

use crate::plan::OnError;

/// A failure of a plugin, with all that it concerns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{failure} ({}; batch `{batch}`; {examples})", named(what, names))]
pub struct LostScores {
    /// What happened, which names the plugin.
    pub failure: String,
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
        Some(failure) => Err(Unscored::Failed(failure.to_string())),
        None => Ok(0.0),
    };
    let column: Vec<Score> = failures.map(given).collect();
    let cases: Vec<Case<'_>> = records.iter().map(|record| Case::new(&record.example)).collect();
    let names = [name.to_owned()];
    let lost = of_columns(&[&column], (what, &names), batch, &cases).into_iter().next();
    lost.map_or(Ok(()), |(_, lost)| Err(lost))
}

/// What is lost of a batch in which all that these metrics gave is here: one failure for each run of
/// cases that have the same, with the place of its first case.
pub(super) fn of_columns(
    columns: &[&[Score]],
    of: (&'static str, &[String]),
    batch: u64,
    cases: &[Case<'_>],
) -> Vec<(usize, LostScores)> {
    let failure = |case: usize| {
        columns.iter().find_map(|column| match column.get(case) {
            Some(Err(Unscored::Failed(failure))) => Some(failure.as_str()),
            _ => None,
        })
    };
    let mut lost: Vec<(usize, LostScores)> = Vec::new();
    let mut before = None;
    for (index, case) in cases.iter().enumerate() {
        let failure = failure(index);
        if let Some(failure) = failure {
            match lost.last_mut().filter(|_| before == Some(failure)) {
                Some((_, known)) => {
                    known.examples.count += 1;
                    known.examples.last.clone_from(&case.example.id);
                }
                None => {
                    lost.push((index, LostScores::new(failure, of, batch, &cases[index..=index])));
                }
            }
        }
        before = failure;
    }
    lost
}

impl LostScores {
    /// Of some cases, of which there is at least one.
    fn new(
        failure: &str,
        (what, names): (&'static str, &[String]),
        batch: u64,
        cases: &[Case<'_>],
    ) -> Self {
        let id = |case: Option<&Case<'_>>| case.map_or_else(String::new, |c| c.example.id.clone());
        Self {
            failure: failure.to_owned(),
            what,
            names: names.into(),
            batch: batch + 1,
            examples: LostExamples {
                count: cases.len(),
                first: id(cases.first()),
                last: id(cases.last()),
            },
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
        let crash = || Err(Unscored::Failed("crash: plugin `p` ended".to_owned()));
        let column = [Ok(1.0), crash(), crash(), Ok(0.5), crash()];
        let metrics = ["p.a".to_owned(), "p.b".to_owned()];
        let lost = of_columns(&[&column, &column], ("metric", &metrics), 2, &cases);
        let texts: Vec<(usize, String)> =
            lost.iter().map(|(index, lost)| (*index, lost.to_string())).collect();
        let expected = [
            (
                1,
                "crash: plugin `p` ended (metrics `p.a`, `p.b`; batch `3`; `2` examples, `q2` to `q3`)",
            ),
            (4, "crash: plugin `p` ended (metrics `p.a`, `p.b`; batch `3`; example `q5`)"),
        ];
        assert_eq!(texts, expected.map(|(index, text)| (index, text.to_owned())));
    }
}
