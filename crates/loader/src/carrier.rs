//! What takes a batch to an instance of a plugin and brings one back.

use arrow_array::RecordBatch;
use qeval_sdk::{
    Failure,
    program::{BATCH, FINISH},
};

use crate::{
    library::Instance,
    named,
    pieces::{self, Piece},
    workers::Workers,
};

/// An instance of a plugin, wherever it runs.
#[derive(Debug)]
pub(crate) struct Carrier {
    /// The user's name of the plugin, for messages.
    pub(crate) plugin: String,
    pub(crate) kind: CarrierKind,
}

#[derive(Debug)]
pub(crate) enum CarrierKind {
    /// A call.
    InProcess(Instance),
    /// Pipes.
    Processes(Workers),
}

impl Carrier {
    /// Answers a batch with a batch, which nobody has looked at yet. The failure names the plugin.
    pub(crate) fn call(&self, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        match &self.kind {
            CarrierKind::InProcess(instance) => instance.call(batch).map_err(|f| self.named(&f)),
            CarrierKind::Processes(workers) => {
                workers.exchange(BATCH, &batch).map_err(|lost| lost.failure)
            }
        }
    }

    /// The same, but where a child ends over the batch its halves are asked again, and theirs, down to
    /// the rows that end it: those alone have no answer. Each piece is what was asked at once.
    pub(crate) fn call_in_pieces(&self, batch: RecordBatch) -> Vec<Piece> {
        match &self.kind {
            CarrierKind::InProcess(_) => {
                let rows = 0..batch.num_rows();
                vec![Piece { rows, answer: self.call(batch) }]
            }
            CarrierKind::Processes(workers) => pieces::ask(batch.num_rows(), |rows| {
                workers.exchange(BATCH, &batch.slice(rows.start, rows.len()))
            }),
        }
    }

    /// Asks a batch whose rows have results of their own, and makes results of the answers to so many
    /// rows with `decode`. The examples of the rows have these ids. Where an answer is lost as a whole,
    /// each of its rows is a failure that names the plugin and all examples that were asked together.
    pub(crate) fn each<T>(
        &self,
        batch: Result<RecordBatch, Failure>,
        ids: &[&str],
        decode: impl Fn(&RecordBatch, usize) -> Result<Vec<Result<T, Failure>>, Failure>,
    ) -> Vec<Result<T, Failure>> {
        let pieces = match batch {
            Ok(batch) => self.call_in_pieces(batch),
            Err(failure) => vec![Piece { rows: 0..ids.len(), answer: Err(self.named(&failure)) }],
        };
        let mut all = Vec::with_capacity(ids.len());
        for Piece { rows, answer } in pieces {
            let decode = |answer: RecordBatch| {
                decode(&answer, rows.len()).map_err(|failure| self.named(&failure))
            };
            match answer.and_then(decode) {
                Ok(results) => all.extend(self.each_named(results)),
                Err(failure) => {
                    let failure = with_examples(failure, &ids[rows.clone()]);
                    all.extend(rows.map(|_| Err(failure.clone())));
                }
            }
        }
        all
    }

    /// Makes numbers of merged statistics, which nobody has looked at yet.
    pub(crate) fn finish(&self, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        match &self.kind {
            CarrierKind::InProcess(instance) => instance.finish(batch).map_err(|f| self.named(&f)),
            CarrierKind::Processes(workers) => {
                workers.exchange(FINISH, &batch).map_err(|lost| lost.failure)
            }
        }
    }

    /// The same failure, with the plugin that it is about.
    pub(crate) fn named(&self, failure: &Failure) -> Failure {
        named(&self.plugin, failure)
    }

    /// The same for the results of single items.
    fn each_named<T>(
        &self,
        results: Vec<Result<T, Failure>>,
    ) -> impl Iterator<Item = Result<T, Failure>> {
        results.into_iter().map(|result| result.map_err(|failure| self.named(&failure)))
    }
}

/// The same failure, with the examples that it concerns, where it has not only one.
fn with_examples(failure: Failure, ids: &[&str]) -> Failure {
    let [first, .., last] = ids else { return failure };
    let message = format!("{} (`{}` examples, `{first}` to `{last}`)", failure.message, ids.len());
    Failure { message, ..failure }
}
