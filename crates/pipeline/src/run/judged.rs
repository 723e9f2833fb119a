//! How much of what was retrieved is judged, at each cutoff of a metric: an unjudged passage counts
//! as not relevant, so a number without this one may say more of the judgments than of the
//! retriever.

use std::collections::BTreeMap;

use qeval_core::{Metric, Need, Stage, stats::ExactSum};
use qeval_store::{JudgedShare, JudgmentsInfo};

use super::rows::Batch;

/// The shares of one evaluation.
#[derive(Debug, Default)]
pub(super) struct Judged {
    queries: u64,
    /// Whether a passage is judged not to be relevant.
    not_relevant: bool,
    /// By whether documents are counted, and by cutoff.
    shares: BTreeMap<(bool, Option<u32>), ExactSum>,
}

impl Judged {
    /// Adds the queries of a batch that have judgments in a file of them. Gold passages are no such
    /// judgments: nobody looked at the other passages.
    pub(super) fn add(&mut self, batch: &Batch<'_>) {
        let Some(retrieved) = batch.retrieved else { return };
        if batch.plan.datasets[batch.dataset].qrels.is_none() {
            return;
        }
        for column in batch.columns.iter().filter(|column| column.stage == Stage::Retrieval) {
            let name = &batch.plan.metrics[column.metric].descriptor.name;
            let Ok(metric) = name.parse::<Metric>() else { continue };
            if metric.definition().needs.contains(&Need::Judgments) {
                self.shares.entry((metric.counts_documents(), metric.cutoff())).or_default();
            }
        }
        for found in retrieved.iter().filter(|found| found.ranking.is_ok()) {
            let Some(judged) = &found.judged else { continue };
            self.queries += 1;
            self.not_relevant |= judged.zeros.is_some_and(|zeros| zeros > 0);
            for (&(documents, cutoff), sum) in &mut self.shares {
                let counted = found.documents.as_ref().filter(|_| documents).unwrap_or(judged);
                let depth = cutoff.map_or(usize::MAX, |cutoff| cutoff as usize);
                sum.add(counted.judged_share(depth));
            }
        }
    }

    /// Adds those of the next batch.
    pub(super) fn merge(&mut self, next: Self) {
        self.queries += next.queries;
        self.not_relevant |= next.not_relevant;
        for (counted, sum) in next.shares {
            self.shares.entry(counted).or_default().merge(&sum);
        }
    }

    /// For the record; `None` where no query has judgments.
    pub(super) fn info(&self) -> Option<JudgmentsInfo> {
        let share = |(&(documents, cutoff), sum): (&(bool, _), &ExactSum)| JudgedShare {
            cutoff,
            documents,
            mean: sum.mean(self.queries),
        };
        (self.queries > 0 && !self.shares.is_empty()).then(|| JudgmentsInfo {
            queries: self.queries,
            relevant_only: !self.not_relevant,
            judged: self.shares.iter().map(share).collect(),
        })
    }
}
