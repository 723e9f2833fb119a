//! A passage: a retrievable unit of text.

use std::collections::BTreeMap;

use crate::Value;

/// A text that a retriever can find.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passage {
    /// Unique in the corpus.
    pub id: String,
    /// Heading of the passage; empty when it has none.
    pub title: String,
    /// The text itself.
    pub text: String,
    /// The document that the passage is a part of.
    pub document: Option<String>,
    /// Id of the passage that replaced this one. A passage that has been replaced is *stale*: an
    /// answer taken from it may have been right once.
    pub superseded_by: Option<String>,
    /// All other columns.
    pub metadata: BTreeMap<String, Value>,
}

impl Passage {
    /// Id of the document that the passage is a part of; its own where it is part of none.
    pub fn document_id(&self) -> &str {
        self.document.as_deref().unwrap_or(&self.id)
    }

    /// Whether a newer passage has replaced this one.
    pub fn superseded(&self) -> bool {
        self.superseded_by.is_some()
    }
}
