//! `qeval run`: evaluate what a file declares.

use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use qeval_pipeline::{Config, Event, Finished, Plan, RunOptions, Session};
use qeval_store::{Evaluation, Notice};

use crate::{
    args::Run,
    evaluation,
    progress::Progress,
    remote::{Copies, Destination},
    stdin::Stdin,
    sweep::{self, Swept},
};

pub(crate) fn run(args: &Run) -> Result<()> {
    let mut configs = super::configs(&args.file, &args.changes)?;
    let stdin = Stdin::default();
    stdin.put_into(&mut configs)?;
    let session = Session::start()?;
    let copies = Copies::default();
    copies.put_into(&mut configs, &session)?;
    let destination = Destination::of(&mut configs, &session)?;
    let swept = match configs.as_slice() {
        [config] if config.swept.is_none() => Swept::alone(one(config, &session, args)?),
        several => sweep::run(several, &session, args.no_plugins, args.fresh)?,
    };
    if !swept.finished.reused.is_empty() {
        eprint_reused(&swept.finished)?;
    }
    if !swept.finished.evaluations.is_empty() {
        let mut report = evaluation::report_of_run(&swept.finished)?;
        if let Some(sweep) = &mut report.sweep {
            sweep.failed.clone_from(&swept.failed);
        }
        super::print(&evaluation::render(&report, args.format))?;
    }
    destination.upload(&swept.finished.evaluations, &session)?;
    swept.check(configs.len())
}

fn one(config: &Config, session: &Session, args: &Run) -> Result<Finished> {
    evaluate(&super::plan(config, session, args.no_plugins)?, session, args.fresh)
}

/// Runs a plan and says how far it is, and where the answers of its readers came from.
pub(crate) fn evaluate(plan: &Plan, session: &Session, fresh: bool) -> Result<Finished> {
    let progress = Progress::new();
    let options = RunOptions { fresh, stop: Some(session.stop()) };
    let answers = Mutex::new(Vec::new());
    let result = qeval_pipeline::run(plan, &options, &|event| {
        progress.show(&event);
        if matches!(event, Event::Answers { .. }) {
            answers.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        }
    });
    progress.finish();
    let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    Progress::show_answers(&answers, result.is_err());
    Ok(result?)
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
