//! Answers in other languages than English: each gets the score that its speakers expect, with the
//! rules of the language, and a poor one by the English rules where that is the point.
//!
//! The table in `docs/languages.md` has the means of these scores.

use std::fs;

use qeval_core::{Case, Example, Metric, Prediction};
use serde::Deserialize;

use crate::support::root;

/// Id; EM and F1 by the English rules; EM and F1 by those of the language.
type Row = (&'static str, [f64; 2], [f64; 2]);

const NONE: [f64; 2] = [0.0, 0.0];
const ALL: [f64; 2] = [1.0, 1.0];

const fn part(f1: f64) -> [f64; 2] {
    [0.0, f1]
}

const ROWS: &[Row] = &[
    // Quotation marks, the article at the front of the word.
    ("ar-1", NONE, ALL),
    ("ar-2", NONE, part(4.0 / 7.0)),
    ("ar-3", NONE, ALL),
    ("ar-4", part(2.0 / 3.0), part(2.0 / 3.0)),
    ("ar-5", NONE, NONE),
    ("ar-6", NONE, NONE),
    // Articles, ß and SS, quotation marks, a letter written as two.
    ("de-1", part(2.0 / 3.0), ALL),
    ("de-2", NONE, ALL),
    ("de-3", NONE, ALL),
    ("de-4", NONE, ALL),
    ("de-5", NONE, NONE),
    ("de-6", NONE, NONE),
    // Articles, ¡.
    ("es-1", part(2.0 / 3.0), ALL),
    ("es-2", part(0.5), ALL),
    ("es-3", part(0.8), part(0.8)),
    ("es-4", part(0.4), part(0.5)),
    ("es-5", NONE, NONE),
    // The danda, a letter that is written in two ways.
    ("hi-1", NONE, ALL),
    ("hi-2", NONE, ALL),
    ("hi-3", part(2.0 / 3.0), part(2.0 / 3.0)),
    ("hi-4", NONE, NONE),
    ("hi-5", NONE, NONE),
    // Quotation marks, й written as two.
    ("ru-1", NONE, ALL),
    ("ru-2", NONE, ALL),
    ("ru-3", part(2.0 / 3.0), part(2.0 / 3.0)),
    ("ru-4", NONE, NONE),
    ("ru-5", NONE, NONE),
    ("ru-6", NONE, NONE),
    // No blanks. Two words of other meaning have a letter in common: the last row.
    ("th-1", NONE, part(2.0 / 3.0)),
    ("th-2", NONE, part(16.0 / 19.0)),
    ("th-3", NONE, ALL),
    ("th-4", NONE, NONE),
    ("th-5", NONE, part(1.0 / 3.0)),
    // i and ı.
    ("tr-1", NONE, ALL),
    ("tr-2", NONE, ALL),
    ("tr-3", NONE, ALL),
    ("tr-4", part(0.5), part(0.5)),
    ("tr-5", NONE, NONE),
    // Letters with two marks, written as one or as three.
    ("vi-1", NONE, ALL),
    ("vi-2", NONE, ALL),
    ("vi-3", part(2.0 / 3.0), part(2.0 / 3.0)),
    ("vi-4", part(0.4), part(0.4)),
    ("vi-5", NONE, NONE),
    // No blanks; wide digits.
    ("zh-1", NONE, part(0.8)),
    ("zh-2", NONE, ALL),
    ("zh-3", NONE, ALL),
    ("zh-4", NONE, part(1.0)),
    ("zh-5", NONE, NONE),
    ("zh-6", NONE, NONE),
];

/// Answers that are a value: words say too little of them.
const VALUES: &[(&str, &str)] = &[
    ("ar-5", "Number"),
    ("de-5", "Date"),
    ("de-6", "Number(locale=de)"),
    ("es-4", "YesNo(language=es)"),
    ("hi-4", "Number(locale=in)"),
    ("ru-4", "Date"),
    ("ru-5", "Number(locale=ru)"),
    ("th-4", "Number"),
    ("tr-5", "Date"),
    ("vi-3", "Contains(language=vi)"),
    ("vi-4", "YesNo(language=vi)"),
    ("zh-5", "Number"),
];

#[test]
fn languages_have_the_scores_of_their_speakers() {
    for record in ROWS.iter().map(|(id, ..)| id).zip(records()) {
        assert_eq!(*record.0, record.1.id, "the table has the records in their order");
    }
    assert_eq!(ROWS.len(), records().len());
    for (&(id, english, own), record) in ROWS.iter().zip(records()) {
        let language = &id[..2];
        for (index, name) in ["EM", "F1"].into_iter().enumerate() {
            record.check(name, english[index]);
            record.check(&format!("{name}(language={language})"), own[index]);
        }
    }
}

#[test]
fn languages_write_values_in_their_way() {
    for (id, metric) in VALUES {
        records().iter().find(|record| record.id == *id).unwrap().check(metric, 1.0);
    }
}

/// The numbers of the page are those of the table above.
#[test]
fn languages_are_documented_with_their_numbers() {
    let page = fs::read_to_string(root().join("docs/languages.md")).unwrap();
    for language in ["ar", "de", "es", "hi", "ru", "th", "tr", "vi", "zh"] {
        let rows: Vec<&Row> = ROWS.iter().filter(|(id, ..)| id.starts_with(language)).collect();
        let mean = |score: &dyn Fn(&Row) -> f64| {
            rows.iter().map(|row| score(row)).sum::<f64>() / rows.len() as f64
        };
        let line = format!(
            "| `{language}` | {} | {:.2} | {:.2} | {:.2} | {:.2} |",
            rows.len(),
            mean(&|row| row.1[0]),
            mean(&|row| row.2[0]),
            mean(&|row| row.1[1]),
            mean(&|row| row.2[1]),
        );
        assert!(page.contains(&line), "docs/languages.md lacks the line\n{line}");
    }
}

#[derive(Debug, Deserialize)]
struct Record {
    id: String,
    references: Vec<String>,
    prediction: String,
}

impl Record {
    fn check(&self, metric: &str, expected: f64) {
        let references = self.references.iter().map(|text| text.as_str().into()).collect();
        let example = Example { references, ..Example::default() };
        let prediction = Prediction::answer(&self.prediction);
        let case = Case::new(&example).with_prediction(&prediction);
        let score = metric.parse::<Metric>().unwrap().score(&case);
        let close = score.as_ref().is_ok_and(|score| (score - expected).abs() < 1e-12);
        assert!(close, "{metric} of {}: {score:?}, expected {expected}", self.id);
    }
}

/// All records, by language.
fn records() -> Vec<Record> {
    let folder = root().join("datasets/multilingual");
    let names = ["ar", "de", "es", "hi", "ru", "th", "tr", "vi", "zh"];
    let read = |name: &str| fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    let lines: Vec<String> = names
        .into_iter()
        .map(read)
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}
