//! For authors: what a loaded plugin is tried with before anybody relies on it.

mod speed;

use std::sync::Arc;

use qeval_sdk::{Asked, PluginDescriptor, PluginMetric, Scorer, testing::checks_of_plugin};

use crate::{LoadError, LoadedPlugin};

pub use qeval_sdk::testing::Check;
pub use speed::{Speed, speeds};

/// Tries everything that a plugin offers, with its own examples and with hostile batches. An error is
/// a component that cannot be made.
pub fn check(plugin: &LoadedPlugin) -> Result<Vec<Check>, LoadError> {
    checks_of_plugin(&plugin.descriptor, |asked| {
        Ok(Box::new(plugin.scorer(&asked)?) as Box<Arc<dyn Scorer>>)
    })
}

/// All metrics of a plugin with the defaults of their parameters.
pub fn defaults(descriptor: &PluginDescriptor) -> Vec<Asked> {
    descriptor.metrics.iter().map(PluginMetric::with_defaults).collect()
}
