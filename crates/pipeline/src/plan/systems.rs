//! The systems of a plan: every retriever with every reader, and the stages of each.

use std::ops::Range;

use qeval_core::Stage;
use qeval_store::EvaluationId;

use super::{DatasetPlan, Plan, PlannedReader, PlannedRetriever, System};
use crate::{Config, Problem, config::Swept, problem::suggest};

/// Every retriever with every reader; a file without one of them has the other alone.
pub(super) fn systems(
    wanted: Option<&[(Stage, Range<usize>)]>,
    datasets: &[DatasetPlan],
    has_corpus: bool,
    retrievers: &[PlannedRetriever],
    readers: &[PlannedReader],
    problems: &mut Vec<Problem>,
) -> Vec<System> {
    let indexes = |n: usize| if n == 0 { vec![None] } else { (0..n).map(Some).collect() };
    let mut systems = Vec::new();
    for retriever in indexes(retrievers.len()) {
        for reader in indexes(readers.len()) {
            let possible =
                possible_stages(datasets, has_corpus, retriever, reader.map(|i| &readers[i]));
            let stages = possible.into_iter().filter(|stage| {
                wanted.as_ref().is_none_or(|wanted| wanted.iter().any(|(w, _)| w == stage))
            });
            systems.push(System {
                name: system_name(retrievers, readers, retriever, reader),
                retriever,
                reader,
                stages: stages.collect(),
                id: EvaluationId::new("x", "0"),
                digest: String::new(),
                unswept: String::new(),
            });
        }
    }
    for (stage, span) in wanted.unwrap_or_default().iter().cloned() {
        if !systems.iter().any(|system| system.has(stage)) {
            let why = match stage {
                Stage::Retrieval => "it needs a `[retriever]`",
                Stage::Integrated => "it needs a `[reader]`",
                Stage::Isolated => {
                    "it needs a live reader with gold passages and their corpus (or a context in \
                     the dataset), or a replay reader with `isolated_path`"
                }
            };
            let message = format!("the stage `{stage}` cannot be evaluated");
            problems.push(Problem::at(span, message).hint(why));
        }
    }
    systems
}

/// Refuses systems for which nothing is computed.
pub(super) fn check_measured(
    plan: &Plan,
    systems: &[System],
    config: &Config,
    problems: &mut Vec<Problem>,
) {
    let measured = |system: &System| plan.metrics.iter().any(|m| !m.columns(system).is_empty());
    for system in systems.iter().filter(|system| !measured(system)) {
        let (message, hint) = if system.stages.is_empty() {
            (
                format!("the system `{}` has no stage that can be evaluated", system.name),
                "a live reader reads what a `[retriever]` finds, or gold passages",
            )
        } else {
            (
                format!("no metric is computed for the system `{}`", system.name),
                "name metrics of a stage that it has in `[metrics]`",
            )
        };
        problems.push(Problem::at(config.metrics.span(), message).hint(hint));
    }
}

/// Names the systems of one combination of a sweep after it.
pub(super) fn name_apart(systems: &mut [System], swept: Option<&Swept>) {
    let Some(swept) = swept else { return };
    let alone = systems.len() == 1;
    for system in systems {
        let own = std::mem::take(&mut system.name);
        system.name = if alone { swept.name.clone() } else { format!("{own} {}", swept.name) };
        system.unswept = own;
    }
}

/// The stages that the file asks for, with their places; `None` where it does not say.
pub(super) fn stages(
    config: &Config,
    problems: &mut Vec<Problem>,
) -> Option<Vec<(Stage, Range<usize>)>> {
    let names = config.evaluation.stages.as_ref()?;
    let mut stages = Vec::new();
    for name in names {
        if let Some(stage) = Stage::from_name(name.get_ref()) {
            stages.push((stage, name.span()));
        } else {
            let message = format!("there is no stage `{}`", name.get_ref());
            let hint = suggest(name.get_ref(), Stage::ALL.map(Stage::name));
            problems.push(Problem::at(name.span(), message).maybe_hint(hint));
        }
    }
    Some(stages)
}

fn possible_stages(
    datasets: &[DatasetPlan],
    has_corpus: bool,
    retriever: Option<usize>,
    reader: Option<&PlannedReader>,
) -> Vec<Stage> {
    let mut stages = Vec::new();
    if retriever.is_some() {
        stages.push(Stage::Retrieval);
    }
    if let Some(reader) = reader {
        let live = reader.passages.is_some();
        let gold = |dataset: &DatasetPlan| dataset.has_gold || dataset.qrels.is_some();
        let isolated = datasets.iter().any(|d| (has_corpus && gold(d)) || d.has_context);
        if reader.isolated.is_some() && (!live || isolated) {
            stages.push(Stage::Isolated);
        }
        // A live reader without a retriever has nothing to read but the gold passages, unless it reads
        // nothing at all.
        let closed_book = reader.passages == Some(0) && reader.isolated.is_none();
        if !live || retriever.is_some() || closed_book {
            stages.push(Stage::Integrated);
        }
    }
    stages
}

/// The parts of which there are several name the system; the only one of its kind says nothing.
fn system_name(
    retrievers: &[PlannedRetriever],
    readers: &[PlannedReader],
    retriever: Option<usize>,
    reader: Option<usize>,
) -> String {
    let retriever = retriever.map(|index| retrievers[index].name.as_str());
    let reader = reader.map(|index| readers[index].name.as_str());
    match (retriever, reader) {
        (Some(retriever), Some(reader)) if retrievers.len() > 1 => format!("{retriever}+{reader}"),
        (_, Some(reader)) => reader.to_owned(),
        (Some(retriever), None) => retriever.to_owned(),
        (None, None) => String::new(),
    }
}
