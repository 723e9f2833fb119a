//! A prediction: what a reader answered.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use crate::Value;

/// What the system answered to one question, or that it abstained.
///
/// An answer may be known by its [`span`](Self::span) alone. It has no text until it meets its
/// example, where [`cut`](Self::cut) gives it one; only then can it be scored.
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
        let mut answer = Self::default();
        answer.set_answer(text.into());
        answer
    }

    /// Makes a text the answer, as [`answer`](Self::answer) takes it.
    pub fn set_answer(&mut self, text: String) {
        self.abstained = text.trim().is_empty();
        self.text = text;
    }

    /// No answer, on purpose.
    pub fn abstention() -> Self {
        Self { abstained: true, ..Self::default() }
    }

    /// Whether only places of the answer are known, and not what stands there.
    pub fn is_without_text(&self) -> bool {
        self.text.is_empty() && !self.abstained && !self.columns.is_empty()
    }

    /// An answer that is known by its place in the context alone.
    pub fn at(span: Range<usize>) -> Self {
        Self { span: Some(span), ..Self::default() }
    }

    /// The place of an answer that is known by nothing else.
    pub fn span_alone(&self) -> Option<Range<usize>> {
        let without_text = !self.abstained && self.text.is_empty() && self.items.is_empty();
        self.span.clone().filter(|_| without_text)
    }

    /// Gives an answer that is known by its place alone the text that stands there, as
    /// [`answer`](Self::answer) takes it. Any other stays as it is.
    ///
    /// ```
    /// use qeval_core::Prediction;
    ///
    /// let mut prediction = Prediction::at(1..5);
    /// prediction.cut(Some("«été» 2001")).unwrap();
    /// assert_eq!(prediction.text, "été»");
    /// assert!(Prediction::at(8..12).cut(Some("«été» 2001")).is_err());
    /// ```
    pub fn cut(&mut self, context: Option<&str>) -> Result<(), SpanError> {
        let Some(span) = self.span_alone() else { return Ok(()) };
        let Range { start, end } = span;
        let context = context.ok_or(SpanError::NoContext { start, end })?;
        let text = slice(context, start..end);
        let text =
            text.ok_or_else(|| SpanError::Outside { start, end, length: context.chars().count() })?;
        self.set_answer(text.to_owned());
        Ok(())
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

/// Why an answer that is known by its place alone has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpanError {
    /// There is nothing to cut it from.
    #[error("the answer is the span from {start} to {end}, and the example has no context")]
    NoContext {
        /// Its first code point.
        start: usize,
        /// The place behind its last one.
        end: usize,
    },
    /// It is not in the context.
    #[error(
        "the answer is the span from {start} to {end}, which is not in the context of {length} \
         characters"
    )]
    Outside {
        /// Its first code point.
        start: usize,
        /// The place behind its last one.
        end: usize,
        /// The code points of the context.
        length: usize,
    },
}

/// The part of a text between two places in code points; `None` where it has no such part.
pub fn slice(text: &str, span: Range<usize>) -> Option<&str> {
    let length = span.end.checked_sub(span.start)?;
    let mut places = text.char_indices().map(|(byte, _)| byte).chain([text.len()]);
    let start = places.nth(span.start)?;
    let end = if length == 0 { start } else { places.nth(length - 1)? };
    Some(&text[start..end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_span_counts_code_points_and_no_bytes() {
        // An accent of its own is a code point of its own; so is an emoji of four bytes.
        let context = "Zu\u{308}rich 北京 😀!";
        let text = |span: Range<usize>| {
            let mut prediction = Prediction::at(span);
            prediction.cut(Some(context)).map(|()| prediction.text)
        };
        assert_eq!(text(0..3).as_deref(), Ok("Zu\u{308}"));
        assert_eq!(text(8..10).as_deref(), Ok("北京"));
        assert_eq!(text(11..13).as_deref(), Ok("😀!"));
        assert_eq!(text(0..13).as_deref(), Ok(context));
        let length = context.chars().count();
        assert_eq!(length, 13);
        assert_eq!(text(11..14), Err(SpanError::Outside { start: 11, end: 14, length }));
        assert_eq!(text(14..14), Err(SpanError::Outside { start: 14, end: 14, length }));
        let alone = Prediction::at(2..4).cut(None);
        assert_eq!(alone, Err(SpanError::NoContext { start: 2, end: 4 }));
    }

    #[test]
    fn only_an_answer_without_a_text_is_cut() {
        let cut = |mut prediction: Prediction| {
            prediction.cut(Some("abc")).unwrap();
            (prediction.text, prediction.abstained)
        };
        let far = Some(90..99);
        let (own, abstention) = (Prediction::answer("x"), Prediction::abstention());
        assert_eq!(cut(Prediction { span: far.clone(), ..own }), ("x".to_owned(), false));
        assert_eq!(cut(Prediction { span: far.clone(), ..abstention }), (String::new(), true));
        let items = vec!["x".to_owned()];
        assert_eq!(cut(Prediction { items, span: far, ..Prediction::default() }).0, "");
        // Nothing stands between a place and itself.
        assert_eq!(cut(Prediction::at(2..2)), (String::new(), true));
    }

    proptest! {
        #[test]
        fn a_part_is_that_of_the_characters(text in "\\PC{0,9}", start in 0..11_usize, end in 0..11_usize) {
            let characters: Vec<char> = text.chars().collect();
            let expected = characters.get(start..end).map(|part| part.iter().collect::<String>());
            prop_assert_eq!(slice(&text, start..end).map(str::to_owned), expected);
        }
    }
}
