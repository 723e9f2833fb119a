//! The best of many scored passages.

use std::cmp::Ordering;

use tantivy::DocId;

/// A passage by its number, which is also its place among ties, and its score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) doc: DocId,
    pub(super) score: f64,
}

impl Scored {
    /// The order of a ranking.
    pub(super) fn best_first(a: &Self, b: &Self) -> Ordering {
        b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc))
    }
}

/// Keeps the best `depth` of passages that come by rising number.
pub(super) struct Top {
    depth: usize,
    /// No passage that is still to come gets in with this score: one with the same score and a
    /// lower number fills the last place.
    floor: f64,
    kept: Vec<Scored>,
}

impl Top {
    /// Keeps only what has a higher score than `floor`.
    pub(super) fn new(depth: usize, floor: f64) -> Self {
        Self { depth, floor, kept: Vec::new() }
    }

    /// The score that a passage must exceed to get in.
    #[inline]
    pub(super) fn floor(&self) -> f64 {
        self.floor
    }

    #[inline]
    pub(super) fn push(&mut self, scored: Scored) {
        if scored.score > self.floor {
            self.kept.push(scored);
            if self.kept.len() >= self.depth.saturating_mul(2) {
                self.cut();
            }
        }
    }

    pub(super) fn into_ordered(mut self) -> Vec<Scored> {
        self.kept.sort_unstable_by(Scored::best_first);
        self.kept.truncate(self.depth);
        self.kept
    }

    fn cut(&mut self) {
        let (_, last, _) = self.kept.select_nth_unstable_by(self.depth - 1, Scored::best_first);
        self.floor = last.score;
        self.kept.truncate(self.depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(depth: usize, scores: &[f64], expected: &[(DocId, f64)]) {
        let mut top = Top::new(depth, 0.0);
        for (doc, &score) in (0..).zip(scores) {
            top.push(Scored { doc, score });
        }
        let found: Vec<_> = top.into_ordered().iter().map(|s| (s.doc, s.score)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_first_of_equals_are_kept() {
        check(2, &[1.0; 9], &[(0, 1.0), (1, 1.0)]);
        check(1, &[1.0, 2.0, 2.0, 2.0], &[(1, 2.0)]);
        check(3, &[1.0, 3.0, 1.0, 2.0, 1.0, 2.0, 2.0, 3.0], &[(1, 3.0), (7, 3.0), (3, 2.0)]);
        check(5, &[1.0, 2.0], &[(1, 2.0), (0, 1.0)]);
    }
}
