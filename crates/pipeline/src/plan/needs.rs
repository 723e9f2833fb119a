//! What metrics need, and what a file lacks of it.

use qeval_core::{Metric, Need};
use qeval_sdk::{Input, MetricDescriptor};

use super::DatasetPlan;

/// The parts of a file that metrics may need.
#[expect(clippy::struct_excessive_bools, reason = "each says whether a file has something")]
pub(super) struct Parts<'a> {
    pub(super) datasets: &'a [DatasetPlan],
    pub(super) has_corpus: bool,
    pub(super) has_retriever: bool,
    /// How many hits the retriever with the fewest is asked for.
    pub(super) depth: Option<usize>,
    pub(super) has_reader: bool,
    /// Whether anybody knows what was retrieved for an answer.
    pub(super) knows_hits: bool,
}

/// Those needs that are met by the answers.
pub(super) fn reads(needs: &[Need]) -> Vec<Need> {
    let beside_text = |need: &&Need| matches!(need, Need::Label(_) | Need::Confidence);
    needs.iter().filter(beside_text).copied().collect()
}

/// What a metric of a plugin needs for what it reads.
pub(super) fn needs_of(inputs: &[Input]) -> Vec<Need> {
    let needs = inputs.iter().flat_map(|input| match input {
        Input::References => &[Need::References][..],
        Input::GoldPassages | Input::Grades => &[Need::Judgments],
        Input::Passages | Input::CitedPassages => &[Need::PassageTexts],
        Input::GoldTexts => &[Need::Judgments, Need::PassageTexts],
        Input::Hits => &[Need::Hits],
        _ => &[],
    });
    needs.copied().collect()
}

/// What one of the datasets lacks, and a hint.
pub(super) fn unmet(
    need: Need,
    dataset: &DatasetPlan,
    parts: &Parts<'_>,
    metric: &MetricDescriptor,
) -> Option<(String, String)> {
    let lacks = |what: &str, lack: &str| match parts.datasets {
        [_] => format!("needs {what}, and the dataset {lack}"),
        _ => format!("needs {what}, and the dataset `{}` {lack}", dataset.name),
    };
    match need {
        Need::Judgments if !dataset.has_gold && dataset.qrels.is_none() => {
            let answer = answer_metric(&metric.name);
            Some((
                lacks("relevant passages", "names none"),
                format!(
                    "map them (`fields = {{ gold_passages = \"...\" }}`) or give `qrels` in \
                     `[dataset]`{answer}"
                ),
            ))
        }
        Need::Subtopics if dataset.qrels.is_none() => Some((
            lacks("judgments on subtopics", "has none"),
            "give them as `qrels` in `[dataset]`: lines `query subtopic passage grade`".to_owned(),
        )),
        Need::PassageTexts if !parts.has_corpus => Some((
            "needs the texts of the passages".to_owned(),
            "declare the passages as `[corpus]`".to_owned(),
        )),
        Need::Hits if !parts.knows_hits => Some((
            "needs to know what was retrieved".to_owned(),
            "declare a `[retriever]`, or name the field with what the reader saw: `fields = { hits \
             = \"...\" }` in `[reader]`"
                .to_owned(),
        )),
        Need::Groups if dataset.groups.is_none() => Some((
            lacks("examples that belong to dialogs", "has none"),
            "map their column: `fields = { group = \"...\" }` in `[dataset]`".to_owned(),
        )),
        Need::References if !dataset.source.format.has_references() => Some((
            lacks("references", "has none"),
            format!("the format `{}` holds questions alone", dataset.source.format.name()),
        )),
        _ => None,
    }
}

/// What to use where a text says Recall@k and means whether the answer was retrieved.
fn answer_metric(name: &str) -> String {
    let Ok(metric) = name.parse::<Metric>() else { return String::new() };
    let cutoff = metric.cutoff().unwrap_or(100);
    match metric.definition().name {
        "Recall" | "Success" => {
            format!(
                "; without them `AnswerRecall@{cutoff}` asks whether a passage holds the answer"
            )
        }
        "MRR" => format!("; without them `AnswerMRR@{cutoff}` asks how early the answer comes"),
        _ => String::new(),
    }
}
