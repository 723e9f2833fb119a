//! Inputs: the parts of a case that a scorer reads.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A part of a [`Case`](qeval_core::Case) that a scorer reads. What no scorer asks for need not be
/// loaded, and what a plugin does not ask for is not sent to it: there it is empty or `None`.
///
/// The id of the example is always there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// The question.
    Question,
    /// The prediction: its text, whether the reader abstained, its confidence and citations.
    Prediction,
    /// The texts of the references.
    References,
    /// The text that holds the answer.
    Context,
    /// Earlier questions and answers of the dialog.
    History,
    /// Ids of the passages that hold the answer.
    GoldPassages,
    /// The retrieved passages with id, title and text.
    Passages,
    /// All hits with their scores, whether or not their texts are known.
    Hits,
    /// The passages that the prediction cites.
    CitedPassages,
    /// Titles and texts of the gold passages.
    GoldTexts,
    /// The grade of each retrieved passage, and the grades of a perfect ranking.
    Grades,
    /// A column of the dataset that the vocabulary has no name for.
    Column(String),
}

const COLUMN: &str = "columns.";

const NAMES: [(Input, &str); 11] = [
    (Input::Question, "question"),
    (Input::Prediction, "prediction"),
    (Input::References, "references"),
    (Input::Context, "context"),
    (Input::History, "history"),
    (Input::GoldPassages, "gold_passages"),
    (Input::Passages, "passages"),
    (Input::Hits, "hits"),
    (Input::CitedPassages, "cited_passages"),
    (Input::GoldTexts, "gold_texts"),
    (Input::Grades, "grades"),
];

/// A word that is no input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no input, expected one of {names}", names = names())]
pub struct UnknownInput(pub String);

fn names() -> String {
    let names: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
    format!("{}, {COLUMN}NAME", names.join(", "))
}

/// `references`, `columns.topic`.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(name) => write!(f, "{COLUMN}{name}"),
            named => {
                let name = NAMES.iter().find(|(input, _)| input == named).map(|(_, name)| *name);
                f.write_str(name.expect("the table names every input"))
            }
        }
    }
}

impl FromStr for Input {
    type Err = UnknownInput;

    fn from_str(text: &str) -> Result<Self, UnknownInput> {
        match text.strip_prefix(COLUMN) {
            Some(name) if !name.is_empty() => Ok(Self::Column(name.to_owned())),
            _ => NAMES
                .iter()
                .find(|(_, name)| *name == text)
                .map(|(input, _)| input.clone())
                .ok_or_else(|| UnknownInput(text.to_owned())),
        }
    }
}

impl Serialize for Input {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_printed() {
        let mut inputs: Vec<Input> = NAMES.iter().map(|(input, _)| input.clone()).collect();
        inputs.push(Input::Column("topic".to_owned()));
        for input in inputs {
            assert_eq!(input.to_string().parse(), Ok(input));
        }
    }

    #[test]
    fn other_words_are_refused() {
        for text in ["", "columns.", "Question", "texts"] {
            let error = text.parse::<Input>().unwrap_err().to_string();
            assert_eq!(
                error,
                format!(
                    "`{text}` is no input, expected one of question, prediction, references, \
                     context, history, gold_passages, passages, hits, cited_passages, gold_texts, \
                     grades, columns.NAME"
                )
            );
        }
    }
}
