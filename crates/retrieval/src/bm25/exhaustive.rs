//! Search that scores every passage with a term of the query.
//!
//! Its time grows with the lists of the terms only, so that a query of ten thousand words is no
//! trouble.

use std::{io, mem};

use super::{
    formula::Formula,
    list::List,
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
    let lists = terms.iter().map(|term| List::open(term, segment, formula));
    let mut lists = lists.collect::<io::Result<Vec<_>>>()?;
    let mut top = Top::new(depth, 0.0);
    let mut scores = vec![0.0; segment.len().min(WINDOW) as usize];
    for first in (0..segment.len()).step_by(WINDOW as usize) {
        let end = segment.len().min(first.saturating_add(WINDOW));
        if lists.iter().all(|list| list.doc() >= end) {
            continue;
        }
        for list in &mut lists {
            list.read(first, end, |place, score| scores[place] += score);
        }
        for (doc, score) in (first..end).zip(&mut scores) {
            top.push(Scored { doc, score: mem::take(score) });
        }
    }
    Ok(top.into_ordered())
}
