//! The table of summaries.

use std::{path::Path, sync::Arc};

use arrow_array::{
    ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use qeval_core::{Estimate, Interval, Summary, stats::Intervals};

use super::{
    WriteError,
    file::{ParquetFile, Table},
};
use crate::{
    Layout, Manifest, Part, PluginPooling, PoolingFailure,
    reader::scores::{self, Request},
    schema,
    summaries::{self, Groupings},
};

const TABLE: Table = Table {
    path: summaries::FILE,
    version: schema::SUMMARIES_VERSION,
    level: Some(3),
    sorted: false,
};

/// Reads the scores back from `folder` and writes their summaries beside them. Returns also which
/// of them could not be made.
pub(super) fn write(
    folder: &Path,
    layout: &Layout,
    manifest: &Manifest,
    plugins: &dyn PluginPooling,
) -> Result<(Part, Vec<PoolingFailure>), WriteError> {
    let (summaries, failures) = compute(folder, layout, manifest.intervals(), plugins)?;
    let schema = schema::summaries();
    let mut file = ParquetFile::create(folder, TABLE, &schema, layout)?;
    file.write(&batch(&summaries, manifest)?)?;
    Ok((file.finish()?, failures))
}

/// Computes the summaries: of means while the scores stream by, of the others one metric at a time, so
/// that memory does not grow with their number.
pub(crate) fn compute(
    folder: &Path,
    layout: &Layout,
    intervals: Intervals,
    plugins: &dyn PluginPooling,
) -> Result<(Vec<Summary>, Vec<PoolingFailure>), WriteError> {
    let mut streamed = summaries::streamed::summarize(folder, layout, intervals)?;
    let mut groupings = None;
    let (mut computed, mut failures) = (Vec::new(), Vec::new());
    for metric in layout.metrics.iter().filter(|metric| metric.statistic_of.is_none()) {
        if let Some(summaries) = streamed.remove(&metric.column) {
            computed.extend(summaries);
            continue;
        }
        let groupings = match &mut groupings {
            Some(groupings) => groupings,
            none => {
                let slices = layout.slices.as_slice();
                let request = Request { slices, metrics: &[], ids: false, groupings: true };
                none.insert(Groupings::new(&scores::read(folder, request)?))
            }
        };
        let statistics = summaries::statistics(metric, &layout.metrics);
        let statistics = statistics.map(|statistic| statistic.column.as_str());
        let metrics: Vec<&str> =
            std::iter::once(metric.column.as_str()).chain(statistics).collect();
        let request = Request { slices: &[], metrics: &metrics, ids: false, groupings: false };
        let scores = scores::read(folder, request)?;
        let columns: Vec<&[Option<f64>]> =
            scores.metrics.iter().map(|(_, values)| values.as_slice()).collect();
        let (column, statistics) = columns.split_first().expect("the metric's own column");
        let (summaries, failure) =
            groupings.summarize(metric, column, statistics, intervals, plugins);
        computed.extend(summaries);
        match failure {
            Some(failure) if plugins.requires(metric) => return Err(WriteError::Pooling(failure)),
            failure => failures.extend(failure),
        }
    }
    Ok((computed, failures))
}

fn batch(summaries: &[Summary], manifest: &Manifest) -> Result<RecordBatch, WriteError> {
    let constant = |text: &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(summaries.iter().map(|_| text)))
    };
    let texts = |text: fn(&Summary) -> Option<&str>| -> ArrayRef {
        Arc::new(summaries.iter().map(text).collect::<StringArray>())
    };
    let counts = |count: fn(&Estimate) -> u64| -> ArrayRef {
        let count = |summary: &Summary| count(&summary.estimate).cast_signed();
        Arc::new(Int64Array::from_iter_values(summaries.iter().map(count)))
    };
    let numbers = |number: fn(&Estimate) -> Option<f64>| -> ArrayRef {
        let number = |summary: &Summary| number(&summary.estimate);
        Arc::new(summaries.iter().map(number).collect::<Float64Array>())
    };
    let intervals = || summaries.iter().map(|summary| summary.estimate.interval.as_ref());
    let bounds = |bound: fn(&Interval) -> f64| -> ArrayRef {
        Arc::new(intervals().map(|interval| interval.map(bound)).collect::<Float64Array>())
    };
    let method = intervals().map(|interval| interval.map(|interval| interval.method));
    let seed = intervals().map(|interval| interval.and_then(|interval| interval.seed));
    let resamples = intervals()
        .map(|interval| interval.and_then(|interval| interval.resamples).map(u32::cast_signed));
    let columns: Vec<ArrayRef> = vec![
        constant(&manifest.group),
        constant(&manifest.system),
        texts(|summary| Some(summary.stage.name())),
        texts(|summary| summary.dataset.as_deref()),
        texts(|summary| Some(&summary.metric)),
        texts(|summary| summary.slice.as_deref()),
        texts(|summary| summary.slice_value.as_deref()),
        counts(|estimate| estimate.n),
        counts(|estimate| estimate.unscored),
        numbers(|estimate| estimate.mean),
        numbers(|estimate| estimate.stddev),
        numbers(|estimate| estimate.min),
        numbers(|estimate| estimate.max),
        numbers(|estimate| estimate.mean_worst),
        numbers(|estimate| estimate.mean_best),
        bounds(|interval| interval.low),
        bounds(|interval| interval.high),
        bounds(|interval| interval.level),
        Arc::new(method.collect::<StringArray>()),
        Arc::new(seed.collect::<UInt64Array>()),
        Arc::new(resamples.collect::<Int32Array>()),
    ];
    Ok(RecordBatch::try_new(schema::plain(&schema::summaries()), columns)?)
}
