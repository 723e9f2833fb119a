//! BM25 whose index is made when the first query comes, so that checking a plan costs nothing.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use qeval_retrieval::{Bm25, Bm25Error, Index, Options, Stored};
use qeval_sdk::{
    Descriptor, Failure, FailureKind, Query, Retriever,
    core::{Passage, Ranking},
};

pub(crate) struct LazyBm25 {
    passages: Arc<Vec<Passage>>,
    options: Options,
    /// Where the index is kept, if it is.
    folder: Option<PathBuf>,
    made: OnceLock<Result<Made, Arc<Bm25Error>>>,
}

/// The retriever, and where its index lies if it lies in a folder.
struct Made {
    bm25: Bm25,
    stored: Option<Stored>,
}

impl LazyBm25 {
    pub(crate) fn new(
        passages: Arc<Vec<Passage>>,
        options: Options,
        folder: Option<PathBuf>,
    ) -> Self {
        Self { passages, options, folder, made: OnceLock::new() }
    }

    /// How many passages there are to index.
    pub(crate) fn passages(&self) -> usize {
        self.passages.len()
    }

    /// Whether the index is kept in a folder.
    pub(crate) fn kept(&self) -> bool {
        self.folder.is_some()
    }

    /// Makes the index, if that has not been done; says how it came about, unless it is in memory.
    pub(crate) fn prepare(&self) -> Result<Option<&Stored>, Arc<Bm25Error>> {
        self.made().map(|made| made.stored.as_ref())
    }

    /// Its index in a folder, if that has been made.
    pub(crate) fn stored(&self) -> Option<&Stored> {
        self.made.get()?.as_ref().ok()?.stored.as_ref()
    }

    fn made(&self) -> Result<&Made, Arc<Bm25Error>> {
        let made = self.made.get_or_init(|| {
            let _span = tracing::info_span!("index", passages = self.passages.len()).entered();
            self.make().map_err(Arc::new)
        });
        made.as_ref().map_err(Arc::clone)
    }

    fn make(&self) -> Result<Made, Bm25Error> {
        let passages = Arc::clone(&self.passages);
        let Some(folder) = &self.folder else {
            return Ok(Made { bm25: Bm25::build(passages, self.options)?, stored: None });
        };
        let (index, stored) = Index::open_or_build(passages, self.options.index(), folder)?;
        tracing::info!(path = %stored.path.display(), state = ?stored.state, "index in its folder");
        let bm25 = Bm25::new(Arc::new(index), self.options)?;
        Ok(Made { bm25, stored: Some(stored) })
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
        match self.made() {
            Ok(made) => made.bm25.retrieve(queries, depth),
            Err(error) => {
                let failure = Failure::new(FailureKind::Refused, error.to_string());
                queries.iter().map(|_| Err(failure.clone())).collect()
            }
        }
    }
}
