//! The answers of one batch: read live from passages, replayed from a file, or taken from the
//! dataset.

use std::{
    borrow::Cow,
    sync::{Mutex, PoisonError},
};

use qeval_core::{Example, Judgments, Passage, Prediction, Unscored};
use qeval_dataset::Record;
use qeval_sdk::{Failure, FailureKind, Request};

use super::{dialogs::Dialogs, joins::Given, retrieved::Retrieved};
use crate::{
    Plan,
    plan::{Answers, PlannedReader},
};

/// What a reader gave for one example.
pub(crate) type Answer<'a> = Result<Option<Cow<'a, Prediction>>, Failure>;

/// The prediction, where the reader gave one.
pub(crate) fn given<'a>(answer: &'a Answer<'_>) -> Option<&'a Prediction> {
    answer.as_ref().ok().and_then(Option::as_deref)
}

/// The answers of the whole system, on what was retrieved.
pub(super) fn integrated<'a>(
    reader: &PlannedReader,
    answers: &Answers,
    records: &'a [Record],
    retrieved: Option<&[Retrieved<'_>]>,
    joined: &'a Given,
    dialogs: &Mutex<Dialogs>,
) -> Vec<Answer<'a>> {
    let _span = tracing::info_span!("integrated", reader = reader.name).entered();
    let shown: Vec<&[&Passage]> = match (reader.passages, retrieved) {
        (Some(passages), Some(retrieved)) => {
            retrieved.iter().map(|r| &r.passages[..passages.min(r.passages.len())]).collect()
        }
        _ => vec![&[]; records.len()],
    };
    let dialogs = reader.asking.own_history.then_some(dialogs);
    let mut answers = ask(answers, records, &shown, joined, dialogs);
    if reader.passages.is_some() {
        // A reader that was shown nothing because the search failed has not answered.
        for (answer, retrieved) in answers.iter_mut().zip(retrieved.into_iter().flatten()) {
            if let Err(failure) = &retrieved.ranking {
                *answer = Err(failure.clone());
            }
        }
    }
    answers
}

/// The answers on the gold passages, or on the context of an example that has no others.
pub(super) fn isolated<'a>(
    reader: &PlannedReader,
    answers: &Answers,
    records: &'a [Record],
    gold: &[Gold<'_>],
    joined: &'a Given,
    dialogs: &Mutex<Dialogs>,
) -> Vec<Answer<'a>> {
    let _span = tracing::info_span!("isolated", reader = reader.name).entered();
    let shown: Vec<Vec<&Passage>> = gold.iter().map(Gold::shown).collect();
    let shown: Vec<&[&Passage]> = shown.iter().map(Vec::as_slice).collect();
    let dialogs = reader.asking.own_history.then_some(dialogs);
    ask(answers, records, &shown, joined, dialogs)
}

/// Why an answer on the gold passages is not scored; `None` where it is. A live reader that had
/// nothing to read would score on questions without an answer.
pub(super) fn isolated_unscored(
    answer: &Answer<'_>,
    gold: &Gold<'_>,
    live: bool,
) -> Option<Unscored> {
    match answer {
        Err(failure) => Some(Unscored::from(failure)),
        Ok(_) => (live && gold.is_empty()).then_some(Unscored::NoRelevantPassage),
    }
}

/// The evidence of one example.
pub(super) struct Gold<'a> {
    /// Ids of the passages that hold the answer.
    pub(super) ids: Vec<&'a str>,
    /// Those that the corpus has; of a document all passages.
    pub(super) passages: Vec<&'a Passage>,
    /// All judgments of the example.
    pub(super) judgments: Option<&'a Judgments>,
    /// The example's own context as a passage.
    context: Option<Passage>,
}

impl<'a> Gold<'a> {
    /// The evidence of each example. A context is long and copied, so it is made a passage only
    /// where `read` says that somebody reads it.
    pub(super) fn of(
        plan: &'a Plan,
        records: &'a [Record],
        judgments: &'a [Option<Cow<'_, Judgments>>],
        read: bool,
    ) -> Vec<Self> {
        let pairs = records.iter().zip(judgments);
        pairs
            .map(|(record, judgments)| Self::new(plan, record, judgments.as_deref(), read))
            .collect()
    }

    fn new(
        plan: &'a Plan,
        record: &'a Record,
        judgments: Option<&'a Judgments>,
        read: bool,
    ) -> Self {
        let judged = judgments.into_iter().flat_map(Judgments::iter);
        let mut ids: Vec<&str> = judged.filter(|&(_, grade)| grade > 0).map(|(id, _)| id).collect();
        let passages: Vec<&Passage> = match &plan.corpus {
            Some(corpus) => ids.iter().flat_map(|id| corpus.evidence(id)).collect(),
            None => Vec::new(),
        };
        // A document that is evidence is known by its passages too.
        ids.extend(passages.iter().map(|passage| passage.id.as_str()));
        ids.sort_unstable();
        ids.dedup();
        let context = record.example.context.as_ref().filter(|_| read).map(|text| Passage {
            id: "context".to_owned(),
            text: text.clone(),
            ..Passage::default()
        });
        Self { ids, passages, judgments, context }
    }

    /// Whether there is nothing to read.
    pub(super) fn is_empty(&self) -> bool {
        self.passages.is_empty() && self.context.is_none()
    }

    fn shown(&self) -> Vec<&Passage> {
        if self.passages.is_empty() { self.context.iter().collect() } else { self.passages.clone() }
    }
}

/// The answers of a reader to these examples, or those that stand in the dataset or were joined with
/// it. With `dialogs` it is told its own answers to earlier turns.
pub(crate) fn ask<'a>(
    answers: &Answers,
    records: &'a [Record],
    shown: &[&[&Passage]],
    joined: &'a Given,
    dialogs: Option<&Mutex<Dialogs>>,
) -> Vec<Answer<'a>> {
    let mut given = given_by(answers, records, shown, joined, dialogs);
    for (answer, record) in given.iter_mut().zip(records) {
        place(answer, &record.example);
    }
    given
}

/// Gives an answer that is known by its place alone its text. From here on every metric, the
/// diagnosis and the store see the text.
fn place(answer: &mut Answer<'_>, example: &Example) {
    if let Ok(Some(prediction)) = answer
        && prediction.span_alone().is_some()
        && let Err(error) = prediction.to_mut().cut(example.context.as_deref())
    {
        *answer = Err(Failure::new(FailureKind::Value, error.to_string()));
    }
}

fn given_by<'a>(
    answers: &Answers,
    records: &'a [Record],
    shown: &[&[&Passage]],
    joined: &'a Given,
    dialogs: Option<&Mutex<Dialogs>>,
) -> Vec<Answer<'a>> {
    let reader = match answers {
        Answers::Dataset => {
            let given = |record: &'a Record| record.prediction.as_ref().map(Cow::Borrowed);
            return records.iter().map(|record| Ok(given(record))).collect();
        }
        Answers::Spilled(replay) => {
            let given = joined.of(replay).iter();
            return given.map(|prediction| Ok(prediction.as_ref().map(Cow::Borrowed))).collect();
        }
        Answers::Component(reader) => reader,
    };
    let answers = if let Some(dialogs) = dialogs {
        let mut dialogs = dialogs.lock().unwrap_or_else(PoisonError::into_inner);
        dialogs.ask(&**reader, records, shown)
    } else {
        let requests: Vec<Request<'_>> = records
            .iter()
            .zip(shown)
            .map(|(record, &passages)| Request { example: &record.example, passages })
            .collect();
        reader.read(&requests)
    };
    if answers.len() == records.len() {
        return answers.into_iter().map(|answer| Ok(answer?.map(Cow::Owned))).collect();
    }
    let message = format!("{} answers for {} questions", answers.len(), records.len());
    records.iter().map(|_| Err(Failure::new(FailureKind::Protocol, message.clone()))).collect()
}
