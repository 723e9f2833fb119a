//! Prediction and references of one case as SQuAD's scripts compare them.

mod spare;

use std::{cmp::Ordering, mem, ops::Range};

use super::{normalize, token::Token};

/// The normalised answers of one case, made once for all the metrics that compare them.
///
/// All texts and all tokens stand in one buffer each, and the buffers are used again.
#[derive(Debug)]
pub(crate) struct Answers(Buffers);

/// What the answers of one case stand in.
#[derive(Debug, Default)]
struct Buffers {
    bytes: Vec<u8>,
    tokens: Vec<Token>,
    /// Which tokens are the prediction's, then each reference's.
    places: Vec<Range<usize>>,
}

/// A normalised text: its tokens, which say all, because one space stands between two of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    bytes: &'a [u8],
    tokens: &'a [Token],
}

/// How much of two token bags is the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Overlap {
    /// Neither side has a token.
    BothEmpty,
    /// Number of common tokens, with multiplicity, and the sizes of both bags.
    Tokens { same: usize, prediction: usize, reference: usize },
}

impl Answers {
    pub(crate) fn new<'a>(
        prediction: &str,
        references: impl ExactSizeIterator<Item = &'a str> + Clone,
    ) -> Self {
        Self::made_by(normalize::append, prediction, references)
    }

    /// The same by other rules: `append` adds the words of a text to both buffers.
    pub(crate) fn made_by<'a>(
        append: impl Fn(&str, &mut Vec<u8>, &mut Vec<Token>),
        prediction: &str,
        references: impl ExactSizeIterator<Item = &'a str> + Clone,
    ) -> Self {
        let texts = references.len() + 1;
        let size = references.clone().fold(prediction.len(), |size, text| size + text.len());
        let mut buffers = spare::take();
        buffers.bytes.reserve(size + texts * 8);
        buffers.tokens.reserve(size / 4 + texts);
        buffers.places.reserve(texts);
        buffers.push(&append, prediction);
        references.for_each(|reference| buffers.push(&append, reference));
        Self(buffers)
    }

    pub(crate) fn prediction(&self) -> Answer<'_> {
        self.0.answer(&self.0.places[0])
    }

    pub(crate) fn references(&self) -> impl ExactSizeIterator<Item = Answer<'_>> {
        self.0.places[1..].iter().map(|place| self.0.answer(place))
    }

    /// The references that SQuAD 2.0 compares with: those that do not normalise to nothing. None
    /// left means that the right answer is no answer.
    pub(crate) fn non_empty_references(&self) -> impl Iterator<Item = Answer<'_>> {
        self.references().filter(|reference| !reference.is_empty())
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        spare::give(mem::take(&mut self.0));
    }
}

impl Buffers {
    fn push(&mut self, append: impl Fn(&str, &mut Vec<u8>, &mut Vec<Token>), text: &str) {
        let first_token = self.tokens.len();
        append(text, &mut self.bytes, &mut self.tokens);
        self.places.push(first_token..self.tokens.len());
    }

    fn answer(&self, place: &Range<usize>) -> Answer<'_> {
        Answer { bytes: &self.bytes, tokens: &self.tokens[place.clone()] }
    }
}

/// Tokens of a reference up to which each token of the prediction looks through all of them.
const FEW: usize = 64;

impl<'a> Answer<'a> {
    /// Whether the text normalises to nothing.
    pub(crate) fn is_empty(self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether both texts are the same after normalisation.
    #[inline]
    pub(crate) fn equals(self, other: Self) -> bool {
        let same = |(a, b): (&Token, &Token)| a.equals(*b, self.bytes);
        self.tokens.len() == other.tokens.len() && self.tokens.iter().zip(other.tokens).all(same)
    }

    /// Whether the tokens of the other text stand here, one after the other.
    pub(crate) fn contains(self, other: Self) -> bool {
        let same = |(a, b): (&Token, &Token)| a.equals(*b, self.bytes);
        let here = |start: usize| self.tokens[start..].iter().zip(other.tokens).all(same);
        let last = self.tokens.len().checked_sub(other.tokens.len());
        last.is_some_and(|last| (0..=last).any(here))
    }

    /// The normalised text: one blank between two tokens.
    pub(crate) fn text(self) -> String {
        let words: Vec<&[u8]> = self.words().collect();
        String::from_utf8(words.join(&b' ')).expect("words are cut at whole characters")
    }

    /// Whether the text normalises to this one word.
    pub(crate) fn is(self, word: &str) -> bool {
        matches!(self.tokens, [token] if token.of(self.bytes) == word.as_bytes())
    }

    #[inline]
    pub(crate) fn overlap(self, reference: Self) -> Overlap {
        let (prediction, other) = (self.tokens.len(), reference.tokens.len());
        if prediction == 0 && other == 0 {
            return Overlap::BothEmpty;
        }
        let same = if other <= FEW {
            self.same_as_few(reference)
        } else {
            same_sorted(&self.sorted(), &reference.sorted())
        };
        Overlap::Tokens { same, prediction, reference: other }
    }

    fn words(self) -> impl Iterator<Item = &'a [u8]> {
        self.tokens.iter().map(move |token| token.of(self.bytes))
    }

    /// Takes for each token of this side an equal one of the reference that is not taken yet.
    #[inline]
    fn same_as_few(self, reference: Self) -> usize {
        let mut taken = 0_u64;
        for token in self.tokens {
            let equal = |&(index, other): &(usize, &Token)| {
                taken & (1 << index) == 0 && token.equals(*other, self.bytes)
            };
            if let Some((index, _)) = reference.tokens.iter().enumerate().find(equal) {
                taken |= 1 << index;
            }
        }
        taken.count_ones() as usize
    }

    fn sorted(self) -> Vec<&'a [u8]> {
        let mut words: Vec<&[u8]> = self.words().collect();
        words.sort_unstable();
        words
    }
}

fn same_sorted(a: &[&[u8]], b: &[&[u8]]) -> usize {
    let (mut i, mut j, mut same) = (0, 0, 0);
    while let (Some(left), Some(right)) = (a.get(i), b.get(j)) {
        match left.cmp(right) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                same += 1;
                i += 1;
                j += 1;
            }
        }
    }
    same
}

impl Overlap {
    /// Share of the prediction's tokens that the reference has; 0 where there are none.
    pub(crate) fn precision(self) -> f64 {
        match self {
            Self::Tokens { same, prediction, .. } if same > 0 => same as f64 / prediction as f64,
            _ => 0.0,
        }
    }

    /// Share of the reference's tokens that the prediction has; 0 where there are none.
    pub(crate) fn recall(self) -> f64 {
        match self {
            Self::Tokens { same, reference, .. } if same > 0 => same as f64 / reference as f64,
            _ => 0.0,
        }
    }

    /// Token F1, with `both_empty` where neither side has a token. The operations are those of
    /// the script, in its order: another order differs in the last bit.
    #[inline]
    pub(crate) fn f1(self, both_empty: f64) -> f64 {
        match self {
            Self::BothEmpty => both_empty,
            Self::Tokens { same: 0, .. } => 0.0,
            Self::Tokens { .. } => {
                let (precision, recall) = (self.precision(), self.recall());
                (2.0 * precision * recall) / (precision + recall)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn long_and_short_references_are_counted_alike(
            prediction in prop::collection::vec("[a-e]", 0..90),
            reference in prop::collection::vec("[a-e]", 0..90),
        ) {
            let reference = reference.join(" ");
            let answers = Answers::new(&prediction.join(" "), [reference.as_str()].into_iter());
            let (left, right) = (answers.prediction(), answers.references().next().unwrap());
            let sorted = same_sorted(&left.sorted(), &right.sorted());
            match left.overlap(right) {
                Overlap::BothEmpty => prop_assert_eq!(sorted, 0),
                Overlap::Tokens { same, .. } => prop_assert_eq!(same, sorted),
            }
        }
    }
}
