//! Whether the answers of a stored evaluation are those that a plan would score.

use qeval_core::{Metric, Need, Stage};
use qeval_sdk::Input;
use serde_json::Value;

use super::{Plan, PlannedRetriever, System, resolve};
use crate::{Config, Problem, changes, stored_answers::StoredAnswers};

/// What stands before the answers in a plan: with another one they would be others.
const BEFORE: [&str; 4] = ["corpus", "ignore_identical_ids", "retriever", "ties"];

/// Leaves the one system that has the stored answers, where there are some.
pub(super) fn choose(
    config: &Config,
    retrievers: &[PlannedRetriever],
    systems: &mut Vec<System>,
    problems: &mut Vec<Problem>,
) {
    let Some(answers) = &config.answers else { return };
    let retriever = |system: &System| system.retriever.map(|index| retrievers[index].name.clone());
    let of_answers = answers.manifest().plan["retriever"]["name"].as_str();
    systems.retain(|system| retriever(system).as_deref() == of_answers);
    if systems.is_empty() {
        let id = &answers.manifest().evaluation_id;
        let message = match of_answers {
            Some(name) => {
                format!("the answers of `{id}` need the retriever `{name}`, which is none here")
            }
            None => format!("the answers of `{id}` come without a retriever, and here are some"),
        };
        problems.push(
            Problem::of_file(message).hint("give the plan of the evaluation with other metrics"),
        );
    }
}

/// Appends what makes the stored answers, where there are some, unfit for a plan.
pub(super) fn check(config: &Config, plan: &Plan, systems: &[System], problems: &mut Vec<Problem>) {
    let Some(answers) = &config.answers else { return };
    for system in systems {
        check_system(config, answers, plan, system, problems);
    }
}

fn check_system(
    config: &Config,
    answers: &StoredAnswers,
    plan: &Plan,
    system: &System,
    problems: &mut Vec<Problem>,
) {
    let manifest = answers.manifest();
    let id = &manifest.evaluation_id;
    if answers.reader().is_null() {
        problems.push(Problem::of_file(format!(
            "nothing answers in `{id}`: there is nothing to score again"
        )));
        return;
    }
    let known = manifest.datasets.len() == plan.datasets.len();
    for (index, (dataset, section)) in plan.datasets.iter().zip(&config.datasets).enumerate() {
        let expected = manifest.datasets.get(index).map(|known| known.digest.as_str());
        if known && expected == Some(&dataset.digest) {
            continue;
        }
        let message = format!(
            "the dataset `{}` is not the one whose answers `{id}` has: its digest is `{}`, expected `{}`",
            dataset.name,
            dataset.digest,
            expected.unwrap_or("none"),
        );
        let hint = "the answers are to other questions: run the plan instead (`qeval run`)";
        problems.push(Problem::at(section.span(), message).hint(hint));
    }
    let resolved = resolve(plan, system);
    let part = |plan: &Value| -> Value {
        let parts = BEFORE.map(|key| (key.to_owned(), plan.get(key).cloned().unwrap_or_default()));
        Value::Object(parts.into_iter().collect())
    };
    let changed = changes(&part(&manifest.plan), &part(&resolved));
    if !changed.is_empty() {
        let message =
            format!("the answers of `{id}` were given to other passages: {}", changed.join("; "));
        let hint =
            "give the plan of the evaluation with other metrics, or run this one (`qeval run`)";
        problems.push(Problem::of_file(message).hint(hint));
    }
    let missing = system.stages.iter().filter(|stage| **stage != Stage::Retrieval);
    for stage in missing.filter(|stage| !answers.has(**stage)) {
        let message = format!("`{id}` has no answers of the stage `{stage}`");
        problems.push(Problem::of_file(message).hint("evaluate the other stages: `--only STAGE`"));
    }
    let live = answers.reader()["options"]["passages"].is_u64();
    for (stage, metric, _) in plan.columns(system) {
        let metric = &plan.metrics[metric];
        if stage == Stage::Retrieval || metric.statistic_of.is_some() {
            continue;
        }
        let inputs = plan.scorers[metric.scorer].inputs();
        if let Some(what) = unstored(
            &metric.descriptor.name,
            &metric.reads,
            &inputs,
            (stage == Stage::Isolated, live),
        ) {
            let name = &metric.descriptor.name;
            let message = format!("`{name}` needs {what}, which evaluations do not store");
            let hint = "leave it out, or run the plan (`qeval run`)";
            problems.push(Problem::at(config.metrics.span(), message).hint(hint));
        }
    }
}

/// Built-in metrics that read the citations of an answer.
const CITED: [&str; 7] = [
    "HotpotQA.SP-",
    "HotpotQA.Joint-",
    "KILT.Joint-",
    "KILT.Precision",
    "KILT.Recall",
    "KILT.Rprec",
    "KILT.Success",
];

/// What a metric reads of answers and no evaluation stores. `live` says that a reader gave them that was
/// asked, whose answers are no lists.
fn unstored(
    name: &str,
    reads: &[Need],
    inputs: &[Input],
    (isolated, live): (bool, bool),
) -> Option<&'static str> {
    if reads.iter().any(|need| matches!(need, Need::Label(_))) {
        return Some("labels beside the text of an answer");
    }
    if isolated && reads.contains(&Need::Confidence) {
        return Some("the confidence of isolated answers");
    }
    let base = name.parse::<Metric>().map(|metric| metric.definition().name).ok()?;
    let begins = |names: &[&str]| names.iter().any(|name| base.starts_with(name));
    if begins(&["Top-", "FARM."]) {
        Some("the candidates of an answer")
    } else if begins(&["NQ."]) {
        Some("the spans that the predictions say")
    } else if begins(&["Set.", "DROP."]) && !live {
        Some("the parts of an answer that is a list")
    } else if isolated && (begins(&CITED) || inputs.contains(&Input::CitedPassages)) {
        Some("the citations of isolated answers")
    } else {
        None
    }
}
