//! Cases that the authors of scripts wrote for their own tests, with the numbers that they assert.
//!
//! They lie in the folder `$QEVAL_REFERENCE`; without it nothing is compared, which is said aloud.

mod allennlp;
mod rouge;
mod sacrebleu;

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::{
    reference,
    tally::{Record, Tally},
};

#[test]
fn fixtures_of_drop_and_orb() {
    run("allennlp_fixtures/drop_eval_test.cases.json", allennlp::check);
    run("allennlp_fixtures/orb_eval_test.cases.json", allennlp::check);
}

#[test]
fn fixtures_of_sacrebleu() {
    run("sacrebleu/upstream_test_cases.json", sacrebleu::check);
}

#[test]
fn fixtures_of_rouge() {
    run("rouge_score/expected_rouge155.json", rouge::check);
}

/// Compares the cases of a file; a difference fails the test.
fn run(name: &str, check: fn(&Fixtures, &mut Tally)) {
    let path = match reference::folder() {
        Some(folder) if folder.join(name).is_file() => folder.join(name),
        Some(folder) => {
            let folder = folder.display();
            return say(&format!("{name} is not in `{folder}` and was not run"));
        }
        None => return say(&format!("{name} was not run: no `QEVAL_REFERENCE` is set")),
    };
    let text = fs::read_to_string(&path).unwrap();
    let fixtures = Fixtures { cases: serde_json::from_str(&text).unwrap(), path };
    let mut tally = Tally::default();
    check(&fixtures, &mut tally);
    match tally.report(name) {
        Ok(report) => say(&report),
        Err(report) => panic!("{report}"),
    }
}

fn say(line: &str) {
    reference::say("fixtures", line);
}

/// A file of cases.
struct Fixtures {
    path: PathBuf,
    cases: Value,
}

impl Fixtures {
    /// A text that lies beside the cases.
    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path.with_file_name(name)).unwrap()
    }
}

/// The comparisons that follow are of this case.
fn begin(tally: &mut Tally, id: &str) {
    let record = json!({"id": id, "input": null, "expected": null});
    let record: Record = serde_json::from_value(record).expect("it has the parts of a record");
    tally.begin(&record);
}

/// The items of a list.
fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

/// A text.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

/// A list of texts.
fn texts(value: &Value) -> Vec<&str> {
    list(value).iter().map(text).collect()
}
