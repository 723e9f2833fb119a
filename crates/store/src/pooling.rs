//! The numbers of pooled metrics that are not built in: who has their plugin makes them.

use std::fmt;

use qeval_core::stats::{Pooling, PoolingError};

use crate::MetricColumn;

/// Makes the numbers of pooled metrics that are not built in.
pub trait PluginPooling {
    /// The number of each group of examples. `statistics` has those of each example, for each of
    /// [`MetricColumn::pools`]; a group is given by the rows of its examples, in any order, and a
    /// row is there as often as it was drawn. Rows ascend with the ids of the examples, those of
    /// one dataset after those of another.
    fn numbers(
        &self,
        metric: &MetricColumn,
        statistics: &[&[Option<f64>]],
        groups: &mut dyn Iterator<Item = Vec<usize>>,
    ) -> Result<Vec<Option<f64>>, PoolingError>;

    /// Whether an evaluation that lacks a number of this metric must not be kept.
    fn requires(&self, _metric: &MetricColumn) -> bool {
        false
    }
}

/// Nobody has a plugin: what is stored can be read, and not be made again.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithoutPlugins;

impl PluginPooling for WithoutPlugins {
    fn numbers(
        &self,
        metric: &MetricColumn,
        _: &[&[Option<f64>]],
        _: &mut dyn Iterator<Item = Vec<usize>>,
    ) -> Result<Vec<Option<f64>>, PoolingError> {
        let name = &metric.name;
        Err(PoolingError(format!(
            "the number of `{name}` is made by its plugin, which is not here"
        )))
    }
}

/// One metric of a plugin.
pub(crate) struct OfPlugin<'a> {
    pub(crate) metric: &'a MetricColumn,
    pub(crate) plugins: &'a dyn PluginPooling,
}

impl Pooling for OfPlugin<'_> {
    fn numbers(
        &self,
        statistics: &[&[Option<f64>]],
        groups: &mut dyn Iterator<Item = Vec<usize>>,
    ) -> Result<Vec<Option<f64>>, PoolingError> {
        self.plugins.numbers(self.metric, statistics, groups)
    }
}

/// Summaries that could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolingFailure {
    /// Name of the metric.
    pub metric: String,
    /// How many of its summaries.
    pub summaries: u64,
    /// Why the first of them could not.
    pub error: PoolingError,
}

impl fmt::Display for PoolingFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { metric, summaries, error } = self;
        let lack = if *summaries == 1 { "summary lacks" } else { "summaries lack" };
        write!(f, "{summaries} {lack} a number or an interval of {metric}: {error}")
    }
}
