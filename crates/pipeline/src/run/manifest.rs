//! The manifest of one evaluation: what was run, with which versions, and when.

use std::{collections::BTreeMap, time::Duration};

use qeval_store::{
    ClustersInfo, ComponentInfo, CorpusInfo, DatasetInfo, Diagnosis, Manifest, Notice, Versions,
};

use super::{fingerprints, tally::Tally};
use crate::{
    Plan,
    builtin::journaled::Needed,
    plan::{DatasetPlan, Groups, System, resolve},
};

/// `elapsed` is the time since the first example was asked for.
pub(super) fn manifest(plan: &Plan, system: &System, tally: &Tally, elapsed: Duration) -> Manifest {
    let mut components: Vec<ComponentInfo> = Vec::new();
    components.extend(system.retriever.map(|index| plan.retrievers[index].info.clone()));
    components.extend(system.reader.map(|index| plan.readers[index].info.clone()));
    components.extend(plan.scorer_components.iter().cloned());
    let dataset = |(index, dataset): (usize, &DatasetPlan)| DatasetInfo {
        name: dataset.name.clone(),
        digest: dataset.digest.clone(),
        examples: tally.examples(index),
        ..DatasetInfo::default()
    };
    Manifest {
        label: plan.label.clone(),
        system: system.name.clone(),
        place: place(plan, system),
        group: plan.group.clone(),
        created: now(),
        seed: plan.intervals.seed,
        interval: Some(plan.intervals.into()),
        clusters: clusters(plan, tally),
        plan: resolve(plan, system),
        datasets: plan.datasets.iter().enumerate().map(dataset).collect(),
        corpus: plan.corpus.as_ref().map(|corpus| CorpusInfo {
            name: corpus.name.clone(),
            digest: corpus.digest.clone(),
            passages: corpus.passages.len() as u64,
        }),
        components,
        counts: tally.counts().into_iter().chain(answers(plan, system)).collect(),
        notices: tally
            .notices()
            .into_iter()
            .chain(reused(plan, system))
            .chain(shared(plan))
            .collect(),
        judgments: tally.judgments(),
        usage: tally.taken.info(plan, system),
        repeats: tally.spread.info(plan, system),
        diagnosis: plan.diagnosis.as_ref().filter(|_| plan.diagnoses(system)).map(|diagnosis| {
            Diagnosis {
                metric: plan.metrics[diagnosis.metric].descriptor.name.clone(),
                threshold: diagnosis.at_least,
            }
        }),
        gates: plan.gates.clone(),
        fingerprints: fingerprints::fingerprints(plan, system),
        versions: Versions { qeval: env!("CARGO_PKG_VERSION").to_owned(), ..Versions::default() },
        timings: BTreeMap::from([("evaluation_s".to_owned(), elapsed.as_secs_f64())]),
        host: BTreeMap::from([
            ("os".to_owned(), std::env::consts::OS.to_owned()),
            ("arch".to_owned(), std::env::consts::ARCH.to_owned()),
        ]),
        ..Manifest::default()
    }
}

/// How many answers were needed so far, of a reader whose answers are kept.
fn needed(plan: &Plan, system: &System) -> Option<Needed> {
    plan.readers[system.reader?].journaled.as_ref()?.needed()
}

/// Whoever reads the report must know that the reader may have changed since.
/// What the examples belong to.
fn clusters(plan: &Plan, tally: &Tally) -> Option<ClustersInfo> {
    let (groups, examples) = tally.groups();
    let (by, source) = match plan.datasets.iter().find_map(|dataset| dataset.groups.as_ref())? {
        Groups::Declared(field) => (field.clone(), "declared"),
        Groups::Detected(format) => ((*format).to_owned(), "detected"),
    };
    Some(ClustersInfo { by, source: source.to_owned(), groups, examples })
}

/// Says where examples are taken as independent that hardly are.
fn shared(plan: &Plan) -> impl Iterator<Item = Notice> {
    let sharing = |dataset: &&DatasetPlan| dataset.groups.is_none() && dataset.sharing_contexts > 0;
    plan.datasets.iter().filter(sharing).map(|dataset| {
        let (count, name) = (dataset.sharing_contexts, &dataset.name);
        let squad = dataset.source.format.name() == "squad";
        let field = if squad { "title" } else { "..." };
        let text = format!(
            "`{name}`: of the first 100 examples {count} have a context that another one has too, and \
             intervals take them as independent; name the field of their document, `fields = {{ group \
             = \"{field}\" }}` in `[dataset]`"
        );
        Notice { kind: "remark".to_owned(), count, text, examples: Vec::new() }
    })
}

fn reused(plan: &Plan, system: &System) -> Option<Notice> {
    let count = needed(plan, system)?.earlier();
    let what = if count == 1 { "answer is one" } else { "answers are those" };
    let text =
        format!("{count} {what} that the reader gave in an earlier evaluation, finished or not");
    let notice = Notice { kind: "remark".to_owned(), count, text, examples: Vec::new() };
    Some(notice).filter(|_| count > 0)
}

/// Where the answers came from.
fn answers(plan: &Plan, system: &System) -> Vec<(String, u64)> {
    needed(plan, system).map_or_else(Vec::new, |needed| {
        vec![
            ("questions_asked".to_owned(), needed.asked),
            ("answers_reused".to_owned(), needed.earlier()),
        ]
    })
}

/// The place of a system among those of all combinations.
fn place(plan: &Plan, system: &System) -> u64 {
    let own = plan.systems.iter().take_while(|other| other.name != system.name).count() as u64;
    let before = plan.swept.as_ref().map_or(0, |swept| swept.place);
    before * plan.systems.len() as u64 + own
}

/// The time in RFC 3339, in UTC and whole seconds.
fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
