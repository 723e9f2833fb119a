//! `qeval run`: evaluate what a file declares.

use anyhow::Result;
use qeval_pipeline::{Finished, RunOptions, Session};
use qeval_store::{Evaluation, Notice};

use crate::{args::Run, evaluation, progress::Progress};

pub(crate) fn run(args: &Run) -> Result<()> {
    let config = super::config(&args.file, &args.changes)?;
    let session = Session::start()?;
    let plan = super::plan(&config, &session, args.no_plugins)?;
    let progress = Progress::new();
    let options = RunOptions { fresh: args.fresh, stop: Some(session.stop()) };
    let result = qeval_pipeline::run(&plan, &options, &|event| progress.show(&event));
    progress.finish();
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
