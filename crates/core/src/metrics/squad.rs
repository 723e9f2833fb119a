//! Prediction and references of one case as SQuAD's scripts compare them.

use std::ops::Range;

use super::normalize;

/// The normalised answers of one case, made once for all the metrics that compare them.
#[derive(Debug)]
pub(crate) struct Answers {
    pub(crate) prediction: Answer,
    pub(crate) references: Vec<Answer>,
}

impl Answers {
    pub(crate) fn new<'a>(prediction: &str, references: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            prediction: Answer::new(prediction),
            references: references.into_iter().map(Answer::new).collect(),
        }
    }

    /// The references that SQuAD 2.0 compares with: those that do not normalise to nothing. None
    /// left means that the right answer is no answer.
    pub(crate) fn non_empty_references(&self) -> impl Iterator<Item = &Answer> {
        self.references.iter().filter(|reference| !reference.text.is_empty())
    }
}

/// A normalised text with its tokens.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The text after [`normalize::squad`].
    pub(crate) text: String,
    /// Places of the tokens, ordered by the tokens' text, so that two bags intersect in one walk.
    tokens: Vec<Range<usize>>,
}

/// How much of two token bags is the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Overlap {
    /// Neither side has a token.
    BothEmpty,
    /// Number of common tokens, with multiplicity, and the sizes of both bags.
    Tokens { same: usize, prediction: usize, reference: usize },
}

impl Answer {
    pub(crate) fn new(text: &str) -> Self {
        let text = normalize::squad(text);
        let mut tokens = Vec::with_capacity(text.len() / 5 + 1);
        let mut start = 0;
        // Byte by byte: tokens are too short for a search to pay.
        for (at, byte) in text.bytes().enumerate() {
            if byte == b' ' {
                tokens.push(start..at);
                start = at + 1;
            }
        }
        if start < text.len() {
            tokens.push(start..text.len());
        }
        if tokens.len() > 1 {
            tokens.sort_unstable_by(|a, b| text[a.clone()].cmp(&text[b.clone()]));
        }
        Self { text, tokens }
    }

    pub(crate) fn overlap(&self, reference: &Self) -> Overlap {
        if self.tokens.is_empty() && reference.tokens.is_empty() {
            return Overlap::BothEmpty;
        }
        let mut same = 0;
        let (mut i, mut j) = (0, 0);
        while let (Some(a), Some(b)) = (self.tokens.get(i), reference.tokens.get(j)) {
            match self.text[a.clone()].cmp(&reference.text[b.clone()]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    same += 1;
                    i += 1;
                    j += 1;
                }
            }
        }
        Overlap::Tokens { same, prediction: self.tokens.len(), reference: reference.tokens.len() }
    }
}

impl Overlap {
    /// Token F1, with `both_empty` where neither side has a token. The operations are those of
    /// the script, in its order: another order differs in the last bit.
    pub(crate) fn f1(self, both_empty: f64) -> f64 {
        match self {
            Self::BothEmpty => both_empty,
            Self::Tokens { same: 0, .. } => 0.0,
            Self::Tokens { same, prediction, reference } => {
                let precision = same as f64 / prediction as f64;
                let recall = same as f64 / reference as f64;
                (2.0 * precision * recall) / (precision + recall)
            }
        }
    }
}
