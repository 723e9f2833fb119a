//! The parameters of metrics as they are stored.

use qeval_core::{Argument, Metric};
use qeval_sdk::{Argument as PluginArgument, Asked};
use serde_json::{Map, Value, json};

/// Those of a metric of a plugin.
pub(super) fn of_plugin(asked: &Asked) -> Map<String, Value> {
    let value = |argument: &PluginArgument| match argument {
        PluginArgument::Integer(value) => json!(value),
        PluginArgument::Number(value) => json!(value),
        PluginArgument::Text(value) => json!(value),
    };
    asked.parameters.iter().map(|(name, argument)| (name.clone(), value(argument))).collect()
}

/// Those of a built-in metric, defaults included; of a normalizer only one that is named.
pub(super) fn built_in(metric: &Metric) -> Map<String, Value> {
    let arguments = metric.arguments().filter_map(|(name, argument)| {
        let value = match argument {
            Argument::Integer(value) => json!(value),
            Argument::Number(value) => json!(value),
            Argument::Choice(value) => json!(value),
            Argument::Gains(value) => json!(value.to_string()),
            Argument::Normalizer(value) => json!(value.as_ref()?),
        };
        Some((name.to_owned(), value))
    });
    arguments.chain(metric.cutoff().map(|cutoff| ("cutoff".to_owned(), json!(cutoff)))).collect()
}
