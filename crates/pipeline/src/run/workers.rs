//! The workers: threads that take batch after batch through the whole pipeline.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use qeval_dataset::{Record, Records};
use qeval_process::Stop;

use super::{Execution, RunError, RunOptions, batch::Batch};
use crate::{Plan, event::Event, plan::Answers};

/// Examples in a batch: few enough for the cache of one processor, and enough that the turns cost
/// nothing beside them.
const BATCH: usize = 256;

/// Evaluates the dataset with as many workers as rayon has threads.
///
/// # Errors
///
/// The error of the earliest batch that has one, however many workers there are.
pub(super) fn evaluate(
    plan: &Plan,
    open: &[Execution<'_>],
    options: &RunOptions<'_>,
    events: &(dyn Fn(Event) + Sync),
) -> Result<(), RunError> {
    let source = Source { records: Some(plan.dataset.records()?), batches: 0, examples: 0 };
    let work = Work {
        plan,
        open,
        stop: options.stop,
        events,
        source: Mutex::new(source),
        done: AtomicU64::new(0),
    };
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
    failed.map_or(Ok(()), |failed| Err(*failed.error))
}

/// Whether one of the readers must be asked in the order of the dataset.
fn in_order(plan: &Plan, open: &[Execution<'_>]) -> bool {
    let readers = open.iter().filter_map(|execution| execution.system.reader);
    readers.map(|index| &plan.readers[index]).any(|reader| {
        let answers = [Some(&reader.integrated), reader.isolated.as_ref()];
        answers.into_iter().flatten().any(|answers| match answers {
            Answers::Component(reader) => reader.asks_in_order(),
            Answers::Dataset => false,
        })
    })
}

/// What all workers share.
struct Work<'a> {
    plan: &'a Plan,
    open: &'a [Execution<'a>],
    stop: Option<&'a Stop>,
    events: &'a (dyn Fn(Event) + Sync),
    source: Mutex<Source>,
    /// Examples that are stored.
    done: AtomicU64,
}

/// Where the batches come from.
struct Source {
    /// `None` at the end, whatever ended it.
    records: Option<Records>,
    /// Batches taken so far.
    batches: u64,
    /// Examples taken so far.
    examples: u64,
}

/// Where a batch stands.
struct Taken {
    batch: u64,
    /// Place of its first example in the dataset, from 0.
    position: u64,
}

/// An error, and the batch that it ended.
struct Failed {
    batch: u64,
    error: Box<RunError>,
}

impl Work<'_> {
    /// Takes batches until there are no more.
    fn run(&self) -> Result<(), Failed> {
        let mut records = Vec::with_capacity(BATCH);
        let _close = CloseOnPanic(self);
        while let Some(taken) = self.take(&mut records)? {
            let Taken { batch, position } = taken;
            let size = records.len() as u64;
            let _span = tracing::info_span!("batch", position, size).entered();
            let evaluated = Batch { plan: self.plan, records: &records, number: batch, position }
                .evaluate(self.open);
            match evaluated {
                Ok(true) => {}
                // Another batch has failed, and its worker says so.
                Ok(false) => break,
                Err(error) => {
                    self.close();
                    return Err(Failed { batch, error: Box::new(error) });
                }
            }
            let examples = self.done.fetch_add(size, Ordering::Relaxed) + size;
            (self.events)(Event::Progress { examples });
        }
        Ok(())
    }

    /// Reads the next batch; `None` at the end.
    fn take(&self, batch: &mut Vec<Record>) -> Result<Option<Taken>, Failed> {
        batch.clear();
        let mut source = self.source();
        if self.stop.is_some_and(Stop::is_set) {
            source.records = None;
        }
        let taken = Taken { batch: source.batches, position: source.examples };
        let Some(records) = &mut source.records else { return Ok(None) };
        if let Err(error) = records.append(batch, BATCH) {
            // The batches before this one are still under way: their errors come first.
            source.records = None;
            return Err(Failed { batch: taken.batch, error: Box::new(error.into()) });
        }
        if batch.is_empty() {
            source.records = None;
            return Ok(None);
        }
        source.batches += 1;
        source.examples += batch.len() as u64;
        Ok(Some(taken))
    }

    /// Lets nobody begin or wait any more.
    fn close(&self) {
        self.source().records = None;
        self.open.iter().for_each(|execution| execution.output.close());
    }

    fn source(&self) -> MutexGuard<'_, Source> {
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
