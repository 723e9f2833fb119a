//! What was done with each question: answered, abstained from, or neither.

use std::path::Path;

use arrow_array::Array;
use qeval_core::metrics::abstention::Decision;

use super::{
    ReadError,
    table::{self, Batch, value},
};

/// The columns that say it, and those of texts that say it in older evaluations.
const COLUMNS: [&str; 7] = [
    "answerable",
    "reference",
    "abstained",
    "error",
    "isolated_abstained",
    "isolated_error",
    "isolated_prediction",
];

/// What was done with each question, in the order of [`Scores`](crate::Scores).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredDecisions {
    /// Whether it has a reference.
    pub answerable: Vec<bool>,
    /// By the system; `None` where it failed.
    pub integrated: Vec<Option<Decision>>,
    /// By the reader on the gold passages; `None` where it failed or had nothing to read.
    pub isolated: Vec<Option<Decision>>,
}

/// Reads them without the texts.
pub(super) fn read(folder: &Path) -> Result<StoredDecisions, ReadError> {
    let mut found = StoredDecisions::default();
    let parts = table::required_parts(folder, "cases")?;
    for batch in table::batches(parts, |part| {
        let has = |name: &str| part.columns().any(|column| column == name);
        let (answerable, isolated) = (has("answerable"), has("isolated_abstained"));
        let unneeded = move |column: &str| match column {
            "reference" => answerable,
            "isolated_prediction" => isolated,
            _ => false,
        };
        part.project(move |column| COLUMNS.contains(&column) && !unneeded(column))
    }) {
        append(&batch?, &mut found)?;
    }
    Ok(found)
}

fn append(batch: &Batch, found: &mut StoredDecisions) -> Result<(), ReadError> {
    if batch.has("answerable") {
        let answerable = batch.booleans("answerable")?;
        found.answerable.extend((0..batch.rows()).map(|row| answerable.value(row)));
    } else {
        let references = batch.text_lists("reference")?;
        let some = |row| references.value_length(row) > 0;
        found.answerable.extend((0..batch.rows()).map(some));
    }
    let abstained = batch.booleans("abstained")?;
    let errors = batch.texts("error")?;
    for row in 0..batch.rows() {
        let missing = errors.is_null(row).then_some(Decision::Missing);
        found.integrated.push(value(abstained, row).map(decision).or(missing));
    }
    if !batch.has("isolated_abstained") {
        // Nobody knows why there is no answer.
        let texts = batch.texts("isolated_prediction")?;
        let blank = |text: &str| decision(text.trim().is_empty());
        found.isolated.extend((0..batch.rows()).map(|row| value(texts, row).map(blank)));
        return Ok(());
    }
    let abstained = batch.booleans("isolated_abstained")?;
    let errors = batch.texts("isolated_error")?;
    found.isolated.extend((0..batch.rows()).map(|row| {
        let given = value(abstained, row).map_or(Decision::Missing, decision);
        errors.is_null(row).then_some(given)
    }));
    Ok(())
}

fn decision(abstained: bool) -> Decision {
    if abstained { Decision::Abstained } else { Decision::Answered }
}

#[cfg(test)]
mod tests {
    use qeval_core::Prediction;

    use super::*;
    use crate::{Evaluation, EvaluationId, Layout, Manifest, Row, Writer};

    #[test]
    fn a_failure_is_no_decision() {
        let results = tempfile::tempdir().unwrap();
        let id = EvaluationId::new("decisions", "00");
        let mut writer = Writer::create(results.path(), &id, Layout::default()).unwrap();
        let (answer, none) = (Prediction::answer("x"), Prediction::abstention());
        let references = ["x".into()];
        let row = Row { references: &references, ..Row::default() };
        let rows = [
            Row { example_id: "a", prediction: Some(&answer), ..row },
            Row { example_id: "b", prediction: Some(&none), references: &[], ..row },
            Row { example_id: "c", isolated_prediction: Some("x"), ..row },
            Row {
                example_id: "d",
                error: Some("timeout"),
                isolated_prediction: Some("-"),
                isolated_abstained: true,
                ..row
            },
            // It was asked with nothing to read.
            Row {
                example_id: "e",
                prediction: Some(&answer),
                error: Some("the search failed"),
                isolated_prediction: Some(""),
                isolated_error: Some("the example has no relevant passage"),
                ..row
            },
        ];
        writer.append(&rows).unwrap();
        let folder = writer.finish(Manifest::default()).unwrap();
        let found = Evaluation::open(&folder).unwrap().decisions().unwrap();
        assert_eq!(found.answerable, [true, false, true, true, true]);
        let (answered, abstained) = (Some(Decision::Answered), Some(Decision::Abstained));
        let missing = Some(Decision::Missing);
        assert_eq!(found.integrated, [answered, abstained, missing, None, answered]);
        assert_eq!(found.isolated, [missing, missing, answered, abstained, None]);
    }
}
