//! `qeval check`: everything that a run would check, and what it would do.

use std::fmt::Write as _;

use anyhow::Result;
use qeval_pipeline::{Contents, Part, Plan, Session};

use crate::{args::Check, exit_code::BadRequest, terminal};

pub(crate) fn run(args: &Check) -> Result<()> {
    let config = super::config(&args.file, &args.changes)?;
    let session = Session::start()?;
    let plan = super::plan(&config, &session, args.no_plugins)?;
    let inspection = qeval_pipeline::inspect(&plan)?;
    let mut text = describe(&plan, &inspection.datasets);
    if !inspection.findings.is_empty() {
        text.push_str("\nwarnings\n");
    }
    for finding in &inspection.findings {
        let _ = writeln!(text, "  {}", terminal::printable(&finding.to_string()));
    }
    super::print(&text)?;
    match inspection.findings.len() {
        1.. if args.strict => {
            let message = "the data have the faults that are listed above as warnings".to_owned();
            let hint = Some("mend them, or check without `--strict`".to_owned());
            Err(BadRequest { message, hint }.into())
        }
        _ => Ok(()),
    }
}

fn describe(plan: &Plan, contents: &[Contents]) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<11} {value}");
    };
    line("label", &plan.label);
    match plan.part {
        None => {}
        Some(Part::First(most)) => {
            line("part", &format!("the first {most} examples of each dataset"));
        }
        Some(Part::Sample(size)) => {
            let seed = plan.seed;
            line(
                "part",
                &format!("a sample of {size} examples of each dataset, drawn by the seed {seed}"),
            );
        }
    }
    for (dataset, Contents { examples, unanswerable }) in plan.datasets.iter().zip(contents) {
        let name = &dataset.name;
        line(
            "dataset",
            &format!("{name}: {examples} examples, {unanswerable} without a reference"),
        );
    }
    if let Some(corpus) = &plan.corpus {
        let superseded = corpus.passages.iter().filter(|passage| passage.superseded()).count();
        let count = corpus.passages.len();
        line("corpus", &format!("{count} passages, {superseded} of them superseded"));
    }
    for metric in plan.metrics.iter().filter(|metric| metric.statistic_of.is_none()) {
        line("metric", &format!("{} ({})", metric.descriptor.name, metric.descriptor.summary));
    }
    for system in &plan.systems {
        let stages: Vec<&str> = system.stages.iter().map(|stage| stage.name()).collect();
        let stored = system.id.folder(&plan.results).join("manifest.json").is_file();
        let state = if stored { "stored already" } else { "to be evaluated" };
        line("system", &format!("{}: {} ({state}, {})", system.name, stages.join(", "), system.id));
    }
    line("results", &plan.results.display().to_string());
    let examples: u64 = contents.iter().map(|contents| contents.examples).sum();
    let calls = examples * plan.live_answers() as u64;
    line("answers", &format!("at most {calls} asked of live readers"));
    text
}
