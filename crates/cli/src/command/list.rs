//! `qeval list`: what there is.

use std::{fmt::Write as _, path::Path};

use anyhow::Result;
use qeval_core::{
    Cutoff, Definition, Estimator, FAMILIES, Kind, METRICS, Need, Subject, column_name,
};

use serde_json::{Value, json};

use crate::args::{Changes, Format, List, Listed};

pub(crate) fn run(args: &List) -> Result<()> {
    let text = match &args.what {
        Listed::Metrics { format: Format::Terminal } => metrics(),
        Listed::Metrics { format: Format::Json } => {
            let metrics: Value = METRICS.iter().map(|metric| described(metric)).collect();
            format!("{metrics:#}\n")
        }
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
        if subject == Subject::Retrieval {
            text.push_str(
                "  a score has 64 bits, as in trec_eval 10.0; 9.0.8 keeps 32, so that nearly equal \
                 ones are\n  ties there, and in `qeval score --official trec_eval`\n",
            );
        }
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
    text.push_str("families of metrics\n");
    for family in FAMILIES {
        let _ = writeln!(text, "  {:<16} {}", family.name, family.summary);
        let _ = writeln!(text, "  {:<16} {}", "", family.members.join(", "));
    }
    text
}

/// A metric for programs; a null end of the range is open.
fn described(metric: &Definition) -> Value {
    let (low, high) = metric.range;
    let end = |end: f64| end.is_finite().then_some(end);
    let parameters = metric.parameters.iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "summary": parameter.summary,
            "values": values(&parameter.kind),
            "default": parameter.kind.default().to_string(),
        })
    });
    json!({
        "name": metric.name,
        "column": column_name(metric.name),
        "synonyms": metric.synonyms,
        "summary": metric.summary,
        "equals": metric.equals,
        "scores": match metric.subject {
            Subject::Answer => "answers",
            Subject::Retrieval => "rankings",
        },
        "needs": metric.needs.iter().map(|need| match need {
            Need::References => "references".to_owned(),
            Need::Judgments => "relevant passages".to_owned(),
            Need::Subtopics => "judgments on subtopics".to_owned(),
            Need::PassageTexts => "the texts of the passages".to_owned(),
            Need::Hits => "what was retrieved".to_owned(),
            Need::Groups => "groups".to_owned(),
            Need::Column(name) => format!("the column `{name}`"),
            Need::OptionalColumn(name) => format!("the column `{name}` if there is one"),
            Need::Label(name) => format!("the label `{name}` of the predictions"),
            Need::Confidence => "the confidence of the predictions".to_owned(),
        }).collect::<Vec<_>>(),
        "cutoff": match metric.cutoff {
            Cutoff::Never => "never",
            Cutoff::Optional => "optional",
            Cutoff::Required => "required",
        },
        "min": end(low),
        "max": end(high),
        "higher_is_better": metric.higher_is_better,
        "estimator": match metric.estimator {
            Estimator::Mean => "mean",
            Estimator::Groups(_) => "over groups",
            Estimator::Pooled(_) => "pooled",
        },
        "parameters": parameters.collect::<Vec<_>>(),
    })
}

/// The values that a parameter takes, in words.
fn values(kind: &Kind) -> String {
    match kind {
        Kind::Integer { min, .. } => format!("a whole number from {min}"),
        Kind::Number { min, max, .. } if max.is_infinite() => format!("a number, {min} or more"),
        Kind::Number { min, max, .. } => format!("a number from {min} to {max}"),
        Kind::Choice(words) => words.join(", "),
        Kind::Gains => "grades with their gains, such as 1:1;2:3".to_owned(),
        Kind::Normalizer => "a normalizer of a plugin, such as acme.legal".to_owned(),
    }
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
    let configs = super::configs(file, &Changes::default())?;
    let session = crate::stop::session()?;
    let surroundings = session.surroundings(std::env::current_exe()?, crate::terminal::variable);
    let mut text = String::new();
    // All combinations of a sweep have the plugins of the first.
    let loaded = configs.first().map(|config| qeval_pipeline::plugins(config, &surroundings));
    for plugin in loaded.transpose()?.unwrap_or_default() {
        let descriptor = &plugin.descriptor;
        let _ = writeln!(
            text,
            "{}: {} {} ({})\n  {}\n  sha256 {}",
            plugin.name,
            descriptor.name,
            descriptor.version,
            plugin.file.display(),
            descriptor.summary,
            plugin.sha256
        );
        for metric in &descriptor.metrics {
            let pooled = if metric.statistics.is_empty() { "" } else { "; pooled" };
            let _ =
                writeln!(text, "  {}.{} ({}{pooled})", plugin.name, metric.name, metric.summary);
        }
        for normalizer in &descriptor.normalizers {
            let (name, summary) = (&normalizer.name, &normalizer.summary);
            let _ = writeln!(text, "  normalize={}.{name} ({summary})", plugin.name);
        }
        let others = [("retriever", &descriptor.retriever), ("reader", &descriptor.reader)];
        for (kind, offered) in others {
            if let Some(offered) = offered {
                let _ = writeln!(text, "  {kind} ({})", offered.summary);
            }
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
