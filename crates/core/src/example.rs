//! An example: one question, with all that is known of it before a system sees it.

use std::collections::BTreeMap;

/// One question with its references.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Example {
    /// Unique in its dataset; results are joined on it.
    pub id: String,
    /// Name of the dataset, where several are evaluated together.
    pub dataset: Option<String>,
    /// The dialog or document that the example belongs to. Examples of one group are not
    /// independent, so intervals are computed over groups.
    pub group: Option<String>,
    /// Place in the dialog, from 0.
    pub turn: Option<u32>,
    /// What is asked.
    pub question: String,
    /// The acceptable answers; empty for an unanswerable question.
    pub references: Vec<Reference>,
    /// The text that holds the answer, where the dataset gives one.
    pub context: Option<String>,
    /// Earlier questions and answers of the dialog, oldest first.
    pub history: Vec<Exchange>,
    /// Ids of the passages that hold the answer.
    pub gold_passages: Vec<String>,
    /// All other columns that somebody asked for: those to slice by, those a plugin needs.
    pub columns: BTreeMap<String, Value>,
}

/// One acceptable answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// The answer as text.
    pub text: String,
    /// Where it begins in [`Example::context`], counted in code points.
    pub start: Option<usize>,
    /// The parts of an answer that is a list, such as the spans of DROP; empty for any other.
    pub items: Vec<String>,
}

/// One earlier question of a dialog and its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// What was asked.
    pub question: String,
    /// What was answered.
    pub answer: String,
}

/// A value of a column that the vocabulary has no name for.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// A list of values.
    List(Vec<Value>),
}

impl Example {
    /// Whether the example has an answer at all (SQuAD 2.0 has questions without one).
    pub fn answerable(&self) -> bool {
        !self.references.is_empty()
    }

    /// The texts of the references, in order.
    pub fn reference_texts(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.references.iter().map(|reference| reference.text.as_str())
    }
}

impl From<&str> for Reference {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Reference {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// As it is shown in a table: text without quotes, a list in brackets.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::List(values) => {
                f.write_str("[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
        }
    }
}
