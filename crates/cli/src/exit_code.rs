//! The exit codes, which are part of the interface: 0 all well, 1 an error in the run, 2 a bad
//! command line or file, 3 a gate that failed.

use std::process::ExitCode;

use qeval_pipeline::Problems;
use qeval_store::FindError;

/// A command line that asks for something that cannot be.
#[derive(Debug)]
pub(crate) struct BadRequest {
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

impl std::fmt::Display for BadRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadRequest {}

/// Gates that failed: an error only because it is not to be overlooked.
#[derive(Debug)]
pub(crate) struct GateFailed {
    /// The gates in words.
    pub(crate) failed: Vec<String>,
    /// How many gates there are.
    pub(crate) all: usize,
}

impl std::fmt::Display for GateFailed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (failed, gates) = (self.failed.len(), self.failed.join("; "));
        let noun = if self.all == 1 { "gate" } else { "gates" };
        write!(f, "{failed} of {} {noun} failed: {gates}", self.all)
    }
}

impl std::error::Error for GateFailed {}

/// The code of an error: 3 for gates, 2 where the command line or the file is to blame, else 1.
pub(crate) fn of(error: &anyhow::Error) -> ExitCode {
    if error.is::<GateFailed>() {
        return ExitCode::from(3);
    }
    let usage = error.chain().any(|cause| {
        // An evaluation that is there and cannot be read is no fault of the command line.
        let no_such = cause.downcast_ref().is_some_and(|e| !matches!(e, FindError::Read(_)));
        no_such || cause.is::<Box<Problems>>() || cause.is::<Problems>() || cause.is::<BadRequest>()
    });
    ExitCode::from(if usage { 2 } else { 1 })
}
