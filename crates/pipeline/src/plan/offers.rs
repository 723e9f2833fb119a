//! What plugins offer beside metrics: their retrievers, readers and normalizers, where the file names
//! them.

use std::{ops::Range, sync::Arc};

use qeval_core::{Subject, Ties};
use qeval_loader::LoadedPlugin;
use qeval_sdk::{Normalizer, PluginDescriptor};
use serde_json::{Value, json};
use toml::Spanned;

use super::{
    PlannedReader, PlannedRetriever, Search,
    plugins::{Declared, INTERPRETER, Plugins},
    readers::{self, PASSAGES},
    remote::QUERIES,
    retrievers::{DEPTH, positive},
};
use crate::{
    Config, Problem,
    builtin::live::Batched,
    config::{PluginReaderSection, PluginRetrieverSection},
    problem::suggest,
};

pub(super) fn plan_retriever(
    config: &Config,
    section: &PluginRetrieverSection,
    plugins: &Plugins,
    ties: Ties,
    problems: &mut Vec<Problem>,
) -> Option<PlannedRetriever> {
    let depth = positive(section.depth.as_ref(), DEPTH, "depth", problems);
    let batch = positive(section.batch.as_ref(), QUERIES, "batch", problems);
    let plugin = offering(&section.plugin, plugins, "retriever", has_retriever, problems);
    let (plugin, depth, batch) = (plugin?, depth?, batch?);
    // One more, for the one that is taken out.
    let most = (depth as usize).saturating_add(config.evaluation.ignore_identical_ids.into());
    let made = plugin.plugin.retriever(most, batch as usize, ties);
    let retriever = match made {
        Ok(retriever) => retriever,
        Err(error) => {
            problems.push(Problem::at(section.plugin.span(), error.to_string()));
            return None;
        }
    };
    let mut descriptor = retriever.descriptor();
    "plugin".clone_into(&mut descriptor.name);
    let recorded = json!({"plugin": recorded(plugin), "depth": depth, "batch": batch});
    let name = section.name.as_ref().map_or("plugin", |name| name.get_ref());
    let search = Search::Alone(retriever);
    let planned = PlannedRetriever::new(name, depth as usize, search, descriptor, recorded);
    Some(PlannedRetriever { on_error: plugin.on_error, ..planned })
}

pub(super) fn plan_reader(
    section: &PluginReaderSection,
    plugins: &Plugins,
    problems: &mut Vec<Problem>,
) -> Option<PlannedReader> {
    let passages = positive(section.passages.as_ref(), PASSAGES, "passages", problems);
    let batch = positive(section.batch.as_ref(), QUERIES, "batch", problems);
    let plugin = offering(&section.plugin, plugins, "reader", has_reader, problems);
    let (plugin, passages, batch) = (plugin?, passages?, batch?);
    let reader = match plugin.plugin.reader(batch as usize) {
        Ok(reader) => reader,
        Err(error) => {
            problems.push(Problem::at(section.plugin.span(), error.to_string()));
            return None;
        }
    };
    let options = json!({"plugin": recorded(plugin), "passages": passages, "batch": batch});
    let info = readers::info("plugin", &plugin.plugin.descriptor.version, options);
    let name = section.name.as_ref().map_or("plugin", |name| name.get_ref());
    let mut identity = recorded(plugin);
    // How it is run is no matter of what it answers.
    if let Some(options) = identity["options"].as_object_mut() {
        options.retain(|key, _| !["isolation", "on_error"].contains(&key.as_str()));
    }
    let reader = Arc::new(Batched { reader, batch: batch as usize });
    let (name, identity) = (name.to_owned(), move || identity.clone());
    let planned = readers::kept(name, reader, (passages, info), section.resume, identity);
    Some(PlannedReader { on_error: plugin.on_error, ..planned })
}

/// The normalizer that a metric names as `plugin.name`, with its plugin.
pub(super) fn normalizer<'p>(
    span: Range<usize>,
    full: &str,
    plugins: &'p Plugins,
    problems: &mut Vec<Problem>,
) -> Option<(&'p Declared, Arc<dyn Normalizer>)> {
    let (name, inner) = full.split_once('.').unwrap_or((full, ""));
    let plugin = find(&Spanned::new(span.clone(), name), plugins, problems)?;
    let offered = plugin.plugin.descriptor.normalizers.iter().map(|offered| offered.name.as_str());
    if !offered.clone().any(|offered| offered == inner) {
        let message = format!("the plugin `{name}` has no normalizer `{inner}`");
        let hint = suggest(inner, offered.collect::<Vec<_>>());
        let hint = hint.unwrap_or_else(|| offers(&plugin.plugin));
        problems.push(Problem::at(span, message).hint(hint));
        return None;
    }
    match plugin.plugin.normalizer(inner) {
        Ok(normalizer) => Some((plugin, normalizer)),
        Err(error) => {
            problems.push(Problem::at(span, error.to_string()));
            None
        }
    }
}

fn has_retriever(descriptor: &PluginDescriptor) -> bool {
    descriptor.retriever.is_some()
}

fn has_reader(descriptor: &PluginDescriptor) -> bool {
    descriptor.reader.is_some()
}

/// The plugin of that name, if it has such a component.
fn offering<'p>(
    name: &Spanned<String>,
    plugins: &'p Plugins,
    component: &str,
    has: fn(&PluginDescriptor) -> bool,
    problems: &mut Vec<Problem>,
) -> Option<&'p Declared> {
    let plugin = find(&Spanned::new(name.span(), name.get_ref()), plugins, problems)?;
    if has(&plugin.plugin.descriptor) {
        return Some(plugin);
    }
    let message = format!("the plugin `{}` has no {component}", plugin.plugin.name);
    problems.push(Problem::at(name.span(), message).hint(offers(&plugin.plugin)));
    None
}

fn find<'p>(
    name: &Spanned<&str>,
    plugins: &'p Plugins,
    problems: &mut Vec<Problem>,
) -> Option<&'p Declared> {
    let text = *name.get_ref();
    let Some(plugin) = plugins.get(text) else {
        let hint = suggest(text, plugins.keys().map(String::as_str))
            .unwrap_or_else(|| format!("declare it: `[[plugin]]` with `name = \"{text}\"`"));
        let message = format!("no plugin has the name `{text}`");
        problems.push(Problem::at(name.span(), message).hint(hint));
        return None;
    };
    // That it could not be loaded is said already.
    plugin.as_ref()
}

/// What a plugin has, in words.
fn offers(plugin: &LoadedPlugin) -> String {
    let PluginDescriptor { metrics, normalizers, retriever, reader, .. } = &plugin.descriptor;
    let inner = |name: &String| format!("`{}.{name}`", plugin.name);
    let metric = |subject: Subject| {
        let names = metrics.iter().filter(move |metric| metric.subject == subject);
        names.map(|metric| inner(&metric.name)).collect::<Vec<_>>().join(", ")
    };
    let normalizers: Vec<String> = normalizers.iter().map(|it| inner(&it.name)).collect();
    let lists = [
        ("metrics of answers", metric(Subject::Answer)),
        ("metrics of rankings", metric(Subject::Retrieval)),
        ("normalizers", normalizers.join(", ")),
    ];
    let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let mut all: Vec<String> = lists.map(|(what, names)| format!("the {what} {names}")).collect();
    all.extend(retriever.as_ref().map(|_| "a retriever".to_owned()));
    all.extend(reader.as_ref().map(|_| "a reader".to_owned()));
    format!("it has {}", all.join(", "))
}

/// What identifies a plugin behind a retriever or a reader.
fn recorded(plugin: &Declared) -> Value {
    let info = &plugin.info;
    let mut options = info.options.clone();
    // Where it lies is a matter of the machine, and this goes into the evaluation's id.
    if let Some(options) = options.as_object_mut() {
        options.remove(INTERPRETER);
    }
    json!({"name": info.name, "version": info.version, "options": options})
}
