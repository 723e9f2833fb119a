//! Edit distance near the diagonal, with the steps that lead to it, and what it becomes when a
//! block of words is moved.

use std::ops::Range;

use super::Move;

/// How many words of the reference each word of the answer is compared with, to either side of the
/// diagonal.
const WIDTH: usize = 25;

/// Cost outside the band; one more is still a number.
const FAR: u32 = u32::MAX / 2;

/// The table of an answer and a reference: a row for each word of the answer, and one before them.
///
/// The lengths decide which part of a row is in the band, and a move changes no length. So the rows
/// before the words that a move touches stay as they are.
#[derive(Debug)]
pub(super) struct Band<'a> {
    reference: &'a [u32],
    rows: Vec<Row>,
    now: Cells,
    /// The cells after a move that is only tried.
    trial: Cells,
}

/// The part of a row that is in the band.
#[derive(Clone, Debug)]
struct Row {
    columns: Range<usize>,
    /// Where its cells begin.
    offset: usize,
}

/// An answer, with the cost of each cell of its table and the step that leads to it.
#[derive(Clone, Debug)]
struct Cells {
    answer: Vec<u32>,
    costs: Vec<u32>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Keep,
    Replace,
    Delete,
    Insert,
}

/// Which words of the answer stand where in the reference.
#[derive(Debug)]
pub(super) struct Alignment {
    /// For each word of the reference, how many words of the answer are used up after it.
    pub(super) ends: Vec<usize>,
    /// The words of the answer that are deleted or replaced.
    pub(super) answer_errors: Vec<bool>,
    /// The words of the reference that are inserted or stand for others.
    pub(super) reference_errors: Vec<bool>,
}

impl<'a> Band<'a> {
    pub(super) fn new(answer: Vec<u32>, reference: &'a [u32]) -> Self {
        let rows = rows(answer.len(), reference.len());
        let size = rows.last().map_or(0, |row| row.offset + row.columns.len());
        let (mut costs, steps) = (vec![FAR; size], vec![Step::Insert; size]);
        for (cost, cell) in (0..).zip(&mut costs[..=reference.len()]) {
            *cell = cost;
        }
        let mut now = Cells { answer, costs, steps };
        now.fill(0, &rows, reference);
        Self { reference, rows, trial: now.clone(), now }
    }

    pub(super) fn answer(&self) -> &[u32] {
        &self.now.answer
    }

    pub(super) fn reference(&self) -> &'a [u32] {
        self.reference
    }

    /// How many words are inserted, deleted or replaced.
    pub(super) fn distance(&self) -> u32 {
        self.now.distance()
    }

    /// The distance after a move.
    pub(super) fn distance_after(&mut self, of: Move) -> u32 {
        let Self { reference, rows, now, trial } = self;
        trial.answer.copy_from_slice(&now.answer);
        let first = of.apply(&mut trial.answer);
        let last_kept = rows[first].cells();
        trial.costs[last_kept.clone()].copy_from_slice(&now.costs[last_kept]);
        trial.fill(first, rows, reference);
        trial.distance()
    }

    /// Makes a move.
    pub(super) fn make(&mut self, of: Move) {
        let first = of.apply(&mut self.now.answer);
        self.now.fill(first, &self.rows, self.reference);
    }

    /// The steps from the first words to the last, read from the end.
    pub(super) fn alignment(&self) -> Alignment {
        let (mut row, mut column) = (self.now.answer.len(), self.reference.len());
        let mut alignment = Alignment {
            ends: vec![0; column],
            answer_errors: vec![false; row],
            reference_errors: vec![false; column],
        };
        while row > 0 || column > 0 {
            let Row { columns, offset } = &self.rows[row];
            let step = self.now.steps[offset + column - columns.start];
            let wrong = step != Step::Keep;
            if step != Step::Delete {
                alignment.ends[column - 1] = row;
                alignment.reference_errors[column - 1] = wrong;
                column -= 1;
            }
            if step != Step::Insert {
                alignment.answer_errors[row - 1] = wrong;
                row -= 1;
            }
        }
        alignment
    }
}

impl Row {
    fn cells(&self) -> Range<usize> {
        self.offset..self.offset + self.columns.len()
    }
}

impl Cells {
    fn distance(&self) -> u32 {
        self.costs.last().copied().unwrap_or_default()
    }

    /// Computes all rows but the first `from + 1`.
    ///
    /// Each row has a cell below or beside one of the row before, and every cell has a left
    /// neighbour or the cell above it: so all cells of the band are reached, and the steps back
    /// from any of them stay in the band.
    fn fill(&mut self, from: usize, rows: &[Row], reference: &[u32]) {
        let Self { answer, costs, steps } = self;
        for (word, rows) in answer.iter().zip(rows.windows(2)).skip(from) {
            let [above, row] = rows else { continue };
            let (before, after) = costs.split_at_mut(row.offset);
            let before = &before[above.cells()];
            let cost_above = |column: usize| {
                before.get(column.wrapping_sub(above.columns.start)).copied().unwrap_or(FAR)
            };
            let cells = after.iter_mut().zip(&mut steps[row.cells()]);
            let mut left = FAR;
            for (column, (cost, step)) in row.columns.clone().zip(cells) {
                let mut best = (FAR, Step::Insert);
                let mut offer = |cost, step| {
                    // At equal cost the step offered first is taken.
                    if cost < best.0 {
                        best = (cost, step);
                    }
                };
                if let Some(before) = column.checked_sub(1) {
                    let same = *word == reference[before];
                    let step = if same { Step::Keep } else { Step::Replace };
                    offer(cost_above(before) + u32::from(!same), step);
                }
                offer(cost_above(column) + 1, Step::Delete);
                offer(left + 1, Step::Insert);
                (*cost, *step) = best;
                left = best.0;
            }
        }
    }
}

/// The parts of the rows that are in the band, for an answer and a reference of these lengths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of the reference's length, rounded down or up"
)]
fn rows(answer: usize, reference: usize) -> Vec<Row> {
    let slope = reference as f64 / answer.max(1) as f64;
    let half = slope / 2.0;
    let width = if half > WIDTH as f64 { (half + WIDTH as f64).ceil() as usize } else { WIDTH };
    let mut offset = 0;
    let row = |index: usize| {
        let diagonal = (index as f64 * slope).floor() as usize;
        let whole = index == 0 || index == answer;
        let end = if whole { reference + 1 } else { (diagonal + width).min(reference + 1) };
        let start = if index == 0 { 0 } else { diagonal.saturating_sub(width) };
        let row = Row { columns: start..end, offset };
        offset += row.columns.len();
        row
    };
    (0..=answer).map(row).collect()
}

impl Move {
    /// Moves the block; gives the index of the first word that is another one now.
    fn apply(self, words: &mut [u32]) -> usize {
        let Self { start, length, target } = self;
        let block_end = start + length;
        if target < start {
            words[target..block_end].rotate_right(length);
            return target;
        }
        let end = if target > block_end { target } else { (target + length).min(words.len()) };
        words[start..end].rotate_left(length);
        start
    }
}
