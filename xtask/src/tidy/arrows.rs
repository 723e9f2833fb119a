//! Which of our crates may use which, and how a package of ours is set up.

use serde_json::Value;

use super::{Finding, tree::Tree};
use crate::workspace::Workspace;

/// What each crate may use of ours, besides `core`. A new arrow needs a decision record.
const ARROWS: [(&str, &[&str]); 15] = [
    ("core", &[]),
    ("sdk", &[]),
    ("dataset", &[]),
    ("store", &[]),
    ("report", &[]),
    ("endpoint", &[]),
    ("process", &[]),
    ("remote", &[]),
    ("retrieval", &["sdk"]),
    ("loader", &["sdk", "process"]),
    ("judge", &["sdk", "endpoint"]),
    ("encoder", &["sdk"]),
    (
        "pipeline",
        &[
            "sdk",
            "dataset",
            "endpoint",
            "process",
            "retrieval",
            "loader",
            "judge",
            "encoder",
            "store",
        ],
    ),
    ("cli", &["pipeline", "store", "report", "loader", "remote"]),
    ("python", &["pipeline", "store"]),
];

pub(super) fn check(workspace: &Workspace, tree: &Tree, findings: &mut Vec<Finding>) {
    for (package, folder) in workspace.packages() {
        let manifest = format!("{folder}/Cargo.toml");
        let mut found = |begins: &str, message: String| {
            findings.push(Finding::new(&manifest, tree.line(&manifest, begins), message));
        };
        let name = package["name"].as_str().unwrap_or_default();
        if let Some(noun) = folder.strip_prefix("crates/")
            && name != format!("qeval-{noun}")
        {
            found("name", format!("the package is named `{name}`, expected `qeval-{noun}`"));
        }
        if !inherits_lints(tree, &manifest) {
            found("[lints]", "the package lacks `[lints]` with `workspace = true`".to_owned());
        }
        for used in used(package).filter_map(|dependency| dependency.strip_prefix("qeval-")) {
            if let Some(message) = refusal(&folder, used) {
                found(&format!("qeval-{used}"), message);
            }
        }
    }
}

/// The dependencies of a package; tests may use what they like.
pub(super) fn used(package: &Value) -> impl Iterator<Item = &str> {
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    dependencies
        .filter(|dependency| dependency["kind"].as_str() != Some("dev"))
        .filter_map(|dependency| dependency["name"].as_str())
}

/// Why the package in this folder may not use that crate of ours; `None` when it may.
fn refusal(folder: &str, used: &str) -> Option<String> {
    match folder.split_once('/') {
        Some(("crates", noun)) => match ARROWS.iter().find(|(from, _)| *from == noun) {
            None => Some(format!("`{noun}` has no row in xtask/src/tidy/arrows.rs")),
            Some((_, to)) if used == "core" || to.contains(&used) => None,
            Some(_) => Some(format!("`{noun}` may not use `{used}`: there is no such arrow")),
        },
        Some(("plugins", _)) if used != "sdk" => {
            Some(format!("a plugin uses `sdk` alone, not `{used}`"))
        }
        None if folder == "xtask" => {
            Some(format!("the tasks use no crate of ours, but `{used}` is named"))
        }
        // Tests look at everything.
        _ => None,
    }
}

fn inherits_lints(tree: &Tree, manifest: &str) -> bool {
    let Some(file) = tree.find(manifest) else { return true };
    let mut lines = file.text.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
    lines.next() == Some("workspace = true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_arrows_of_the_table_are_allowed() {
        for (folder, used) in [
            ("crates/store", "core"),
            ("crates/loader", "process"),
            ("crates/cli", "loader"),
            ("plugins/key-figures", "sdk"),
            ("tests/faulty-plugin", "sdk"),
        ] {
            assert_eq!(refusal(folder, used), None, "{folder} to {used}");
        }
        for (folder, used) in [
            ("crates/store", "sdk"),
            ("crates/cli", "dataset"),
            ("crates/retrieval", "loader"),
            ("crates/unheard-of", "core"),
            ("plugins/key-figures", "core"),
            ("xtask", "core"),
        ] {
            assert!(refusal(folder, used).is_some(), "{folder} to {used}");
        }
    }

    #[test]
    fn arrows_have_no_circle() {
        let rank = |noun: &str| ARROWS.iter().position(|(from, _)| *from == noun);
        for (from, to) in ARROWS {
            assert!(to.iter().all(|to| rank(to) < rank(from)), "{from}");
        }
    }
}
