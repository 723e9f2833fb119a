//! Retrievers whose hits are made from those of others, which are searched once for all.

use qeval_sdk::{Descriptor, Failure, Query, core::Ranking};

/// What another retriever found for each query.
pub type Found<'f> = Vec<Result<Option<&'f Ranking>, &'f Failure>>;

/// Makes rankings from the rankings of others.
///
/// It cannot be a [`Retriever`](qeval_sdk::Retriever) that holds the others: they are systems of their own too, and
/// would be asked twice.
pub trait Derive: Send + Sync {
    /// Name and version.
    fn descriptor(&self) -> Descriptor;

    /// The best `depth` hits of each query. `inputs` has what each of the other retrievers found
    /// for all of the queries.
    fn derive(
        &self,
        queries: &[Query<'_>],
        inputs: &[Found<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>>;

    /// Whether it must be asked in the order of the dataset.
    fn asks_in_order(&self) -> bool {
        false
    }
}
