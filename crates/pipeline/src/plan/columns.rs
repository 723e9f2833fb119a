//! The columns of metrics in the results.

use qeval_core::{Stage, Subject, column_name};
use qeval_sdk::Statistic;
use qeval_store::PooledStatistic;

use super::{PlannedMetric, System};

impl PlannedMetric {
    /// The stages of a system in which the metric is computed, with its column in each.
    pub fn columns(&self, system: &System) -> Vec<(Stage, String)> {
        let stages = match self.descriptor.subject {
            Subject::Retrieval => &[Stage::Retrieval][..],
            Subject::Answer => &[Stage::Isolated, Stage::Integrated][..],
        };
        let stages = stages.iter().copied().filter(|&stage| system.has(stage));
        stages.map(|stage| (stage, stage_column(stage, &self.column))).collect()
    }

    /// What a metric of a plugin pools, with the columns of a stage.
    pub(super) fn pools(&self, stage: Stage) -> Vec<PooledStatistic> {
        let statistic = |statistic: &Statistic| PooledStatistic {
            name: statistic.name.clone(),
            column: stage_column(stage, &statistic_column(&self.column, &statistic.name)),
            merge: statistic.merge.name().to_owned(),
        };
        self.descriptor.statistics.iter().map(statistic).collect()
    }
}

/// The column of a statistic of a plugin's metric.
pub(super) fn statistic_column(metric: &str, statistic: &str) -> String {
    format!("{metric}_{}", column_name(statistic))
}

/// The column of a metric in a stage: only the isolated stage needs a prefix, because retrieval
/// and answers have no metric in common.
pub(super) fn stage_column(stage: Stage, column: &str) -> String {
    match stage {
        Stage::Isolated => format!("isolated_{column}"),
        Stage::Retrieval | Stage::Integrated => column.to_owned(),
    }
}
