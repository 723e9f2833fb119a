//! N-grams that a text has in common with others.
//!
//! An n-gram of order n + 1 is the pair of the two n-grams in it. So each order numbers the pairs
//! of the numbers below it, and a pair in which one is not common is not common either: of most
//! texts little is left to look at beyond the second order.

use super::vocabulary::{NONE, Places, mixed, number};

/// Texts as numbers of their words: first the one whose words were numbered from 0, then those it
/// is compared with, in which every other word is [`NONE`].
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// The texts one after the other, [`NONE`] after each.
    numbers: Vec<u32>,
    /// Where each text begins, and where the next one would.
    bounds: Vec<usize>,
}

impl Texts {
    /// No text yet, with room for so many words.
    pub(super) fn with_room(words: usize) -> Self {
        Self { numbers: Vec::with_capacity(words), bounds: vec![0] }
    }

    /// Adds a word to the text that is being made.
    pub(super) fn push(&mut self, word: u32) {
        self.numbers.push(word);
    }

    /// Ends a text; gives the number of its words.
    pub(super) fn end(&mut self) -> usize {
        let begin = self.bounds.last().copied().unwrap_or_default();
        let words = self.numbers.len() - begin;
        self.numbers.push(NONE);
        self.bounds.push(self.numbers.len());
        words
    }

    /// How many n-grams of each order, from 1 on, the first text has in common with the others: of
    /// each as many as it has itself, but no more than that one of the others which has most.
    ///
    /// `distinct` is the number of distinct words of the first text.
    pub(super) fn matches(mut self, distinct: usize, orders: usize) -> Vec<u64> {
        let mut matches = vec![0; orders];
        let mut pairs = Pairs::default();
        let mut counts = Counts::default();
        let mut distinct = distinct;
        for (order, matches) in matches.iter_mut().enumerate() {
            if order > 0 {
                distinct = self.lengthen(&mut pairs);
            }
            *matches = self.count(distinct, &mut counts);
            if *matches == 0 {
                break;
            }
        }
        matches
    }

    /// The first text, and the others.
    fn texts(&mut self) -> (&mut [u32], impl Iterator<Item = &mut [u32]>) {
        let Self { numbers, bounds } = self;
        let (first, mut rest) = numbers.split_at_mut(bounds[1]);
        let others = bounds[1..].windows(2).map(move |bounds| {
            let (other, after) = std::mem::take(&mut rest).split_at_mut(bounds[1] - bounds[0]);
            rest = after;
            other
        });
        (first, others)
    }

    /// Counts the common n-grams; those that are not become [`NONE`].
    fn count(&mut self, distinct: usize, counts: &mut Counts) -> u64 {
        let mut matches = 0;
        let (first, others) = self.texts();
        counts.reset(distinct);
        let Counts { own, common, seen } = counts;
        for &gram in first.iter().filter(|&&gram| gram != NONE) {
            own[gram as usize] += 1;
        }
        for other in others {
            seen.fill(0);
            for &gram in other.iter().filter(|&&gram| gram != NONE) {
                let gram = gram as usize;
                seen[gram] += 1;
                if seen[gram] > common[gram] && seen[gram] <= own[gram] {
                    common[gram] = seen[gram];
                    matches += 1;
                }
            }
        }
        for gram in first.iter_mut().filter(|gram| **gram != NONE) {
            if common[*gram as usize] == 0 {
                *gram = NONE;
            }
        }
        matches
    }

    /// Makes each n-gram one word longer; gives the number of distinct ones in the first text. The
    /// last n-gram of a text has nothing to its right, and becomes [`NONE`].
    fn lengthen(&mut self, pairs: &mut Pairs) -> usize {
        let (first, others) = self.texts();
        pairs.reset(first.len());
        lengthen_text(first, |pair| pairs.add(pair));
        for other in others {
            lengthen_text(other, |pair| pairs.find(pair));
        }
        pairs.keys.len()
    }
}

fn lengthen_text(grams: &mut [u32], mut longer: impl FnMut(u64) -> u32) {
    for at in 1..grams.len() {
        let (left, right) = (grams[at - 1], grams[at]);
        grams[at - 1] = if left == NONE || right == NONE {
            NONE
        } else {
            longer(u64::from(left) << 32 | u64::from(right))
        };
    }
}

/// How often each n-gram stands in the first text, at most in one of the others as far as it
/// counts, and so far in the present one.
#[derive(Debug, Default)]
struct Counts {
    own: Vec<u32>,
    common: Vec<u32>,
    seen: Vec<u32>,
}

impl Counts {
    fn reset(&mut self, distinct: usize) {
        for counts in [&mut self.own, &mut self.common, &mut self.seen] {
            counts.clear();
            counts.resize(distinct, 0);
        }
    }
}

/// Pairs of numbers, numbered from 0.
#[derive(Debug, Default)]
struct Pairs {
    keys: Vec<u64>,
    places: Places,
}

impl Pairs {
    fn reset(&mut self, room: usize) {
        self.keys.clear();
        self.places.reset(room);
    }

    fn add(&mut self, pair: u64) -> u32 {
        let known = |number: u32| self.keys[number as usize] == pair;
        match self.places.find(mixed(pair), known) {
            Ok(number) => number,
            Err(place) => {
                let number = number(self.keys.len());
                self.keys.push(pair);
                self.places.fill(place, number);
                number
            }
        }
    }

    fn find(&self, pair: u64) -> u32 {
        let known = |number: u32| self.keys[number as usize] == pair;
        self.places.find(mixed(pair), known).unwrap_or(NONE)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn grams(text: &[u32], order: usize) -> BTreeMap<&[u32], u64> {
        let mut grams = BTreeMap::new();
        text.windows(order).for_each(|gram| *grams.entry(gram).or_default() += 1);
        grams
    }

    proptest! {
        #[test]
        fn matches_are_those_of_counting_every_ngram(
            first in prop::collection::vec(0..3_u32, 0..20),
            others in prop::collection::vec(prop::collection::vec(0..4_u32, 0..20), 0..4),
        ) {
            let mut texts = Texts::with_room(0);
            first.iter().for_each(|&word| texts.push(word));
            prop_assert_eq!(texts.end(), first.len());
            for other in &others {
                other.iter().for_each(|&word| texts.push(if word == 3 { NONE } else { word }));
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
