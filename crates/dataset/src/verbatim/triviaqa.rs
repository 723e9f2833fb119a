//! TriviaQA: which answers are of people, which questions and documents are verified, and what the
//! file says of itself.

use serde::Deserialize;
use serde_json::Value;

/// A dataset.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct File {
    /// `Wikipedia` or `Web`, which decides on the keys.
    pub domain: String,
    /// Version of the dataset.
    pub version: Option<Value>,
    /// Whether only what is verified counts.
    pub verified_eval: Option<bool>,
    /// The questions.
    pub data: Vec<Question>,
}

/// A question.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Question {
    /// Its id.
    pub question_id: String,
    /// What is accepted.
    pub answer: Option<Answer>,
    /// Documents of Wikipedia.
    #[serde(default)]
    pub entity_pages: Vec<Page>,
    /// Documents of the web.
    #[serde(default)]
    pub search_results: Vec<Page>,
    /// Whether a person verified it.
    pub question_part_of_verified_eval: Option<bool>,
}

/// The accepted answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Answer {
    /// All spellings, normalised.
    pub normalized_aliases: Vec<String>,
    /// Answers of people, not normalised.
    #[serde(default)]
    pub human_answers: Vec<String>,
}

/// A document in which the answer was looked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Page {
    /// Name of its file.
    pub filename: Option<String>,
    /// Whether a person found the answer in it.
    pub doc_part_of_verified_eval: Option<bool>,
}
