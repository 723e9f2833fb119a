//! The plugins of a plan: named, found and loaded.

use std::collections::BTreeMap;

use qeval_loader::{FindError, Isolation, LoadError, LoadedPlugin, PluginSpec};
use toml::Spanned;

use super::{Surroundings, files, readers::timeout};
use crate::{Config, Problem, config::PluginSection, problem::suggest};

/// The plugins of the file by name; `None` for one that could not be loaded.
pub(super) fn plugins(
    config: &Config,
    surroundings: &Surroundings,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Option<LoadedPlugin>> {
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
    let mut host = qeval_process::Command::new(name, &surroundings.plugin_host);
    host.args = vec!["plugin-host".into()];
    host.stop = surroundings.stop.clone();
    let spec = PluginSpec {
        name: name.clone(),
        path: files::resolve(config, section.path.get_ref()),
        sha256: section.sha256.as_ref().map(|pin| pin.get_ref().clone()),
        isolation,
        deadline: timeout(section.timeout_s.as_ref(), problems)?,
        host,
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

/// Whether a plugin can have this name.
pub(super) fn is_plugin_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
