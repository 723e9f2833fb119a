//! The edit distance (Levenshtein), 64 words or characters at a time.
//!
//! As in [`lcs`](super::lcs), a block of 64 of one side is a row of bits: two numbers say where the
//! usual table grows and where it falls by one. (Hyyrö, "A bit-vector algorithm for computing
//! Levenshtein and Damerau edit distances", 2003, after Myers, 1999.)

const BITS: usize = u64::BITS as usize;

/// How many insertions, deletions and substitutions turn one side into the other, at least. All
/// numbers are below `distinct`.
pub(crate) fn distance(left: &[u32], right: &[u32], distinct: usize) -> usize {
    let (left, right) = without_common_ends(left, right);
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let mut masks = vec![0; distinct];
    // By how much the table's last row so far changes with each word of the longer side.
    let mut steps = vec![Step { up: 1, down: 0 }; long.len()];
    for block in short.chunks(BITS) {
        for (at, &word) in block.iter().enumerate() {
            masks[word as usize] |= 1 << at;
        }
        advance(block.len(), long, &masks, &mut steps);
        for &word in block {
            masks[word as usize] = 0;
        }
    }
    let count = |bit: fn(&Step) -> u64| steps.iter().filter(|step| bit(step) == 1).count();
    short.len() + count(|step| step.up) - count(|step| step.down)
}

/// A step by one, or none: at most one of both is 1.
#[derive(Clone, Copy)]
struct Step {
    up: u64,
    down: u64,
}

/// Takes a block of so many words along the other side. `steps` are those of the last row of the
/// block before, and become those of its own.
fn advance(length: usize, other: &[u32], masks: &[u64], steps: &mut [Step]) {
    let last = length - 1;
    let (mut up, mut down) = (u64::MAX, 0);
    for (&word, step) in other.iter().zip(steps) {
        let equal = masks[word as usize];
        let diagonal = equal | step.down;
        let fits = ((diagonal & up).wrapping_add(up) ^ up) | diagonal;
        let step_up = down | !(fits | up);
        let step_down = up & fits;
        let shifted_up = step_up << 1 | step.up;
        let shifted_down = step_down << 1 | step.down;
        let stays = equal | down;
        up = shifted_down | !(stays | shifted_up);
        down = shifted_up & stays;
        *step = Step { up: step_up >> last & 1, down: step_down >> last & 1 };
    }
}

fn without_common_ends<'a>(left: &'a [u32], right: &'a [u32]) -> (&'a [u32], &'a [u32]) {
    let equal = |&(a, b): &(&u32, &u32)| a == b;
    let start = left.iter().zip(right).take_while(equal).count();
    let (left, right) = (&left[start..], &right[start..]);
    let end = left.iter().rev().zip(right.iter().rev()).take_while(equal).count();
    (&left[..left.len() - end], &right[..right.len() - end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The table as textbooks have it, row by row.
    fn table(left: &[u32], right: &[u32]) -> usize {
        let mut row: Vec<usize> = (0..=right.len()).collect();
        for (i, a) in left.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, b) in right.iter().enumerate() {
                let substituted = diagonal + usize::from(a != b);
                diagonal = row[j + 1];
                row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[right.len()]
    }

    fn words() -> impl Strategy<Value = Vec<u32>> {
        prop_oneof![
            prop::collection::vec(0_u32..3, 0..200),
            prop::collection::vec(0_u32..40, 0..200),
        ]
    }

    proptest! {
        #[test]
        fn blocks_give_what_the_table_gives(left in words(), right in words()) {
            let expected = table(&left, &right);
            prop_assert_eq!(distance(&left, &right, 40), expected);
            prop_assert_eq!(distance(&right, &left, 40), expected);
        }

        #[test]
        fn common_ends_cost_nothing(ends in words(), middle in words()) {
            let whole = [ends.as_slice(), &middle, &ends].concat();
            let without = [ends.as_slice(), &ends].concat();
            prop_assert_eq!(distance(&whole, &without, 40), middle.len());
        }
    }
}
