//! One example, explained: what was answered and retrieved, and how each score came about.

mod json;
mod terminal;

use qeval_core::{Stage, explain::Step};

use crate::Format;

/// All that is known of one example.
#[derive(Clone, Debug, Default)]
pub struct ExampleExplanation {
    /// Id of the evaluation.
    pub evaluation_id: String,
    /// Its label.
    pub label: String,
    /// Its system.
    pub system: String,
    /// Name of the dataset; `None` unless there are several.
    pub dataset: Option<String>,
    /// Id of the example.
    pub example_id: String,
    /// What was asked.
    pub question: Option<String>,
    /// The acceptable answers; `None` where nobody knows them, as in a baseline that was carried here.
    pub references: Option<Vec<String>>,
    /// The dialog or document.
    pub group: Option<String>,
    /// The slices with their values.
    pub slices: Vec<(String, Option<String>)>,
    /// Where the answer of the whole system comes from; `None` where nothing was diagnosed.
    pub cause: Option<String>,
    /// Whether the reader saw the evidence.
    pub evidence_seen: Option<bool>,
    /// The answers with their scores, stage by stage.
    pub stages: Vec<ExplainedStage>,
    /// What was retrieved, best first; `None` where nothing was.
    pub hits: Option<Vec<ExplainedHit>>,
    /// Relevant passages that are not among the hits.
    pub missed: Vec<ExplainedHit>,
    /// What could not be shown, and why.
    pub notes: Vec<String>,
}

/// One stage on the example.
#[derive(Clone, Debug)]
pub struct ExplainedStage {
    /// Which.
    pub stage: Stage,
    /// The answer, where the stage has one.
    pub answer: Option<String>,
    /// Whether the reader declined to answer.
    pub abstained: bool,
    /// Why there is no answer.
    pub error: Option<String>,
    /// The metrics.
    pub metrics: Vec<ExplainedMetric>,
}

/// One metric on the example.
#[derive(Clone, Debug)]
pub struct ExplainedMetric {
    /// Official name.
    pub name: String,
    /// Column of the results.
    pub column: String,
    /// The stored score.
    pub score: Option<f64>,
    /// Why there is none.
    pub unscored: Option<String>,
    /// The steps, where they lead to the stored score.
    pub steps: Vec<Step>,
    /// What a plugin or a judge says of the parts of its score.
    pub parts: Vec<ExplainedPart>,
    /// Why there are no steps.
    pub note: Option<String>,
}

/// A part of a score, as it was stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedPart {
    /// A short name or verdict.
    pub label: Option<String>,
    /// Its number.
    pub value: Option<f64>,
    /// What is said of it.
    pub text: Option<String>,
}

/// A passage that was retrieved, or should have been.
#[derive(Clone, Debug, Default)]
pub struct ExplainedHit {
    /// From 1; `None` where it was not retrieved.
    pub rank: Option<u32>,
    /// Id of the passage.
    pub passage_id: String,
    /// The retriever's score.
    pub score: Option<f64>,
    /// The judged relevance.
    pub grade: Option<i32>,
    /// Whether the dataset names it as holding the answer.
    pub gold: bool,
    /// Whether the reader was given it.
    pub seen: Option<bool>,
    /// Whether a reference stands in it.
    pub has_answer: Option<bool>,
    /// Its text around a reference or the answer, which stands in brackets; of a gold passage without
    /// one how it begins. `None` where neither is so, or the text is not known.
    pub snippet: Option<String>,
}

/// Renders an explanation. Ends with a line break.
pub fn render_explanation(explanation: &ExampleExplanation, format: Format) -> String {
    match format {
        Format::Terminal { color } => terminal::render(explanation, color),
        Format::Json => json::render(explanation),
    }
}
