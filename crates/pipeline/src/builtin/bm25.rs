//! BM25 whose index is built when the first query comes, so that checking a plan costs nothing.

use std::sync::{Arc, OnceLock};

use qeval_retrieval::{Bm25, Options};
use qeval_sdk::{
    Descriptor, Failure, FailureKind, Query, Retriever,
    core::{Passage, Ranking},
};

pub(crate) struct LazyBm25 {
    passages: Arc<Vec<Passage>>,
    options: Options,
    index: OnceLock<Result<Bm25, Failure>>,
}

impl LazyBm25 {
    pub(crate) fn new(passages: Arc<Vec<Passage>>, options: Options) -> Self {
        Self { passages, options, index: OnceLock::new() }
    }

    fn index(&self) -> &Result<Bm25, Failure> {
        self.index.get_or_init(|| {
            let _span = tracing::info_span!("index", passages = self.passages.len()).entered();
            Bm25::build(Arc::clone(&self.passages), self.options)
                .map_err(|error| Failure::new(FailureKind::Refused, error.to_string()))
        })
    }
}

impl Retriever for LazyBm25 {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "bm25".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: "BM25 over the corpus".to_owned(),
        }
    }

    fn retrieve(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>> {
        match self.index() {
            Ok(index) => index.retrieve(queries, depth),
            Err(failure) => queries.iter().map(|_| Err(failure.clone())).collect(),
        }
    }
}
