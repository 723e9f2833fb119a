//! `qeval run`: evaluate what a file declares.

use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use qeval_pipeline::{Config, Event, Finished, RunOptions, Session};
use qeval_store::{Evaluation, Notice};

use crate::{args::Run, evaluation, progress::Progress};

pub(crate) fn run(args: &Run) -> Result<()> {
    let config = super::config(&args.file, &args.changes)?;
    let config = Config { limit: args.limit, ..config };
    let session = Session::start()?;
    let plan = super::plan(&config, &session, args.no_plugins)?;
    let progress = Progress::new();
    let options = RunOptions { fresh: args.fresh, stop: Some(session.stop()) };
    let answers = Mutex::new(Vec::new());
    let result = qeval_pipeline::run(&plan, &options, &|event| {
        progress.show(&event);
        if matches!(event, Event::Answers { .. }) {
            answers.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        }
    });
    progress.finish();
    let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    Progress::show_answers(&answers, result.is_err());
    let finished = result?;
    if !finished.reused.is_empty() {
        eprint_reused(&finished)?;
    }
    let report = evaluation::report_of_run(&finished)?;
    super::print(&evaluation::render(&report, args.format))
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
