//! Which packages may use a library whose subject one crate owns.

use super::{Finding, arrows::used, tree::Tree};
use crate::workspace::Workspace;

/// Libraries, and the folders of the packages that may use them. `deny.toml` has the same in
/// cargo-deny's words, for those that no library of others uses.
const OWNERS: [(&str, &[&str]); 14] = [
    ("tantivy", &["crates/retrieval"]),
    ("parquet", &["crates/dataset", "crates/store"]),
    ("libloading", &["crates/loader"]),
    ("clap", &["crates/cli", "xtask"]),
    ("clap_complete", &["crates/cli", "xtask"]),
    ("toml", &["crates/pipeline"]),
    (
        "tokio",
        &["crates/endpoint", "crates/loader", "crates/pipeline", "crates/process", "crates/remote"],
    ),
    ("object_store", &["crates/remote"]),
    ("reqwest", &["crates/endpoint"]),
    ("redb", &["crates/endpoint"]),
    ("candle-core", &["crates/encoder"]),
    ("candle-nn", &["crates/encoder"]),
    ("tokenizers", &["crates/encoder"]),
    ("pyo3", &["crates/python"]),
];

pub(super) fn check(workspace: &Workspace, tree: &Tree, findings: &mut Vec<Finding>) {
    let packages = workspace.packages();
    // The packages under tests/ look at the product from outside, with whatever helps.
    for (package, folder) in packages.iter().filter(|(_, folder)| !folder.starts_with("tests")) {
        let manifest = format!("{folder}/Cargo.toml");
        for library in used(package) {
            let Some(owners) = owners(library) else { continue };
            if !owners.contains(&folder.as_str()) {
                let message = format!("`{library}` is used in {} alone", owners.join(", "));
                findings.push(Finding::new(&manifest, tree.line(&manifest, library), message));
            }
        }
    }
    let names: Vec<(&str, &str)> = packages
        .iter()
        .filter_map(|(package, folder)| Some((package["name"].as_str()?, folder.as_str())))
        .collect();
    wrappers(tree, &names, findings);
}

fn owners(library: &str) -> Option<&'static [&'static str]> {
    OWNERS.iter().find(|(name, _)| *name == library).map(|(_, owners)| *owners)
}

/// The lines of `deny.toml` that say the same must name the same packages.
fn wrappers(tree: &Tree, names: &[(&str, &str)], findings: &mut Vec<Finding>) {
    let Some(file) = tree.find("deny.toml") else {
        findings.push(Finding::new("deny.toml", 0, "the file is missing"));
        return;
    };
    for (index, line) in file.text.lines().enumerate() {
        let Some((library, wrappers)) = ban(line) else { continue };
        let ours = wrappers.iter().filter_map(|&wrapper| {
            names.iter().find(|(name, _)| *name == wrapper).map(|(_, folder)| *folder)
        });
        let mut ours: Vec<&str> = ours.collect();
        ours.sort_unstable();
        // An owner that does not use the library yet need not be a wrapper.
        let known = owners(library).is_some_and(|owners| ours.iter().all(|o| owners.contains(o)));
        if !known || ours.is_empty() {
            let message = format!("the wrappers of `{library}` are not its owners in xtask");
            findings.push(Finding::new("deny.toml", index + 1, message));
        }
    }
}

/// The library and its wrappers in a line such as `{ crate = "a", wrappers = ["b", "c"] },`.
fn ban(line: &str) -> Option<(&str, Vec<&str>)> {
    let (_, rest) = line.split_once("crate = \"")?;
    let (library, rest) = rest.split_once('"')?;
    let (_, rest) = rest.split_once("wrappers = [")?;
    let (list, _) = rest.split_once(']')?;
    let names = list.split(',').map(|name| name.trim().trim_matches('"'));
    Some((library, names.filter(|name| !name.is_empty()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ban_is_read_with_its_wrappers() {
        let line = "    { crate = \"clap\", wrappers = [\"qeval-cli\", \"xtask\"] },";
        assert_eq!(ban(line), Some(("clap", vec!["qeval-cli", "xtask"])));
        assert_eq!(ban("# { crate = \"clap\" }"), None);
    }
}
