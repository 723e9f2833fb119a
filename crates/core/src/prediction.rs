//! A prediction: what a reader answered.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

/// What the system answered to one question, or that it abstained.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// The answer as text; empty when the reader abstained.
    pub text: String,
    /// Whether the reader declined to answer. A reader that answers with nothing abstains.
    pub abstained: bool,
    /// The parts of an answer that is a list; empty for any other.
    pub items: Vec<String>,
    /// All that the reader would answer, best first; empty for a reader that gives one answer.
    pub candidates: Vec<Candidate>,
    /// Where the answer stands in the example's context, in code points.
    pub span: Option<Range<usize>>,
    /// Closed answers beside the text, by name: yes or no, a dialog act, a choice.
    pub labels: BTreeMap<String, String>,
    /// How sure the reader is, as a probability or any score that grows with certainty.
    pub confidence: Option<f64>,
    /// Ids of the passages that the reader gives as support.
    pub citations: Vec<String>,
    /// Ids of the passages that the reader really saw, in order; `None` when nobody knows.
    pub seen: Option<Vec<String>>,
    /// What the answer took.
    pub usage: Usage,
}

/// One of several answers that a reader gives to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// The answer as text; blank where the reader would rather not answer.
    pub text: String,
    /// How sure the reader is of it.
    pub confidence: Option<f64>,
    /// Where it stands, in code points: in its passage, or in the example's context.
    pub span: Option<Range<usize>>,
    /// Id of the passage that it was found in.
    pub passage: Option<String>,
}

/// Time, tokens and money that one answer took; `None` where nobody measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Milliseconds from asking to the whole answer.
    pub latency_ms: Option<f64>,
    /// Tokens sent.
    pub tokens_in: Option<u64>,
    /// Tokens received.
    pub tokens_out: Option<u64>,
    /// Price in the currency of the endpoint's price list.
    pub cost: Option<f64>,
}

impl Prediction {
    /// An answer. A text of nothing but blanks is an abstention.
    pub fn answer(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { abstained: text.trim().is_empty(), text, ..Self::default() }
    }

    /// No answer, on purpose.
    pub fn abstention() -> Self {
        Self { abstained: true, ..Self::default() }
    }

    /// The answer of a reader that gives several: the first of them.
    pub fn first_of(candidates: Vec<Candidate>) -> Self {
        let Some(Candidate { text, confidence, span, .. }) = candidates.first().cloned() else {
            return Self::abstention();
        };
        Self { candidates, span, confidence, ..Self::answer(text) }
    }

    /// All answers, best first. A reader that gives no candidates has one answer.
    pub fn answers(&self) -> Cow<'_, [Candidate]> {
        if !self.candidates.is_empty() {
            return Cow::Borrowed(&self.candidates);
        }
        let (text, span) = (self.text.clone(), self.span.clone());
        Cow::Owned(vec![Candidate { text, confidence: self.confidence, span, passage: None }])
    }
}

impl Candidate {
    /// Whether it says that there is no answer.
    pub fn abstains(&self) -> bool {
        self.text.trim().is_empty()
    }
}

impl From<&str> for Candidate {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}
