//! HotpotQA: which questions have an answer, and which have supporting facts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A question.
#[derive(Clone, Debug, Deserialize)]
pub struct Question {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: String,
    /// The answer.
    pub answer: Option<String>,
    /// The sentences that support it: title and number.
    pub supporting_facts: Option<Vec<Value>>,
}

/// The file of predictions.
#[derive(Clone, Debug, Deserialize)]
pub struct Predictions {
    /// Answers by id.
    pub answer: Option<BTreeMap<String, Value>>,
    /// Supporting facts by id.
    pub sp: Option<BTreeMap<String, Vec<Value>>>,
}
