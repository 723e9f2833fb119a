//! The manifest of one evaluation: what was run, with which versions, and when.

use std::{collections::BTreeMap, time::Duration};

use qeval_store::{ComponentInfo, CorpusInfo, DatasetInfo, Diagnosis, Manifest, Versions};

use super::{fingerprints, tally::Tally};
use crate::{
    Plan,
    plan::{DatasetPlan, System, resolve},
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
        place: plan.systems.iter().take_while(|other| other.name != system.name).count() as u64,
        group: plan.group(),
        created: now(),
        seed: plan.seed,
        plan: resolve(plan, system),
        datasets: plan.datasets.iter().enumerate().map(dataset).collect(),
        corpus: plan.corpus.as_ref().map(|corpus| CorpusInfo {
            name: corpus.name.clone(),
            digest: corpus.digest.clone(),
            passages: corpus.passages.len() as u64,
        }),
        components,
        counts: tally.counts(),
        notices: tally.notices(),
        judgments: tally.judgments(),
        diagnosis: plan.diagnosis.as_ref().filter(|_| plan.diagnoses(system)).map(|diagnosis| {
            Diagnosis {
                metric: plan.metrics[diagnosis.metric].descriptor.name.clone(),
                threshold: diagnosis.at_least,
            }
        }),
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

/// The time in RFC 3339, in UTC and whole seconds.
fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
