//! How a live reader is asked: on which history, and how often.

use std::sync::Arc;

use qeval_core::Subject;
use qeval_sdk::Reader;
use serde_json::Value;
use toml::Spanned;

use super::{Answers, Plan, PlannedReader, retrievers};
use crate::{
    Problem,
    builtin::{
        journaled::{InStage, OF_READERS},
        live::Live,
    },
    problem::suggest,
};

/// The values of `history`.
const HISTORIES: [&str; 2] = ["gold", "own"];

/// The most often that a question is asked.
const MOST_REPEATS: u32 = 100;

/// How a live reader is asked.
#[derive(Clone, Default)]
pub(crate) struct Asking {
    /// Whether later turns of a dialog are asked with its own answers to the earlier ones.
    pub(crate) own_history: bool,
    /// Where the further answers to each question come from, one after the other, for each stage of
    /// [`OF_READERS`].
    pub(crate) again: Vec<[Answers; OF_READERS.len()]>,
}

/// What a file says of it.
pub(super) struct Asked {
    own_history: bool,
    /// How often every question is asked.
    pub(super) repeats: u32,
}

/// How a reader is asked. It is added to its options where it is said.
pub(super) fn asked(
    history: Option<&Spanned<String>>,
    repeats: Option<&Spanned<u32>>,
    options: &mut Value,
    problems: &mut Vec<Problem>,
) -> Option<Asked> {
    let own_history = history.is_some_and(|history| is_own(history, problems));
    if own_history {
        options["history"] = "own".into();
    }
    let span = repeats.map(Spanned::span);
    let repeats = retrievers::positive(repeats, 1, "repeats", problems)?;
    if let Some(span) = span {
        let message = if repeats > MOST_REPEATS {
            format!("`repeats` is {repeats}, expected at most {MOST_REPEATS}")
        } else if own_history && repeats > 1 {
            "with `history = \"own\"` a dialog is held once, and cannot have `repeats`".to_owned()
        } else {
            options["repeats"] = repeats.into();
            return Some(Asked { own_history, repeats });
        };
        problems.push(Problem::at(span, message));
        return None;
    }
    Some(Asked { own_history, repeats })
}

fn is_own(history: &Spanned<String>, problems: &mut Vec<Problem>) -> bool {
    let given = history.get_ref().as_str();
    if !HISTORIES.contains(&given) {
        let message = format!("`history` is `{given}`, expected `gold` or `own`");
        let hint = suggest(given, HISTORIES);
        problems.push(Problem::at(history.span(), message).maybe_hint(hint));
    }
    given == "own"
}

impl Asked {
    /// The reader as it is asked; `others` are its likes that give the further answers.
    pub(super) fn of(self, planned: PlannedReader, others: Vec<Arc<dyn Live>>) -> PlannedReader {
        let journaled = planned.journaled.as_ref();
        let again = others.into_iter().map(|live| {
            let of_stage = |place| -> Arc<dyn Reader> {
                let live = Arc::clone(&live);
                match journaled {
                    Some(journaled) => {
                        Arc::new(InStage { journaled: Arc::clone(journaled), live, place })
                    }
                    None => live,
                }
            };
            [0, 1].map(|place| Answers::Component(of_stage(place)))
        });
        let asking = Asking { own_history: self.own_history, again: again.collect() };
        PlannedReader { asking, ..planned }
    }
}

/// A metric that is no mean of its examples has no mean over repeats either.
pub(super) fn check(plan: &Plan, problems: &mut Vec<Problem>) {
    if plan.readers.iter().all(|reader| reader.asking.again.is_empty()) {
        return;
    }
    let mut pooled = plan.metrics.iter().filter(|metric| {
        metric.statistic_of.is_some() && metric.descriptor.subject != Subject::Retrieval
    });
    if let Some(of) = pooled.find_map(|metric| metric.statistic_of.as_ref()) {
        let message = format!("`{of}` is no mean over examples, and a reader has `repeats`");
        let hint = "leave out one of them: a mean over repeats is that of each example";
        problems.push(Problem::of_file(message).hint(hint));
    }
}
