//! What was retrieved, passage by passage: why a retriever has the numbers that it has.

mod text;

use serde_json::{Value, json};

pub(crate) use text::{render, unfound};

/// The measure that has the place of `Recall` where judgments name documents: the share of the
/// relevant ones with a passage among the first hits. `Recall(unit=document)@k` is another one, whose
/// ranks are those of documents.
pub const DOCUMENTS_FOUND: &str = "documents found";

/// What one retriever gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RetrievalReport {
    /// Questions for which it was asked and did not fail.
    pub questions: u64,
    /// Whether judgments name documents: the relevant passages are documents then, each found where
    /// its first passage is.
    pub documents: bool,
    /// The most hits of one question.
    pub depth: usize,
    /// Recall at every depth.
    pub curves: Vec<CurveReport>,
    /// Relevance against the answer, where both are known.
    pub disagreement: Option<DisagreementReport>,
    /// The depths at which groups are looked at: the first hits, and all.
    pub depths: Vec<usize>,
    /// Recall by dataset and slice.
    pub slices: Vec<SliceRecall>,
    /// The relevant passages by their length in words.
    pub lengths: Vec<GroupRecall>,
    /// The relevant passages by the place of the answer in them.
    pub places: Vec<GroupRecall>,
    /// Relevant passages that the corpus lacks; `None` without a corpus.
    pub without_text: Option<u64>,
    /// Hits that repeat better ones; `None` without a corpus.
    pub copies: Option<CopyReport>,
    /// How much of the corpus is ever retrieved; `None` without one.
    pub coverage: Option<CoverageReport>,
}

/// A measure at every depth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveReport {
    /// Name of the metric without its cutoff.
    pub measure: String,
    /// How many questions it is known of.
    pub n: u64,
    /// Its mean at the depths from 1.
    pub points: Vec<f64>,
}

/// Passages with and without the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WithAnswer {
    /// Those in which a reference stands.
    pub with: u64,
    /// Those in which none stands.
    pub without: u64,
}

/// Relevance against the answer, over the questions that have judgments and references.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DisagreementReport {
    /// Relevant passages among the hits.
    pub retrieved: WithAnswer,
    /// Relevant passages that were not retrieved.
    pub missed: WithAnswer,
    /// Hits that are judged and not relevant.
    pub not_relevant: WithAnswer,
    /// Hits that nobody judged.
    pub unjudged: WithAnswer,
    /// Questions with a hit that has the answer and is unjudged.
    pub unjudged_questions: u64,
    /// The first such hits, by rank.
    pub unjudged_with: Vec<PassageExample>,
    /// The first hits that have the answer and are judged not to be relevant.
    pub not_relevant_with: Vec<PassageExample>,
    /// The first relevant passages without the answer.
    pub relevant_without: Vec<PassageExample>,
}

/// A passage of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassageExample {
    /// Id of the example.
    pub example_id: String,
    /// Name of its dataset, where there are several.
    pub dataset: Option<String>,
    /// Id of the passage.
    pub passage_id: String,
    /// Its rank among the hits; `None` where it was not retrieved.
    pub rank: Option<u32>,
}

/// What is found of how much.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// How many questions or passages there are.
    pub n: u64,
    /// Which share of them is found at each of the report's depths; none of nothing.
    pub shares: Vec<f64>,
}

/// Recall in one slice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SliceRecall {
    /// The column; `dataset` for the datasets.
    pub slice: String,
    /// Its value; `None` for examples without one.
    pub value: Option<String>,
    /// The mean of `Recall` over its questions.
    pub recall: Found,
    /// The mean of `AnswerRecall` over its questions.
    pub answer_recall: Found,
}

/// Relevant passages that have something in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupRecall {
    /// What they have in common.
    pub name: String,
    /// How many of them are retrieved.
    pub found: Found,
}

/// Hits that nearly repeat better ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CopyReport {
    /// For each depth: how many hits there are within it, and how many of them are near copies.
    pub within: Vec<(usize, u64, u64)>,
    /// Questions with a near copy among the hits that were compared.
    pub questions: u64,
    /// The first near copies, by rank.
    pub examples: Vec<PassageExample>,
}

/// How much of the corpus is retrieved for any question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoverageReport {
    /// Passages of the corpus.
    pub passages: u64,
    /// How many of them are retrieved at each of the report's depths.
    pub retrieved: Vec<u64>,
    /// Those that are retrieved for the most questions.
    pub hubs: Vec<Hub>,
}

/// A passage that is retrieved for many questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hub {
    /// Id of the passage.
    pub passage_id: String,
    /// For how many questions.
    pub questions: u64,
}

/// The questions that no retriever finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnfoundReport {
    /// How many systems retrieve.
    pub systems: u64,
    /// How many others should, and have no hit for any question.
    pub without_hits: u64,
    /// Questions with relevant passages, and those of them without one among the hits.
    pub judged: (u64, u64),
    /// Questions without relevant passages but with references, and those of them without an
    /// answer among the hits.
    pub answerable: (u64, u64),
    /// The first that are not found: dataset, where there are several, and id.
    pub examples: Vec<(Option<String>, String)>,
}

/// The report for programs.
pub(crate) fn json(report: &RetrievalReport) -> Value {
    let curves = report
        .curves
        .iter()
        .map(|curve| json!({"measure": curve.measure, "n": curve.n, "at": curve.points}));
    let slices = report.slices.iter().map(|slice| {
        json!({
            "slice": slice.slice,
            "slice_value": slice.value,
            "recall": found_json(&slice.recall),
            "answer_recall": found_json(&slice.answer_recall),
        })
    });
    let groups = |groups: &[GroupRecall]| -> Vec<Value> {
        let group = |group: &GroupRecall| {
            let mut value = found_json(&group.found);
            value["group"] = json!(group.name);
            value
        };
        groups.iter().map(group).collect()
    };
    json!({
        "questions": report.questions,
        "relevant": if report.documents { "documents" } else { "passages" },
        "depth": report.depth,
        "curves": curves.collect::<Vec<_>>(),
        "disagreement": report.disagreement.as_ref().map(|d| disagreement_json(d, report.documents)),
        "group_depths": report.depths,
        "by_slice": slices.collect::<Vec<_>>(),
        "by_length": groups(&report.lengths),
        "by_answer_place": groups(&report.places),
        "relevant_without_text": report.without_text,
        "near_copies": report.copies.as_ref().map(copies_json),
        "coverage": report.coverage.as_ref().map(coverage_json),
    })
}

fn found_json(found: &Found) -> Value {
    json!({"n": found.n, "shares": found.shares})
}

fn disagreement_json(found: &DisagreementReport, documents: bool) -> Value {
    let cells = |cells: WithAnswer| json!({"with": cells.with, "without": cells.without});
    json!({
        // Nobody looked at the text of a document.
        "relevant_retrieved": (!documents).then(|| cells(found.retrieved)),
        "relevant_not_retrieved": (!documents).then(|| cells(found.missed)),
        "judged_not_relevant": cells(found.not_relevant),
        "unjudged": cells(found.unjudged),
        "unjudged_with_answer_questions": found.unjudged_questions,
        "unjudged_with_answer": examples_json(&found.unjudged_with),
        "not_relevant_with_answer": examples_json(&found.not_relevant_with),
        "relevant_without_answer": examples_json(&found.relevant_without),
    })
}

fn copies_json(copies: &CopyReport) -> Value {
    let within = copies
        .within
        .iter()
        .map(|(depth, hits, copies)| json!({"depth": depth, "hits": hits, "near_copies": copies}));
    json!({
        "within": within.collect::<Vec<_>>(),
        "questions": copies.questions,
        "examples": examples_json(&copies.examples),
    })
}

fn coverage_json(coverage: &CoverageReport) -> Value {
    let hub = |hub: &Hub| json!({"passage_id": hub.passage_id, "questions": hub.questions});
    json!({
        "passages": coverage.passages,
        "retrieved": coverage.retrieved,
        "most_retrieved": coverage.hubs.iter().map(hub).collect::<Vec<_>>(),
    })
}

fn examples_json(examples: &[PassageExample]) -> Vec<Value> {
    let example = |example: &PassageExample| {
        json!({
            "dataset": example.dataset,
            "example_id": example.example_id,
            "passage_id": example.passage_id,
            "rank": example.rank,
        })
    };
    examples.iter().map(example).collect()
}

/// The questions that no retriever finds, for programs.
pub(crate) fn unfound_json(found: &UnfoundReport) -> Value {
    let cells = |(n, unfound): (u64, u64)| json!({"n": n, "unfound": unfound});
    let example =
        |(dataset, id): &(Option<String>, String)| json!({"dataset": dataset, "example_id": id});
    json!({
        "systems": found.systems,
        "systems_without_hits": found.without_hits,
        "with_relevant_passages": cells(found.judged),
        "with_references_alone": cells(found.answerable),
        "examples": found.examples.iter().map(example).collect::<Vec<_>>(),
    })
}
