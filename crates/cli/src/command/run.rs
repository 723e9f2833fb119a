//! `qeval run`: evaluate what a file declares.

use anyhow::Result;
use qeval_pipeline::{Config, Finished, Plan, RunOptions, Session, System};
use qeval_store::{Evaluation, Notice};

use crate::{
    args::{Format, Run},
    evaluation,
    progress::Progress,
    terminal,
};

pub(crate) fn run(args: &Run) -> Result<()> {
    let config = super::config(&args.file, &args.changes)?;
    let config = Config { limit: args.limit, ..config };
    evaluate(&config, args.no_plugins, args.fresh, args.format)
}

/// Evaluates what is declared and prints the report.
pub(super) fn evaluate(
    config: &Config,
    no_plugins: bool,
    fresh: bool,
    format: Format,
) -> Result<()> {
    let session = Session::start()?;
    let plan = super::plan(config, &session, no_plugins)?;
    if !fresh && config.answers.is_none() {
        eprint_changes(&plan);
    }
    let progress = Progress::new();
    let options = RunOptions { fresh, stop: Some(session.stop()) };
    let result = qeval_pipeline::run(&plan, &options, &|event| progress.show(&event));
    progress.finish();
    let finished = result?;
    if !finished.reused.is_empty() {
        eprint_reused(&finished)?;
    }
    let report = evaluation::report_of_run(&finished)?;
    super::print(&evaluation::render(&report, format))
}

/// Says of each system that is not evaluated yet what differs from its newest evaluation. What cannot
/// be read is no reason to say more, or to stop.
#[expect(clippy::print_stderr, reason = "a word to the user, who may read stdout with a program")]
fn eprint_changes(plan: &Plan) {
    let new = |system: &&System| !system.id.folder(&plan.results).join("manifest.json").is_file();
    let Some(resolved) = plan.resolved["systems"].as_array() else { return };
    if !plan.systems.iter().any(|system| new(&system)) {
        return;
    }
    let known = qeval_store::list(&plan.results).map(|listing| listing.evaluations);
    for (system, resolved) in plan.systems.iter().zip(resolved).filter(|(system, _)| new(system)) {
        let of_system = |evaluation: &&Evaluation| {
            let manifest = evaluation.manifest();
            (&manifest.label, &manifest.system) == (&plan.label, &system.name)
        };
        let Some(older) = known.iter().flatten().find(of_system) else { continue };
        let changed = qeval_pipeline::changes(&older.manifest().plan, resolved);
        if !changed.is_empty() {
            let id = &older.manifest().evaluation_id;
            eprintln!("changed since `{id}`: {}", terminal::printable(&changed.join("; ")));
        }
    }
}

#[expect(clippy::print_stderr, reason = "a word to the user, who may read stdout with a program")]
fn eprint_reused(finished: &Finished) -> Result<()> {
    let (reused, all) = (finished.reused.len(), finished.evaluations.len());
    eprintln!(
        "{reused} of {all} evaluations are whole already and were not run again (--fresh runs them)"
    );
    for folder in &finished.reused {
        let evaluation = Evaluation::open(folder)?;
        let manifest = evaluation.manifest();
        for Notice { text, .. } in manifest.failures() {
            let id = &manifest.evaluation_id;
            eprintln!("`{id}`: {text}; if the cause is gone, --fresh runs it again");
        }
    }
    Ok(())
}
