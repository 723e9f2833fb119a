//! The scores of a batch as one Arrow record batch: what comes back over the plugin boundary, and
//! the checks on it.
//!
//! For each metric `M` of the plugin, in any order:
//!
//! - `M: float64?`, the scores, null where there is none;
//! - `M.unscored: utf8?`, optional: why a score is null, one of `no reference`,
//!   `no relevant passage`, `low agreement`, `not applicable`, `failed`;
//! - `M.reason: utf8?`, optional: the same in the plugin's own words.
//!
//! A row for each case, in the order of the cases. What comes back is not trusted: rows, types and
//! values are checked before a score is used.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, Schema};
use qeval_core::{Score, Unscored};

use crate::{Columns, Failure, FailureKind};

/// Name and range of a metric, as far as the checks need them.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Name of the column.
    pub name: String,
    /// Lowest and highest value.
    pub range: (f64, f64),
}

/// Writes scores as a record batch. Columns of different lengths are a failure.
pub fn encode(names: &[&str], columns: &Columns, rows: usize) -> Result<RecordBatch, Failure> {
    if names.len() != columns.len() {
        return Err(protocol(format!(
            "the scorer gave {} columns for its {} metrics",
            columns.len(),
            names.len()
        )));
    }
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    let mut push = |name: String, array: ArrayRef| {
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    };
    for (name, scores) in names.iter().zip(columns) {
        let values: Float64Array =
            scores.iter().map(|score| score.as_ref().ok().copied()).collect();
        push((*name).to_owned(), Arc::new(values));
        if scores.iter().any(Result::is_err) {
            let reasons = || scores.iter().map(|score| score.as_ref().err());
            let labels: StringArray = reasons().map(|reason| Some(reason?.label())).collect();
            push(format!("{name}.unscored"), Arc::new(labels));
            let texts: StringArray = reasons().map(|reason| Some(reason?.to_string())).collect();
            push(format!("{name}.reason"), Arc::new(texts));
        }
    }
    // The number of rows is said only where no column says it.
    let options = RecordBatchOptions::new().with_row_count(arrays.is_empty().then_some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
        .map_err(|error| protocol(format!("the scores do not make a batch: {error}")))
}

/// Reads and checks the scores that came back for the examples with these ids.
pub fn decode(batch: &RecordBatch, metrics: &[Expected], ids: &[&str]) -> Result<Columns, Failure> {
    if batch.num_rows() != ids.len() {
        return Err(protocol(format!(
            "it gave {} rows of scores for {} cases",
            batch.num_rows(),
            ids.len()
        )));
    }
    let columns: Columns =
        metrics.iter().map(|metric| column(batch, &metric.name)).collect::<Result<_, _>>()?;
    check(&columns, metrics, ids)?;
    Ok(columns)
}

/// Whether scores are what they must be: a column for each metric, a score for each example,
/// every value a number inside the range of its metric.
pub fn check(columns: &Columns, metrics: &[Expected], ids: &[&str]) -> Result<(), Failure> {
    if columns.len() != metrics.len() {
        return Err(protocol(format!(
            "it gave {} columns of scores for {} metrics",
            columns.len(),
            metrics.len()
        )));
    }
    for (metric, scores) in metrics.iter().zip(columns) {
        if scores.len() != ids.len() {
            return Err(protocol(format!(
                "metric `{}` has {} scores for {} cases",
                metric.name,
                scores.len(),
                ids.len()
            )));
        }
        for (score, id) in scores.iter().zip(ids) {
            check_value(score, metric, id)?;
        }
    }
    Ok(())
}

fn check_value(score: &Score, metric: &Expected, id: &str) -> Result<(), Failure> {
    let Ok(value) = score else { return Ok(()) };
    let (low, high) = metric.range;
    let expected = if !value.is_finite() {
        "expected a finite number or null".to_owned()
    } else if (low..=high).contains(value) {
        return Ok(());
    } else {
        format!("outside its range of {low} to {high}")
    };
    let message = format!("metric `{}` of example `{id}` is {value}, {expected}", metric.name);
    Err(Failure::new(FailureKind::Value, message))
}

fn column(batch: &RecordBatch, name: &str) -> Result<Vec<Score>, Failure> {
    let values = typed::<Float64Array>(batch, name, &DataType::Float64)?
        .ok_or_else(|| protocol(format!("it gave no column `{name}`")))?;
    let labels = typed::<StringArray>(batch, &format!("{name}.unscored"), &DataType::Utf8)?;
    let reasons = typed::<StringArray>(batch, &format!("{name}.reason"), &DataType::Utf8)?;
    let text = |texts: Option<&StringArray>, row: usize| {
        texts.filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row).to_owned())
    };
    let score = |row| {
        if values.is_valid(row) {
            Ok(values.value(row))
        } else {
            Err(unscored(text(labels, row).as_deref(), text(reasons, row)))
        }
    };
    Ok((0..values.len()).map(score).collect())
}

fn unscored(label: Option<&str>, reason: Option<String>) -> Unscored {
    match label {
        Some("no reference") => Unscored::NoReference,
        Some("no relevant passage") => Unscored::NoRelevantPassage,
        Some("low agreement") => Unscored::LowAgreement,
        Some("failed") => Unscored::Failed(reason.unwrap_or_else(|| "failed".to_owned())),
        _ => Unscored::NotApplicable(
            reason.unwrap_or_else(|| "the plugin gives no score".to_owned()),
        ),
    }
}

fn typed<'a, A: Array + 'static>(
    batch: &'a RecordBatch,
    name: &str,
    expected: &DataType,
) -> Result<Option<&'a A>, Failure> {
    let Some(array) = batch.column_by_name(name) else { return Ok(None) };
    array.as_any().downcast_ref().map(Some).ok_or_else(|| {
        protocol(format!(
            "its column `{name}` is of type {}, expected {expected}",
            array.data_type()
        ))
    })
}

fn protocol(message: String) -> Failure {
    Failure::new(FailureKind::Protocol, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str) -> Expected {
        Expected { name: name.to_owned(), range: (0.0, 1.0) }
    }

    #[test]
    fn scores_come_back_as_they_were_given() {
        let columns = vec![
            vec![Ok(0.0), Ok(1.0), Ok(0.1 + 0.2)],
            vec![
                Err(Unscored::NoReference),
                Err(Unscored::NotApplicable("no figure".to_owned())),
                Err(Unscored::Failed("no luck".to_owned())),
            ],
        ];
        let batch = encode(&["a", "b"], &columns, 3).unwrap();
        let metrics = [metric("a"), metric("b")];
        assert_eq!(decode(&batch, &metrics, &["x", "y", "z"]), Ok(columns));
    }

    #[test]
    fn a_wrong_answer_is_named() {
        let batch = |scores| encode(&["m"], &vec![scores], 1).unwrap();
        for (batch, message) in [
            (
                batch(vec![Ok(f64::NAN)]),
                "value: metric `m` of example `x` is NaN, expected a finite number or null",
            ),
            (
                batch(vec![Ok(f64::INFINITY)]),
                "value: metric `m` of example `x` is inf, expected a finite number or null",
            ),
            (
                batch(vec![Ok(1.5)]),
                "value: metric `m` of example `x` is 1.5, outside its range of 0 to 1",
            ),
            (batch(vec![]), "protocol: it gave 0 rows of scores for 1 cases"),
            (encode(&["n"], &vec![vec![Ok(1.0)]], 1).unwrap(), "protocol: it gave no column `m`"),
        ] {
            assert_eq!(decode(&batch, &[metric("m")], &["x"]).unwrap_err().to_string(), message);
        }
        let integers: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![1]));
        let batch = RecordBatch::try_from_iter([("m", integers)]).unwrap();
        assert_eq!(
            decode(&batch, &[metric("m")], &["x"]).unwrap_err().to_string(),
            "protocol: its column `m` is of type Int64, expected Float64"
        );
    }

    #[test]
    fn columns_of_different_lengths_are_no_batch() {
        let columns = vec![vec![Ok(1.0)], vec![Ok(1.0), Ok(0.0)]];
        assert_eq!(encode(&["a", "b"], &columns, 2).unwrap_err().kind, FailureKind::Protocol);
        assert_eq!(encode(&["a"], &columns, 2).unwrap_err().kind, FailureKind::Protocol);
    }
}
