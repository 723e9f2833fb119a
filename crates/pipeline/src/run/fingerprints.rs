//! What an evaluation is made of, as digests for its manifest.

use std::collections::BTreeMap;

use qeval_store::{ComponentInfo, Environment, Fingerprints};
use serde_json::{Value, json};

use crate::{
    Plan,
    plan::{System, digest_of},
};

/// Parts of the options of a reader that make its prompt.
const PROMPT: [&str; 4] = ["exchange", "passage", "prompt", "system"];

/// The digests of a system's plan and of all that it names.
pub(super) fn fingerprints(plan: &Plan, system: &System) -> Fingerprints {
    let retrievers = plan.retrievers.iter().zip(plan.asked(system.retriever));
    let retrievers: Vec<_> = retrievers.filter(|(_, asked)| *asked).map(|(part, _)| part).collect();
    let reader = system.reader.map(|index| &plan.readers[index]);
    let mut components: Vec<(&str, &ComponentInfo)> = Vec::new();
    components.extend(retrievers.iter().map(|part| (part.name.as_str(), &part.info)));
    components.extend(reader.map(|part| (part.name.as_str(), &part.info)));
    let texts = |value: &Value| -> BTreeMap<String, String> {
        let of = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
        value.as_object().into_iter().flatten().filter_map(of).collect()
    };
    let mut found = Fingerprints {
        plan: system.digest.clone(),
        corpus: plan.corpus.as_ref().map(|corpus| corpus.digest.clone()),
        environment: Environment {
            build: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
            threads: rayon::current_num_threads() as u64,
            variables: plan.variables.clone(),
        },
        ..Fingerprints::default()
    };
    for dataset in &plan.datasets {
        found.datasets.insert(dataset.name.clone(), dataset.digest.clone());
        let judgments = dataset.qrels_digest.clone();
        found.judgments.extend(judgments.map(|digest| (dataset.name.clone(), digest)));
    }
    for retriever in retrievers {
        let index = retriever.index.as_ref().and_then(|index| index.component.stored());
        found.indexes.extend(index.map(|i| (retriever.name.clone(), i.fingerprint.clone())));
    }
    for plugin in &plan.scorer_components {
        let (name, digest) = (&plugin.options["name"], &plugin.options["sha256"]);
        let name = name.as_str().unwrap_or(&plugin.name).to_owned();
        found.plugins.extend(digest.as_str().map(|digest| (name, digest.to_owned())));
    }
    for (name, info) in components {
        let files = texts(&info.options["files"]);
        if !files.is_empty() {
            found.programs.insert(name.to_owned(), files);
        }
        if let Some(model) = info.options["request"]["model"].as_str() {
            found.models.insert(name.to_owned(), model.to_owned());
        }
        if info.options["prompt"].is_string() {
            let parts = json!(PROMPT.map(|part| &info.options[part]));
            found.prompts.insert(name.to_owned(), digest_of(parts.to_string().as_bytes()));
        }
    }
    found
}
