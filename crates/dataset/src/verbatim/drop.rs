//! DROP: the answers of all annotators, also blank ones.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::{Error, document, members::Members};

/// A passage.
#[derive(Clone, Debug, Deserialize)]
pub struct Passage {
    /// Its questions.
    pub qa_pairs: Vec<Pair>,
}

/// A question.
#[derive(Clone, Debug, Deserialize)]
pub struct Pair {
    /// Its id.
    pub query_id: String,
    /// The answer.
    pub answer: Answer,
    /// The answers of further annotators.
    pub validated_answers: Option<Vec<Answer>>,
}

/// An answer of one of three kinds; the other two are missing or empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// A number, usually as a text.
    pub number: Option<Value>,
    /// Parts of the passage.
    pub spans: Option<Vec<String>>,
    /// A date.
    pub date: Option<Date>,
}

/// A date, whose parts may be blank.
#[derive(Clone, Debug, Deserialize)]
pub struct Date {
    /// Day of the month.
    pub day: Value,
    /// Name of the month.
    pub month: Value,
    /// Year.
    pub year: Value,
}

/// The passages of a dataset.
pub fn passages(path: &Path) -> Result<Vec<Passage>, Error> {
    let Members(passages) = super::json::<Members<Passage>>(path)?;
    if passages.iter().all(|(_, passage)| passage.qa_pairs.is_empty()) {
        return Err(document::empty().of_file(path));
    }
    Ok(passages.into_iter().map(|(_, passage)| passage).collect())
}
