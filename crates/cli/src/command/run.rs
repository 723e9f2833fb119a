//! `qeval run`: evaluate what a file declares.

use anyhow::Result;
use qeval_pipeline::{RunOptions, Session};

use crate::{args::Run, evaluation, progress::Progress};

pub(crate) fn run(args: &Run) -> Result<()> {
    let config = super::config(&args.file)?;
    let session = Session::start()?;
    let plan = super::plan(&config, &session)?;
    let progress = Progress::new();
    let options = RunOptions { fresh: args.fresh, stop: Some(session.stop()) };
    let result = qeval_pipeline::run(&plan, &options, &|event| progress.show(&event));
    progress.finish();
    let finished = result?;
    if finished.reused > 0 {
        eprintln_reused(finished.reused, finished.evaluations.len());
    }
    let report = evaluation::report_of(&finished.evaluations)?;
    super::print(&evaluation::render(&report, args.format))
}

#[expect(clippy::print_stderr, reason = "a word to the user, who may read stdout with a program")]
fn eprintln_reused(reused: usize, all: usize) {
    eprintln!(
        "{reused} of {all} evaluations are whole already and were not run again (--fresh runs them)"
    );
}
