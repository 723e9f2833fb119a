//! The edits that make a reference of an answer: words inserted, deleted and replaced, and blocks
//! of words moved.
//!
//! The search for moves is tercom's, with its limits: it is greedy, so that the number of edits is
//! not always the lowest, and every choice it makes is part of the metric's definition.

mod band;

use self::band::{Alignment, Band};

/// Words that a move takes along at most.
const LONGEST_MOVE: usize = 10;

/// How far the two places of a block of words are apart at most.
const FARTHEST_MOVE: usize = 50;

/// Moves that are tried for one answer; then the search ends.
const MOST_MOVES: usize = 1000;

/// How many edits make the reference of the answer.
pub(super) fn edits(answer: &[u32], reference: &[u32]) -> u64 {
    if reference.is_empty() {
        return answer.len() as u64;
    }
    let mut band = Band::new(answer.to_vec(), reference);
    let mut moves = 0;
    let mut tried = 0;
    while let Some(best) = best_move(&mut band, &mut tried) {
        // The move that was found when the tries ran out is not made.
        if tried >= MOST_MOVES || best.saved <= 0 {
            break;
        }
        band.make(best.of);
        moves += 1;
    }
    moves + u64::from(band.distance())
}

/// A block of words and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move {
    start: usize,
    length: usize,
    /// The word before which the block is put. A word of the block itself, or the one behind it,
    /// counts from the block's start as if the block were not there.
    target: usize,
}

/// A move with the edits that it saves.
#[derive(Clone, Copy, Debug)]
struct Tried {
    saved: i64,
    of: Move,
}

impl Tried {
    /// Whether tercom prefers this to another: it saves more, is longer, comes from further left,
    /// goes further left.
    fn is_better_than(self, other: Self) -> bool {
        let rank = |tried: Self| {
            let Move { start, length, target } = tried.of;
            (tried.saved, length, std::cmp::Reverse(start), std::cmp::Reverse(target))
        };
        rank(self) > rank(other)
    }
}

/// The move that saves most, if there is any to try.
fn best_move(band: &mut Band<'_>, tried: &mut usize) -> Option<Tried> {
    let alignment = band.alignment();
    let before = i64::from(band.distance());
    let mut best: Option<Tried> = None;
    let (answers, references) = (band.answer().len(), band.reference().len());
    for start in 0..answers {
        let near = start.saturating_sub(FARTHEST_MOVE)..references.min(start + FARTHEST_MOVE + 1);
        for place in near {
            let longest = LONGEST_MOVE.min(answers - start).min(references - place);
            for length in 1..=longest {
                if band.answer()[start + length - 1] != band.reference()[place + length - 1] {
                    break;
                }
                if !alignment.asks_for(start, place, length) {
                    continue;
                }
                for target in alignment.targets(place, length) {
                    let of = Move { start, length, target };
                    let saved = before - i64::from(band.distance_after(of));
                    *tried += 1;
                    let found = Tried { saved, of };
                    if best.is_none_or(|best| found.is_better_than(best)) {
                        best = Some(found);
                    }
                }
                if *tried >= MOST_MOVES {
                    return best;
                }
            }
        }
    }
    best
}

impl Alignment {
    /// Whether it is worth a try to move these words of the answer to that place of the reference:
    /// both sides have an error there, and the words are not there already.
    fn asks_for(&self, start: usize, place: usize, length: usize) -> bool {
        let wrong = |errors: &[bool], from: usize| errors[from..from + length].contains(&true);
        wrong(&self.answer_errors, start)
            && wrong(&self.reference_errors, place)
            && !(start + 1..=start + length).contains(&self.ends[place])
    }

    /// Where the words may go: before what stands at the place, or behind any of its words.
    fn targets(&self, place: usize, length: usize) -> impl Iterator<Item = usize> {
        let before = if place == 0 { 0 } else { self.ends[place - 1] };
        let mut last = None;
        let behind = self.ends[place..place + length].iter().copied();
        std::iter::once(before)
            .chain(behind)
            .filter(move |&target| last.replace(target) != Some(target))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(words: &str) -> Vec<u32> {
        words.chars().map(u32::from).collect()
    }

    #[test]
    fn a_block_is_moved_at_the_cost_of_one_edit() {
        for (answer, reference, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abcd", "abcd", 0),
            ("def", "abc", 3),
            ("defghabc", "abcdefgh", 1),
            ("bac", "abc", 1),
            ("abcxyz", "xyzabd", 2),
        ] {
            let found = edits(&numbers(answer), &numbers(reference));
            assert_eq!(found, expected, "{answer} to {reference}");
        }
    }

    proptest! {
        #[test]
        fn edits_are_at_least_the_difference_in_length(
            answer in prop::collection::vec(0..9_u32, 0..40),
            reference in prop::collection::vec(0..9_u32, 0..40),
        ) {
            let found = edits(&answer, &reference);
            prop_assert!(found >= answer.len().abs_diff(reference.len()) as u64);
            prop_assert!(found <= answer.len().max(reference.len()) as u64);
        }

        #[test]
        fn one_side_may_be_much_longer(
            short in prop::collection::vec(0..3_u32, 0..9),
            long in prop::collection::vec(0..9_u32, 0..400),
        ) {
            for (answer, reference) in [(&short, &long), (&long, &short)] {
                prop_assert!(edits(answer, reference) <= answer.len().max(reference.len()) as u64);
            }
        }
    }
}
