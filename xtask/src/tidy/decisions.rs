//! Decision records have a number, a name and the same headings.

use super::{Finding, tree::Tree};

const FOLDER: &str = "docs/decisions/";

const HEADINGS: [&str; 5] = ["Context", "Decision", "Alternatives", "Consequences", "Status"];

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let mut numbers: Vec<&str> = Vec::new();
    for file in &tree.files {
        let Some(name) = file.path.strip_prefix(FOLDER) else { continue };
        let Some(number) = number(name) else {
            let message = "a decision record is named `NNNN-title.md`, in lower case";
            findings.push(Finding::new(&file.path, 0, message));
            continue;
        };
        if numbers.contains(&number) {
            let message = format!("there are two decisions with the number {number}");
            findings.push(Finding::new(&file.path, 0, message));
        }
        numbers.push(number);
        let headings: Vec<&str> =
            file.text.lines().filter_map(|line| line.strip_prefix("## ")).map(str::trim).collect();
        if headings != HEADINGS {
            let message = format!("the headings are not {}, in this order", HEADINGS.join(", "));
            findings.push(Finding::new(&file.path, 0, message));
        }
    }
}

fn number(name: &str) -> Option<&str> {
    let (number, title) = name.strip_suffix(".md")?.split_once('-')?;
    let digits = number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit());
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (digits && !title.is_empty() && title.bytes().all(word)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_numbered_and_named() {
        assert_eq!(number("0007-own-words.md"), Some("0007"));
        for name in
            ["7-own-words.md", "0007-.md", "0007-Own.md", "0007.md", "README.md", "0007-a.txt"]
        {
            assert_eq!(number(name), None, "{name}");
        }
    }
}
