//! Search that scores every passage with a term of the query.
//!
//! It holds for any options, and its time grows with the lists of the terms only, so that a query
//! of ten thousand words is no trouble.

use std::{io, mem};

use tantivy::{DocId, postings::BlockSegmentPostings};

use super::{
    formula::{Formula, Norms},
    term::Term,
    top::{Scored, Top},
};
use crate::index::Segment;

/// So many passages are scored together: their scores stay in the processor's cache.
const WINDOW: u32 = 1 << 14;

/// The best `depth` passages, best first. `depth` is not 0.
pub(super) fn search(
    segment: &Segment,
    formula: &Formula,
    terms: &[Term],
    depth: usize,
) -> io::Result<Vec<Scored>> {
    let mut lists = Vec::with_capacity(terms.len());
    for term in terms {
        let field = term.place(segment, formula);
        lists.push(List {
            postings: term.blocks(field)?,
            next: 0,
            weight: term.weight,
            norms: formula.norms(term.field),
            length_codes: &field.length_codes,
        });
    }

    let mut top = Top::new(depth);
    let mut scores = vec![0.0; segment.len().min(WINDOW) as usize];
    for first in (0..segment.len()).step_by(WINDOW as usize) {
        let last = segment.len().min(first.saturating_add(WINDOW));
        let scores = &mut scores[..(last - first) as usize];
        let mut any = false;
        for list in &mut lists {
            any |= list.score(first, scores);
        }
        if any {
            for (doc, score) in (first..).zip(scores) {
                let score = mem::take(score);
                if score > 0.0 {
                    top.push(Scored { doc, score });
                }
            }
        }
    }
    Ok(top.into_ordered())
}

/// The passages with a term, block by block.
struct List<'a> {
    postings: BlockSegmentPostings,
    /// The next one in the current block.
    next: usize,
    weight: f64,
    norms: &'a Norms,
    /// Those of all passages.
    length_codes: &'a [u8],
}

impl List<'_> {
    /// Adds the scores of the term in the passages of a window, which begins with `first`; returns
    /// whether there is one.
    fn score(&mut self, first: DocId, scores: &mut [f64]) -> bool {
        let start = first as usize;
        let length_codes = &self.length_codes[start..start + scores.len()];
        let mut any = false;
        loop {
            let docs = &self.postings.docs()[self.next..];
            let frequencies = &self.postings.freqs()[self.next..];
            let mut scored = 0;
            for (&doc, &frequency) in docs.iter().zip(frequencies) {
                let place = (doc - first) as usize;
                let Some(&length_code) = length_codes.get(place) else { break };
                scores[place] += self.weight * self.norms.saturation(frequency, length_code);
                scored += 1;
            }
            any |= scored > 0;
            // A block that is not used up reaches into the next window; an empty one is the end.
            if scored < docs.len() || docs.is_empty() {
                self.next += scored;
                return any;
            }
            self.postings.advance();
            self.next = 0;
        }
    }
}
