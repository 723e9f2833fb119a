//! The workers: threads that take batch after batch through the whole pipeline.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};

use qeval_core::Stage;
use qeval_dataset::Record;
use qeval_process::Stop;

use super::{Execution, Failed, Joins, Packed, RunError, RunOptions, batch::Batch};
use crate::{Plan, Watch, part::Chosen, plan::Answers};

/// Evaluates the dataset with as many workers as rayon has threads.
///
/// # Errors
///
/// The error of the earliest batch that has one, however many workers there are.
pub(super) fn evaluate(
    plan: &Plan,
    open: &[Execution<'_>],
    options: &RunOptions<'_>,
) -> Result<Joins, RunError> {
    let source = Source::new(plan, joins(plan, open, options.stop)?);
    let work =
        Work { plan, open, stop: options.stop, watch: options.watch, source: Mutex::new(source) };
    let others = if in_order(plan, open) { 0 } else { rayon::current_num_threads() - 1 };
    let ends: Vec<Result<(), Failed>> = thread::scope(|scope| {
        let others: Vec<_> = (0..others).map(|_| scope.spawn(|| work.run())).collect();
        let first = work.run();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        std::iter::once(first).chain(others.into_iter().map(join)).collect()
    });
    let failed = ends.into_iter().filter_map(Result::err).min_by_key(|failed| failed.batch);
    match failed {
        Some(failed) => Err(*failed.error),
        None => Ok(work.source.into_inner().unwrap_or_else(PoisonError::into_inner).joins),
    }
}

/// The files that are joined with the datasets.
fn joins(
    plan: &Plan,
    open: &[Execution<'_>],
    stop: Option<&Stop>,
) -> Result<Joins, qeval_dataset::Error> {
    let answers = open.iter().flat_map(|execution| {
        let system = execution.system;
        let reader = system.reader.map(|index| &plan.readers[index]);
        let integrated = reader.filter(|_| system.has(Stage::Integrated));
        let isolated = reader.filter(|_| system.has(Stage::Isolated));
        let isolated = isolated.and_then(|reader| reader.isolated.as_ref());
        [integrated.map(|reader| &reader.integrated), isolated]
    });
    Joins::new(plan, answers.flatten(), stop)
}

/// Whether one of the components must be asked in the order of the dataset.
fn in_order(plan: &Plan, open: &[Execution<'_>]) -> bool {
    let asked = plan.asked(open.iter().filter_map(|execution| execution.system.retriever));
    let mut retrievers = plan.retrievers.iter().zip(asked).filter(|&(_, asked)| asked);
    if retrievers.any(|(retriever, _)| retriever.search.asks_in_order()) {
        return true;
    }
    let readers = open.iter().filter_map(|execution| execution.system.reader);
    readers.map(|index| &plan.readers[index]).any(|reader| {
        let answers = [Some(&reader.integrated), reader.isolated.as_ref()];
        let mut answers = answers.into_iter().flatten();
        reader.asking.own_history
            || answers.any(|answers| match answers {
                Answers::Component(reader) => reader.asks_in_order(),
                Answers::Dataset | Answers::Spilled(_) => false,
            })
    })
}

/// What all workers share.
struct Work<'a> {
    plan: &'a Plan,
    open: &'a [Execution<'a>],
    stop: Option<&'a Stop>,
    watch: Option<&'a Watch>,
    source: Mutex<Source<'a>>,
}

/// Where the batches come from: one dataset after the other.
struct Source<'p> {
    /// Examples in a batch.
    batch: usize,
    plan: &'p Plan,
    /// The dataset that is being read.
    dataset: usize,
    /// `None` before its first record.
    records: Option<Chosen>,
    /// Batches taken so far.
    batches: u64,
    /// Examples taken from the dataset so far.
    position: u64,
    joins: Joins,
}

impl<'p> Source<'p> {
    fn new(plan: &'p Plan, joins: Joins) -> Self {
        Self { batch: plan.batch, plan, dataset: 0, records: None, batches: 0, position: 0, joins }
    }

    /// Gives no more batches.
    fn end(&mut self) {
        self.dataset = self.plan.datasets.len();
        self.records = None;
    }

    /// Reads the next batch, which is of one dataset; `None` at the end.
    fn read(
        &mut self,
        batch: &mut Vec<Record>,
        packed: &mut Packed,
    ) -> Result<Option<Taken>, qeval_dataset::Error> {
        while let Some(dataset) = self.plan.datasets.get(self.dataset) {
            let records = match &mut self.records {
                Some(records) => records,
                none => none.insert(self.plan.chosen(dataset)?),
            };
            records.refill(batch, self.batch)?;
            if batch.is_empty() {
                self.dataset += 1;
                self.records = None;
                self.position = 0;
                continue;
            }
            self.joins.take(self.dataset, batch, packed)?;
            if self.plan.datasets.len() > 1 {
                for record in &mut *batch {
                    record.example.dataset = Some(dataset.name.clone());
                }
            }
            let taken =
                Taken { batch: self.batches, dataset: self.dataset, position: self.position };
            self.batches += 1;
            self.position += batch.len() as u64;
            return Ok(Some(taken));
        }
        Ok(None)
    }
}

/// Where a batch stands.
struct Taken {
    batch: u64,
    /// Index of its dataset.
    dataset: usize,
    /// Place of its first example in the dataset, from 0.
    position: u64,
}

impl<'a> Work<'a> {
    /// Takes batches until there are no more.
    fn run(&self) -> Result<(), Failed> {
        let mut records = Vec::with_capacity(self.plan.batch);
        let mut packed = Packed::default();
        let _close = CloseOnPanic(self);
        while let Some(taken) = self.take(&mut records, &mut packed)? {
            let Taken { batch, dataset, position } = taken;
            let size = records.len() as u64;
            let _span = tracing::info_span!("batch", position, size).entered();
            let records = &records;
            let given = packed.unpack(dataset).map_err(|error| Failed::new(batch, error));
            let evaluated = given.and_then(|given| {
                let (plan, given) = (self.plan, &given);
                Batch { plan, dataset, records, given, number: batch, position }.evaluate(self.open)
            });
            match evaluated {
                Ok(true) => {}
                // Another batch has failed, and its worker says so.
                Ok(false) => break,
                Err(failed) => {
                    self.close();
                    return Err(failed);
                }
            }
            if let Some(watch) = self.watch {
                watch.add_examples(size);
            }
        }
        Ok(())
    }

    /// Reads the next batch; `None` at the end.
    fn take(&self, batch: &mut Vec<Record>, packed: &mut Packed) -> Result<Option<Taken>, Failed> {
        let mut source = self.source();
        if self.stop.is_some_and(Stop::is_set) || self.keeps_no_answers() {
            source.end();
        }
        let number = source.batches;
        source.read(batch, packed).map_err(|error| {
            // The batches before this one are still under way: their errors come first.
            source.end();
            Failed::new(number, error)
        })
    }

    /// Whether answers that are paid for would be lost.
    fn keeps_no_answers(&self) -> bool {
        let mut journaled = self.plan.readers.iter().filter_map(|reader| reader.journaled.as_ref());
        journaled.any(|journaled| journaled.broken().is_some())
    }

    /// Lets nobody begin or wait any more.
    fn close(&self) {
        self.source().end();
        self.open.iter().for_each(|execution| execution.output.close());
    }

    fn source(&self) -> MutexGuard<'_, Source<'a>> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker that panics never ends its turn: the others must not wait for it.
struct CloseOnPanic<'w, 'a>(&'w Work<'a>);

impl Drop for CloseOnPanic<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
    }
}
