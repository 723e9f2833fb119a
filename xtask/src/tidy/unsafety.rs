//! `unsafe` is written in two files; test plugins that misbehave are the only exceptions.

use super::{Finding, code::code, tree::Tree};

/// The files in which `unsafe` may stand, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/sdk/src/abi.rs", "the C boundary, seen from the plugin"),
    ("crates/loader/src/library.rs", "the C boundary, seen from the program"),
    ("tests/faulty-plugin/src/lib.rs", "its faults are those that the safe interface prevents"),
];

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in tree.sources() {
        let allowed = ALLOWED.iter().any(|(path, _)| *path == file.path);
        let lines = lines(&file.text);
        if allowed && lines.is_empty() {
            let message = "is listed as a file with `unsafe` and has none, take it from the list";
            findings.push(Finding::new(&file.path, 0, message));
        }
        if !allowed {
            let message =
                "`unsafe` may stand only in the files listed in xtask/src/tidy/unsafety.rs";
            findings.extend(lines.into_iter().map(|line| Finding::new(&file.path, line, message)));
        }
    }
    for (path, _) in ALLOWED.iter().filter(|(path, _)| tree.find(path).is_none()) {
        let message = "is listed as a file with `unsafe` and does not exist";
        findings.push(Finding::new(path, 0, message));
    }
}

/// The lines with the keyword, from 1.
fn lines(source: &str) -> Vec<usize> {
    let word = |c: char| !(c.is_alphanumeric() || c == '_');
    code(source)
        .lines()
        .enumerate()
        .filter(|(_, line)| line.split(word).any(|word| word == "unsafe"))
        .map(|(index, _)| index + 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyword_is_found_where_it_is_code() {
        let source = "//! unsafe\n#![expect(unsafe_code)]\nfn f() { unsafe { g() } }\n\
                      #[unsafe(no_mangle)]\nconst A: &str = \"unsafe\";\n";
        assert_eq!(lines(source), [3, 4]);
    }
}
