//! Metrics whose number is made of statistics of all examples.

use qeval_core::{
    Metric, Pooled,
    stats::{self, BuiltInPooling, Comparison, NotCompared, PairedColumn, PairedStatistics},
};

use super::columns::Values;

/// For each statistic of a system that of each example.
pub(super) type Statistics = Vec<Vec<Option<f64>>>;

/// The statistics of these examples, of each system.
pub(super) fn of_examples(values: &Values, examples: &[usize]) -> Vec<Statistics> {
    let of = |column: &Vec<f64>| examples.iter().map(|&example| Some(column[example])).collect();
    values.statistics.iter().map(|system| system.iter().map(of).collect()).collect()
}

/// Two systems, of which `column` has what is not about the statistics.
pub(super) fn compare(
    metric: &Metric,
    pooled: &'static Pooled,
    (before, after): (&Statistics, &Statistics),
    column: &PairedColumn<'_>,
) -> Result<Comparison, NotCompared> {
    let before: Vec<&[Option<f64>]> = before.iter().map(Vec::as_slice).collect();
    let after: Vec<&[Option<f64>]> = after.iter().map(Vec::as_slice).collect();
    stats::compare_pooled(&PairedStatistics {
        pooling: &BuiltInPooling { metric, pooled },
        before: &before,
        after: &after,
        groups: column.groups,
        seed: column.seed,
        permutations: column.permutations,
    })?
    .into_comparison()
}
