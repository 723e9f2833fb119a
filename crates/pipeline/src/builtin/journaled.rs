//! A live reader whose answers are kept in a journal while a run has it open.
//!
//! A question that the journal knows is not asked again. One that is being asked, by another worker
//! or earlier in the same batch, is waited for: it is asked once. Failures are not kept, so a later
//! run asks again.

mod kept;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use qeval_sdk::{
    Descriptor, Failure, FailureKind, Reader, Request,
    core::{Stage, Usage},
};
use qeval_store::{AnswerJournal, AnswerKey, JournalError};
use serde_json::Value;

use super::live::{Answered, Arrival, Live};

/// The journal of a live reader.
pub(crate) struct Journaled {
    /// What its answers depend on beside the questions.
    identity: Identity,
    open: RwLock<Option<Arc<Open>>>,
}

/// Describes a reader when a run begins: a program may have changed since the plan was made.
pub(crate) type Identity = Box<dyn Fn() -> Value + Send + Sync>;

/// How many answers a run has needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needed {
    /// Questions that the reader was asked.
    pub(crate) asked: u64,
    /// Answers to them, which are kept now.
    pub(crate) kept: u64,
    /// Answers of earlier runs, for each stage of [`OF_READERS`].
    pub(crate) earlier: [u64; OF_READERS.len()],
}

/// The stages that a reader is asked in.
pub(crate) const OF_READERS: [Stage; 2] = [Stage::Integrated, Stage::Isolated];

impl Needed {
    /// Answers of earlier runs.
    pub(crate) fn earlier(&self) -> u64 {
        self.earlier.iter().sum()
    }
}

/// A reader as it is asked in one stage.
pub(crate) struct InStage {
    pub(crate) journaled: Arc<Journaled>,
    /// Who is asked: the reader, or its like that asks everything once more.
    pub(crate) live: Arc<dyn Live>,
    /// Place of the stage in [`OF_READERS`].
    pub(crate) place: usize,
}

impl Reader for InStage {
    fn descriptor(&self) -> Descriptor {
        self.live.descriptor()
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Answered> {
        self.journaled.read(&*self.live, self.place, requests)
    }

    fn asks_in_order(&self) -> bool {
        self.live.asks_in_order()
    }
}

/// A journal that is open.
struct Open {
    journal: AnswerJournal,
    /// Questions that somebody is asking.
    under_way: Mutex<HashSet<AnswerKey>>,
    /// One of them no longer is.
    changed: Condvar,
    asked: AtomicU64,
    kept: AtomicU64,
    earlier: [AtomicU64; OF_READERS.len()],
}

impl Journaled {
    pub(crate) fn new(identity: Identity) -> Self {
        Self { identity, open: RwLock::new(None) }
    }

    /// Opens the journal, with `fresh` a new generation of it. Until it is closed, answers are taken
    /// from there and kept there; without it the reader is asked whatever it is asked.
    pub(crate) fn open(&self, results: &Path, fresh: bool) -> Result<(), JournalError> {
        let journal = AnswerJournal::open(results, &(self.identity)(), fresh)?;
        let open = Open {
            journal,
            under_way: Mutex::default(),
            changed: Condvar::new(),
            asked: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            earlier: Default::default(),
        };
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(open));
        Ok(())
    }

    /// Closes the journal: others may have it.
    pub(crate) fn close(&self) {
        self.open.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Notes that the run came to its end.
    pub(crate) fn note_whole(&self) -> Result<(), JournalError> {
        self.current().map_or(Ok(()), |open| open.journal.note_whole())
    }

    /// Why nothing more can be kept, where that is so.
    pub(crate) fn broken(&self) -> Option<JournalError> {
        self.current()?.journal.broken()
    }

    /// What was needed since it was opened; `None` where it is not open.
    pub(crate) fn needed(&self) -> Option<Needed> {
        let open = self.current()?;
        Some(Needed {
            asked: open.asked.load(Ordering::Relaxed),
            kept: open.kept.load(Ordering::Relaxed),
            earlier: open.earlier.each_ref().map(|count| count.load(Ordering::Relaxed)),
        })
    }

    /// The file with the answers, where it is open.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        Some(self.current()?.journal.path().to_owned())
    }

    /// The answers in a stage, which is known by its place in [`OF_READERS`].
    fn read(&self, reader: &dyn Live, stage: usize, requests: &[Request<'_>]) -> Vec<Answered> {
        match self.current() {
            Some(open) => open.read(reader, stage, requests),
            None => reader.read(requests),
        }
    }

    fn current(&self) -> Option<Arc<Open>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Open {
    /// The answers in a stage, which is known by its place.
    fn read(&self, reader: &dyn Live, stage: usize, requests: &[Request<'_>]) -> Vec<Answered> {
        let keys: Vec<AnswerKey> = requests
            .iter()
            .map(|request| AnswerKey::new(reader.question(request).to_string().as_bytes()))
            .collect();
        let mut answers: Vec<Option<Answered>> = vec![None; requests.len()];
        let mut left: Vec<usize> = (0..requests.len()).collect();
        while !left.is_empty() {
            left.retain(|&index| {
                answers[index] = self.find(reader, stage, keys[index]);
                answers[index].is_none()
            });
            let claim = self.claim(&keys, &left);
            if claim.indexes.is_empty() {
                self.wait(&keys, &left);
                continue;
            }
            let asked: Vec<Request<'_>> =
                claim.indexes.iter().map(|&index| requests[index]).collect();
            let mut first: HashMap<AnswerKey, usize> = HashMap::new();
            if self.journal.broken().is_none() {
                reader.ask_each(&asked, &mut |arrivals| {
                    for (index, answer) in self.keep(&keys, &claim, arrivals) {
                        first.insert(keys[index], index);
                        answers[index] = Some(answer);
                    }
                    self.journal.broken().is_none()
                });
            }
            let lost = self.journal.broken().map_or_else(
                || Failure::new(FailureKind::Protocol, "there is no answer"),
                |error| not_kept(&error),
            );
            for &index in &claim.indexes {
                if answers[index].is_none() {
                    first.insert(keys[index], index);
                    answers[index] = Some(Err(lost.clone()));
                }
            }
            drop(claim);
            // The same question once more in the batch has the same answer, be it a failure.
            for &index in &left {
                if answers[index].is_none()
                    && let Some(first) = first.get(&keys[index])
                {
                    let answer = answers[*first].clone();
                    answers[index] = answer;
                }
            }
            left.retain(|&index| answers[index].is_none());
        }
        answers.into_iter().map(|answer| answer.expect("each question has an answer")).collect()
    }

    /// The answer that the journal has, or why it can give none.
    fn find(&self, reader: &dyn Live, stage: usize, key: AnswerKey) -> Option<Answered> {
        let kept = match self.journal.find(key) {
            Ok(kept) => kept?,
            Err(error) => return Some(Err(not_kept(&error))),
        };
        let Some((answer, spent)) = kept::read(kept.value) else {
            let message = "an answer in the journal has another form";
            return Some(Err(Failure::new(FailureKind::Protocol, message)));
        };
        if kept.earlier {
            self.earlier[stage].fetch_add(1, Ordering::Relaxed);
            let usage = answer.as_ref().map_or_else(Usage::default, |answer| answer.usage);
            reader.note_spent_before(spent, usage);
        }
        Some(Ok(answer))
    }

    /// Takes those questions that nobody is asking, each once.
    fn claim<'o>(&'o self, keys: &'o [AnswerKey], left: &[usize]) -> Claim<'o> {
        let mut claim = Claim { open: self, keys, indexes: Vec::new() };
        let mut under_way = self.lock();
        for &index in left {
            // Somebody may have had the answer since it was looked for.
            if !self.journal.has(keys[index]) && under_way.insert(keys[index]) {
                claim.indexes.push(index);
            }
        }
        claim
    }

    /// Waits until one of the questions is no longer being asked by somebody else.
    fn wait(&self, keys: &[AnswerKey], left: &[usize]) {
        let all = |under_way: &mut HashSet<AnswerKey>| {
            !left.is_empty() && left.iter().all(|&index| under_way.contains(&keys[index]))
        };
        drop(self.changed.wait_while(self.lock(), all));
    }

    /// Puts answers on the disk; an answer that is not there is a failure.
    fn keep(
        &self,
        keys: &[AnswerKey],
        claim: &Claim<'_>,
        arrivals: Vec<Arrival>,
    ) -> Vec<(usize, Answered)> {
        let sent = arrivals.iter().filter(|arrival| was_sent(&arrival.answer)).count();
        self.asked.fetch_add(sent as u64, Ordering::Relaxed);
        let mut arrived = Vec::with_capacity(arrivals.len());
        let mut kept = Vec::with_capacity(arrivals.len());
        for Arrival { index, answer, spent } in arrivals {
            let Some(&index) = claim.indexes.get(index) else { continue };
            let value = answer.as_ref().ok().and_then(|answer| kept::write(answer.as_ref(), spent));
            kept.extend(value.map(|value| (keys[index], value)));
            arrived.push((index, answer));
        }
        if kept.is_empty() {
            return arrived;
        }
        match self.journal.add(&kept) {
            Ok(()) => {
                self.kept.fetch_add(kept.len() as u64, Ordering::Relaxed);
            }
            Err(error) => {
                for (_, answer) in arrived.iter_mut().filter(|(_, answer)| answer.is_ok()) {
                    *answer = Err(not_kept(&error));
                }
            }
        }
        arrived
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<AnswerKey>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Questions that this worker asks, until it is dropped.
struct Claim<'o> {
    open: &'o Open,
    keys: &'o [AnswerKey],
    indexes: Vec<usize>,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut under_way = self.open.lock();
        for &index in &self.indexes {
            under_way.remove(&self.keys[index]);
        }
        drop(under_way);
        self.open.changed.notify_all();
    }
}

/// Whether a question went to the reader, whatever came of it.
fn was_sent(answer: &Answered) -> bool {
    let unsent = [FailureKind::BudgetSpent, FailureKind::GivenUp, FailureKind::Stopped];
    answer.as_ref().err().is_none_or(|failure| !unsent.contains(&failure.kind))
}

fn not_kept(error: &JournalError) -> Failure {
    Failure::new(FailureKind::Refused, error.to_string())
}
