//! The loop: retrieve, read, score, store, a batch at a time.
//!
//! Each worker takes a batch through all of it: small batches that stay on one processor stay in
//! its cache. Batches are read and stored one after the other, in the order of the dataset; between
//! the two the workers run side by side.
//!
//! Memory is bounded by the batches and the corpus, not by the number of examples: large files that a
//! replay takes its answers from are joined on disk. Batches have a fixed size and every example is scored by itself, so the
//! bytes that are stored do not depend on the number of workers.

mod answers;
mod batch;
mod dialogs;
mod evidence;
mod fingerprints;
mod in_turn;
mod joins;
mod journals;
mod judged;
mod looks;
mod lost;
mod manifest;
mod pooling;
mod remarks;
mod repeats;
mod retrieved;
mod rows;
mod scores;
mod tally;
mod usage;
mod workers;

use std::{
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

use qeval_process::Stop;
use qeval_store::{Evaluation, EvaluationId, JournalError, PackedRows, Packer, Writer};

pub(crate) use answers::{ask, given};
pub use dialogs::TurnOrder;
pub(crate) use joins::{Given, Joins, Packed};
pub use lost::{LostExamples, LostScores};

use crate::{IndexError, Plan, Step, Watch, event::Event, index::prepare_asked, plan::System};
use dialogs::Dialogs;
use in_turn::InTurn;
use journals::Journals;
use pooling::Plugins;
use tally::Tally;

/// How to run a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'a> {
    /// Evaluate again what is stored already, under a new id.
    pub fresh: bool,
    /// Evaluate again, under a new id, what is stored already and has failures of components. Answers
    /// that are kept are not asked for again.
    pub retry: bool,
    /// Set from outside to stop the evaluation between two batches. The plan's own wish ends the
    /// wait for its components.
    pub stop: Option<&'a Stop>,
    /// Written while the evaluation runs.
    pub watch: Option<&'a Watch>,
}

/// What a run left behind.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The folders of the evaluations, one for each system.
    pub evaluations: Vec<PathBuf>,
    /// Those of them that were whole before.
    pub reused: Vec<PathBuf>,
}

/// Why an evaluation ended early. Nothing that looks whole is left behind.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The dataset cannot be read to its end.
    #[error(transparent)]
    Dataset(#[from] qeval_dataset::Error),
    /// A retriever has no index.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The results cannot be written.
    #[error(transparent)]
    Store(#[from] qeval_store::WriteError),
    /// A plugin failed whose failures end the evaluation.
    #[error(transparent)]
    Plugin(#[from] LostScores),
    /// A dialog is not in its order.
    #[error(transparent)]
    Dialog(#[from] TurnOrder),
    /// The answers of a reader cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file is not what its digest says any more.
    #[error(
        "`{}` was changed while it was evaluated: nothing of the evaluation is stored",
        .0.display()
    )]
    Changed(PathBuf),
    /// Somebody asked to stop.
    #[error("the evaluation was interrupted; {}", left(*.kept))]
    Interrupted {
        /// Answers of live readers that are kept for the next run.
        kept: u64,
    },
}

/// What an interrupted run has left.
fn left(kept: u64) -> String {
    match kept {
        0 => "nothing of it was stored".to_owned(),
        1 => "the answer that it got is kept, and the next one goes on from there".to_owned(),
        _ => {
            format!("the {kept} answers that it got are kept, and the next one goes on from there")
        }
    }
}

/// Runs a plan; `events` is told what happens.
pub fn run(
    plan: &Plan,
    options: &RunOptions<'_>,
    events: &(dyn Fn(Event) + Sync),
) -> Result<Finished, RunError> {
    let mut finished = Finished { evaluations: Vec::new(), reused: Vec::new() };
    let mut missing: Vec<(&System, EvaluationId)> = Vec::new();
    for system in &plan.systems {
        let whole = system.id.folder(&plan.results);
        let stored = whole.join("manifest.json").is_file();
        let again = options.fresh || (options.retry && has_failures(&whole));
        if stored && !again {
            finished.reused.push(whole.clone());
            finished.evaluations.push(whole);
            continue;
        }
        let id = if again { system.id.fresh(&plan.results) } else { system.id.clone() };
        finished.evaluations.push(id.folder(&plan.results));
        missing.push((system, id));
    }
    if missing.is_empty() {
        return Ok(finished);
    }
    if let Some(watch) = options.watch {
        watch.begin(Step::Indexing);
    }
    let retrievers = missing.iter().filter_map(|(system, _)| system.retriever);
    prepare_asked(plan, &plan.asked(retrievers))?;
    if let Some(watch) = options.watch {
        watch.begin_evaluating(plan, missing.iter().map(|&(system, _)| system));
    }
    let open = missing.into_iter().enumerate().map(|(place, (system, id))| {
        let watch = options.watch.map(|watch| (watch, place));
        Execution::new(plan, system, id, watch)
    });
    let open = open.collect::<Result<Vec<_>, _>>()?;
    let asked = open.iter().map(|execution| execution.system);
    let journals = Journals::open(plan, asked, options.fresh)?;
    let stored = evaluate(plan, open, &journals, options, events);
    journals.tell(events);
    stored.map(|()| finished)
}

/// Whether an evaluation that is stored has failures of components.
fn has_failures(folder: &Path) -> bool {
    let stored = Evaluation::open(folder);
    stored.is_ok_and(|evaluation| evaluation.manifest().failures().next().is_some())
}

/// Evaluates systems and stores what comes of it.
fn evaluate(
    plan: &Plan,
    open: Vec<Execution<'_>>,
    journals: &Journals<'_>,
    options: &RunOptions<'_>,
    events: &(dyn Fn(Event) + Sync),
) -> Result<(), RunError> {
    let started = Instant::now();
    let evaluated = workers::evaluate(plan, &open, options);
    // Whatever failed then failed because it was ended.
    if options.stop.is_some_and(Stop::is_set) {
        return Err(RunError::Interrupted { kept: journals.kept() });
    }
    journals.check()?;
    let joins = evaluated?;
    if let Some(path) = plan.inputs.changed() {
        return Err(RunError::Changed(path.to_owned()));
    }
    if let Some(watch) = options.watch {
        watch.begin(Step::Storing);
    }
    for execution in open {
        let id = execution.id.as_str().to_owned();
        execution.finish(plan, &joins, started.elapsed())?;
        events(Event::Stored { id });
    }
    Ok(journals.note_whole()?)
}

/// One system while it is evaluated.
struct Execution<'p> {
    system: &'p System,
    id: EvaluationId,
    columns: Vec<PlannedColumn>,
    packer: Packer,
    output: InTurn<Output, Done>,
    /// What the reader has said in dialogs, in the stages integrated and isolated.
    dialogs: [Mutex<Dialogs>; 2],
    /// Whoever looks on, and the place of the system among those that are evaluated.
    watch: Option<(&'p Watch, usize)>,
}

/// What the batches of one system leave behind.
struct Output {
    writer: Writer,
    tally: Tally,
}

/// What one batch leaves behind.
struct Done {
    rows: PackedRows,
    tally: Tally,
}

/// An error, and the batch that it ended.
struct Failed {
    batch: u64,
    error: Box<RunError>,
}

impl Failed {
    fn new(batch: u64, error: impl Into<RunError>) -> Self {
        Self { batch, error: Box::new(error.into()) }
    }
}

/// One column of scores: a metric in a stage.
struct PlannedColumn {
    stage: qeval_core::Stage,
    /// Index of the metric in the plan.
    metric: usize,
}

impl<'p> Execution<'p> {
    fn new(
        plan: &Plan,
        system: &'p System,
        id: EvaluationId,
        watch: Option<(&'p Watch, usize)>,
    ) -> Result<Self, RunError> {
        let columns = plan.columns(system).into_iter();
        let columns = columns.map(|(stage, metric, _)| PlannedColumn { stage, metric }).collect();
        let writer = Writer::create(&plan.results, &id, plan.layout(system))?;
        let writer = if plan.kept { writer } else { writer.temporary() };
        let writer = writer.with_threads(rayon::current_num_threads() > 1);
        let packer = writer.packer();
        let output = InTurn::new(Output { writer, tally: Tally::default() });
        let dialogs = Default::default();
        Ok(Self { system, id, columns, packer, output, dialogs, watch })
    }

    /// Hands a batch over; false when another batch has failed.
    fn give(&self, batch: u64, done: Done) -> Result<bool, Failed> {
        let store = |output: &mut Output, done: Done| {
            let _span = tracing::info_span!("store", system = self.system.name).entered();
            output.tally.merge(done.tally);
            if let Some((watch, place)) = self.watch {
                watch.note(place, &output.tally.scores, output.tally.failed);
            }
            output.writer.append_packed(done.rows)
        };
        let given = self.output.give(batch, done, store);
        given.map_err(|(batch, error)| Failed::new(batch, error))
    }

    fn finish(self, plan: &Plan, joins: &Joins, elapsed: Duration) -> Result<(), RunError> {
        let output = self.output.into_inner();
        let Output { writer, mut tally } = output.expect("all batches are stored by now");
        tally.finish(plan, self.system, joins);
        let manifest = manifest::manifest(plan, self.system, &tally, elapsed);
        writer.finish_with(manifest, &Plugins { plan, system: self.system })?;
        Ok(())
    }
}
