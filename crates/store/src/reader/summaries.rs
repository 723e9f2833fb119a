//! Summaries, as they were stored.

use std::path::Path;

use arrow_array::{
    DictionaryArray, Float64Array, Int32Array, Int64Array, UInt64Array, types::Int32Type,
};
use qeval_core::{Estimate, Interval, Stage, Summary};

use super::{
    ReadError,
    table::{Batch, Part, label, value},
};
use crate::summaries;

/// The methods of intervals that this version knows by name.
const METHODS: [&str; 11] = [
    "wilson",
    "wilson over groups",
    "expanded bca",
    "expanded bca over groups",
    "bca",
    "bca over groups",
    "bootstrap",
    "bootstrap over groups",
    "normal",
    "normal over groups",
    "jackknife",
];

/// What a method is called that a later version has added.
const OTHER_METHOD: &str = "other";

/// Reads the summaries in the order of the file.
pub(super) fn read(folder: &Path) -> Result<Vec<Summary>, ReadError> {
    let mut found = Vec::new();
    for batch in Part::open(&folder.join(summaries::FILE))?.batches()? {
        append(&batch?, &mut found)?;
    }
    Ok(found)
}

fn append(batch: &Batch, found: &mut Vec<Summary>) -> Result<(), ReadError> {
    let metrics = batch.labels("metric")?;
    let stages = batch.labels("stage")?;
    let datasets = batch.labels("dataset")?;
    let slices = batch.labels("slice")?;
    let slice_values = batch.texts("slice_value")?;
    let estimates = Estimates::of(batch)?;
    for row in 0..batch.rows() {
        let stage = label(stages, row).and_then(Stage::from_name);
        found.push(Summary {
            metric: label(metrics, row).unwrap_or_default().to_owned(),
            stage: stage.ok_or_else(|| batch.missing("stage", "known stages"))?,
            dataset: label(datasets, row).map(str::to_owned),
            slice: label(slices, row).map(str::to_owned),
            slice_value: value(slice_values, row).map(str::to_owned),
            estimate: estimates.get(row),
        });
    }
    Ok(())
}

/// The columns of numbers.
struct Estimates<'a> {
    n: &'a Int64Array,
    unscored: &'a Int64Array,
    mean: &'a Float64Array,
    stddev: &'a Float64Array,
    min: &'a Float64Array,
    max: &'a Float64Array,
    mean_worst: &'a Float64Array,
    mean_best: &'a Float64Array,
    low: &'a Float64Array,
    high: &'a Float64Array,
    level: &'a Float64Array,
    method: &'a DictionaryArray<Int32Type>,
    seed: &'a UInt64Array,
    resamples: &'a Int32Array,
}

impl<'a> Estimates<'a> {
    fn of(batch: &'a Batch) -> Result<Self, ReadError> {
        Ok(Self {
            n: batch.integers("n")?,
            unscored: batch.integers("unscored")?,
            mean: batch.floats("mean")?,
            stddev: batch.floats("stddev")?,
            min: batch.floats("min")?,
            max: batch.floats("max")?,
            mean_worst: batch.floats("mean_worst")?,
            mean_best: batch.floats("mean_best")?,
            low: batch.floats("ci_low")?,
            high: batch.floats("ci_high")?,
            level: batch.floats("ci_level")?,
            method: batch.labels("ci_method")?,
            seed: batch.seeds("seed")?,
            resamples: batch.small_integers("resamples")?,
        })
    }

    fn get(&self, row: usize) -> Estimate {
        Estimate {
            n: u64::try_from(self.n.value(row)).unwrap_or(0),
            unscored: u64::try_from(self.unscored.value(row)).unwrap_or(0),
            mean: value(self.mean, row),
            stddev: value(self.stddev, row),
            min: value(self.min, row),
            max: value(self.max, row),
            mean_worst: value(self.mean_worst, row),
            mean_best: value(self.mean_best, row),
            interval: self.interval(row),
        }
    }

    fn interval(&self, row: usize) -> Option<Interval> {
        let method = label(self.method, row)?;
        Some(Interval {
            low: value(self.low, row)?,
            high: value(self.high, row)?,
            level: value(self.level, row)?,
            method: METHODS.into_iter().find(|known| *known == method).unwrap_or(OTHER_METHOD),
            seed: value(self.seed, row),
            resamples: value(self.resamples, row).and_then(|count| u32::try_from(count).ok()),
        })
    }
}
