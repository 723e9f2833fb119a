//! The ids of the indexed passages, close together in memory: a search of a hundred hits looks up a
//! hundred of them, all over the corpus.

use qeval_core::Passage;
use tantivy::DocId;

/// The ids by the number of their passages.
pub(super) struct Ids {
    text: String,
    /// Where each id ends in the text.
    ends: Vec<usize>,
}

impl Ids {
    /// The ids of passages in the order of `places`.
    pub(super) fn new(passages: &[Passage], places: &[u32]) -> Self {
        let mut ids = Self { text: String::new(), ends: Vec::with_capacity(places.len()) };
        for &place in places {
            ids.text.push_str(&passages[place as usize].id);
            ids.ends.push(ids.text.len());
        }
        ids
    }

    pub(super) fn get(&self, doc: DocId) -> &str {
        let doc = doc as usize;
        let start = if doc == 0 { 0 } else { self.ends[doc - 1] };
        &self.text[start..self.ends[doc]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_in_the_order_of_the_places() {
        let passage = |id: &str| Passage { id: id.to_owned(), ..Passage::default() };
        let passages = ["a", "", "ccc"].map(passage);
        let ids = Ids::new(&passages, &[2, 0, 1]);
        assert_eq!([0, 1, 2].map(|doc| ids.get(doc)), ["ccc", "a", ""]);
    }
}
