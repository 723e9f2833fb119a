//! The licences of all packages, against the list in `deny.toml`.

use serde_json::Value;

use super::{Finding, tree::Tree};

pub(super) fn check(resolved: &Value, tree: &Tree, findings: &mut Vec<Finding>) {
    let text = tree.find("deny.toml").map_or("", |file| file.text.as_str());
    let allowed = allowed(text);
    for package in resolved["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let version = package["version"].as_str().unwrap_or_default();
        let message = match package["license"].as_str() {
            None => "states no licence".to_owned(),
            Some(license) if permits(license, &allowed) => continue,
            Some(license) => format!("has the licence `{license}`, which deny.toml does not allow"),
        };
        let message = format!("`{name}` {version} {message}");
        findings.push(Finding::new("Cargo.lock", 0, message));
    }
}

/// The list `allow` of `deny.toml`: one licence in quotes on each line.
fn allowed(text: &str) -> Vec<&str> {
    text.lines()
        .skip_while(|line| line.trim() != "allow = [")
        .skip(1)
        .take_while(|line| line.trim() != "]")
        .filter_map(|line| line.trim().strip_prefix('"')?.split_once('"'))
        .map(|(license, _)| license)
        .collect()
}

/// Whether an SPDX expression leaves a choice of allowed licences.
fn permits(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words: Vec<&str> = spaced.split_whitespace().collect();
    words.reverse();
    let result = any(&mut words, allowed);
    result && words.is_empty()
}

/// Alternatives; the words are taken from the end of the list.
fn any(words: &mut Vec<&str>, allowed: &[&str]) -> bool {
    let mut result = all(words, allowed);
    while words.last() == Some(&"OR") {
        words.pop();
        // Both sides are read, whatever the first one says.
        result |= all(words, allowed);
    }
    result
}

fn all(words: &mut Vec<&str>, allowed: &[&str]) -> bool {
    let mut result = one(words, allowed);
    while words.last() == Some(&"AND") {
        words.pop();
        result &= one(words, allowed);
    }
    result
}

fn one(words: &mut Vec<&str>, allowed: &[&str]) -> bool {
    match words.pop() {
        Some("(") => {
            let result = any(words, allowed);
            words.pop() == Some(")") && result
        }
        Some(license) => {
            if words.last() == Some(&"WITH") {
                // An exception permits more than the licence alone.
                words.truncate(words.len().saturating_sub(2));
            }
            allowed.contains(&license)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_choice_is_enough_and_all_parts_must_be_allowed() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"];
        for expression in [
            "MIT",
            "MIT OR GPL-3.0",
            "MIT/Apache-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(permits(expression, &allowed), "{expression}");
        }
        for expression in
            ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND BSL-1.0", "MIT )", "(MIT"]
        {
            assert!(!permits(expression, &allowed), "{expression}");
        }
    }

    #[test]
    fn the_list_is_read_from_the_policy_file() {
        let text = "[licenses]\nallow = [\n    # why\n    \"MIT\", # this\n    \"ISC\",\n]\nb = [\n\"X\"\n]";
        assert_eq!(allowed(text), ["MIT", "ISC"]);
    }
}
