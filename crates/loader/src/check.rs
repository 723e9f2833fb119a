//! For authors: what a loaded plugin is tried with before anybody relies on it.

mod speed;

use qeval_core::Ties;
use qeval_sdk::{
    Asked, PluginDescriptor, PluginMetric,
    testing::{DEPTH, check_normalizer, check_reader, check_retriever, checks_of_plugin},
};

use crate::{LoadError, LoadedPlugin};

pub use qeval_sdk::testing::Check;
pub use speed::{Speed, speeds};

/// Questions that a retriever or a reader is asked at once.
const BATCH: usize = 64;

/// Tries everything that a plugin offers, with its own examples and with hostile batches. An error is
/// a component that cannot be made.
pub fn check(plugin: &LoadedPlugin) -> Result<Vec<Check>, LoadError> {
    let descriptor = &plugin.descriptor;
    let mut checks = checks_of_plugin(descriptor, |asked| {
        Ok::<_, LoadError>(Box::new(plugin.plugin_scorer(&asked)?.strict()))
    })?;
    for offered in &descriptor.normalizers {
        let normalizer = plugin.normalizer(&offered.name)?;
        checks.extend(check_normalizer(&offered.name, &*normalizer, &offered.examples));
    }
    if descriptor.retriever.is_some() {
        checks.push(check_retriever(&*plugin.retriever(DEPTH, BATCH, Ties::default())?));
    }
    if descriptor.reader.is_some() {
        checks.push(check_reader(&*plugin.reader(BATCH)?));
    }
    Ok(checks)
}

/// All metrics of a plugin with the defaults of their parameters.
pub fn defaults(descriptor: &PluginDescriptor) -> Vec<Asked> {
    descriptor.metrics.iter().map(PluginMetric::with_defaults).collect()
}
