//! The loop: retrieve, read, score, store, a batch at a time.
//!
//! Memory is bounded by the batch, the corpus and the files that a replay holds, not by the number
//! of examples. Batches have a fixed size and every example is scored by itself, so the bytes that
//! are stored do not depend on the number of threads.

mod answers;
mod batch;
mod manifest;
mod retrieved;
mod rows;
mod scores;
mod tally;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use qeval_dataset::Record;
use qeval_process::Stop;
use qeval_store::{EvaluationId, Writer};

use crate::{Plan, event::Event, plan::System};
use batch::Batch;
use tally::Tally;

/// Examples in a batch: few enough for the processor's cache, and enough that threads which wait
/// for the next batch cost little.
const BATCH: usize = 4096;

/// How to run a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'a> {
    /// Evaluate again what is stored already, under a new id.
    pub fresh: bool,
    /// Set from outside to stop the evaluation between two batches. The plan's own wish ends the
    /// wait for its components.
    pub stop: Option<&'a Stop>,
}

/// What a run left behind.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The folders of the evaluations, one for each system.
    pub evaluations: Vec<PathBuf>,
    /// How many of them were whole before.
    pub reused: usize,
}

/// Why an evaluation ended early. Nothing that looks whole is left behind.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The dataset cannot be read to its end.
    #[error(transparent)]
    Dataset(#[from] qeval_dataset::Error),
    /// The results cannot be written.
    #[error(transparent)]
    Store(#[from] qeval_store::WriteError),
    /// Somebody asked to stop.
    #[error("the evaluation was interrupted; nothing of it was stored")]
    Interrupted,
}

/// Runs a plan; `events` is told what happens.
pub fn run(
    plan: &Plan,
    options: &RunOptions<'_>,
    events: &(dyn Fn(Event) + Sync),
) -> Result<Finished, RunError> {
    let mut finished = Finished { evaluations: Vec::new(), reused: 0 };
    let mut open = Vec::new();
    for system in &plan.systems {
        let whole = system.id.folder(&plan.results);
        if !options.fresh && whole.join("manifest.json").is_file() {
            finished.reused += 1;
            finished.evaluations.push(whole);
            continue;
        }
        let id = if options.fresh { system.id.fresh(&plan.results) } else { system.id.clone() };
        finished.evaluations.push(id.folder(&plan.results));
        open.push(Execution::new(plan, system, id)?);
    }
    if open.is_empty() {
        return Ok(finished);
    }
    let started = Instant::now();
    // Inside the pool the loop's own thread takes its share of each batch; outside it would only
    // wait for the others.
    rayon::scope(|_| evaluate(plan, &mut open, options, events))?;
    if options.stop.is_some_and(Stop::is_set) {
        return Err(RunError::Interrupted);
    }
    for execution in open {
        let id = execution.id.as_str().to_owned();
        execution.finish(plan, started.elapsed())?;
        events(Event::Stored { id });
    }
    Ok(finished)
}

/// One system while it is evaluated.
struct Execution<'p> {
    system: &'p System,
    id: EvaluationId,
    columns: Vec<PlannedColumn>,
    writer: Writer,
    tally: Tally,
}

/// One column of scores: a metric in a stage.
struct PlannedColumn {
    stage: qeval_core::Stage,
    /// Index of the metric in the plan.
    metric: usize,
}

impl<'p> Execution<'p> {
    fn new(plan: &Plan, system: &'p System, id: EvaluationId) -> Result<Self, RunError> {
        let columns = plan.columns(system).into_iter();
        let columns = columns.map(|(stage, metric, _)| PlannedColumn { stage, metric }).collect();
        let writer = Writer::create(&plan.results, &id, plan.layout(system))?;
        Ok(Self { system, id, columns, writer, tally: Tally::default() })
    }

    fn finish(self, plan: &Plan, elapsed: Duration) -> Result<(), RunError> {
        let manifest = manifest::manifest(plan, self.system, &self.tally, elapsed);
        self.writer.finish(manifest)?;
        Ok(())
    }
}

fn evaluate(
    plan: &Plan,
    open: &mut [Execution<'_>],
    options: &RunOptions<'_>,
    events: &(dyn Fn(Event) + Sync),
) -> Result<(), RunError> {
    let mut records = plan.dataset.records()?;
    let mut batch: Vec<Record> = Vec::with_capacity(BATCH);
    let mut position = 0;
    loop {
        if options.stop.is_some_and(Stop::is_set) {
            return Err(RunError::Interrupted);
        }
        batch.clear();
        records.append(&mut batch, BATCH)?;
        if batch.is_empty() {
            break;
        }
        let size = batch.len() as u64;
        let _span = tracing::info_span!("batch", position, size).entered();
        Batch { plan, records: &batch, position }.evaluate(open)?;
        position += size;
        events(Event::Progress { examples: position });
    }
    for execution in open {
        execution.tally.finish(plan, execution.system);
    }
    Ok(())
}
