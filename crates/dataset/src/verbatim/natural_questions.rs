//! Natural Questions: spans with all four of their numbers, and scores as they are written.

use serde::Deserialize;
use serde_json::{Number, Value};

/// A line of a dataset.
#[derive(Clone, Debug, Deserialize)]
pub struct Example {
    /// Its id.
    pub example_id: Value,
    /// What the annotators say.
    pub annotations: Vec<Annotation>,
}

/// What one annotator says.
#[derive(Clone, Debug, Deserialize)]
pub struct Annotation {
    /// The long answer.
    pub long_answer: Span,
    /// The spans of the short answer.
    pub short_answers: Vec<Span>,
    /// Yes, no or none.
    pub yes_no_answer: String,
}

/// The file of predictions.
#[derive(Clone, Debug, Deserialize)]
pub struct Predictions {
    /// One for each example.
    pub predictions: Vec<Prediction>,
}

/// A prediction. Answers that are missing are none, scores must be there.
#[derive(Clone, Debug, Deserialize)]
pub struct Prediction {
    /// The id of the example.
    pub example_id: Value,
    /// The long answer.
    #[serde(default)]
    pub long_answer: Span,
    /// How sure the system is of it.
    pub long_answer_score: Number,
    /// The spans of the short answer.
    #[serde(default)]
    pub short_answers: Vec<Span>,
    /// How sure the system is of it.
    pub short_answers_score: Number,
    /// Yes, no or none.
    #[serde(default = "none")]
    pub yes_no_answer: String,
}

/// A span by bytes and by tokens, -1 twice where it has none.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start_byte: i64,
    /// The byte behind the last.
    pub end_byte: i64,
    /// The first token.
    pub start_token: i64,
    /// The token behind the last.
    pub end_token: i64,
}

impl Default for Span {
    fn default() -> Self {
        Self { start_byte: -1, end_byte: -1, start_token: -1, end_token: -1 }
    }
}

fn none() -> String {
    "NONE".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_may_be_missing_and_not_null() {
        let read = |text: &str| serde_json::from_str::<Prediction>(text);
        let scores = r#""example_id": 1, "long_answer_score": 1, "short_answers_score": 0.5"#;
        let missing = read(&format!("{{{scores}}}")).unwrap();
        assert_eq!((missing.long_answer.end_token, missing.yes_no_answer.as_str()), (-1, "NONE"));
        assert_eq!(missing.long_answer_score.to_string(), "1");
        assert!(read(&format!(r#"{{{scores}, "long_answer": null}}"#)).is_err());
        assert!(read(r#"{"example_id": 1, "long_answer_score": 1}"#).is_err());
    }
}
