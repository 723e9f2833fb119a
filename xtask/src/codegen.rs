//! `cargo xtask codegen`: the pages that are made from the code.
//!
//! The list of metrics in `docs/metrics.md` stands between two marks. It is made of what the
//! program says of its metrics and of the doc comments of their definitions, so that there is one
//! text for readers of the code and of the page. The C header of the plugin interface is made of its
//! Rust definition.

mod header;

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path, process::Command};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::{shell, workspace::Workspace};

const PAGE: &str = "docs/metrics.md";
const BEGIN: &str = "<!-- The list of metrics is made by `cargo xtask codegen`. -->\n";
const END: &str = "<!-- End of the list. -->\n";

/// Write the pages that are made from the code
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Write nothing, and fail where a page is not what would be written.
    #[arg(long)]
    pub(crate) check: bool,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    write_header(workspace, args)?;
    shell::run(&mut workspace.cargo(&["build", "--workspace", "--locked"]))?;
    let mut list = Command::new(workspace.qeval("debug"));
    let listed = shell::output(list.args(["list", "metrics", "--format", "json"]))?;
    let metrics: Vec<Metric> = serde_json::from_str(&listed)?;
    let comments = comments(&workspace.root.join("crates/core/src/metrics"))?;

    let list = format!("\n{}", list_of(&metrics, &comments)?);
    write(workspace, args, &Place { path: PAGE, begin: BEGIN, end: END }, &list)
}

fn write_header(workspace: &Workspace, args: &Args) -> Result<()> {
    let source = |path: &str| {
        fs::read_to_string(workspace.root.join(path))
            .with_context(|| format!("cannot read `{path}`"))
    };
    let abi = source("crates/sdk/src/abi.rs")?;
    let handshake = source("crates/sdk/src/handshake.rs")?;
    let definitions = header::definitions(&abi, &handshake)
        .with_context(|| format!("cannot make `{}`", header::HEADER))?;
    let place = Place { path: header::HEADER, begin: header::BEGIN, end: header::END };
    write(workspace, args, &place, &definitions)
}

/// A part of a file that is made: it stands between two marks.
struct Place {
    path: &'static str,
    begin: &'static str,
    end: &'static str,
}

fn write(workspace: &Workspace, args: &Args, place: &Place, text: &str) -> Result<()> {
    let Place { path: name, begin, end } = place;
    let path = workspace.root.join(name);
    let page = fs::read_to_string(&path).with_context(|| format!("cannot read `{name}`"))?;
    let places = page.find(begin).zip(page.find(end)).filter(|(begin, end)| begin < end);
    let Some((before, after)) = places else { bail!("`{name}` lacks one of its two marks") };
    let made = format!("{}{begin}{text}{}", &page[..before], &page[after..]);
    if made == page {
        return Ok(());
    }
    ensure!(!args.check, "`{name}` is not what the code says: run `cargo xtask codegen`");
    fs::write(&path, made).with_context(|| format!("cannot write `{name}`"))
}

/// What the program says of a metric.
#[derive(Debug, Deserialize)]
struct Metric {
    name: String,
    column: String,
    synonyms: Vec<String>,
    equals: String,
    scores: String,
    needs: Vec<String>,
    cutoff: String,
    min: Option<f64>,
    max: Option<f64>,
    higher_is_better: bool,
    estimator: String,
    parameters: Vec<Parameter>,
}

#[derive(Debug, Deserialize)]
struct Parameter {
    name: String,
    summary: String,
    values: String,
    default: String,
}

/// The doc comment of a definition.
#[derive(Debug)]
struct Comment {
    /// Name of the static, as links name it.
    constant: String,
    lines: Vec<String>,
}

/// The doc comments of all definitions below a folder, by the name of the metric.
fn comments(folder: &Path) -> Result<BTreeMap<String, Comment>> {
    let mut comments = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                read_comments(&fs::read_to_string(&path)?, &mut comments);
            }
        }
    }
    Ok(comments)
}

/// A definition is a public static; the first text in it is the metric's name.
fn read_comments(source: &str, comments: &mut BTreeMap<String, Comment>) {
    let mut lines = Vec::new();
    let mut rest = source.lines();
    while let Some(line) = rest.next() {
        if let Some(text) = line.strip_prefix("///") {
            lines.push(text.strip_prefix(' ').unwrap_or(text).to_owned());
            continue;
        }
        let comment = std::mem::take(&mut lines);
        let Some((constant, value)) =
            line.strip_prefix("pub static ").and_then(|item| item.split_once(": Definition"))
        else {
            continue;
        };
        let mut item = std::iter::once(value).chain(rest.by_ref());
        let name = item.find_map(|line| line.split('"').nth(1));
        if let Some(name) = name {
            let comment = Comment { constant: constant.to_owned(), lines: comment };
            comments.insert(name.to_owned(), comment);
        }
    }
}

fn list_of(metrics: &[Metric], comments: &BTreeMap<String, Comment>) -> Result<String> {
    let mut text = String::new();
    for (scores, title) in [("answers", "Answer metrics"), ("rankings", "Retrieval metrics")] {
        let own = || metrics.iter().filter(|metric| metric.scores == scores);
        let links: Vec<String> = own().map(|m| format!("[`{}`](#{})", m.name, anchor(m))).collect();
        let _ = writeln!(text, "## {title}\n\n{}\n", links.join(", "));
        for metric in own() {
            let comment = comments.get(&metric.name).filter(|comment| !comment.lines.is_empty());
            let comment = comment
                .with_context(|| format!("the metric `{}` has no doc comment", metric.name))?;
            entry(&mut text, metric, comment, comments);
        }
    }
    Ok(text)
}

/// Where a heading is found: as the usual renderers make it.
fn anchor(metric: &Metric) -> String {
    let kept = metric.name.chars().filter(|&c| c.is_alphanumeric() || c == '-' || c == '_');
    kept.collect::<String>().to_lowercase()
}

fn entry(
    text: &mut String,
    metric: &Metric,
    comment: &Comment,
    comments: &BTreeMap<String, Comment>,
) {
    let _ = writeln!(text, "### {}\n", metric.name);
    let mut lines = comment.lines.iter().map(|line| linked(line, comments));
    let first: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    let _ = writeln!(text, "{}\n", first.join("\n"));
    let _ = writeln!(text, "{}\n", facts(metric));
    for parameter in &metric.parameters {
        let Parameter { name, summary, values, default } = parameter;
        let _ = writeln!(text, "- `{name}`: {summary} ({values}; default {default})");
    }
    if !metric.parameters.is_empty() {
        text.push('\n');
    }
    for line in lines {
        match line.strip_prefix("# ") {
            Some(section) => {
                let _ = writeln!(text, "**{section}.**");
            }
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    text.push('\n');
}

/// What can be said in a line.
fn facts(metric: &Metric) -> String {
    let end = |end: Option<f64>| end.map_or("open".to_owned(), |end| end.to_string());
    let cutoff = match metric.cutoff.as_str() {
        "required" => "@k",
        "optional" => "[@k]",
        _ => "",
    };
    let better = if metric.higher_is_better { "more" } else { "less" };
    let mut facts = vec![
        format!("`{}{cutoff}`", metric.name),
        format!("column `{}`", metric.column),
        format!("{} to {}, {better} is better", end(metric.min), end(metric.max)),
        match metric.estimator.as_str() {
            "mean" => "mean of the examples".to_owned(),
            "over groups" => "a number over groups".to_owned(),
            _ => "pooled over the examples".to_owned(),
        },
    ];
    if !metric.needs.is_empty() {
        facts.push(format!("needs {}", metric.needs.join(", ")));
    }
    if !metric.synonyms.is_empty() {
        let synonyms: Vec<String> = metric.synonyms.iter().map(|s| format!("`{s}`")).collect();
        facts.push(format!("also {}", synonyms.join(", ")));
    }
    format!("{}; equals {}", facts.join(" · "), metric.equals)
}

/// The line with the links of rustdoc to other metrics as their names.
fn linked(line: &str, comments: &BTreeMap<String, Comment>) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((target, after)) = link.split_once("`]") else { break };
        let last = target.rsplit("::").next().unwrap_or(target);
        let metric = comments.iter().find(|(_, comment)| comment.constant == last);
        let _ = write!(text, "{before}`{}`", metric.map_or(last, |(name, _)| name));
        // The address of the link says nothing outside the code.
        rest = match after.strip_prefix('(').and_then(|address| address.split_once(')')) {
            Some((_, rest)) => rest,
            None => after,
        };
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_by_the_name_of_the_metric() {
        let source = "/// Not this.\nfn f() {}\n/// One.\n///\n/// # Equals\n/// As [`TWO`].\n\
                      pub static ONE: Definition = Definition {\n    name: \"One\",\n};\n\
                      /// Two.\npub static TWO: Definition = of(\"Two\");\n";
        let mut comments = BTreeMap::new();
        read_comments(source, &mut comments);
        assert_eq!(comments["One"].lines, ["One.", "", "# Equals", "As [`TWO`]."]);
        assert_eq!(comments["Two"].constant, "TWO");
        assert_eq!(linked("As [`TWO`](super::two::TWO), [`f`].", &comments), "As `Two`, `f`.");
    }
}
