//! N-grams that a text has in common with others.
//!
//! An n-gram of order n + 1 is the pair of the two n-grams in it. So each order numbers the pairs
//! of the numbers below it, and a pair in which one is not common is not common either: of most
//! texts little is left to look at beyond the second order.

use std::ops::Range;

use super::vocabulary::Numbers;

/// Texts as numbers of their words: first the one whose words were numbered from 0, then those it
/// is compared with, of which only the words that the first one has are kept.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    /// The words of all texts, one text after the other.
    words: Vec<Gram>,
    /// Where the words of each text end.
    ends: Vec<usize>,
    /// How many words the text that is being made has.
    length: u32,
}

/// An n-gram that may be common, and where it begins.
#[derive(Clone, Copy, Debug)]
struct Gram {
    at: u32,
    number: u32,
}

impl Texts {
    /// No text yet, with room for so many words in all.
    pub(super) fn with_room(words: usize) -> Self {
        Self { words: Vec::with_capacity(words), ends: Vec::with_capacity(4), length: 0 }
    }

    /// Adds a word to the text that is being made; `None` is a word that the first text lacks.
    #[inline]
    pub(super) fn push(&mut self, word: Option<u32>) {
        // Whether a word is kept is hard to guess, so there is no branch for it.
        let kept = self.words.len() + usize::from(word.is_some());
        self.words.push(Gram { at: self.length, number: word.unwrap_or_default() });
        self.words.truncate(kept);
        self.length += 1;
    }

    /// Ends a text; gives the number of its words.
    pub(super) fn end(&mut self) -> usize {
        self.ends.push(self.words.len());
        std::mem::take(&mut self.length) as usize
    }

    /// How many n-grams of each order, from 1 on, the first text has in common with the others: of
    /// each as many as it has itself, but no more than that one of the others which has most.
    ///
    /// `distinct` is the number of distinct words of the first text.
    pub(super) fn matches(mut self, distinct: usize, orders: usize) -> Vec<u64> {
        let mut matches = vec![0; orders];
        let mut texts = self.places();
        let Some((first, others)) = texts.split_first_mut() else { return matches };
        let grams = &mut self.words;
        let (mut pairs, mut counts) = (Numbers::default(), Counts::default());
        let mut distinct = distinct;
        for (order, matches) in matches.iter_mut().enumerate() {
            if order > 0 {
                pairs.reset(first.len());
                lengthen(grams, first, |pair| Some(pairs.add(pair, |_| true)));
                for other in &mut *others {
                    lengthen(grams, other, |pair| pairs.find(pair, |_| true));
                }
                distinct = pairs.len();
            }
            *matches = counts.common(grams, first, others, distinct);
            if *matches == 0 {
                break;
            }
            counts.keep_common(grams, first);
        }
        matches
    }

    /// Where the words of each text lie.
    fn places(&self) -> Vec<Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start..end).collect()
    }
}

/// Makes each n-gram of a text one word longer, if the next one begins there and `longer` has a
/// number for both together.
fn lengthen(
    grams: &mut [Gram],
    text: &mut Range<usize>,
    mut longer: impl FnMut(u64) -> Option<u32>,
) {
    let grams = &mut grams[text.clone()];
    let mut kept = 0;
    for index in 1..grams.len() {
        let [left, right] = [grams[index - 1], grams[index]];
        if left.at + 1 == right.at {
            let pair = u64::from(left.number) << 32 | u64::from(right.number);
            if let Some(number) = longer(pair) {
                grams[kept] = Gram { at: left.at, number };
                kept += 1;
            }
        }
    }
    text.end = text.start + kept;
}

/// The counts of each n-gram.
#[derive(Debug, Default)]
struct Counts(Vec<Count>);

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// How often it stands in the first text.
    own: u32,
    /// How often at most in one of the others, as far as that counts.
    common: u32,
    /// How often in the present one so far.
    seen: u32,
}

impl Counts {
    /// Counts the common n-grams, of which so many are distinct.
    fn common(
        &mut self,
        grams: &[Gram],
        first: &Range<usize>,
        others: &[Range<usize>],
        distinct: usize,
    ) -> u64 {
        let Self(counts) = self;
        counts.clear();
        counts.resize(distinct, Count::default());
        for gram in &grams[first.clone()] {
            counts[gram.number as usize].own += 1;
        }
        let mut matches = 0;
        for (index, other) in others.iter().enumerate() {
            if index > 0 {
                for count in &mut *counts {
                    count.seen = 0;
                }
            }
            for gram in &grams[other.clone()] {
                let count = &mut counts[gram.number as usize];
                count.seen += 1;
                let more = count.seen > count.common && count.seen <= count.own;
                count.common += u32::from(more);
                matches += u64::from(more);
            }
        }
        matches
    }

    /// Keeps the n-grams of a text that are common.
    fn keep_common(&self, grams: &mut [Gram], text: &mut Range<usize>) {
        let grams = &mut grams[text.clone()];
        let mut kept = 0;
        for index in 0..grams.len() {
            let gram = grams[index];
            grams[kept] = gram;
            kept += usize::from(self.0[gram.number as usize].common > 0);
        }
        text.end = text.start + kept;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn grams(text: &[u32], order: usize) -> BTreeMap<&[u32], u64> {
        let mut grams = BTreeMap::new();
        for gram in text.windows(order) {
            *grams.entry(gram).or_default() += 1;
        }
        grams
    }

    proptest! {
        #[test]
        fn matches_are_those_of_counting_every_ngram(
            first in prop::collection::vec(0..3_u32, 0..20),
            others in prop::collection::vec(prop::collection::vec(0..4_u32, 0..20), 0..4),
        ) {
            let mut texts = Texts::with_room(0);
            for &word in &first {
                texts.push(Some(word));
            }
            prop_assert_eq!(texts.end(), first.len());
            for other in &others {
                for &word in other {
                    texts.push(Some(word).filter(|&word| word != 3));
                }
                prop_assert_eq!(texts.end(), other.len());
            }
            let expected: Vec<u64> = (1..=5)
                .map(|order| {
                    let others: Vec<_> = others.iter().map(|text| grams(text, order)).collect();
                    let most = |gram| others.iter().filter_map(|other| other.get(gram)).max();
                    let own = grams(&first, order);
                    own.iter().map(|(gram, n)| *most(*gram).unwrap_or(&0).min(n)).sum()
                })
                .collect();
            prop_assert_eq!(texts.matches(3, 5), expected);
        }
    }
}
