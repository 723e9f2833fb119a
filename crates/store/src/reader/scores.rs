//! Scores: whole columns in memory.

use std::{collections::HashMap, path::Path};

use super::{
    Labels, ReadError, Texts,
    table::{self, Batch, Part},
};

/// Rows of a batch: few large ones, since whole columns are wanted.
const BATCH_ROWS: usize = 65_536;

/// All examples of an evaluation, sorted by dataset and id, with some of its metrics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// Id of each example.
    pub ids: Texts,
    /// Name of its dataset; `None` unless there are several.
    pub datasets: Option<Labels>,
    /// Its place in the dataset, from 0.
    pub positions: Vec<i64>,
    /// The dialog or document that it belongs to; `None` unless examples belong to groups.
    pub groups: Option<Labels>,
    /// The slice columns by name, in the order of the file.
    pub slices: Vec<(String, Labels)>,
    /// Whether the reader saw a gold passage; `None` without a diagnosis.
    pub evidence_seen: Option<Vec<Option<bool>>>,
    /// Where a wrong answer comes from; `None` without a diagnosis.
    pub causes: Option<Labels>,
    /// The metric columns that were asked for, by name, in the order of the request.
    pub metrics: Vec<(String, Vec<Option<f64>>)>,
}

impl Scores {
    /// Number of examples.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// A metric column by name, if it was asked for.
    pub fn metric(&self, column: &str) -> Option<&[Option<f64>]> {
        self.metrics.iter().find(|(name, _)| name == column).map(|(_, scores)| scores.as_slice())
    }

    /// The rows in the order of the dataset. Several datasets follow each other by name.
    pub fn in_dataset_order(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.len()).collect();
        rows.sort_by_key(|&row| {
            (self.datasets.as_ref().and_then(|datasets| datasets.get(row)), self.positions[row])
        });
        rows
    }

    fn labels_mut(&mut self) -> impl Iterator<Item = &mut Labels> {
        let slices = self.slices.iter_mut().map(|(_, labels)| labels);
        slices.chain(&mut self.datasets).chain(&mut self.groups).chain(&mut self.causes)
    }

    /// For each of these rows the number of its dialog or document, from 0; those of different datasets
    /// differ. `None` where no two of the rows share one.
    pub fn group_numbers(&self, rows: &[u32]) -> Option<Vec<u32>> {
        let groups = self.groups.as_ref()?;
        let mut numbers: HashMap<(Option<usize>, usize), u32> = HashMap::new();
        let mut next = 0;
        let mut number = || {
            next += 1;
            next - 1
        };
        let of_row = |&row: &u32| {
            let row = row as usize;
            let dataset = self.datasets.as_ref().and_then(|datasets| datasets.code(row));
            match groups.code(row) {
                Some(group) => *numbers.entry((dataset, group)).or_insert_with(&mut number),
                // An example without a group is one of its own.
                None => number(),
            }
        };
        let of_rows: Vec<u32> = rows.iter().map(of_row).collect();
        ((next as usize) < rows.len()).then_some(of_rows)
    }

    /// The row of an example; `dataset` is `None` where there is only one.
    pub fn row(&self, dataset: Option<&str>, id: &str) -> Option<usize> {
        let rows = 0..self.len();
        let key = |row: usize| {
            (self.datasets.as_ref().and_then(|datasets| datasets.get(row)), self.ids.get(row))
        };
        // The rows are sorted by this key.
        let (mut low, mut high) = (rows.start, rows.end);
        while low < high {
            let middle = usize::midpoint(low, high);
            if key(middle) < (dataset, id) { low = middle + 1 } else { high = middle }
        }
        (low < rows.end && key(low) == (dataset, id)).then_some(low)
    }

    /// The id that is most like this one, if one is.
    pub fn nearest(&self, id: &str) -> Option<&str> {
        let ids = (0..self.len()).map(|row| self.ids.get(row));
        let (distance, nearest) =
            ids.map(|other| (strsim::damerau_levenshtein(other, id), other)).min()?;
        (distance <= id.chars().count().div_ceil(3)).then_some(nearest)
    }
}

/// What to read of the scores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// Names of the slice columns.
    pub(crate) slices: &'a [String],
    /// Names of the metric columns.
    pub(crate) metrics: &'a [&'a str],
    /// Whether ids and positions are wanted: they take most of the memory.
    pub(crate) ids: bool,
    /// Whether the columns are wanted that rows are grouped by.
    pub(crate) groupings: bool,
}

/// Reads the scores of the evaluation in a folder.
pub(crate) fn read(folder: &Path, request: Request<'_>) -> Result<Scores, ReadError> {
    let mut scores = request.empty();
    for path in table::required_parts(folder, "scores")? {
        let part = Part::open(&path)?.project(|column| request.wants(column));
        for batch in part.with(|builder| builder.with_batch_size(BATCH_ROWS)).batches()? {
            request.append(&mut scores, &batch?)?;
        }
    }
    scores.labels_mut().for_each(Labels::finish);
    Ok(scores)
}

/// Reads one metric column; NaN is a score that is null.
pub(super) fn read_column(folder: &Path, metric: &str) -> Result<Vec<f64>, ReadError> {
    let mut values = Vec::new();
    for path in table::required_parts(folder, "scores")? {
        let part = Part::open(&path)?.project(|column| column == metric);
        for batch in part.with(|builder| builder.with_batch_size(BATCH_ROWS)).batches()? {
            let batch = batch?;
            values.extend(batch.floats(metric)?.iter().map(|score| score.unwrap_or(f64::NAN)));
        }
    }
    Ok(values)
}

/// Reads the scores of the evaluation in a folder, some rows at a time.
pub(crate) fn read_batches<'a>(
    folder: &Path,
    request: Request<'a>,
) -> Result<impl Iterator<Item = Result<Scores, ReadError>> + use<'a>, ReadError> {
    let parts = table::required_parts(folder, "scores")?;
    let batches = table::batches(parts, move |part| part.project(|column| request.wants(column)));
    Ok(batches.map(move |batch| {
        let mut scores = request.empty();
        request.append(&mut scores, &batch?)?;
        Ok(scores)
    }))
}

impl Request<'_> {
    fn empty(&self) -> Scores {
        let slices = self.slices.iter().filter(|_| self.groupings);
        let slices = slices.map(|name| (name.clone(), Labels::default())).collect();
        let metrics = self.metrics.iter().map(|&name| (name.to_owned(), Vec::new())).collect();
        Scores { slices, metrics, ..Scores::default() }
    }

    fn wants(&self, column: &str) -> bool {
        match column {
            "example_id" | "position" => self.ids,
            "dataset" | "group_id" | "evidence_seen" | "cause" => self.groupings,
            _ => {
                self.metrics.contains(&column)
                    || (self.groupings && self.slices.iter().any(|slice| slice == column))
            }
        }
    }

    fn append(&self, scores: &mut Scores, batch: &Batch) -> Result<(), ReadError> {
        if self.ids {
            scores.ids.extend(batch.texts("example_id")?);
            scores.positions.extend(batch.integers("position")?.values());
        }
        for (column, labels) in [
            ("dataset", &mut scores.datasets),
            ("group_id", &mut scores.groups),
            ("cause", &mut scores.causes),
        ] {
            if batch.has(column) {
                labels.get_or_insert_default().extend(batch.labels(column)?);
            }
        }
        if batch.has("evidence_seen") {
            let seen = batch.booleans("evidence_seen")?.iter();
            scores.evidence_seen.get_or_insert_default().extend(seen);
        }
        for (slice, labels) in &mut scores.slices {
            labels.extend(batch.labels(slice)?);
        }
        for (metric, values) in &mut scores.metrics {
            values.extend(batch.floats(metric)?.iter());
        }
        Ok(())
    }
}
