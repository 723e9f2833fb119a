//! Near copies: hits that say again what a better hit says.

use crate::metrics::words::Words;

/// How many of the first hits are compared with each other: what comes later is read by nobody, and
/// pairs grow with the square.
pub const COMPARED: usize = 20;

/// Words of a shingle.
const SHINGLE: usize = 3;

/// For each text the index of the first one before it that it nearly copies.
///
/// Two texts are near copies where at least 80 % of their different runs of three words are in
/// both (a Jaccard index of 0.8 or more). Words are those of DPR's tokenizer, in lower case. A text
/// of fewer words is one run; a text without a word copies nothing.
pub fn near_copies<'w>(texts: impl IntoIterator<Item = &'w Words>) -> Vec<Option<usize>> {
    let mut earlier: Vec<Vec<u64>> = Vec::new();
    let mut copies = Vec::new();
    for words in texts {
        let text = shingles(words);
        copies.push(earlier.iter().position(|other| is_near(other, &text)));
        earlier.push(text);
    }
    copies
}

/// The different runs of three words as numbers, in order.
fn shingles(words: &Words) -> Vec<u64> {
    let hashes: Vec<u64> = words.iter().map(|word| hash(word.as_bytes())).collect();
    let run = |hashes: &[u64]| hashes.iter().fold(0, |run: u64, &hash| mix(run ^ hash));
    let mut runs: Vec<u64> = match hashes.len() {
        0 => Vec::new(),
        count if count < SHINGLE => vec![run(&hashes)],
        _ => hashes.windows(SHINGLE).map(run).collect(),
    };
    runs.sort_unstable();
    runs.dedup();
    runs
}

/// Whether two sets in order have a Jaccard index of at least 4/5.
fn is_near(left: &[u64], right: &[u64]) -> bool {
    let (fewer, more) = (left.len().min(right.len()), left.len().max(right.len()));
    if fewer == 0 || 5 * fewer < 4 * more {
        return false;
    }
    let (mut shared, mut i, mut j) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        let (a, b) = (left[i], right[j]);
        shared += usize::from(a == b);
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
    5 * shared >= 4 * (left.len() + right.len() - shared)
}

/// FNV-1a: the same on every machine.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// Spreads the bits, so that the order of words counts.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (number ^ (number >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn copies(texts: &[&str]) -> Vec<Option<usize>> {
        let words: Vec<Words> = texts.iter().map(|text| Words::new(text)).collect();
        near_copies(&words)
    }

    #[test]
    fn a_copy_shares_four_fifths_of_its_runs() {
        // Ten words are eight runs; one more word is one more run: 8 of 9.
        let long = "a b c d e f g h i j";
        let longer = "a b c d e f g h i j k";
        // Another last word: 7 of 9 runs are shared, which is too few.
        let other = "A B C d e f g h i k";
        assert_eq!(copies(&[long, longer, other, long]), [None, Some(0), None, Some(0)]);
        assert_eq!(copies(&["x y", "X, y", "x Y", ""]), [None, None, Some(0), None]);
        assert_eq!(copies(&["", ""]), [None, None]);
        assert_eq!(copies(&["a b c d", "d c b a"]), [None, None]);
    }

    /// The definition, word by word.
    fn slow(left: &str, right: &str) -> bool {
        let runs = |text: &str| -> BTreeSet<Vec<String>> {
            let words: Vec<String> = Words::new(text).iter().map(str::to_owned).collect();
            if words.is_empty() || words.len() >= SHINGLE {
                return words.windows(SHINGLE).map(<[String]>::to_vec).collect();
            }
            BTreeSet::from([words])
        };
        let (left, right) = (runs(left), runs(right));
        let union = left.union(&right).count();
        union > 0 && left.intersection(&right).count() * 5 >= union * 4
    }

    proptest! {
        #[test]
        fn copies_are_those_of_the_definition(
            texts in prop::collection::vec("([ab] ){0,9}|\\PC{0,6}", 0..6),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for (index, found) in copies(&texts).into_iter().enumerate() {
                let expected = (0..index).find(|&other| slow(texts[other], texts[index]));
                prop_assert_eq!(found, expected, "{:?}", texts);
            }
        }
    }
}
