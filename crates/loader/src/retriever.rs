//! The retriever of a plugin as an ordinary one, wherever it runs.

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

impl PluginRetriever {
    fn ask(&self, queries: &[Query<'_>]) -> Result<Vec<Result<Option<Ranking>, Failure>>, Failure> {
        let answer = self.carrier.call(questions::encode(queries)?)?;
        questions::decode_answer(&answer, queries.len(), self.depth, self.ties)
            .map_err(|failure| self.carrier.named(&failure))
    }
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
            let found = self.ask(queries);
            let first = all.len();
            match found {
                Ok(found) => all.extend(self.carrier.each_named(found)),
                Err(failure) => all.extend(queries.iter().map(|_| Err(failure.clone()))),
            }
            for ranking in all[first..].iter_mut().flatten().flatten() {
                ranking.truncate(depth);
            }
        }
        all
    }
}
