//! What a run is doing: written by the run, looked at by whoever shows it, at any moment and from
//! another thread.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use qeval_core::{Stage, stats::Preliminary};
use qeval_endpoint::Calls;

use crate::{Plan, plan::System};

/// The part of the work that is being done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// The results folder is being looked at.
    #[default]
    Preparing,
    /// Indexes are opened or built.
    Indexing,
    /// Examples are evaluated.
    Evaluating,
    /// Rows are sorted and summarised, and the evaluations get their names.
    Storing,
}

/// What a run is doing. One of it belongs to one run.
#[derive(Debug, Default)]
pub struct Watch {
    examples: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    step: Step,
    /// Indexes of the readers whose answers come one by one.
    readers: Vec<usize>,
    /// How often they are asked about an example.
    asked_per_example: u64,
    systems: Vec<Seen>,
}

/// What was seen of a system so far.
#[derive(Debug)]
struct Seen {
    name: String,
    columns: Vec<String>,
    scores: Vec<Preliminary>,
    failed: u64,
}

/// A run at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// What it is doing.
    pub step: Step,
    /// Examples that are evaluated by all systems.
    pub examples: u64,
    /// How often readers whose answers come one by one are asked about an example; 0 where there are
    /// none.
    pub asked_per_example: u64,
    /// Answers of such readers that are there, new ones and those of earlier runs.
    pub answers: u64,
    /// Examples that have no score because a component failed, over all systems.
    pub failed: u64,
    /// The mean of each column of scores so far.
    pub means: Vec<MeanSoFar>,
    /// The services that are asked, by name.
    pub services: Vec<(String, Calls)>,
}

/// A mean that is not final.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanSoFar {
    /// Name of the system.
    pub system: String,
    /// Name of the column.
    pub column: String,
    /// The scores so far.
    pub scores: Preliminary,
}

impl Step {
    /// Its name, which programs may rely on.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preparing => "preparing",
            Self::Indexing => "indexing",
            Self::Evaluating => "evaluating",
            Self::Storing => "storing",
        }
    }
}

impl Watch {
    /// What the run of this plan is doing just now.
    pub fn view(&self, plan: &Plan) -> View {
        let state = self.state();
        let needed = |&index: &usize| plan.readers[index].journaled.as_ref()?.needed();
        let needed = state.readers.iter().filter_map(needed);
        let mean = |seen: &Seen| {
            let columns = seen.columns.iter().zip(&seen.scores);
            let mean = |(column, scores): (&String, &Preliminary)| MeanSoFar {
                system: seen.name.clone(),
                column: column.clone(),
                scores: *scores,
            };
            columns.map(mean).collect::<Vec<_>>()
        };
        let retrievers = plan.retrievers.iter().map(|r| (&r.name, r.service.as_ref()));
        let readers = plan.readers.iter().map(|r| (&r.name, r.service.as_ref()));
        let services = retrievers.chain(readers);
        View {
            step: state.step,
            examples: self.examples.load(Ordering::Relaxed),
            asked_per_example: state.asked_per_example,
            answers: needed.map(|needed| needed.asked + needed.earlier()).sum(),
            failed: state.systems.iter().map(|seen| seen.failed).sum(),
            means: state.systems.iter().flat_map(mean).collect(),
            services: services
                .filter_map(|(name, service)| Some((name.clone(), service?.calls())))
                .collect(),
        }
    }

    pub(crate) fn begin(&self, step: Step) {
        self.state().step = step;
    }

    /// Examples will be evaluated by these systems.
    pub(crate) fn begin_evaluating<'p>(
        &self,
        plan: &Plan,
        systems: impl Iterator<Item = &'p System>,
    ) {
        let mut state = self.state();
        state.step = Step::Evaluating;
        for system in systems {
            let columns = plan.columns(system);
            state.systems.push(Seen {
                name: system.name.clone(),
                columns: columns.into_iter().map(|(_, _, name)| name).collect(),
                scores: Vec::new(),
                failed: 0,
            });
            let live = |&index: &usize| plan.readers[index].journaled.is_some();
            let Some(index) = system.reader.filter(live) else { continue };
            let times = 1 + plan.readers[index].asking.again.len() as u64;
            state.asked_per_example += times * u64::from(system.has(Stage::Integrated));
            // On the gold passages it is asked once, whatever retrieves.
            if !state.readers.contains(&index) {
                state.readers.push(index);
                let isolated = plan.readers[index].isolated.is_some();
                let isolated = u64::from(isolated && system.has(Stage::Isolated));
                state.asked_per_example += times * isolated;
            }
        }
    }

    /// So many more examples are evaluated.
    pub(crate) fn add_examples(&self, examples: u64) {
        self.examples.fetch_add(examples, Ordering::Relaxed);
    }

    /// What is known of a system, by its place among those that are evaluated.
    pub(crate) fn note(&self, system: usize, scores: &[Preliminary], failed: u64) {
        let mut state = self.state();
        let seen = &mut state.systems[system];
        seen.scores.clear();
        seen.scores.extend_from_slice(scores);
        seen.failed = failed;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
