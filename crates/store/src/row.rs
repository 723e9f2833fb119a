//! A row: all that is stored of one example.

use qeval_core::{Prediction, Reference, Score, retrieved::HasAnswer};

/// All that is stored of one example. It borrows everything: what is kept is copied once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row<'a> {
    /// Unique in its dataset.
    pub example_id: &'a str,
    /// Name of the dataset, where the layout has several.
    pub dataset: Option<&'a str>,
    /// Place in the dataset, from 0.
    pub position: u64,
    /// The dialog or document that the example belongs to.
    pub group_id: Option<&'a str>,
    /// Place in the dialog, from 0.
    pub turn: Option<u32>,
    /// One value for each slice of the layout; `None` for an example without one.
    pub slices: &'a [Option<&'a str>],
    /// One score for each metric of the layout.
    pub scores: &'a [Score],
    /// Whether the reader saw a gold passage; `None` when nobody knows.
    pub evidence_seen: Option<bool>,
    /// Where a wrong answer comes from.
    pub cause: Option<&'a str>,
    /// What was asked; `None` when only an id is known.
    pub question: Option<&'a str>,
    /// The acceptable answers.
    pub references: &'a [Reference],
    /// Ids of the passages that hold the answer.
    pub gold_passages: &'a [String],
    /// What the system answered; `None` for a missing prediction.
    pub prediction: Option<&'a Prediction>,
    /// What the reader answered on the gold passages.
    pub isolated_prediction: Option<&'a str>,
    /// Whether it declined to answer there.
    pub isolated_abstained: bool,
    /// Why that answer is not scored.
    pub isolated_error: Option<&'a str>,
    /// What was retrieved, best first; `None` when nothing was retrieved for the example.
    pub hits: Option<&'a [RowHit<'a>]>,
    /// Why a component gave nothing for the example.
    pub error: Option<&'a str>,
    /// How many hits the retriever gave; `None` where it failed, or where there is none.
    pub retrieved: Option<u32>,
    /// The relevant passages, retrieved or not; `None` for an example without judgments.
    pub relevant: Option<&'a [RowRelevant<'a>]>,
    /// What scores are made of, for each metric in its order.
    pub parts: &'a [RowPart<'a>],
}

/// A part of a score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowPart<'a> {
    /// Index of the metric in the layout.
    pub metric: usize,
    /// A partial value.
    pub value: Option<f64>,
    /// A verdict that can be counted.
    pub label: Option<&'a str>,
    /// Words of explanation.
    pub text: Option<&'a str>,
}

/// A passage that was retrieved. Its rank is its place in the list, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowHit<'a> {
    /// Id of the passage.
    pub passage_id: &'a str,
    /// The retriever's score; `None` where nobody knows it.
    pub score: Option<f64>,
    /// The judged relevance; `None` for an unjudged passage.
    pub grade: Option<i32>,
    /// Whether the reader was given it; `None` when nobody knows.
    pub seen: Option<bool>,
    /// Whether a reference stands in it; `None` without a reference, or where its text is unknown.
    pub answer: Option<HasAnswer>,
    /// The rank of the best hit that it nearly repeats.
    pub near_copy_of: Option<u32>,
}

/// A passage that is relevant to the example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowRelevant<'a> {
    /// Id of the passage.
    pub passage_id: &'a str,
    /// The judged relevance, above 0.
    pub grade: i32,
    /// Its rank among the hits, from 1; `None` where it was not retrieved.
    pub rank: Option<u32>,
    /// Number of its words; `None` where its text is unknown.
    pub length: Option<u32>,
    /// The first of them at which a reference begins, from 0; `None` where none does.
    pub answer_at: Option<u32>,
}

/// Why a row cannot be stored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RowError {
    /// A score that is no number: the scorer must say why there is none instead.
    #[error("the score in `{column}` is `{value}`, expected a finite number or the reason why not")]
    NotFinite {
        /// Name of the column.
        column: String,
        /// The score.
        value: f64,
    },
    /// Another value that is NaN.
    #[error("{0} is NaN, expected a number or nothing")]
    NotANumber(&'static str),
    /// A number that the table has no room for.
    #[error("{name} is {value}, expected at most {most}")]
    TooLarge {
        /// What the number is.
        name: &'static str,
        /// The number.
        value: u64,
        /// The highest that can be stored.
        most: u64,
    },
    /// A list of another length than the layout's.
    #[error("there are {found} {name}, expected {expected} as in the layout")]
    Shape {
        /// What the list holds.
        name: &'static str,
        /// How many the row has.
        found: usize,
        /// How many the layout has.
        expected: usize,
    },
    /// A dataset that the layout lacks, or none where it has several.
    #[error("the dataset is `{}`, expected one of those of the layout", .0.as_deref().unwrap_or(""))]
    Dataset(Option<String>),
}
