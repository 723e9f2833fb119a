//! What happens when somebody stops the program in the middle of its work.

use std::{io::Write, process};

use anyhow::{Context, Result};
use qeval_pipeline::Session;

use crate::progress;

/// The runtime of this run of the program.
pub(crate) fn session() -> Result<Session> {
    Session::start(end).context("cannot begin to wait for components and signals")
}

/// Ends the program while it works.
#[expect(clippy::disallowed_methods, reason = "what works on does not look whether it should stop")]
fn end() {
    progress::clear();
    // Who cannot be told is not waited for.
    let _ = writeln!(
        std::io::stderr(),
        "error: stopped in the middle of the work; answers of readers that came so far are kept, \
         and nothing else of this run"
    );
    process::exit(1);
}
