//! The plugins of a plan: named, found and loaded.

use std::{collections::BTreeMap, num::NonZeroUsize};

use qeval_core::Subject;
use qeval_loader::{FindError, Isolation, LoadError, LoadedPlugin, PluginSpec};
use qeval_sdk::{Asked, display_name, parse_arguments, split_name};
use qeval_store::ComponentInfo;
use serde_json::json;
use toml::Spanned;

use super::{Surroundings, files, metrics::misplaced, readers::timeout};
use crate::{Config, Problem, config::PluginSection, problem::suggest};

/// Plugins by the names that the file gives them; `None` for one that could not be loaded.
pub(super) type Plugins = BTreeMap<String, Option<LoadedPlugin>>;

/// Loads the plugins of the file.
pub(super) fn plugins(
    config: &Config,
    surroundings: &Surroundings,
    problems: &mut Vec<Problem>,
) -> Plugins {
    let mut plugins = BTreeMap::new();
    for section in &config.plugins {
        let section = section.get_ref();
        let name = section.name.get_ref();
        if plugins.contains_key(name) {
            let message = format!("two plugins have the name `{name}`");
            problems.push(Problem::at(section.name.span(), message));
            continue;
        }
        plugins.insert(name.clone(), load(config, section, surroundings, problems));
    }
    plugins
}

fn load(
    config: &Config,
    section: &PluginSection,
    surroundings: &Surroundings,
    problems: &mut Vec<Problem>,
) -> Option<LoadedPlugin> {
    let name = section.name.get_ref();
    if !is_plugin_name(name) {
        let message = format!("`{name}` is no name for a plugin");
        let hint = "a letter, then letters, digits, `_` and `-`";
        problems.push(Problem::at(section.name.span(), message).hint(hint));
        return None;
    }
    let isolation = match section.isolation.as_ref().map(|isolation| isolation.get_ref().as_str()) {
        None | Some("process") => Isolation::Process,
        Some("in-process") => Isolation::InProcess,
        Some(other) => {
            let span = section.isolation.as_ref().map(Spanned::span);
            let hint = suggest(other, ["process", "in-process"]);
            problems.push(Problem { span, message: format!("`isolation` is `{other}`"), hint });
            return None;
        }
    };
    let spec = PluginSpec {
        name: name.clone(),
        path: files::resolve(config, section.path.get_ref()),
        sha256: section.sha256.as_ref().map(|pin| pin.get_ref().clone()),
        isolation,
        deadline: timeout(section.timeout_s.as_ref(), problems)?,
        workers: section.workers.map_or_else(rayon::current_num_threads, NonZeroUsize::get),
        options: options(section, problems)?,
        host: surroundings.plugin_host(name),
    };
    match qeval_loader::load(&spec, &surroundings.runtime) {
        Ok(plugin) => Some(plugin),
        Err(error) => {
            let hint = matches!(error, LoadError::Find(FindError::NotFound { .. }))
                .then(|| "build the plugin first, or correct the path".to_owned());
            let pin = section.sha256.as_ref();
            let pin = pin.filter(|_| matches!(error, LoadError::Find(FindError::Pin { .. })));
            let span = pin.unwrap_or(&section.path).span();
            problems.push(Problem::at(span, error.to_string()).maybe_hint(hint));
            None
        }
    }
}

impl Surroundings {
    /// The program that opens a plugin in a child process.
    pub fn plugin_host(&self, plugin: &str) -> qeval_process::Command {
        let mut host = qeval_process::Command::new(plugin, &self.plugin_host);
        host.args = vec!["plugin-host".into()];
        host.stop = self.stop.clone();
        host
    }
}

/// The options as JSON, which is how they cross.
fn options(
    section: &PluginSection,
    problems: &mut Vec<Problem>,
) -> Option<serde_json::Map<String, serde_json::Value>> {
    let Some(options) = &section.options else { return Some(serde_json::Map::new()) };
    match serde_json::to_value(options.get_ref()) {
        Ok(serde_json::Value::Object(options)) => Some(options),
        Ok(_) | Err(_) => {
            problems.push(Problem::at(options.span(), "`options` cannot be written as JSON"));
            None
        }
    }
}

/// What a metric of a plugin is asked for by its name in the file.
pub(super) fn metric(
    name: &Spanned<String>,
    plugin: &LoadedPlugin,
    subject: Subject,
    problems: &mut Vec<Problem>,
) -> Option<Asked> {
    let full = name.get_ref();
    let mut refuse = |message: String, hint: Option<String>| {
        problems.push(Problem::at(name.span(), message).maybe_hint(hint));
        None
    };
    let (base, arguments) = match split_name(full) {
        Ok(parts) => parts,
        Err(message) => return refuse(message, None),
    };
    let inner = base.split_once('.').map_or("", |(_, inner)| inner);
    let metrics = &plugin.descriptor.metrics;
    let Some(metric) = metrics.iter().find(|metric| metric.name == inner) else {
        let message = format!("the plugin `{}` has no metric `{base}`", plugin.name);
        let names: Vec<String> =
            metrics.iter().map(|metric| format!("{}.{}", plugin.name, metric.name)).collect();
        return refuse(
            message,
            suggest(base, names.iter().map(String::as_str).collect::<Vec<_>>()),
        );
    };
    if metric.subject != subject {
        problems.push(misplaced(name, full, subject));
        return None;
    }
    match parse_arguments(&metric.parameters, arguments) {
        Ok(arguments) => {
            let names = metric.parameters.iter().map(|parameter| parameter.name.clone());
            Some(Asked {
                column: display_name(&metric.name, &metric.parameters, &arguments),
                name: metric.name.clone(),
                parameters: names.zip(arguments).collect(),
            })
        }
        Err(message) => refuse(format!("`{base}`: {message}"), None),
    }
}

/// What an evaluation says of a plugin that it used.
pub(super) fn info(plugin: &LoadedPlugin) -> ComponentInfo {
    let mut options = json!({
        "name": plugin.name,
        "sha256": plugin.sha256,
        "isolation": match plugin.isolation {
            Isolation::Process => "process",
            Isolation::InProcess => "in-process",
        },
    });
    // Named where there are any, that the ids of plans without them stay as they were.
    if !plugin.options.is_empty() {
        options["options"] = json!(plugin.options);
    }
    ComponentInfo {
        name: plugin.descriptor.name.clone(),
        version: plugin.descriptor.version.clone(),
        kind: "plugin".to_owned(),
        options,
    }
}

/// Whether a plugin can have this name.
pub(super) fn is_plugin_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
