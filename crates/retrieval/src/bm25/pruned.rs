//! Search that skips what cannot get among the best.
//!
//! A term adds at most its weight to a score. When the best passages so far have more than some
//! of the terms can give together, a passage needs one of the others to be better: only the lists
//! of those others are *read*, and the terms that are worth little, whose lists are the long ones,
//! are *looked up* in the passages found there (the method `MaxScore`).

use std::io;

use tantivy::TERMINATED;

use super::{
    formula::Formula,
    list::List,
    term::Term,
    top::{Scored, Top},
};
use crate::index::Segment;

/// The most terms that a query may have.
pub(super) const MOST_TERMS: usize = 8;

/// So many passages are scored together: what the terms add to their scores stays in the
/// processor's cache.
const WINDOW: u32 = 1 << 10;

/// More than the factor by which a sum can be too low because it was added in another order.
const ROUNDING: f64 = 1.0 + 1e-12;

/// The best `depth` passages, best first. `depth` is not 0, and there are at most [`MOST_TERMS`].
pub(super) fn search(
    segment: &Segment,
    formula: &Formula,
    terms: &[Term],
    depth: usize,
) -> io::Result<Vec<Scored>> {
    let mut clauses = Vec::with_capacity(terms.len());
    for (column, term) in terms.iter().enumerate() {
        let list = List::open(term, segment, formula)?;
        clauses.push(Clause { list, column, most: term.weight });
    }
    clauses.sort_unstable_by(|a, b| a.most.total_cmp(&b.most));
    let mut most = 0.0;
    for clause in &mut clauses {
        most += clause.most;
        clause.most = most * ROUNDING;
    }

    // As many passages as are asked for have at least what such a term adds.
    let frequent = terms.iter().filter(|term| term.passages() as usize >= depth);
    let floor = frequent.map(|term| term.least(segment, formula)).fold(0.0, f64::max);
    let mut top = Top::new(depth, floor.next_down().max(0.0));
    let mut window = Window::new();
    let mut read_from = 0;
    loop {
        read_from += clauses[read_from..].iter().take_while(|c| c.most <= top.floor()).count();
        let (looked_up, read) = clauses.split_at_mut(read_from);
        let first = read.iter().map(|clause| clause.list.doc()).min().unwrap_or(TERMINATED);
        if first == TERMINATED {
            return Ok(top.into_ordered());
        }
        let end = segment.len().min(first.saturating_add(WINDOW));
        for Clause { list, column, .. } in read {
            list.read(first, end, |place, score| window.add(place, *column, score));
        }
        window.drain(|place, row| {
            let doc = first + place;
            let mut score: f64 = row.iter().sum();
            for Clause { list, column, most } in looked_up.iter_mut().rev() {
                if score * ROUNDING + *most <= top.floor() {
                    return;
                }
                row[*column] = list.look_up(doc);
                score += row[*column];
            }
            // As the exhaustive search adds them: in the order of the terms.
            top.push(Scored { doc, score: row.iter().sum() });
        });
    }
}

/// A term of the query. They are in the order of their weights, the least first.
struct Clause<'a> {
    list: List<'a>,
    /// Its place in the order of the terms.
    column: usize,
    /// More than it and all before it can give together.
    most: f64,
}

/// What the terms add to the scores of passages that are close together.
struct Window {
    rows: Vec<[f64; MOST_TERMS]>,
    /// A bit for each row that has something.
    filled: [u64; WINDOW as usize / 64],
}

impl Window {
    fn new() -> Self {
        let rows = vec![[0.0; MOST_TERMS]; WINDOW as usize];
        Self { rows, filled: [0; WINDOW as usize / 64] }
    }

    #[inline]
    fn add(&mut self, place: usize, column: usize, score: f64) {
        self.rows[place][column] = score;
        self.filled[place / 64] |= 1 << (place % 64);
    }

    /// Takes the filled rows by rising place, and empties them.
    #[inline]
    fn drain(&mut self, mut take: impl FnMut(u32, &mut [f64; MOST_TERMS])) {
        for (start, filled) in (0..).step_by(64).zip(&mut self.filled) {
            while *filled != 0 {
                let place = start + filled.trailing_zeros();
                *filled &= *filled - 1;
                let row = &mut self.rows[place as usize];
                take(place, row);
                *row = [0.0; MOST_TERMS];
            }
        }
    }
}
