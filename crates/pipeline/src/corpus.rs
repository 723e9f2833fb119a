//! The passages of an evaluation, by id.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

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
    /// Made when somebody first asks for it.
    by_document: OnceLock<HashMap<String, Vec<usize>>>,
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
        let by_id = ids.collect();
        let passages = Arc::new(passages);
        Self { passages, name, digest, fields, by_id, by_document: OnceLock::new() }
    }

    /// The document of a passage: what the passage says; its own id where it says nothing or is not
    /// there.
    pub fn document_of<'a>(&'a self, id: &'a str) -> &'a str {
        self.get(id).map_or(id, Passage::document_id)
    }

    /// What an id of the evidence stands for: the passage of that id; where there is none, the
    /// passages of the document of that id.
    pub fn evidence(&self, id: &str) -> Vec<&Passage> {
        if let Some(passage) = self.get(id) {
            return vec![passage];
        }
        let by_document = self.by_document.get_or_init(|| {
            let mut documents: HashMap<String, Vec<usize>> = HashMap::new();
            for (index, passage) in self.passages.iter().enumerate() {
                if let Some(document) = &passage.document {
                    documents.entry(document.clone()).or_default().push(index);
                }
            }
            documents
        });
        let places = by_document.get(id).map_or(&[][..], Vec::as_slice);
        places.iter().map(|&index| &self.passages[index]).collect()
    }

    /// The passage of that id.
    pub fn get(&self, id: &str) -> Option<&Passage> {
        self.by_id.get(id).map(|&index| &self.passages[index])
    }
}
