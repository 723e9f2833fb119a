//! The passages with a term, and what it adds to their scores.

use std::io;

use tantivy::{DocId, TERMINATED, postings::BlockSegmentPostings};

use super::{
    formula::{Formula, Norms},
    term::Term,
};
use crate::index::Segment;

/// The passages with a term, by rising number. They are read forwards only.
pub(super) struct List<'a> {
    postings: BlockSegmentPostings,
    /// The next one in the current block.
    next: usize,
    weight: f64,
    norms: &'a Norms,
    /// Those of all passages.
    length_codes: &'a [u8],
}

impl<'a> List<'a> {
    pub(super) fn open(
        term: &Term,
        segment: &'a Segment,
        formula: &'a Formula,
    ) -> io::Result<Self> {
        let field = term.place(segment, formula);
        Ok(Self {
            postings: term.blocks(field)?,
            next: 0,
            weight: term.weight,
            norms: formula.norms(term.field),
            length_codes: &field.length_codes,
        })
    }

    /// The next passage, or [`TERMINATED`].
    pub(super) fn doc(&self) -> DocId {
        self.postings.docs().get(self.next).copied().unwrap_or(TERMINATED)
    }

    /// Reads on up to `end`, no passage of which is before `first`: takes the place of each passage
    /// after `first`, and what the term adds to its score.
    #[inline]
    pub(super) fn read(&mut self, first: DocId, end: DocId, mut take: impl FnMut(usize, f64)) {
        let length_codes = &self.length_codes[first as usize..end as usize];
        loop {
            let docs = &self.postings.docs()[self.next..];
            let frequencies = &self.postings.freqs()[self.next..];
            let mut taken = 0;
            for (&doc, &frequency) in docs.iter().zip(frequencies) {
                let place = (doc - first) as usize;
                let Some(&length_code) = length_codes.get(place) else { break };
                take(place, self.weight * self.norms.saturation(frequency, length_code));
                taken += 1;
            }
            // A block that is not used up reaches beyond the end; an empty one is the end of all.
            if taken < docs.len() || docs.is_empty() {
                self.next += taken;
                return;
            }
            self.postings.advance();
            self.next = 0;
        }
    }

    /// What the term adds to the score of a passage that is not before any that was read: nothing
    /// when it does not occur there.
    pub(super) fn look_up(&mut self, doc: DocId) -> f64 {
        self.next = self.postings.seek(doc);
        if self.doc() != doc {
            return 0.0;
        }
        let length_code = self.length_codes[doc as usize];
        self.weight * self.norms.saturation(self.postings.freq(self.next), length_code)
    }
}
