//! `qeval run`: evaluate what a file declares.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use anyhow::Result;
use qeval_pipeline::{Event, Finished, Plan, RunOptions, Session, System};
use qeval_store::{Evaluation, GateInfo, Notice};

use crate::{
    args::{Format, Run},
    evaluation,
    gates::{self, Gated},
    progress,
    remote::{Copies, Destination},
    stdin::Stdin,
    sweep::{self, Swept},
    terminal,
};

pub(crate) fn run(args: &Run) -> Result<()> {
    let mut configs = super::configs(&args.file, &args.changes)?;
    let stdin = Stdin::default();
    stdin.put_into(&mut configs)?;
    let session = crate::stop::session()?;
    let copies = Copies::default();
    copies.put_into(&mut configs, &session)?;
    let destination = Destination::of(&mut configs, &session)?;
    let declared = configs.first().map(qeval_pipeline::Config::gates).unwrap_or_default();
    let swept = match configs.as_slice() {
        [config] if config.swept.is_none() => {
            let plan = super::plan(config, &session, args.no_plugins)?;
            if !args.fresh && !args.retry {
                eprint_changes(&plan);
            }
            Swept::alone(evaluate(&plan, args.options(&session), args.progress)?)
        }
        several => sweep::run(several, &session, args)?,
    };
    eprint_reused(&swept.finished)?;
    let mut gates = Ok(Gated::new(Path::new(""), 0));
    if !swept.finished.evaluations.is_empty() {
        let mut report = evaluation::report_of_run(&swept.finished)?;
        if let Some(sweep) = &mut report.sweep {
            sweep.failed.clone_from(&swept.failed);
        }
        // A gate that cannot be decided must not cost the report.
        gates = decided(&swept.finished, &declared, args);
        if let Ok(gates) = &gates {
            gates.put_into(&mut report);
        }
        super::print(&evaluation::render(&report, args.format))?;
    }
    destination.upload(&swept.finished.evaluations, &session)?;
    swept.check(configs.len())?;
    let gates = gates?;
    if args.format == Format::Terminal && !gates.is_empty() {
        super::print(&format!("\n{}", qeval_report::gates(gates.evaluations())))?;
    }
    gates::write(&gates, &args.gates)?;
    gates.check()
}

/// The gates of the file, decided on what was evaluated.
fn decided(finished: &Finished, declared: &[GateInfo], args: &Run) -> Result<Gated> {
    let results = finished.evaluations.first().and_then(|folder| folder.parent());
    let mut gated = Gated::new(results.unwrap_or(Path::new("")), args.gates.failing_examples);
    for folder in &finished.evaluations {
        gated.add(&Evaluation::open(folder)?, declared);
    }
    Ok(gated)
}

impl Run {
    /// How the plan is run.
    pub(crate) fn options<'s>(&self, session: &'s Session) -> RunOptions<'s> {
        let (fresh, retry) = (self.fresh, self.retry);
        RunOptions { fresh, retry, stop: Some(session.stop()), watch: None }
    }
}

/// Runs a plan and says how far it is, and where the answers of its readers came from.
pub(crate) fn evaluate(
    plan: &Plan,
    options: RunOptions<'_>,
    form: progress::Form,
) -> Result<Finished> {
    let answers = Mutex::new(Vec::new());
    let tell = |event: Event| {
        progress::tell(form, &event);
        if form != progress::Form::Json && matches!(event, Event::Answers { .. }) {
            answers.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        }
    };
    let result = progress::watched(form, plan, |watch| {
        let options = RunOptions { watch: Some(watch), ..options };
        qeval_pipeline::run(plan, &options, &tell).map_err(Box::new)
    });
    let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    progress::show_answers(&answers, result.is_err());
    result.map_err(|error| (*error).into())
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

/// Says which evaluations were not run again, if any.
#[expect(clippy::print_stderr, reason = "a word to the user, who may read stdout with a program")]
pub(super) fn eprint_reused(finished: &Finished) -> Result<()> {
    if finished.reused.is_empty() {
        return Ok(());
    }
    let (reused, all) = (finished.reused.len(), finished.evaluations.len());
    eprintln!(
        "{reused} of {all} evaluations are whole already and were not run again (--fresh runs them)"
    );
    for folder in &finished.reused {
        let evaluation = Evaluation::open(folder)?;
        let manifest = evaluation.manifest();
        for Notice { text, .. } in manifest.failures() {
            let id = &manifest.evaluation_id;
            eprintln!("`{id}`: {text}; if the cause is gone, --retry asks again for what failed");
        }
    }
    Ok(())
}
