//! Search that scores every passage with a term of the query.
//!
//! It holds for any options, and its time grows with the lists of the terms only, so that a query
//! of ten thousand words is no trouble.

use std::{io, mem};

use tantivy::{DocId, postings::BlockSegmentPostings};

use super::{
    formula::Formula,
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
        lists.push(List { postings: term.blocks(segment)?, next: 0, weight: term.weight });
    }

    let mut top = Top::new(depth);
    let mut scores = vec![0.0; segment.len().min(WINDOW) as usize];
    let mut first = 0;
    for length_codes in segment.length_codes.chunks(WINDOW as usize) {
        let mut any = false;
        for list in &mut lists {
            any |= list.score(first, length_codes, formula, &mut scores);
        }
        if any {
            for (doc, score) in (first..).zip(&mut scores) {
                let score = mem::take(score);
                if score > 0.0 {
                    top.push(Scored { doc, score });
                }
            }
        }
        first = first.saturating_add(WINDOW);
    }
    Ok(top.into_ordered())
}

/// The passages with a term, block by block.
struct List {
    postings: BlockSegmentPostings,
    /// The next one in the current block.
    next: usize,
    weight: f64,
}

impl List {
    /// Adds the scores of the term in the passages of a window, which begins with `first`; returns
    /// whether there is one.
    fn score(
        &mut self,
        first: DocId,
        length_codes: &[u8],
        formula: &Formula,
        scores: &mut [f64],
    ) -> bool {
        let mut any = false;
        loop {
            let docs = &self.postings.docs()[self.next..];
            let frequencies = &self.postings.freqs()[self.next..];
            let mut scored = 0;
            for (&doc, &frequency) in docs.iter().zip(frequencies) {
                let place = (doc - first) as usize;
                let Some(&length_code) = length_codes.get(place) else { break };
                scores[place] += self.weight * formula.saturation(frequency, length_code);
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
