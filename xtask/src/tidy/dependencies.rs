//! Libraries of which two versions in one build cannot exchange values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Finding;

/// How the names of such libraries begin.
const ONCE: [&str; 5] = ["arrow", "parquet", "tokio", "tantivy", "candle-core"];

pub(super) fn check(resolved: &Value, findings: &mut Vec<Finding>) {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in resolved["packages"].as_array().into_iter().flatten() {
        let (name, version) = (package["name"].as_str(), package["version"].as_str());
        if let (Some(name), Some(version)) = (name, version)
            && ONCE.iter().any(|once| name == *once || name.starts_with("arrow-"))
        {
            versions.entry(name).or_default().insert(version);
        }
    }
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        let versions: Vec<&str> = versions.iter().copied().collect();
        let message = format!("`{name}` is there in versions {}", versions.join(" and "));
        findings.push(Finding::new("Cargo.lock", 0, message));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_second_arrow_is_found_and_a_second_hash_map_is_not() {
        let package = |name: &str, version: &str| json!({"name": name, "version": version});
        let packages = [
            package("arrow-array", "59.3.2"),
            package("arrow-array", "60.1.0"),
            package("hashbrown", "0.16.0"),
            package("hashbrown", "0.17.0"),
            package("tokio", "1.54.1"),
        ];
        let mut findings = Vec::new();
        check(&json!({"packages": packages}), &mut findings);
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["Cargo.lock: `arrow-array` is there in versions 59.3.2 and 60.1.0"]);
    }
}
