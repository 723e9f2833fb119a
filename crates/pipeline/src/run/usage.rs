//! What the answers of a reader took, summed over the examples of one evaluation.

use qeval_core::{
    Stage, Usage,
    stats::{ExactSum, percentile},
};
use qeval_store::{CostInfo, LatencyInfo, SumInfo, UsageInfo};

use super::{
    answers::{Answer, given},
    rows::Batch,
};
use crate::{Plan, builtin::journaled::OF_READERS, plan::System};

/// The answers of each stage that a reader is asked in, in the order of [`OF_READERS`].
#[derive(Debug, Default)]
pub(super) struct Taken([OfStage; OF_READERS.len()]);

/// Sums are made in the order of the dataset, so that they are the same on any number of threads.
#[derive(Debug, Default)]
struct OfStage {
    answers: u64,
    /// In milliseconds.
    latencies: Vec<f64>,
    tokens_in: SumInfo,
    tokens_out: SumInfo,
    costs: u64,
    cost: ExactSum,
}

impl Taken {
    /// Adds the answers of a batch.
    pub(super) fn add(&mut self, batch: &Batch<'_>) {
        for (taken, stage) in self.0.iter_mut().zip(OF_READERS) {
            let answers = match stage {
                Stage::Isolated => batch.isolated,
                _ => batch.integrated,
            };
            let again = batch.again.iter().filter_map(|asked| asked.of(stage));
            answers.into_iter().chain(again).flatten().for_each(|answer| taken.add(answer));
        }
    }

    /// Adds those of the next batch.
    pub(super) fn merge(&mut self, next: Self) {
        for (all, more) in self.0.iter_mut().zip(next.0) {
            all.answers += more.answers;
            all.latencies.extend(more.latencies);
            for (all, more) in
                [(&mut all.tokens_in, more.tokens_in), (&mut all.tokens_out, more.tokens_out)]
            {
                all.n += more.n;
                all.sum = all.sum.saturating_add(more.sum);
            }
            all.costs += more.costs;
            all.cost.merge(&more.cost);
        }
    }

    /// What is stored of it: nothing of a stage in which nothing is known.
    pub(super) fn info(&self, plan: &Plan, system: &System) -> Vec<UsageInfo> {
        let Some(reader) = system.reader.map(|index| &plan.readers[index]) else {
            return Vec::new();
        };
        let needed = reader.journaled.as_ref().and_then(|journaled| journaled.needed());
        let mut infos = Vec::new();
        for (place, (taken, stage)) in self.0.iter().zip(OF_READERS).enumerate() {
            if taken.answers == 0 || !(taken.is_measured() || needed.is_some()) {
                continue;
            }
            let currency = reader.info.options["price"]["currency"].as_str().map(str::to_owned);
            infos.push(UsageInfo {
                reader: reader.name.clone(),
                stage,
                answers: taken.answers,
                replayed: needed.map(|needed| needed.earlier[place]),
                latency_ms: taken.latency(),
                tokens_in: Some(taken.tokens_in).filter(|sum| sum.n > 0),
                tokens_out: Some(taken.tokens_out).filter(|sum| sum.n > 0),
                cost: (taken.costs > 0).then(|| CostInfo {
                    n: taken.costs,
                    sum: taken.cost.value(),
                    currency,
                }),
            });
        }
        infos
    }
}

impl OfStage {
    fn add(&mut self, answer: &Answer<'_>) {
        let Some(prediction) = given(answer) else { return };
        let Usage { latency_ms, tokens_in, tokens_out, cost } = prediction.usage;
        self.answers += 1;
        self.latencies.extend(latency_ms);
        for (sum, tokens) in [(&mut self.tokens_in, tokens_in), (&mut self.tokens_out, tokens_out)]
        {
            if let Some(tokens) = tokens {
                sum.n += 1;
                sum.sum = sum.sum.saturating_add(tokens);
            }
        }
        if let Some(cost) = cost {
            self.costs += 1;
            self.cost.add(cost);
        }
    }

    fn is_measured(&self) -> bool {
        let n = self.latencies.len() as u64 + self.tokens_in.n + self.tokens_out.n + self.costs;
        n > 0
    }

    fn latency(&self) -> Option<LatencyInfo> {
        let mut sorted = self.latencies.clone();
        sorted.sort_by(f64::total_cmp);
        Some(LatencyInfo {
            n: sorted.len() as u64,
            p50: percentile(&sorted, 0.5)?,
            p90: percentile(&sorted, 0.9)?,
            p99: percentile(&sorted, 0.99)?,
        })
    }
}
