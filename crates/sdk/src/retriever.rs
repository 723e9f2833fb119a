//! Retrievers: queries to rankings.

use qeval_core::Ranking;

use crate::{Descriptor, Failure};

/// What is searched for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    /// Id of the example.
    pub id: &'a str,
    /// Its question.
    pub text: &'a str,
    /// Name of its dataset, where several are evaluated together. Ids are unique in a dataset only.
    pub dataset: Option<&'a str>,
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

    /// Whether it must be asked in the order of the dataset, because it may remember what it was
    /// asked.
    fn asks_in_order(&self) -> bool {
        false
    }

    /// Ids of rankings that nobody has asked for: after an evaluation, those whose query the
    /// dataset does not have. A live retriever has none.
    fn unasked(&self) -> Vec<String> {
        Vec::new()
    }

    /// Ids of rankings that queries of several datasets have got, because their ids are the same. A
    /// live retriever has none.
    fn shared(&self) -> Vec<String> {
        Vec::new()
    }
}
