//! Where the hits of a retriever come from.

use std::sync::Arc;

use qeval_sdk::{Descriptor, Retriever};
use qeval_store::ComponentInfo;

use super::{OnError, Plan, PlannedRetriever};
use crate::builtin::derived::Derive;

/// Where the hits of a retriever come from.
#[derive(Clone)]
pub enum Search {
    /// A component finds them.
    Alone(Arc<dyn Retriever>),
    /// They are made from those of other retrievers.
    Derived {
        /// Indexes of the others, all of which stand before this one.
        of: Vec<usize>,
        /// What makes them.
        by: Arc<dyn Derive>,
    },
}

impl Search {
    /// Whether it must be asked in the order of the dataset.
    pub fn asks_in_order(&self) -> bool {
        match self {
            Self::Alone(retriever) => retriever.asks_in_order(),
            Self::Derived { by, .. } => by.asks_in_order(),
        }
    }
}

impl PlannedRetriever {
    pub(super) fn new(
        name: &str,
        depth: usize,
        search: Search,
        descriptor: Descriptor,
        options: serde_json::Value,
    ) -> Self {
        let info = ComponentInfo {
            name: descriptor.name,
            version: descriptor.version,
            kind: "retriever".to_owned(),
            options,
        };
        Self {
            name: name.to_owned(),
            depth,
            search,
            index: None,
            on_error: OnError::Null,
            info,
            service: None,
        }
    }
}

impl Plan {
    /// Which retrievers are asked when those of these indexes are: they, and those that their hits
    /// are made from.
    pub fn asked(&self, indexes: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut asked = vec![false; self.retrievers.len()];
        indexes.into_iter().for_each(|index| mark(&self.retrievers, index, &mut asked));
        asked
    }
}

fn mark(retrievers: &[PlannedRetriever], index: usize, asked: &mut [bool]) {
    asked[index] = true;
    if let Search::Derived { of, .. } = &retrievers[index].search {
        for &index in of {
            mark(retrievers, index, asked);
        }
    }
}
