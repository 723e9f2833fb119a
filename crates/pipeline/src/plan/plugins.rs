//! The plugins of a plan: named, found and loaded.

use std::{collections::BTreeMap, num::NonZeroUsize};

use qeval_core::Subject;
use qeval_loader::{BEGINNING, Carriage, FindError, LoadError, LoadedPlugin, PluginSpec};
use qeval_sdk::{Asked, is_name, split_name};
use qeval_store::ComponentInfo;
use serde_json::{Map, Value, json};
use toml::Spanned;

use super::{Surroundings, carriage, files, metrics::misplaced, readers::timeout};
use crate::{Config, Problem, config::PluginSection, problem::suggest};

/// What the manifest says of a plugin, and what is no part of an evaluation's id: where an interpreter
/// lies is a matter of the machine.
pub(super) const INTERPRETER: &str = "interpreter";

/// Plugins by the names that the file gives them; `None` for one that could not be loaded.
pub(super) type Plugins = BTreeMap<String, Option<Declared>>;

/// A plugin of the file.
pub(super) struct Declared {
    pub(super) plugin: LoadedPlugin,
    /// What its failures cost.
    pub(super) on_error: OnError,
    /// What an evaluation says of it.
    pub(super) info: ComponentInfo,
}

/// What a failure of a plugin costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The examples that it concerns are unscored.
    #[default]
    Null,
    /// The evaluation ends.
    Stop,
}

/// Examples in a batch: few enough for the cache of one processor, and enough that the turns cost
/// nothing beside them.
const BATCH: usize = 256;

/// The same where a plugin runs in child processes: enough that a turn through the pipes, which costs
/// as much as some hundred short examples, is spread over more of them.
const BATCH_FOR_CHILDREN: usize = 512;

/// How many examples are evaluated at once.
pub(super) fn batch(plugins: &Plugins) -> usize {
    let mut carriages = plugins.values().flatten().map(|declared| &declared.plugin.carriage);
    if carriages.any(|carriage| *carriage != Carriage::InProcess) {
        BATCH_FOR_CHILDREN
    } else {
        BATCH
    }
}

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
        if !surroundings.plugins {
            let message = format!("the plugin `{name}` is not loaded, as `--no-plugins` says");
            let hint = "plugins run code: leave the flag out where you trust this file";
            problems.push(Problem::at(section.name.span(), message).hint(hint));
            plugins.insert(name.clone(), None);
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
) -> Option<Declared> {
    let name = section.name.get_ref();
    if !is_name(name) {
        let message = format!("`{name}` is no name for a plugin");
        let hint = "a letter, then letters, digits, `_` and `-`";
        problems.push(Problem::at(section.name.span(), message).hint(hint));
        return None;
    }
    let on_error = on_error(section, problems);
    // All that is wrong with the keys is told at once.
    let carriage = carriage::carriage(config, section, surroundings, problems);
    let deadline = timeout(section.timeout_s.as_ref(), problems);
    let options = options(section, problems);
    let pin = pin(section, problems);
    let usual = match carriage {
        Some(Carriage::Program(_)) => 1,
        _ => rayon::current_num_threads(),
    };
    let (deadline, sha256) = (deadline?, pin?);
    let spec = PluginSpec {
        name: name.clone(),
        path: files::resolve(config, &section.path),
        sha256,
        carriage: carriage?,
        deadline,
        beginning: BEGINNING.max(deadline),
        workers: section.workers.map_or(usual, NonZeroUsize::get),
        options: options?,
    };
    match qeval_loader::load(&spec, &surroundings.runtime) {
        Ok(plugin) => {
            let (on_error, info) = (on_error?, info(&plugin, section));
            Some(Declared { plugin, on_error, info })
        }
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

/// The SHA-256 that the file must have; `Some(None)` where any will do.
#[expect(clippy::option_option, reason = "wrong and not given are two things")]
fn pin(section: &PluginSection, problems: &mut Vec<Problem>) -> Option<Option<String>> {
    let Some(written) = &section.sha256 else { return Some(None) };
    let digits = written.get_ref();
    let digits = digits.strip_prefix("sha256:").unwrap_or(digits);
    if digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Some(Some(digits.to_ascii_lowercase()));
    }
    let message = format!("`sha256` is `{}`, expected 64 hexadecimal digits", written.get_ref());
    problems.push(Problem::at(written.span(), message).hint("`sha256sum FILE` says them"));
    None
}

/// What a failure of the plugin costs.
fn on_error(section: &PluginSection, problems: &mut Vec<Problem>) -> Option<OnError> {
    let Some(word) = &section.on_error else { return Some(OnError::default()) };
    match word.get_ref().as_str() {
        "null" => Some(OnError::Null),
        "stop" => Some(OnError::Stop),
        other => {
            let hint = suggest(other, ["null", "stop"]);
            let message = format!("`on_error` is `{other}`");
            problems.push(Problem::at(word.span(), message).maybe_hint(hint));
            None
        }
    }
}

/// The options as JSON, which is how they cross.
fn options(section: &PluginSection, problems: &mut Vec<Problem>) -> Option<Map<String, Value>> {
    let Some(options) = &section.options else { return Some(Map::new()) };
    if let Ok(Value::Object(options)) = serde_json::to_value(options.get_ref()) {
        return Some(options);
    }
    problems.push(Problem::at(options.span(), "`options` cannot be written as JSON"));
    None
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
    match metric.asked_with(arguments) {
        Ok(asked) => Some(asked),
        Err(message) => refuse(format!("`{base}`: {message}"), None),
    }
}

/// What an evaluation says of a plugin that it used.
fn info(plugin: &LoadedPlugin, section: &PluginSection) -> ComponentInfo {
    let mut options = json!({
        "name": plugin.name,
        "sha256": plugin.sha256,
        "isolation": plugin.carriage.name(),
    });
    // Named where there are any, that the ids of plans without them stay as they were.
    if !plugin.options.is_empty() {
        options["options"] = json!(plugin.options);
    }
    if let Some(args) = &section.args {
        options["args"] = json!(args.get_ref());
    }
    if let Some(interpreter) = &section.interpreter {
        options[INTERPRETER] = json!(interpreter.get_ref());
    }
    if section.on_error.as_ref().is_some_and(|word| word.get_ref() == "stop") {
        options["on_error"] = json!("stop");
    }
    ComponentInfo {
        name: plugin.descriptor.name.clone(),
        version: plugin.descriptor.version.clone(),
        kind: "plugin".to_owned(),
        options,
    }
}
