//! A batch that ended a child, asked again in pieces.

use std::ops::Range;

use arrow_array::RecordBatch;
use qeval_sdk::Failure;

use crate::workers::Lost;

/// Rows of a batch that were asked at once, and what became of them.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) rows: Range<usize>,
    pub(crate) answer: Result<RecordBatch, Failure>,
}

/// Asks for all rows. Where a child ends over some, their halves are asked, the first one first.
pub(crate) fn ask(
    rows: usize,
    mut exchange: impl FnMut(&Range<usize>) -> Result<RecordBatch, Lost>,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let whole = 0..rows;
    let mut open = vec![whole];
    while let Some(rows) = open.pop() {
        let answer = match exchange(&rows) {
            Err(Lost { crashed: true, .. }) if rows.len() > 1 => {
                let middle = rows.start + rows.len() / 2;
                open.extend([middle..rows.end, rows.start..middle]);
                continue;
            }
            answer => answer.map_err(|lost| lost.failure),
        };
        pieces.push(Piece { rows, answer });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array};
    use qeval_sdk::FailureKind;

    use super::*;

    /// The rows of each piece with whether they have an answer, where these rows end the child; and
    /// how often was asked.
    fn pieces(rows: usize, poison: &[usize]) -> (Vec<(Range<usize>, bool)>, usize) {
        let mut asked = 0;
        let pieces = ask(rows, |rows| {
            asked += 1;
            if poison.iter().any(|row| rows.contains(row)) {
                let failure = Failure::new(FailureKind::Crash, "it ended");
                return Err(Lost { failure, crashed: true });
            }
            let column: ArrayRef = Arc::new(Float64Array::from(vec![0.5; rows.len()]));
            Ok(RecordBatch::try_from_iter([("m", column)]).unwrap())
        });
        (pieces.into_iter().map(|piece| (piece.rows, piece.answer.is_ok())).collect(), asked)
    }

    #[test]
    fn only_what_ends_the_child_has_no_answer() {
        assert_eq!(pieces(8, &[]), (vec![(0..8, true)], 1));
        assert_eq!(pieces(0, &[]), (vec![(0..0, true)], 1));
        assert_eq!(pieces(1, &[0]), (vec![(0..1, false)], 1));
        assert_eq!(
            pieces(8, &[2]),
            (vec![(0..2, true), (2..3, false), (3..4, true), (4..8, true)], 7)
        );
        let (all, asked) = pieces(256, &[0, 255]);
        assert_eq!(asked, 31);
        let lost: Vec<&Range<usize>> =
            all.iter().filter(|(_, fine)| !fine).map(|(rows, _)| rows).collect();
        assert_eq!(lost, [&(0..1), &(255..256)]);
    }

    #[test]
    fn what_is_no_crash_is_not_asked_again() {
        let mut asked = 0;
        let pieces = ask(8, |_| {
            asked += 1;
            let failure = Failure::new(FailureKind::Timeout, "too late");
            Err(Lost { failure, crashed: false })
        });
        assert_eq!((pieces.len(), asked), (1, 1));
    }
}
