//! Merged statistics as an Arrow record batch, and the numbers that come back: see *Metrics of a
//! whole dataset* in the specification.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray,
    builder::{Float64Builder, ListBuilder},
};
use arrow_schema::{DataType, Field, Schema};

use crate::{
    Failure, FailureKind, Merge, Merged,
    cells::{Lists, required},
    instance::Column,
};

/// Writes the groups of one metric. `statistics` are the names of its statistics and how they were
/// merged.
pub fn encode(
    metric: &str,
    statistics: &[(String, Merge)],
    groups: &[Merged],
) -> Result<RecordBatch, Failure> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    let mut push = |name: &str, array: ArrayRef| {
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    };
    push("metric", Arc::new(StringArray::from(vec![metric; groups.len()])));
    let sizes = groups.iter().map(|group| i64::try_from(group.n).unwrap_or(i64::MAX));
    push("n", Arc::new(Int64Array::from_iter_values(sizes)));
    for (index, (name, merge)) in statistics.iter().enumerate() {
        let values = groups.iter().map(|group| group.statistics[index].as_slice());
        push(name, column(*merge, values));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|error| Failure::protocol(format!("the statistics do not make a batch: {error}")))
}

fn column<'a>(merge: Merge, values: impl Iterator<Item = &'a [f64]>) -> ArrayRef {
    if merge != Merge::List {
        return Arc::new(values.map(|values| values.first().copied()).collect::<Float64Array>());
    }
    let mut builder = ListBuilder::new(Float64Builder::new());
    for values in values {
        builder.values().append_slice(values);
        builder.append(true);
    }
    Arc::new(builder.finish())
}

/// Reads groups: which of the columns they belong to, and what was merged.
pub fn decode(batch: &RecordBatch, columns: &[Column]) -> Result<(usize, Vec<Merged>), Failure> {
    let metrics: &StringArray = required(batch, "metric", &DataType::Utf8)?;
    let first = if metrics.is_empty() { "" } else { metrics.value(0) };
    let index = columns
        .iter()
        .position(|column| column.name == first)
        .ok_or_else(|| Failure::protocol(format!("there is no metric `{first}`")))?;
    let sizes: &Int64Array = required(batch, "n", &DataType::Int64)?;
    let mut groups: Vec<Merged> = sizes
        .values()
        .iter()
        .map(|&n| Merged { n: n.unsigned_abs(), statistics: Vec::new() })
        .collect();
    for (name, merge) in &columns[index].statistics {
        if *merge == Merge::List {
            let lists = Lists::<Float64Array>::required(batch, name, &DataType::Float64)?;
            for (row, group) in groups.iter_mut().enumerate() {
                let places = lists.places(row).unwrap_or_default();
                group.statistics.push(lists.values().values()[places].to_vec());
            }
        } else {
            let values: &Float64Array = required(batch, name, &DataType::Float64)?;
            for (group, &value) in groups.iter_mut().zip(values.values()) {
                group.statistics.push(vec![value]);
            }
        }
    }
    Ok((index, groups))
}

/// Writes the numbers of the groups.
pub fn encode_values(values: &[Option<f64>], groups: usize) -> Result<RecordBatch, Failure> {
    if values.len() != groups {
        let message = format!("it gave {} numbers for {groups} groups", values.len());
        return Err(Failure::protocol(message));
    }
    let values: ArrayRef = Arc::new(values.iter().copied().collect::<Float64Array>());
    RecordBatch::try_from_iter_with_nullable([("value", values, true)])
        .map_err(|error| Failure::protocol(format!("the numbers do not make a batch: {error}")))
}

/// Reads the numbers of the groups, which are finite or absent.
pub fn decode_values(batch: &RecordBatch, groups: usize) -> Result<Vec<Option<f64>>, Failure> {
    if batch.num_rows() != groups {
        let message = format!("it gave {} numbers for {groups} groups", batch.num_rows());
        return Err(Failure::protocol(message));
    }
    let values: &Float64Array = required(batch, "value", &DataType::Float64)?;
    if let Some(value) = values.iter().flatten().find(|value| !value.is_finite()) {
        let message = format!("the number of a group is {value}, expected a finite one or null");
        return Err(Failure::new(FailureKind::Value, message));
    }
    Ok(values.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_numbers_cross_unchanged() {
        let statistics = vec![("hits".to_owned(), Merge::Sum), ("values".to_owned(), Merge::List)];
        let column = |name: &str| Column {
            name: name.to_owned(),
            metric: 0,
            statistics: statistics.clone(),
        };
        let groups = vec![
            Merged { n: 2, statistics: vec![vec![3.0], vec![1.0, 2.0]] },
            Merged { n: 1, statistics: vec![vec![0.5], vec![]] },
        ];
        let batch = encode("b", &statistics, &groups).unwrap();
        assert_eq!(decode(&batch, &[column("a"), column("b")]), Ok((1, groups)));
        assert!(decode(&batch, &[column("a")]).is_err());
        let values = vec![Some(0.25), None];
        let answer = encode_values(&values, 2).unwrap();
        assert_eq!(decode_values(&answer, 2), Ok(values));
        assert!(decode_values(&answer, 3).is_err());
        let nan = encode_values(&[Some(f64::NAN)], 1).unwrap();
        assert_eq!(decode_values(&nan, 1).unwrap_err().kind, FailureKind::Value);
    }
}
