//! The scorers of built-in metrics: one for all that normalise by their own rules, and one for each
//! normalizer of a plugin.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use qeval_core::Metric;
use qeval_sdk::Scorer;

use super::{OnError, metrics::Scorers, offers, plugins::Plugins};
use crate::{
    Problem,
    builtin::{metric::Metrics, normalized::Normalized},
};

impl Scorers {
    /// Makes the scorers of some metrics, which the file names at these places. For each metric the
    /// index of its scorer and of its column; `None` where its normalizer cannot be made.
    pub(super) fn built_in_scorers(
        &mut self,
        metrics: &[Metric],
        spans: &[&Range<usize>],
        plugins: &Plugins,
        problems: &mut Vec<Problem>,
    ) -> Vec<Option<(usize, usize)>> {
        let mut by_normalizer: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for (index, metric) in metrics.iter().enumerate() {
            by_normalizer.entry(metric.normalizer()).or_default().push(index);
        }
        let mut places = vec![None; metrics.len()];
        for (normalizer, members) in by_normalizer {
            let own = Metrics::new(members.iter().map(|&index| metrics[index].clone()).collect());
            let columns: Vec<usize> = (0..members.len()).map(|member| own.place(member)).collect();
            let scorer: Arc<dyn Scorer> = match normalizer {
                None => Arc::new(own),
                Some(name) => {
                    let span = spans[members[0]].clone();
                    let made = offers::normalizer(span, name, plugins, problems);
                    let Some((plugin, normalizer)) = made else { continue };
                    if !self.components.contains(&plugin.info) {
                        self.components.push(plugin.info.clone());
                    }
                    if plugin.on_error == OnError::Stop {
                        self.on_error.insert(self.scorers.len(), OnError::Stop);
                    }
                    Arc::new(Normalized::new(own, normalizer))
                }
            };
            for (&member, column) in members.iter().zip(columns) {
                places[member] = Some((self.scorers.len(), column));
            }
            self.scorers.push(scorer);
        }
        places
    }
}
