//! Search that skips what cannot get among the best: tantivy finds candidates, which are then
//! scored by our own formula.
//!
//! tantivy's scores are sums of 32-bit floats in no fixed order, and always of k1 = 1.2 and b = 0.75.
//! They are near enough to say which passages cannot be among the best, if one asks for more than
//! the best; how much more is worked out in [`Margin`] for the rounding, and in [`Ratios`] for other
//! values of k1 and b, and for passages that lack a field, which tantivy counts among the others.

use tantivy::{
    DocId, DocSet, Score, TantivyError,
    postings::Postings,
    query::{BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery},
    schema::IndexRecordOption,
};

use super::{
    formula::{Formula, Norms},
    term::Term,
    top::Scored,
};
use crate::index::Segment;

/// The best `depth` passages, best first. `depth` is not 0.
pub(super) fn search(
    segment: &Segment,
    formula: &Formula,
    ratios: &Ratios,
    terms: &[Term],
    depth: usize,
) -> Result<Vec<Scored>, TantivyError> {
    let reader = segment.searcher.segment_reader(0);
    let boosts: Vec<f64> = terms.iter().map(|term| term.boost(segment.len())).collect();
    let margin = Margin::new(segment, formula, terms, &boosts);
    let mut candidates = Candidates::new(depth, margin, ratios, segment);
    bag_of_words(terms, &boosts)
        .weight(EnableScoring::enabled_from_searcher(&segment.searcher))?
        .for_each_pruning(Score::MIN, reader, &mut |doc, score| candidates.push(doc, score))?;

    let mut scored = candidates.into_docs();
    rescore(&mut scored, segment, formula, terms)?;
    scored.sort_unstable_by(Scored::best_first);
    scored.truncate(depth);
    Ok(scored)
}

/// Any of the terms, each with its weight in the formula.
fn bag_of_words(terms: &[Term], boosts: &[f64]) -> BooleanQuery {
    let clauses = terms.iter().zip(boosts).map(|(term, &boost)| {
        let one = TermQuery::new(term.key.clone(), IndexRecordOption::WithFreqs);
        #[expect(clippy::cast_possible_truncation, reason = "the margin allows for the rounding")]
        let boost = boost as Score;
        let query: Box<dyn Query> = match boost {
            1.0 => Box::new(one),
            _ => Box::new(BoostQuery::new(Box::new(one), boost)),
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
        let field = term.place(segment, formula);
        let norms = formula.norms(term.field);
        let mut postings = term.postings(field, IndexRecordOption::WithFreqs)?;
        for Scored { doc, score } in &mut *scored {
            if postings.doc() < *doc {
                postings.seek(*doc);
            }
            if postings.doc() == *doc {
                let code = field.length_codes[*doc as usize];
                *score += term.weight * norms.saturation(postings.term_freq(), code);
            }
        }
    }
    Ok(())
}

/// By how much a score with the k1 and b of the options can differ from one with tantivy's.
///
/// For a term with the frequency `f` in a passage, the one is `f / (f + m)` and the other is
/// `f / (f + t)`, where `m` and `t` depend on the length of the passage alone. Their ratio
/// `(f + t) / (f + m)` goes evenly from `(1 + t) / (1 + m)` to 1 when `f` grows from 1, so that it is
/// between the two for every frequency. A sum over terms is between the same bounds.
pub(super) struct Ratios {
    /// For each field that counts, the least and the most by the code of the length.
    bounds: Vec<[(f64, f64); 256]>,
    /// The places of these fields in the segment.
    places: Vec<usize>,
    /// The most for any passage that there is.
    highest: f64,
    /// Whether k1 and b are tantivy's, so that all bounds are 1.
    are_one: bool,
}

impl Ratios {
    pub(super) fn new(segment: &Segment, formula: &Formula) -> Self {
        let mut ratios =
            Self { bounds: Vec::new(), places: Vec::new(), highest: 0.0, are_one: false };
        for (field, counts) in formula.fields.iter().enumerate() {
            let place = &segment.fields[counts.place];
            let ours = formula.norms(field);
            let theirs = Norms::new(1.2, 0.75, place.overall_average);
            let bounds = std::array::from_fn(|code| {
                let code = u8::try_from(code).expect("there are 256 of them");
                let ratio = ours.saturation(1, code) / theirs.saturation(1, code);
                (ratio.min(1.0), ratio.max(1.0))
            });
            for ((_, most), _) in bounds.iter().zip(place.has_code).filter(|(_, has)| *has) {
                ratios.highest = ratios.highest.max(*most);
            }
            ratios.bounds.push(bounds);
            ratios.places.push(counts.place);
        }
        ratios.are_one = ratios.bounds.iter().flatten().all(|&bounds| bounds == (1.0, 1.0));
        ratios
    }

    /// The most for any passage that there is: 1 where k1 and b are tantivy's.
    pub(super) fn highest(&self) -> f64 {
        self.highest
    }

    /// The least and the most for a passage.
    #[inline]
    fn of(&self, doc: DocId, segment: &Segment) -> (f64, f64) {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for (bounds, &place) in self.bounds.iter().zip(&self.places) {
            let code = segment.fields[place].length_codes[doc as usize];
            let (low, high) = bounds[usize::from(code)];
            (least, most) = (least.min(low), most.max(high));
        }
        (least, most)
    }
}

/// Passages that may be among the best, by tantivy's score.
struct Candidates<'a> {
    depth: usize,
    margin: Margin,
    ratios: &'a Ratios,
    segment: &'a Segment,
    /// So many passages have at least this score that others with less are not among the best.
    floor: f64,
    kept: Vec<Candidate>,
    /// When so many are kept, those below the floor are dropped.
    limit: usize,
}

/// A passage, and what its score is at least and at most.
struct Candidate {
    doc: DocId,
    least: f64,
    most: f64,
}

impl<'a> Candidates<'a> {
    fn new(depth: usize, margin: Margin, ratios: &'a Ratios, segment: &'a Segment) -> Self {
        let limit = Self::limit(depth);
        let floor = f64::NEG_INFINITY;
        Self { depth, margin, ratios, segment, floor, kept: Vec::new(), limit }
    }

    /// The sooner the floor rises, the more can be skipped.
    fn limit(kept: usize) -> usize {
        kept + kept / 8 + 4
    }

    /// Takes a passage; returns the score that a passage must exceed in tantivy's search from now
    /// on.
    fn push(&mut self, doc: DocId, score: Score) -> Score {
        let (mut least, mut most) = self.margin.around(score);
        if !self.ratios.are_one {
            let (low, high) = self.ratios.of(doc, self.segment);
            (least, most) = (least * low, most * high);
        }
        if most >= self.floor {
            self.kept.push(Candidate { doc, least, most });
            if self.kept.len() >= self.limit {
                self.cut();
            }
        }
        self.margin.threshold(self.floor / self.ratios.highest)
    }

    fn cut(&mut self) {
        let (_, last, _) =
            self.kept.select_nth_unstable_by(self.depth - 1, |a, b| b.least.total_cmp(&a.least));
        self.floor = self.floor.max(last.least);
        let floor = self.floor;
        self.kept.retain(|candidate| candidate.most >= floor);
        // Many have the score of the last: cutting them again and again would be for nothing.
        self.limit = self.limit.max(Self::limit(self.kept.len()));
    }

    /// The candidates by number, not scored yet.
    fn into_docs(mut self) -> Vec<Scored> {
        if self.kept.len() > self.depth {
            self.cut();
        }
        self.kept.sort_unstable_by_key(|candidate| candidate.doc);
        self.kept.into_iter().map(|candidate| Scored { doc: candidate.doc, score: 0.0 }).collect()
    }
}

/// How far tantivy's scores may be from the formula's with k1 = 1.2 and b = 0.75 (times `k1 + 1`,
/// which tantivy has and the formula does not).
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

    fn new(segment: &Segment, formula: &Formula, terms: &[Term], boosts: &[f64]) -> Self {
        // One term takes fewer than 30 rounded operations, and each further term is an addition.
        let relative = Self::ROUNDING * (30.0 + terms.len() as f64);
        // For a term that nearly every passage has, tantivy's `ln(1 + x)` rounds `1 + x`, which
        // can be all there is of `x`.
        let boosts: f64 = boosts.iter().sum();
        let absolute = 2.2 * 2.0 * Self::ROUNDING * boosts;
        // tantivy takes for the most that a term can give: endless occurrences in a passage of
        // nothing else, 1 / (1 + k1 · b / average). But lengths are rounded down by up to an
        // eighth, so that a passage can have more occurrences than its rounded length, and then
        // gets up to 1 / (1 + k1 · b / (1.125 · average)).
        let averages = terms.iter().map(|term| term.place(segment, formula).overall_average);
        let average = averages.fold(f64::INFINITY, f64::min);
        let bound = 0.1 / (average + 0.8) + relative;
        Self { relative, absolute, bound }
    }

    /// What the score of a passage with this score in tantivy is at least and at most.
    fn around(&self, score: Score) -> (f64, f64) {
        let score = f64::from(score);
        let margin = score * self.relative + self.absolute;
        ((score - margin).max(0.0), score + margin)
    }

    /// A threshold at which tantivy's search does not miss any passage with the score `floor`.
    fn threshold(&self, floor: f64) -> Score {
        if floor == f64::NEG_INFINITY {
            return Score::MIN;
        }
        let floor = floor * (1.0 - self.relative) - self.absolute;
        let threshold = floor - floor.abs() * self.bound;
        #[expect(clippy::cast_possible_truncation, reason = "rounded downwards by the next call")]
        let threshold = threshold as Score;
        threshold.next_down()
    }
}
