//! Whether an evaluation is the one that its plan and its name say.

use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Verification;
use crate::{Manifest, manifest::FILE_NAME as FILE};

/// Compares the manifest with the plan in it, and with the name of the folder.
pub(super) fn look(folder: &Path, manifest: &Manifest, found: &mut Verification) {
    let name = folder.file_name().and_then(|name| name.to_str());
    let id = name.and_then(|name| name.strip_prefix("evaluation_id="));
    if let Some(id) = id.filter(|&id| id != manifest.evaluation_id) {
        let own = &manifest.evaluation_id;
        found.file(FILE, format!("it is of `{own}`, and the folder is named after `{id}`"));
    }
    // What was not planned has no plan to compare with.
    if !manifest.plan.is_object() {
        return;
    }
    let digest = Sha256::digest(manifest.plan.to_string().as_bytes());
    let digest: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let digest = digest.concat();
    if digest != manifest.plan_digest {
        let expected = &manifest.plan_digest;
        found.file(FILE, format!("the digest of its plan is `{digest}`, expected `{expected}`"));
    }
    let datasets: Vec<&Value> = match &manifest.plan["dataset"] {
        Value::Array(several) => several.iter().map(|dataset| &dataset["digest"]).collect(),
        only => vec![&only["digest"]],
    };
    let said = manifest.datasets.iter().map(|dataset| Value::from(dataset.digest.as_str()));
    let pairs = [
        ("label", manifest.plan["label"].clone(), Value::from(manifest.label.as_str())),
        ("system", manifest.plan["system"].clone(), Value::from(manifest.system.as_str())),
        ("seed", manifest.plan["seed"].clone(), Value::from(manifest.seed)),
        ("digests of the datasets", datasets.into_iter().cloned().collect(), said.collect()),
    ];
    for (what, planned, said) in pairs {
        // Older plans do not say all of it.
        if !planned.is_null() && planned != said {
            found.file(FILE, format!("its {what} is {said}, and its plan has {planned}"));
        }
    }
}
