//! The answers of predictions files that are too large for memory, in the order of the datasets.
//!
//! Before the first batch the ids of each dataset are read alone, and each file is joined with them
//! on disk. So a worker takes the answers with the records that they are for, and all that follows
//! sees the same answers in the same order as from memory.

use std::sync::Arc;

use qeval_core::Prediction;
use qeval_dataset::{Asked, Error, InOrder, Named, PackedPredictions, Record};
use qeval_process::Stop;

use crate::{
    Plan,
    builtin::spilled::SpilledReplay,
    plan::{Answers, DatasetPlan},
};

/// Ids between two looks whether somebody wants to stop.
const STOP_EVERY: usize = 4096;

/// Ids that are named of those of which only the first are.
const NAMED: usize = 5;

/// All joins of one evaluation.
#[derive(Default)]
pub(crate) struct Joins(Vec<Join>);

/// Files of predictions with the datasets that ask for them.
struct Join {
    replay: Arc<SpilledReplay>,
    /// By dataset.
    answers: Vec<InOrder>,
    unasked: Named,
    shared: Named,
}

/// The answers to one batch, as they come from disk.
#[derive(Default)]
pub(crate) struct Packed(Vec<(Arc<SpilledReplay>, PackedPredictions)>);

/// The answers to one batch.
#[derive(Default)]
pub(crate) struct Given(Vec<(Arc<SpilledReplay>, Vec<Option<Prediction>>)>);

impl Joins {
    /// Joins what is on disk of these answers with the examples that are evaluated. Incomplete where
    /// somebody wants to stop.
    pub(crate) fn new<'a>(
        plan: &Plan,
        answers: impl Iterator<Item = &'a Answers>,
        stop: Option<&Stop>,
    ) -> Result<Self, Error> {
        let mut replays: Vec<Arc<SpilledReplay>> = Vec::new();
        for answers in answers {
            if let Answers::Spilled(replay) = answers
                && !replays.iter().any(|known| Arc::ptr_eq(known, replay))
            {
                replays.push(Arc::clone(replay));
            }
        }
        if replays.is_empty() {
            return Ok(Self::default());
        }
        let _span = tracing::info_span!("join").entered();
        let stopped = || stop.is_some_and(Stop::is_set);
        // By replay, then by dataset.
        let mut asked: Vec<Vec<Asked>> = replays.iter().map(|_| Vec::new()).collect();
        for (index, dataset) in plan.datasets.iter().enumerate() {
            for (replay, asked) in replays.iter().zip(&mut asked) {
                let (file, _) = replay.files.file(index);
                asked.push(file.asked(&plan.results)?);
            }
            let last = asked.iter_mut().filter_map(|asked| asked.last_mut());
            ask(plan, dataset, &mut last.collect::<Vec<_>>(), &stopped)?;
        }
        let joined = replays.into_iter().zip(asked);
        let joined = joined.map(|(replay, asked)| Join::new(plan, replay, asked, &stopped));
        Ok(Self(joined.collect::<Result<_, _>>()?))
    }

    /// Takes the answers to the next examples of a dataset.
    pub(crate) fn take(
        &mut self,
        dataset: usize,
        records: &[Record],
        packed: &mut Packed,
    ) -> Result<(), Error> {
        let all = self.0.iter().skip(packed.0.len());
        packed.0.extend(all.map(|join| (Arc::clone(&join.replay), PackedPredictions::default())));
        for (join, (_, packed)) in self.0.iter_mut().zip(&mut packed.0) {
            packed.clear();
            for record in records {
                join.answers[dataset].take(&record.example.id, packed)?;
            }
        }
        Ok(())
    }

    /// What nobody asked these answers for, and what several datasets did.
    pub(crate) fn rest(&self, replay: &Arc<SpilledReplay>) -> Option<(&Named, &Named)> {
        let join = self.0.iter().find(|join| Arc::ptr_eq(&join.replay, replay))?;
        Some((&join.unasked, &join.shared))
    }
}

impl Packed {
    /// The answers to examples of a dataset.
    pub(crate) fn unpack(&self, dataset: usize) -> Result<Given, Error> {
        let unpack = |(replay, packed): &(Arc<SpilledReplay>, PackedPredictions)| {
            let (file, _) = replay.files.file(dataset);
            Ok((Arc::clone(replay), file.unpack(packed)?))
        };
        self.0.iter().map(unpack).collect::<Result<_, _>>().map(Given)
    }
}

impl Join {
    /// One file after the other.
    fn new(
        plan: &Plan,
        replay: Arc<SpilledReplay>,
        asked: Vec<Asked>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Self, Error> {
        let mut of_files: Vec<Vec<(usize, Asked)>> = replay.files.iter().map(|_| vec![]).collect();
        for (dataset, asked) in asked.into_iter().enumerate() {
            of_files[replay.files.file(dataset).1].push((dataset, asked));
        }
        let mut answers: Vec<(usize, InOrder)> = Vec::new();
        let (mut unasked, mut shared) = (Named::default(), Named::default());
        for (file, asked) in replay.files.iter().zip(of_files) {
            let (datasets, asked): (Vec<usize>, Vec<Asked>) = asked.into_iter().unzip();
            let joined = file.join(asked, NAMED, &plan.results, stopped)?;
            answers.extend(datasets.into_iter().zip(joined.answers));
            add(&mut unasked, joined.unasked);
            add(&mut shared, joined.shared);
        }
        answers.sort_by_key(|&(dataset, _)| dataset);
        let answers = answers.into_iter().map(|(_, answers)| answers).collect();
        Ok(Self { replay, answers, unasked, shared })
    }
}

impl Given {
    /// The answers of these files.
    pub(crate) fn of(&self, replay: &Arc<SpilledReplay>) -> &[Option<Prediction>] {
        let own = self.0.iter().find(|(other, _)| Arc::ptr_eq(other, replay));
        own.map_or(&[], |(_, answers)| answers)
    }
}

/// Asks for the predictions of all examples of a dataset. A dataset that cannot be read to its end is
/// left where it ends: who reads it again meets the same error, after what stands before it.
fn ask(
    plan: &Plan,
    dataset: &DatasetPlan,
    asked: &mut [&mut Asked],
    stopped: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let Ok(mut ids) = plan.chosen_ids(dataset) else { return Ok(()) };
    let mut records = Vec::new();
    while !stopped() {
        let end = ids.refill(&mut records, STOP_EVERY);
        for record in &records {
            asked.iter_mut().try_for_each(|asked| asked.push(&record.example.id))?;
        }
        if end.is_err() || records.is_empty() {
            break;
        }
    }
    Ok(())
}

fn add(all: &mut Named, more: Named) {
    all.count += more.count;
    let room = NAMED - all.first.len();
    all.first.extend(more.first.into_iter().take(room));
}
