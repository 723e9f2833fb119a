//! What a golden test reads and counts: records, and the values that agree or differ.

use std::{collections::BTreeMap, fmt::Debug};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

/// How far a score may be from the script's; it is made of few divisions.
const TOLERANCE: f64 = 1e-12;

/// How many differences a report shows.
const SHOWN: usize = 5;

/// One input with what the script made of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    /// Unique in its file.
    pub(crate) id: String,
    /// What was put to the script.
    input: Value,
    /// What it answered.
    pub(crate) expected: Value,
}

impl Record {
    /// The input in the shape of its family.
    pub(crate) fn input<T: DeserializeOwned>(&self) -> T {
        T::deserialize(&self.input).unwrap_or_else(|e| panic!("input of `{}`: {e}", self.id))
    }

    /// A part of what is expected; null where there is none.
    pub(crate) fn expected(&self, key: &str) -> &Value {
        &self.expected[key]
    }

    /// The exception that the script raised.
    pub(crate) fn error(&self) -> Option<&str> {
        self.expected["error"].as_str()
    }
}

/// The comparisons of one family.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    record: String,
    records: usize,
    compared: usize,
    skipped: BTreeMap<&'static str, usize>,
    different: usize,
    shown: Vec<String>,
}

impl Tally {
    /// The comparisons that follow are of this record.
    pub(crate) fn begin(&mut self, record: &Record) {
        self.record.clone_from(&record.id);
        self.records += 1;
    }

    /// Compares a score with what is expected of it; `None` is an example without a score.
    pub(crate) fn score(&mut self, name: &str, expected: &Value, found: Option<f64>) {
        self.number(name, expected, found, |a, b| (a - b).abs() <= TOLERANCE);
    }

    /// Compares a score that may be this far from what is expected.
    pub(crate) fn within(
        &mut self,
        name: &str,
        expected: &Value,
        found: Option<f64>,
        tolerance: f64,
    ) {
        self.number(name, expected, found, |a, b| (a - b).abs() <= tolerance);
    }

    /// Compares a score of which the script prints five decimals, the last of them not always
    /// rounded.
    pub(crate) fn five_decimals(&mut self, name: &str, expected: &Value, found: Option<f64>) {
        self.number(name, expected, found, |a, b| (a - b).abs() <= 1.01e-5);
    }

    /// Compares a score that is given in percent.
    pub(crate) fn percent(&mut self, name: &str, expected: &Value, found: Option<f64>) {
        let found = found.map(|found| 100.0 * found);
        self.number(name, expected, found, |a, b| (a - b).abs() <= 100.0 * TOLERANCE);
    }

    /// Compares a count, or a score that is 0 or 1, exactly.
    pub(crate) fn count(&mut self, name: &str, expected: &Value, found: Option<f64>) {
        self.number(name, expected, found, |a, b| a.total_cmp(&b).is_eq());
    }

    fn number(
        &mut self,
        name: &str,
        expected: &Value,
        found: Option<f64>,
        same: impl Fn(f64, f64) -> bool,
    ) {
        let number = number(expected);
        let agree = number.zip(found).is_some_and(|(expected, found)| same(expected, found));
        let written = match number {
            Some(number) => format!("{number:?}"),
            None => format!("a number, found {expected} in the record"),
        };
        self.add(agree, || {
            let found = found.map_or("no score".to_owned(), |found| format!("{found:?}"));
            format!("{name}: expected {written}, found {found}")
        });
    }

    /// Compares anything else exactly.
    pub(crate) fn same<T: PartialEq + Debug>(&mut self, name: &str, expected: &T, found: &T) {
        self.add(expected == found, || format!("{name}: expected {expected:?}, found {found:?}"));
    }

    /// Leaves something out, aloud.
    pub(crate) fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    fn add(&mut self, agree: bool, difference: impl FnOnce() -> String) {
        self.compared += 1;
        if agree {
            return;
        }
        self.different += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(format!("\n  {}, {}", self.record, difference()));
        }
    }

    /// What was compared; an error if a value differs or there was none.
    pub(crate) fn report(&self, family: &str) -> Result<String, String> {
        let skipped = self.skipped.iter().fold(String::new(), |text, (reason, count)| {
            text + &format!("; left out: {reason} ({count})")
        });
        if self.compared == 0 {
            return Err(format!("{family}: no value was compared{skipped}"));
        }
        if self.different > 0 {
            let (different, compared) = (self.different, self.compared);
            let shown = self.shown.concat();
            return Err(format!("{family}: {different} of {compared} values differ:{shown}"));
        }
        let plural = if self.records == 1 { "" } else { "s" };
        let (compared, records) = (self.compared, self.records);
        Ok(format!("{family}: {compared} values of {records} record{plural} agree{skipped}"))
    }
}

/// A number as the files write it: infinite ones and NaN are strings, and Python's `bool` counts.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::Bool(value) => Some(f64::from(*value)),
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}
