//! The indexes of the retrievers, made before anything is asked of them.

use std::{path::PathBuf, sync::Arc};

use qeval_retrieval::{Bm25Error, Stored, StoredState};

use crate::{Plan, builtin::bm25::LazyBm25, plan::PlannedRetriever};

/// The index of a retriever, which is made when it is needed.
#[derive(Clone)]
pub struct IndexPlan {
    pub(crate) component: Arc<LazyBm25>,
}

/// The index of a retriever as it lies in its folder.
#[derive(Clone, Debug)]
pub struct Indexed {
    /// Name of the retriever.
    pub retriever: String,
    /// How the index came about: `built`, `rebuilt` (what was there was damaged) or `reused`.
    pub state: &'static str,
    /// How many passages it holds.
    pub passages: usize,
    /// The size of its files.
    pub bytes: u64,
    /// What it was built from and how, as a SHA-256 in hexadecimal.
    pub fingerprint: String,
    /// Its own folder.
    pub path: PathBuf,
}

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// No retriever keeps one.
    #[error("no retriever of the file keeps an index in a folder")]
    None,
    /// It could not be built.
    #[error("retriever `{retriever}`: {source}")]
    Engine {
        /// The retriever.
        retriever: String,
        /// What happened.
        source: Arc<Bm25Error>,
    },
}

/// Makes the index of each retriever that keeps one in a folder, or finds it there.
pub fn index(plan: &Plan) -> Result<Vec<Indexed>, IndexError> {
    let mut made = Vec::new();
    for retriever in &plan.retrievers {
        let Some(IndexPlan { component }) = &retriever.index else { continue };
        if !component.kept() {
            continue;
        }
        let stored = prepare(retriever, component)?;
        made.extend(stored.map(|stored| indexed(&retriever.name, component.passages(), stored)));
    }
    if made.is_empty() { Err(IndexError::None) } else { Ok(made) }
}

/// Makes the indexes that an evaluation with these retrievers needs: one that cannot be made is an
/// error of the run, not of each of its queries.
pub(crate) fn prepare_asked(plan: &Plan, asked: &[bool]) -> Result<(), IndexError> {
    for (retriever, _) in plan.retrievers.iter().zip(asked).filter(|&(_, &asked)| asked) {
        if let Some(IndexPlan { component }) = &retriever.index {
            prepare(retriever, component)?;
        }
    }
    Ok(())
}

fn prepare<'i>(
    retriever: &PlannedRetriever,
    component: &'i LazyBm25,
) -> Result<Option<&'i Stored>, IndexError> {
    let engine = |source| IndexError::Engine { retriever: retriever.name.clone(), source };
    component.prepare().map_err(engine)
}

fn indexed(retriever: &str, passages: usize, stored: &Stored) -> Indexed {
    Indexed {
        retriever: retriever.to_owned(),
        state: match stored.state {
            StoredState::Built => "built",
            StoredState::Rebuilt => "rebuilt",
            StoredState::Reused => "reused",
        },
        passages,
        bytes: stored.bytes,
        fingerprint: stored.fingerprint.clone(),
        path: stored.path.clone(),
    }
}
