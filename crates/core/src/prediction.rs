//! A prediction: what a reader answered.

use std::{collections::BTreeMap, ops::Range};

use crate::Value;

/// What the system answered to one question, or that it abstained.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// The answer as text; empty when the reader abstained.
    pub text: String,
    /// Whether the reader declined to answer. A reader that answers with nothing abstains.
    pub abstained: bool,
    /// The parts of an answer that is a list; empty for any other.
    pub items: Vec<String>,
    /// Where the answer stands in the example's context, in code points.
    pub span: Option<Range<usize>>,
    /// Closed answers beside the text, by name: yes or no, a dialog act, a choice.
    pub labels: BTreeMap<String, String>,
    /// What a format of predictions says beside this, under the names that its metrics know: the
    /// spans of Natural Questions.
    pub columns: BTreeMap<String, Value>,
    /// How sure the reader is, as a probability or any score that grows with certainty.
    pub confidence: Option<f64>,
    /// Ids of the passages that the reader gives as support.
    pub citations: Vec<String>,
    /// Ids of the passages that the reader really saw, in order; `None` when nobody knows.
    pub seen: Option<Vec<String>>,
    /// What the answer took.
    pub usage: Usage,
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

    /// Whether only places of the answer are known, and not what stands there.
    pub fn is_without_text(&self) -> bool {
        self.text.is_empty() && !self.abstained && !self.columns.is_empty()
    }
}
