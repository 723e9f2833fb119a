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
    pub(crate) fn each_named<T>(
        &self,
        results: Vec<Result<T, Failure>>,
    ) -> impl Iterator<Item = Result<T, Failure>> {
        results.into_iter().map(|result| result.map_err(|failure| self.named(&failure)))
    }
}
