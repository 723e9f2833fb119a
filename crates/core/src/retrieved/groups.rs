//! Groups of passages: by length, and by the place of the answer.

/// The ranges of lengths that hold a quarter of the passages each: from the shortest to the longest
/// of its quarter. Equal lengths are never parted, so that there may be fewer than four.
pub fn quartiles(lengths: &[u32]) -> Vec<(u32, u32)> {
    let mut lengths = lengths.to_vec();
    lengths.sort_unstable();
    let (Some(&shortest), Some(&longest)) = (lengths.first(), lengths.last()) else {
        return Vec::new();
    };
    let mut ends: Vec<u32> = (1..4)
        .map(|quarter| lengths[(lengths.len() * quarter).div_ceil(4) - 1])
        .chain([longest])
        .collect();
    ends.dedup();
    let mut low = shortest;
    let mut ranges = Vec::with_capacity(ends.len());
    for end in ends {
        ranges.push((low, end));
        let next = lengths.partition_point(|&length| length <= end);
        low = lengths.get(next).copied().unwrap_or(end);
    }
    ranges
}

/// The quarter, from 0, of a text of so many words in which a word stands.
pub fn quarter(position: u32, length: u32) -> usize {
    let quarter = u64::from(position) * 4 / u64::from(length.max(1));
    usize::try_from(quarter).unwrap_or(3).min(3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quarters_of_lengths_and_of_texts() {
        assert_eq!(quartiles(&[8, 1, 5, 2, 7, 3, 6, 4]), [(1, 2), (3, 4), (5, 6), (7, 8)]);
        assert_eq!(quartiles(&[5, 5, 5, 9]), [(5, 5), (9, 9)]);
        assert_eq!(quartiles(&[3]), [(3, 3)]);
        assert_eq!(quartiles(&[]), []);
        assert_eq!([0, 24, 25, 74, 75, 99].map(|at| quarter(at, 100)), [0, 0, 1, 2, 3, 3]);
        assert_eq!((quarter(0, 0), quarter(7, 1), quarter(u32::MAX, 1)), (0, 3, 3));
    }

    proptest! {
        #[test]
        fn every_length_is_in_one_range(lengths in prop::collection::vec(0..9_u32, 0..20)) {
            let ranges = quartiles(&lengths);
            prop_assert!(ranges.len() <= 4);
            for length in lengths {
                let inside = ranges.iter().filter(|(low, high)| (low..=high).contains(&&length));
                prop_assert_eq!(inside.count(), 1);
            }
        }
    }
}
