//! `qeval check`: everything that a run would check, and what it would do.

use std::fmt::Write as _;

use anyhow::Result;
use qeval_pipeline::{Contents, Part, Plan};

use crate::{
    args::Check,
    exit_code::BadRequest,
    remote::{Copies, Destination},
    stdin::Stdin,
    sweep, terminal,
};

pub(crate) fn run(args: &Check) -> Result<()> {
    let mut configs = super::configs(&args.file, &args.changes)?;
    let stdin = Stdin::default();
    stdin.put_into(&mut configs)?;
    let session = crate::stop::session()?;
    let copies = Copies::default();
    copies.put_into(&mut configs, &session)?;
    Destination::of(&mut configs, &session)?;
    let mut found = Found::default();
    sweep::each_plan(&configs, &session, args.no_plugins, |plan| found.add(&plan))?;
    let combinations = configs.iter().filter(|config| config.swept.is_some()).count();
    super::print(&found.text(combinations))?;
    match found.warnings.len() {
        1.. if args.strict => {
            let message = "the data have the faults that are listed above as warnings".to_owned();
            let hint = Some("mend them, or check without `--strict`".to_owned());
            Err(BadRequest { message, hint }.into())
        }
        _ => Ok(()),
    }
}

/// What there is in the combinations of a sweep, or in one file: what several have in common is said
/// once.
#[derive(Default)]
struct Found {
    parts: Vec<String>,
    systems: Vec<String>,
    results: Vec<String>,
    warnings: Vec<String>,
    /// How many answers the live readers give at most.
    answers: u64,
}

impl Found {
    fn add(&mut self, plan: &Plan) -> Result<()> {
        let inspection = qeval_pipeline::inspect(plan)?;
        add(&mut self.parts, parts(plan, &inspection.datasets));
        add(&mut self.systems, systems(plan));
        add(&mut self.results, [line("results", &plan.results.display().to_string())]);
        let warning = |finding: &qeval_pipeline::Finding| {
            format!("  {}\n", terminal::printable(&finding.to_string()))
        };
        add(&mut self.warnings, inspection.findings.iter().map(warning));
        let examples: u64 = inspection.datasets.iter().map(|contents| contents.examples).sum();
        self.answers += examples * plan.live_answers() as u64;
        Ok(())
    }

    fn text(&self, combinations: usize) -> String {
        let mut text = self.parts.concat();
        if combinations > 0 {
            text.push_str(&line("sweep", &format!("{combinations} combinations")));
        }
        text.push_str(&[self.systems.concat(), self.results.concat()].concat());
        let answers = format!("at most {} asked of live readers", self.answers);
        text.push_str(&line("answers", &answers));
        if !self.warnings.is_empty() {
            let _ = write!(text, "\nwarnings\n{}", self.warnings.concat());
        }
        text
    }
}

/// Adds the lines that are not there yet.
fn add(lines: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    let known = lines.len();
    let new: Vec<String> = more.into_iter().filter(|line| !lines[..known].contains(line)).collect();
    lines.extend(new);
}

fn line(name: &str, value: &str) -> String {
    format!("{name:<11} {value}\n")
}

fn parts(plan: &Plan, contents: &[Contents]) -> Vec<String> {
    let mut lines = vec![line("label", &plan.label)];
    let seed = plan.intervals.seed;
    let part = match plan.part {
        None => None,
        Some(Part::First(most)) => Some(format!("the first {most} examples of each dataset")),
        Some(Part::Sample(size)) => {
            Some(format!("a sample of {size} examples of each dataset, drawn by the seed {seed}"))
        }
    };
    lines.extend(part.map(|part| line("part", &part)));
    for (dataset, Contents { examples, unanswerable }) in plan.datasets.iter().zip(contents) {
        let name = &dataset.name;
        let text = format!("{name}: {examples} examples, {unanswerable} without a reference");
        lines.push(line("dataset", &text));
    }
    if let Some(corpus) = &plan.corpus {
        let superseded = corpus.passages.iter().filter(|passage| passage.superseded()).count();
        let count = corpus.passages.len();
        lines.push(line("corpus", &format!("{count} passages, {superseded} of them superseded")));
    }
    for metric in plan.metrics.iter().filter(|metric| metric.statistic_of.is_none()) {
        let when = plan.condition(metric).map(|when| format!(", where `{when}`"));
        let (name, summary) = (&metric.descriptor.name, &metric.descriptor.summary);
        let text = format!("{name} ({summary}){}", when.unwrap_or_default());
        lines.push(line("metric", &text));
    }
    lines
}

fn systems(plan: &Plan) -> Vec<String> {
    let described = plan.systems.iter().map(|system| {
        let stages: Vec<&str> = system.stages.iter().map(|stage| stage.name()).collect();
        let stored = system.id.folder(&plan.results).join("manifest.json").is_file();
        let state = if stored { "stored already" } else { "to be evaluated" };
        line("system", &format!("{}: {} ({state}, {})", system.name, stages.join(", "), system.id))
    });
    described.collect()
}
