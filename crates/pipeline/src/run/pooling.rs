//! The numbers of pooled metrics of plugins: statistics are merged here, and the plugin makes
//! numbers of what was merged.

use qeval_core::stats::PoolingError;
use qeval_sdk::{Merge, Merged, Statistic};
use qeval_store::{MetricColumn, PluginPooling};

use crate::{
    Plan,
    plan::{OnError, PlannedMetric, System},
};

/// The most groups in one question to a plugin.
const GROUPS: usize = 256;

/// The most values in one question, unless one group has more: lists have one for each example.
const VALUES: usize = 1 << 20;

/// The largest value that can be summed: a sum of as many of these as there can be examples is
/// exact.
const LARGEST: f64 = (1_u64 << 40) as f64;

/// The plugins of a plan.
pub(super) struct Plugins<'p> {
    pub(super) plan: &'p Plan,
    pub(super) system: &'p System,
}

impl PluginPooling for Plugins<'_> {
    fn numbers(
        &self,
        metric: &MetricColumn,
        statistics: &[&[Option<f64>]],
        groups: &mut dyn Iterator<Item = Vec<usize>>,
    ) -> Result<Vec<Option<f64>>, PoolingError> {
        let planned = self.planned(&metric.column)?;
        let scorer = &self.plan.scorers[planned.scorer];
        let declared = &planned.descriptor.statistics;
        check_sums(declared, statistics)?;
        let finish = |merged: &[Merged]| {
            scorer
                .finish(planned.index, merged)
                .map_err(|failure| PoolingError(failure.to_string()))
        };
        let (mut numbers, mut merged, mut held) = (Vec::new(), Vec::new(), 0);
        for rows in groups {
            let group = merge(declared, statistics, rows);
            held += group.statistics.iter().map(Vec::len).sum::<usize>();
            merged.push(group);
            if merged.len() >= GROUPS || held >= VALUES {
                numbers.extend(finish(&merged)?);
                merged.clear();
                held = 0;
            }
        }
        if !merged.is_empty() {
            numbers.extend(finish(&merged)?);
        }
        Ok(numbers)
    }

    fn requires(&self, metric: &MetricColumn) -> bool {
        let planned = self.planned(&metric.column);
        planned.is_ok_and(|metric| self.plan.on_error.get(&metric.scorer) == Some(&OnError::Stop))
    }
}

impl Plugins<'_> {
    fn planned(&self, column: &str) -> Result<&PlannedMetric, PoolingError> {
        let columns = self.plan.columns(self.system);
        let found = columns.into_iter().find(|(_, _, name)| name == column);
        let (_, index, _) = found.ok_or_else(|| {
            PoolingError(format!("the plan has no metric with the column `{column}`"))
        })?;
        Ok(&self.plan.metrics[index])
    }
}

/// Merges the statistics of the examples in these rows.
fn merge(declared: &[Statistic], statistics: &[&[Option<f64>]], mut rows: Vec<usize>) -> Merged {
    if declared.iter().any(|statistic| statistic.merge == Merge::List) {
        rows.sort_unstable();
    }
    let merged = declared
        .iter()
        .zip(statistics)
        .map(|(statistic, values)| statistic.merge.of(rows.iter().filter_map(|&row| values[row])));
    Merged { n: rows.len() as u64, statistics: merged.collect() }
}

/// A sum that is not exact would depend on the order of the examples.
fn check_sums(declared: &[Statistic], statistics: &[&[Option<f64>]]) -> Result<(), PoolingError> {
    let summed = declared.iter().zip(statistics).filter(|(s, _)| s.merge == Merge::Sum);
    for (statistic, values) in summed {
        if let Some(value) = values.iter().flatten().find(|value| value.abs() > LARGEST) {
            let name = &statistic.name;
            return Err(PoolingError(format!(
                "the statistic `{name}` of an example is {value}, and sums are exact up to {LARGEST}"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistic(name: &str, merge: Merge) -> Statistic {
        Statistic { name: name.to_owned(), merge }
    }

    #[test]
    fn lists_are_in_the_order_of_the_examples_however_they_were_drawn() {
        let declared = [statistic("all", Merge::List), statistic("sum", Merge::Sum)];
        let values = [Some(0.5), Some(-1.0), Some(4.0)];
        let merged = merge(&declared, &[&values, &values], vec![2, 0, 2]);
        assert_eq!(merged, Merged { n: 3, statistics: vec![vec![0.5, 4.0, 4.0], vec![8.5]] });
    }

    #[test]
    fn a_sum_that_cannot_be_exact_is_no_number() {
        let (list, sum) = (statistic("s", Merge::List), statistic("s", Merge::Sum));
        let values = [Some(2.0 * LARGEST)];
        assert_eq!(check_sums(&[list], &[&values]), Ok(()));
        assert!(check_sums(&[sum], &[&values]).is_err());
    }
}
