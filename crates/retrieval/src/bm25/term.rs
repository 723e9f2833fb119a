//! The terms of a query, looked up.

use std::{collections::BTreeMap, io};

use tantivy::{
    postings::{BlockSegmentPostings, SegmentPostings, TermInfo},
    schema::IndexRecordOption,
    tokenizer::TextAnalyzer,
};

use super::formula::Formula;
use crate::{
    analyzer,
    index::{Segment, SegmentField},
};

/// A term that occurs in the query and in a field of at least one passage.
pub(super) struct Term {
    /// The field, by its place in the formula.
    pub(super) field: usize,
    /// What it is worth: its weight in the formula, times the boost of the field, as often as the
    /// query has it.
    pub(super) weight: f64,
    info: TermInfo,
}

impl Term {
    /// A term in a field, if any passage has it there.
    pub(super) fn new(
        text: &str,
        count: u32,
        field: usize,
        segment: &Segment,
        formula: &Formula,
    ) -> io::Result<Option<Self>> {
        let place = &segment.fields[formula.fields[field].place];
        let key = place.term(text);
        let info = place.postings.get_term_info(&key)?;
        Ok(info.map(|info| {
            let count = f64::from(count) * formula.fields[field].boost;
            let weight = count * formula.weight(field, info.doc_freq);
            Self { field, weight, info }
        }))
    }

    /// How many passages have it.
    pub(super) fn passages(&self) -> u32 {
        self.info.doc_freq
    }

    /// The least that it adds to the score of a passage that has it.
    pub(super) fn least(&self, segment: &Segment, formula: &Formula) -> f64 {
        let longest = self.place(segment, formula).longest;
        self.weight * formula.norms(self.field).saturation(1, longest)
    }

    /// Where it occurs.
    pub(super) fn place<'a>(&self, segment: &'a Segment, formula: &Formula) -> &'a SegmentField {
        &segment.fields[formula.fields[self.field].place]
    }

    /// The passages that have it.
    pub(super) fn postings(
        &self,
        field: &SegmentField,
        what: IndexRecordOption,
    ) -> io::Result<SegmentPostings> {
        field.postings.read_postings_from_terminfo(&self.info, what)
    }

    /// The same, in blocks.
    pub(super) fn blocks(&self, field: &SegmentField) -> io::Result<BlockSegmentPostings> {
        field.postings.read_block_postings_from_terminfo(&self.info, IndexRecordOption::WithFreqs)
    }
}

/// The terms of a query in the order in which their scores are added, which is that of their
/// bytes; a term in two fields counts first in the title.
pub(super) fn look_up(
    query: &str,
    tokenizer: &mut TextAnalyzer,
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
        for field in 0..formula.fields.len() {
            terms.extend(Term::new(&text, count, field, segment, formula)?);
        }
    }
    Ok(terms)
}
