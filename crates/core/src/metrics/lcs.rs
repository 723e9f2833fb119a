//! The longest common subsequence, 64 words at a time.
//!
//! One side is cut into blocks of 64; a block's row of the usual table is one number, in which a
//! bit is zero where the length grows. A step along the other side is an addition, whose carry
//! goes to the next block. (Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.)

/// Memory that is used again for each pair of texts.
#[derive(Debug)]
pub(crate) struct Lcs {
    /// For each number of a word, where it stands in the current block.
    masks: Vec<u64>,
    /// The row of the current block after each word of the other side.
    rows: Vec<u64>,
}

/// Carries out of a block, one bit for each word of the other side.
type Carries = Vec<u64>;

const BITS: usize = u64::BITS as usize;

impl Lcs {
    /// For texts whose words are numbers below `distinct`.
    pub(crate) fn new(distinct: usize) -> Self {
        Self { masks: vec![0; distinct], rows: Vec::new() }
    }

    /// Length of the longest common subsequence.
    pub(crate) fn length(&mut self, left: &[u32], right: &[u32]) -> usize {
        let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
        let mut carries = no_carries(long);
        let blocks = short.chunks(BITS);
        blocks.map(|block| self.advance(block, long, &mut carries, |_| {})).sum()
    }

    /// The places in `left` of one longest common subsequence, from last to first. Of several it
    /// is the one found by going back from the ends: where the words differ and the length grows
    /// with the word of `left`, the word of `right` is dropped, otherwise that of `left`.
    pub(crate) fn positions(&mut self, left: &[u32], right: &[u32], mut found: impl FnMut(usize)) {
        let blocks: Vec<&[u32]> = left.chunks(BITS).collect();
        // Keeping all rows would take memory for the product of both lengths: only the carries
        // are kept, and the rows of a block are computed again when the way back comes to it.
        let mut carries: Vec<Carries> = vec![no_carries(right)];
        for block in blocks.iter().rev().skip(1).rev() {
            let mut next = carries.last().expect("never empty").clone();
            self.advance(block, right, &mut next, |_| {});
            carries.push(next);
        }
        let mut end = right.len();
        for (index, (block, mut carries)) in blocks.into_iter().zip(carries).enumerate().rev() {
            let mut rows = std::mem::take(&mut self.rows);
            rows.clear();
            self.advance(block, &right[..end], &mut carries, |row| rows.push(row));
            let mut at = block.len();
            while at > 0 && end > 0 {
                if block[at - 1] == right[end - 1] {
                    found(index * BITS + at - 1);
                    at -= 1;
                    end -= 1;
                } else if rows[end - 1] >> (at - 1) & 1 == 0 {
                    end -= 1;
                } else {
                    at -= 1;
                }
            }
            self.rows = rows;
        }
    }

    /// Takes a block along the other side and gives how much it adds to the length. `carries` are
    /// those of the block before, and become its own.
    fn advance(
        &mut self,
        block: &[u32],
        other: &[u32],
        carries: &mut Carries,
        mut row_after_word: impl FnMut(u64),
    ) -> usize {
        for (at, &word) in block.iter().enumerate() {
            self.masks[word as usize] |= 1 << at;
        }
        let mut row = u64::MAX;
        for (words, carries) in other.chunks(BITS).zip(carries) {
            let mut carried = 0;
            for (at, &word) in words.iter().enumerate() {
                let equal = row & self.masks[word as usize];
                let (sum, first) = row.overflowing_add(equal);
                let (sum, second) = sum.overflowing_add(*carries >> at & 1);
                carried |= u64::from(first | second) << at;
                row = sum | (row ^ equal);
                row_after_word(row);
            }
            *carries = carried;
        }
        for &word in block {
            self.masks[word as usize] = 0;
        }
        let unused = BITS - block.len();
        (!row << unused).count_ones() as usize
    }
}

fn no_carries(other: &[u32]) -> Carries {
    vec![0; other.len().div_ceil(BITS)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The table as textbooks have it.
    fn table(left: &[u32], right: &[u32]) -> Vec<Vec<usize>> {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for i in 1..=left.len() {
            for j in 1..=right.len() {
                table[i][j] = if left[i - 1] == right[j - 1] {
                    table[i - 1][j - 1] + 1
                } else {
                    table[i - 1][j].max(table[i][j - 1])
                };
            }
        }
        table
    }

    fn way_back(table: &[Vec<usize>], left: &[u32], right: &[u32]) -> Vec<usize> {
        let (mut i, mut j, mut places) = (left.len(), right.len(), Vec::new());
        while i > 0 && j > 0 {
            if left[i - 1] == right[j - 1] {
                places.push(i - 1);
                (i, j) = (i - 1, j - 1);
            } else if table[i][j - 1] > table[i - 1][j] {
                j -= 1;
            } else {
                i -= 1;
            }
        }
        places
    }

    fn words(longest: usize) -> impl Strategy<Value = Vec<u32>> {
        prop_oneof![
            prop::collection::vec(0_u32..3, 0..longest),
            prop::collection::vec(0_u32..40, 0..longest),
        ]
    }

    proptest! {
        #[test]
        fn blocks_give_what_the_table_gives(left in words(200), right in words(200)) {
            let table = table(&left, &right);
            let mut lcs = Lcs::new(40);
            let length = table[left.len()][right.len()];
            prop_assert_eq!(lcs.length(&left, &right), length);
            prop_assert_eq!(lcs.length(&right, &left), length);
            let mut places = Vec::new();
            lcs.positions(&left, &right, |place| places.push(place));
            prop_assert_eq!(places, way_back(&table, &left, &right));
        }
    }
}
