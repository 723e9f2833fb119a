//! The terms of a query, looked up.

use std::{collections::BTreeMap, io};

use tantivy::{
    postings::{BlockSegmentPostings, SegmentPostings, TermInfo},
    schema::IndexRecordOption,
    tokenizer::TextAnalyzer,
};

use super::formula::Formula;
use crate::{Index, analyzer, index::Segment};

/// A term that occurs in the query and in at least one passage.
pub(super) struct Term {
    pub(super) key: tantivy::Term,
    /// How often the query has it.
    pub(super) count: u32,
    /// What it is worth: its weight in the formula, times `count`.
    pub(super) weight: f64,
    info: TermInfo,
}

impl Term {
    /// The passages that have it.
    pub(super) fn postings(&self, segment: &Segment) -> io::Result<SegmentPostings> {
        segment.postings.read_postings_from_terminfo(&self.info, IndexRecordOption::WithFreqs)
    }

    /// The same, in blocks.
    pub(super) fn blocks(&self, segment: &Segment) -> io::Result<BlockSegmentPostings> {
        segment.postings.read_block_postings_from_terminfo(&self.info, IndexRecordOption::WithFreqs)
    }
}

/// The terms of a query in the order in which their scores are added, which is that of their
/// bytes.
pub(super) fn look_up(
    query: &str,
    tokenizer: &mut TextAnalyzer,
    index: &Index,
    segment: &Segment,
    formula: &Formula,
) -> io::Result<Vec<Term>> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for term in analyzer::terms(tokenizer, query) {
        let count = counts.entry(term).or_default();
        *count = count.saturating_add(1);
    }

    let mut terms = Vec::with_capacity(counts.len());
    for (text, count) in counts {
        let key = index.term(&text);
        if let Some(info) = segment.postings.get_term_info(&key)? {
            let weight = f64::from(count) * formula.weight(info.doc_freq);
            terms.push(Term { key, count, weight, info });
        }
    }
    Ok(terms)
}
