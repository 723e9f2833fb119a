//! What must be said of a number that is made of all examples: a value that means something else
//! than it seems to.

use qeval_core::{Metric, metrics::translation::bleu};

use super::rows::Batch;
use crate::Plan;

/// The sums of the statistics of one metric in one stage.
#[derive(Debug)]
struct Pooled {
    metric: Metric,
    /// Indexes of the columns with its statistics.
    columns: Vec<usize>,
    /// They are counts, so that their order does not matter.
    sums: Vec<f64>,
    examples: u64,
}

/// The sums of all metrics that may need a remark.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// Made with the first batch.
    sums: Option<Vec<Pooled>>,
}

impl Remarks {
    /// Adds the statistics of one batch.
    pub(super) fn add(&mut self, batch: &Batch<'_>) {
        let sums = self.sums.get_or_insert_with(|| wanted(batch));
        if sums.is_empty() {
            return;
        }
        for index in 0..batch.records.len() {
            let scores = batch.scores(index);
            for Pooled { columns, sums, examples, .. } in &mut *sums {
                let statistics: Result<Vec<f64>, _> =
                    columns.iter().map(|&column| scores[column].clone()).collect();
                // An unscored example has none of them.
                if let Ok(statistics) = statistics {
                    *examples += 1;
                    sums.iter_mut().zip(statistics).for_each(|(sum, statistic)| *sum += statistic);
                }
            }
        }
    }

    /// Adds the sums of the next batch.
    pub(super) fn merge(&mut self, next: Self) {
        let Some(more) = next.sums else { return };
        let Some(sums) = &mut self.sums else {
            self.sums = Some(more);
            return;
        };
        for (all, more) in sums.iter_mut().zip(more) {
            all.examples += more.examples;
            all.sums.iter_mut().zip(more.sums).for_each(|(sum, more)| *sum += more);
        }
    }

    /// What must be said, with how many examples it is about.
    pub(super) fn texts(&self) -> impl Iterator<Item = (u64, String)> {
        let sums = self.sums.iter().flatten().filter(|sums| sums.examples > 0);
        sums.filter_map(|sums| Some((sums.examples, bleu::remark(&sums.metric, &sums.sums)?)))
    }
}

/// The columns of BLEU, which alone needs remarks.
fn wanted(batch: &Batch<'_>) -> Vec<Pooled> {
    let Plan { metrics, .. } = batch.plan;
    let columns = batch.columns.iter().filter_map(|column| {
        let planned = &metrics[column.metric];
        let name = &planned.descriptor.name;
        // Each batch asks, and most metrics are others.
        if planned.statistic_of.is_some() || !name.starts_with(bleu::BLEU.name) {
            return None;
        }
        let metric: Metric = name.parse().ok()?;
        let of_this = |(_, other): &(usize, &super::PlannedColumn)| {
            let statistic_of = metrics[other.metric].statistic_of.as_ref();
            other.stage == column.stage && statistic_of == Some(&planned.column)
        };
        let own = batch.columns.iter().enumerate().filter(of_this);
        let columns: Vec<usize> = own.map(|(index, _)| index).collect();
        let sums = vec![0.0; columns.len()];
        Some(Pooled { metric, columns, sums, examples: 0 })
    });
    columns.collect()
}
