//! `qeval list`: what there is.

use std::{fmt::Write as _, path::Path};

use anyhow::Result;
use qeval_core::{Cutoff, Definition, Kind, METRICS, Subject};
use qeval_pipeline::Session;

use crate::args::{List, Listed};

pub(crate) fn run(args: &List) -> Result<()> {
    let text = match &args.what {
        Listed::Metrics => metrics(),
        Listed::Components => components(),
        Listed::Plugins { file } => plugins(file)?,
        Listed::Evaluations { results } => evaluations(results)?,
    };
    super::print(&text)
}

fn metrics() -> String {
    let mut text = String::new();
    for (subject, title) in
        [(Subject::Answer, "answer metrics"), (Subject::Retrieval, "retrieval metrics")]
    {
        let _ = writeln!(text, "{title}");
        for metric in METRICS.iter().filter(|metric| metric.subject == subject) {
            let _ = writeln!(text, "  {:<16} {}", name(metric), metric.summary);
            let _ = writeln!(text, "  {:<16} equals {}", "", metric.equals);
            for parameter in metric.parameters {
                let default = parameter.kind.default();
                let values = match parameter.kind {
                    Kind::Choice(words) => words.join("|"),
                    _ => "...".to_owned(),
                };
                let _ = writeln!(
                    text,
                    "  {:<16} {}={values}: {} (default {default})",
                    "", parameter.name, parameter.summary
                );
            }
        }
    }
    text
}

fn name(metric: &Definition) -> String {
    match metric.cutoff {
        Cutoff::Never => metric.name.to_owned(),
        Cutoff::Optional => format!("{}[@k]", metric.name),
        Cutoff::Required => format!("{}@k", metric.name),
    }
}

fn components() -> String {
    let mut text = String::new();
    for component in qeval_pipeline::components() {
        let _ =
            writeln!(text, "{:<10} {:<15} {}", component.kind, component.name, component.summary);
    }
    text
}

fn plugins(file: &Path) -> Result<String> {
    let config = super::config(file)?;
    let session = Session::start()?;
    let surroundings = session.surroundings(std::env::current_exe()?, crate::terminal::variable);
    let mut text = String::new();
    for plugin in qeval_pipeline::plugins(&config, &surroundings)? {
        let descriptor = &plugin.descriptor;
        let _ = writeln!(
            text,
            "{}: {} {} ({})\n  {}\n  sha256 {}",
            plugin.name,
            descriptor.name,
            descriptor.version,
            plugin.library.display(),
            descriptor.summary,
            plugin.sha256
        );
        for metric in plugin.scorer.metrics() {
            let _ = writeln!(text, "  {} ({})", metric.name, metric.summary);
        }
    }
    if text.is_empty() {
        text = format!("`{}` declares no plugin\n", file.display());
    }
    Ok(text)
}

fn evaluations(results: &Path) -> Result<String> {
    let listing = qeval_store::list(results)?;
    let mut text = String::new();
    for evaluation in &listing.evaluations {
        let manifest = evaluation.manifest();
        let examples: u64 = manifest.datasets.iter().map(|dataset| dataset.examples).sum();
        let _ = writeln!(
            text,
            "{}  {}  {}:{}  {examples} examples",
            manifest.created, manifest.evaluation_id, manifest.label, manifest.system
        );
    }
    for error in &listing.unreadable {
        let _ = writeln!(text, "unreadable: {error}");
    }
    if text.is_empty() {
        text = format!("there is no evaluation in `{}`\n", results.display());
    }
    Ok(text)
}
