//! The retriever of a plugin as an ordinary one, wherever it runs.

use arrow_array::RecordBatch;
use qeval_core::{Ranking, Ties};
use qeval_sdk::{Descriptor, Failure, Query, Retriever, questions};

use crate::carrier::Carrier;

/// The retriever of a plugin.
#[derive(Debug)]
pub(crate) struct PluginRetriever {
    pub(crate) descriptor: Descriptor,
    pub(crate) carrier: Carrier,
    /// The most hits for a question, which its instance was told.
    pub(crate) depth: usize,
    /// The most questions of a batch.
    pub(crate) batch: usize,
    pub(crate) ties: Ties,
}

impl Retriever for PluginRetriever {
    fn descriptor(&self) -> Descriptor {
        self.descriptor.clone()
    }

    fn retrieve(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>> {
        let mut all = Vec::with_capacity(queries.len());
        for queries in queries.chunks(self.batch) {
            let ids: Vec<&str> = queries.iter().map(|query| query.id).collect();
            let decode = |answer: &RecordBatch, questions: usize| {
                questions::decode_answer(answer, questions, self.depth, self.ties)
            };
            let first = all.len();
            all.extend(self.carrier.each(questions::encode(queries), &ids, decode));
            for ranking in all[first..].iter_mut().flatten().flatten() {
                ranking.truncate(depth);
            }
        }
        all
    }
}
