//! What the footer of a file says, without its rows.

use std::{collections::BTreeMap, path::Path};

use super::{
    ReadError,
    table::{self, Part, label},
};

/// Number of rows and the texts that the writer has put beside them.
pub(crate) fn read(path: &Path) -> Result<(u64, BTreeMap<String, String>), ReadError> {
    let part = Part::open(path)?;
    Ok((part.rows() as u64, part.facts()))
}

/// Dataset and id of each case, in order.
pub(crate) fn keys(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<(Option<String>, String), ReadError>> + use<>, ReadError> {
    let parts = table::required_parts(folder, "cases")?;
    let batches = table::batches(parts, |part| {
        part.project(|column| matches!(column, "dataset" | "example_id"))
    });
    Ok(batches.flat_map(|batch| match batch.and_then(|batch| of_batch(&batch)) {
        Ok(keys) => keys.into_iter().map(Ok).collect::<Vec<_>>(),
        Err(error) => vec![Err(error)],
    }))
}

fn of_batch(batch: &table::Batch) -> Result<Vec<(Option<String>, String)>, ReadError> {
    let datasets = batch.optional_labels("dataset")?;
    let ids = batch.texts("example_id")?;
    let dataset = |row| datasets.and_then(|datasets| label(datasets, row)).map(str::to_owned);
    Ok((0..batch.rows()).map(|row| (dataset(row), ids.value(row).to_owned())).collect())
}
