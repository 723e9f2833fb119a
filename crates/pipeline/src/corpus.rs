//! The passages of an evaluation, by id.

use std::{collections::HashMap, sync::Arc};

use qeval_core::Passage;

/// All passages, and where each stands.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The passages, in the order of the file.
    pub passages: Arc<Vec<Passage>>,
    /// Name in the results: the file's stem.
    pub name: String,
    /// SHA-256 of the file, in hexadecimal.
    pub digest: String,
    /// Which column of the file holds what, for the record.
    pub fields: serde_json::Value,
    by_id: HashMap<String, usize>,
}

impl Corpus {
    /// A corpus of these passages.
    pub fn new(
        name: String,
        passages: Vec<Passage>,
        digest: String,
        fields: serde_json::Value,
    ) -> Self {
        let ids = passages.iter().enumerate().map(|(index, passage)| (passage.id.clone(), index));
        Self { by_id: ids.collect(), passages: Arc::new(passages), name, digest, fields }
    }

    /// The document of a passage: what the passage says; its own id where it says nothing or is not
    /// there.
    pub fn document_of<'a>(&'a self, id: &'a str) -> &'a str {
        self.get(id).map_or(id, Passage::document_id)
    }

    /// The passage of that id.
    pub fn get(&self, id: &str) -> Option<&Passage> {
        self.by_id.get(id).map(|&index| &self.passages[index])
    }
}
