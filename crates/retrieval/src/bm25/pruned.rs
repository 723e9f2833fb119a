//! Search that skips what cannot get among the best: tantivy finds candidates, which are then
//! scored by our own formula.
//!
//! tantivy's scores are sums of 32-bit floats in no fixed order. They are near enough to say which
//! passages cannot be among the best, if one asks for a little more than the best; how much more
//! is worked out in [`Margin`].

use tantivy::{
    DocId, DocSet, Score, TantivyError,
    postings::Postings,
    query::{BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery},
    schema::IndexRecordOption,
};

use super::{formula::Formula, term::Term, top::Scored};
use crate::index::Segment;

/// The best `depth` passages, best first. `depth` is not 0.
pub(super) fn search(
    segment: &Segment,
    formula: &Formula,
    terms: &[Term],
    depth: usize,
) -> Result<Vec<Scored>, TantivyError> {
    let reader = &segment.searcher.segment_readers()[0];
    let mut candidates = Candidates::new(depth, Margin::new(segment, terms));
    bag_of_words(terms)
        .weight(EnableScoring::enabled_from_searcher(&segment.searcher))?
        .for_each_pruning(Score::MIN, reader, &mut |doc, score| candidates.push(doc, score))?;

    let mut scored = candidates.into_docs();
    rescore(&mut scored, segment, formula, terms)?;
    scored.sort_unstable_by(Scored::best_first);
    scored.truncate(depth);
    Ok(scored)
}

/// Any of the terms, each counted as often as the query has it.
fn bag_of_words(terms: &[Term]) -> BooleanQuery {
    let clauses = terms.iter().map(|term| {
        let one = TermQuery::new(term.key.clone(), IndexRecordOption::WithFreqs);
        let query: Box<dyn Query> = match term.count {
            1 => Box::new(one),
            count => Box::new(BoostQuery::new(Box::new(one), count as Score)),
        };
        (Occur::Should, query)
    });
    BooleanQuery::new(clauses.collect())
}

/// Fills in the scores of passages that are ordered by number. The scores of the terms are added
/// in the order of the terms, as the exhaustive search does.
fn rescore(
    scored: &mut [Scored],
    segment: &Segment,
    formula: &Formula,
    terms: &[Term],
) -> Result<(), TantivyError> {
    for term in terms {
        let mut postings = term.postings(segment)?;
        for Scored { doc, score } in &mut *scored {
            if postings.doc() < *doc {
                postings.seek(*doc);
            }
            if postings.doc() == *doc {
                let code = segment.length_codes[*doc as usize];
                *score += term.weight * formula.saturation(postings.term_freq(), code);
            }
        }
    }
    Ok(())
}

/// Passages that may be among the best, by tantivy's score.
struct Candidates {
    depth: usize,
    margin: Margin,
    /// Passages with less than this are not among the best.
    floor: f64,
    kept: Vec<(DocId, Score)>,
    /// When so many are kept, those below the floor are dropped.
    limit: usize,
}

impl Candidates {
    fn new(depth: usize, margin: Margin) -> Self {
        let limit = Self::limit(depth);
        Self { depth, margin, floor: f64::NEG_INFINITY, kept: Vec::new(), limit }
    }

    /// The sooner the floor rises, the more can be skipped.
    fn limit(kept: usize) -> usize {
        kept + kept / 8 + 4
    }

    /// Takes a passage; returns the score that a passage must exceed in tantivy's search from now
    /// on.
    fn push(&mut self, doc: DocId, score: Score) -> Score {
        if f64::from(score) >= self.floor {
            self.kept.push((doc, score));
            if self.kept.len() >= self.limit {
                self.cut();
            }
        }
        self.margin.threshold(self.floor)
    }

    fn cut(&mut self) {
        let (_, &mut (_, last), _) =
            self.kept.select_nth_unstable_by(self.depth - 1, |a, b| b.1.total_cmp(&a.1));
        self.floor = self.margin.floor(last);
        let floor = self.floor;
        self.kept.retain(|&(_, score)| f64::from(score) >= floor);
        // Many have the score of the last: cutting them again and again would be for nothing.
        self.limit = self.limit.max(Self::limit(self.kept.len()));
    }

    /// The candidates by number, not scored yet.
    fn into_docs(mut self) -> Vec<Scored> {
        if self.kept.len() > self.depth {
            self.cut();
        }
        self.kept.sort_unstable_by_key(|&(doc, _)| doc);
        self.kept.into_iter().map(|(doc, _)| Scored { doc, score: 0.0 }).collect()
    }
}

/// How far tantivy's scores may be from the formula's (times `k1 + 1`, which tantivy has and the
/// formula does not).
struct Margin {
    /// Share of a score.
    relative: f64,
    absolute: f64,
    /// Share of a score by which tantivy's bound for a term may be too low.
    bound: f64,
}

impl Margin {
    /// Half a unit in the last place of a 32-bit float is 6e-8 of its value.
    const ROUNDING: f64 = 6e-8;

    fn new(segment: &Segment, terms: &[Term]) -> Self {
        // One term takes fewer than 30 rounded operations, and each further term is an addition.
        let relative = Self::ROUNDING * (30.0 + terms.len() as f64);
        // For a term that nearly every passage has, tantivy's `ln(1 + x)` rounds `1 + x`, which
        // can be all there is of `x`.
        let count: f64 = terms.iter().map(|term| f64::from(term.count)).sum();
        let absolute = 2.2 * 2.0 * Self::ROUNDING * count;
        // tantivy takes for the most that a term can give: endless occurrences in a passage of
        // nothing else, 1 / (1 + k1 · b / average). But lengths are rounded down by up to an
        // eighth, so that a passage can have more occurrences than its rounded length, and then
        // gets up to 1 / (1 + k1 · b / (1.125 · average)).
        let average = segment.average_length();
        let bound = 0.1 / (average + 0.8) + relative;
        Self { relative, absolute, bound }
    }

    /// The lowest score in tantivy of a passage that may be better than one with `score`.
    fn floor(&self, score: Score) -> f64 {
        let score = f64::from(score);
        score - 2.0 * (score * self.relative + self.absolute)
    }

    /// A threshold at which tantivy's search does not miss any passage with the score `floor`.
    fn threshold(&self, floor: f64) -> Score {
        if floor == f64::NEG_INFINITY {
            return Score::MIN;
        }
        let threshold = floor - floor.abs() * self.bound;
        #[expect(clippy::cast_possible_truncation, reason = "rounded downwards by the next call")]
        let threshold = threshold as Score;
        threshold.next_down()
    }
}
