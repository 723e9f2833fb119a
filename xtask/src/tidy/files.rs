//! Rules about single files: sizes, names, module docs, forbidden words, paths of one machine.

use super::{
    Finding,
    code::code,
    tree::{Tree, TreeFile},
};

const MOST_LINES: usize = 500;

/// Files that may be longer, and why.
const LONG: &[(&str, &str)] = &[];

/// File names that collect things instead of naming one.
const NAMELESS: [&str; 7] =
    ["mod.rs", "utils.rs", "util.rs", "errors.rs", "imp.rs", "common.rs", "helpers.rs"];

/// What must not stand in code, and what to do about it.
const FORBIDDEN: [(&str, &str); 5] = [
    ("[allow(", "write `#[expect(lint, reason = \"...\")]`"),
    ("todo!(", "finish it, or leave it out"),
    ("unimplemented!(", "finish it, or leave it out"),
    ("dbg!(", "take it out"),
    ("#[ignore", "run it, or take it out"),
];

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in tree.sources() {
        size(file, findings);
        name(file, findings);
        module_doc(file, findings);
        forbidden(file, findings);
    }
    for (path, _) in LONG {
        let long = tree.find(path).is_some_and(|file| file.text.lines().count() > MOST_LINES);
        if !long {
            let message = "is listed as a long file and is none, take it from the list";
            findings.push(Finding::new(path, 0, message));
        }
    }
    for file in tree.files.iter().filter(|file| file.path != "Cargo.lock") {
        machine_paths(file, findings);
    }
}

fn size(file: &TreeFile, findings: &mut Vec<Finding>) {
    let lines = file.text.lines().count();
    if lines > MOST_LINES && LONG.iter().all(|(path, _)| *path != file.path) {
        let message = format!("{lines} lines, expected at most {MOST_LINES}: one thing, one file");
        findings.push(Finding::new(&file.path, 0, message));
    }
}

fn name(file: &TreeFile, findings: &mut Vec<Finding>) {
    if NAMELESS.contains(&file.name()) {
        let message = format!("a file is not named `{}`: name the thing in it", file.name());
        findings.push(Finding::new(&file.path, 0, message));
    }
}

fn module_doc(file: &TreeFile, findings: &mut Vec<Finding>) {
    if !file.text.starts_with("//! ") {
        let message = "the file does not begin with `//!` and what it is for";
        findings.push(Finding::new(&file.path, 1, message));
    }
}

fn forbidden(file: &TreeFile, findings: &mut Vec<Finding>) {
    for (index, line) in code(&file.text).lines().enumerate() {
        for (text, instead) in FORBIDDEN {
            if line.contains(text) {
                let message = format!("`{text}` is not used here: {instead}");
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
}

/// Absolute paths that only the machine of one developer has.
fn machine_paths(file: &TreeFile, findings: &mut Vec<Finding>) {
    for (index, line) in file.text.lines().enumerate() {
        if let Some(path) = machine_path(line) {
            let message = format!("`{path}` is a path of one machine");
            findings.push(Finding::new(&file.path, index + 1, message));
        }
    }
}

fn machine_path(line: &str) -> Option<String> {
    for folder in ["work", "home", "root"] {
        let path = format!("/{folder}/");
        let starts = line.match_indices(&path).map(|(at, _)| &line[..at]);
        // A folder of that name inside another path is nobody's machine.
        let part =
            |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || "._-}~$*".contains(c));
        if starts.into_iter().any(|before| !part(before)) {
            return Some(path);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let files = vec![TreeFile { path: path.to_owned(), text: text.to_owned() }];
        let mut findings = Vec::new();
        super::check(&Tree { files }, &mut findings);
        let lines = findings.iter().filter(|finding| finding.path == path);
        assert_eq!(lines.map(ToString::to_string).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn a_file_is_short_named_and_says_what_it_is_for() {
        check("a.rs", "//! A.\n", &[]);
        check(
            "a.rs",
            "use b;\n",
            &["a.rs:1: the file does not begin with `//!` and what it is for"],
        );
        let long = "//! A.\n".repeat(501);
        check("a.rs", &long, &["a.rs: 501 lines, expected at most 500: one thing, one file"]);
        check(
            "x/mod.rs",
            "//! A.\n",
            &["x/mod.rs: a file is not named `mod.rs`: name the thing in it"],
        );
    }

    #[test]
    fn unfinished_work_is_found_in_code_only() {
        check(
            "a.rs",
            "//! A.\n\nfn f() { todo!() }\n",
            &["a.rs:3: `todo!(` is not used here: finish it, or leave it out"],
        );
        check(
            "a.rs",
            "//! A.\n#![allow(x)]\n",
            &["a.rs:2: `[allow(` is not used here: write `#[expect(lint, reason = \"...\")]`"],
        );
        check("a.rs", "//! A todo!() in a comment.\nconst A: &str = \"dbg!(x)\";\n", &[]);
    }

    #[test]
    fn paths_of_one_machine_are_found_in_all_files() {
        let home = ["", "home", "ann", "x"].join("/");
        let message = format!("a.md:2: `{}` is a path of one machine", &home[..6]);
        check("a.md", &format!("\nsee {home}\n"), &[&message]);
        check("a.md", &format!("https://x.org{home}, ..{home}, ${{X}}{home}"), &[]);
    }
}
