//! Retrievers: queries to rankings.

use qeval_core::Ranking;

use crate::{Descriptor, Failure};

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Id of the example.
    pub id: &'a str,
    /// Its question.
    pub text: &'a str,
}

/// Finds passages.
pub trait Retriever: Send + Sync {
    /// Name and version.
    fn descriptor(&self) -> Descriptor;

    /// The best `depth` hits of each query, in the order of the queries. `None` says that the
    /// retriever has nothing for the query, as a run file that lacks it; an empty ranking says
    /// that it looked and found nothing.
    fn retrieve(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>>;

    /// Ids of rankings that nobody has asked for: after an evaluation, those whose query the
    /// dataset does not have. A live retriever has none.
    fn unasked(&self) -> Vec<String> {
        Vec::new()
    }
}
