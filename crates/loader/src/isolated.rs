//! A plugin in a child process of our own program.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use arrow_array::RecordBatch;
use qeval_process::{Child, Command, ProcessError, Supervisor};
use qeval_sdk::{Failure, FailureKind, PluginDescriptor};
use tokio::runtime::Handle;

use crate::{
    LoadError, PluginSpec, find, named,
    protocol::{self, CASES, Hello, SCORES},
};

/// How often a child is started again in a row without an answer in between.
const RESTARTS: u32 = 3;

/// The least time that a library has for being opened, whatever it has for a batch.
const OPENING: Duration = Duration::from_secs(30);

/// A plugin in a child process. Batches take turns.
#[derive(Debug)]
pub(crate) struct Isolated {
    plugin: String,
    deadline: Duration,
    supervisor: Mutex<Supervisor<Child>>,
}

impl Isolated {
    /// Starts the child and hears what the plugin says of itself.
    pub(crate) fn start(
        spec: &PluginSpec,
        library: &Path,
        sha256: &str,
        runtime: &Handle,
    ) -> Result<(Self, PluginDescriptor), LoadError> {
        let mut command = spec.host.clone().arg("--library").arg(library);
        command.name = format!("plugin `{}`", spec.name);
        let patience = OPENING.max(spec.deadline);
        let failed = |source| LoadError::Process { path: library.to_owned(), source };
        let (child, hello) = greet(&command, patience, runtime).map_err(failed)?;
        let descriptor = match hello {
            Hello::Ready(descriptor) => *descriptor,
            Hello::Refused(error) => return Err(error.into()),
        };
        let start = {
            let (command, runtime) = (command.clone(), runtime.clone());
            let (library, sha256) = (library.to_owned(), sha256.to_owned());
            move || {
                tracing::warn!(child = command.name, "started again");
                check_unchanged(&command.name, &library, &sha256)?;
                match greet(&command, patience, &runtime)? {
                    (child, Hello::Ready(_)) => Ok(child),
                    (_, Hello::Refused(error)) => Err(protocol(&command.name, error.to_string())),
                }
            }
        };
        let supervisor = Supervisor::new(command.name, RESTARTS, start).with_child(child);
        let isolated = Self {
            plugin: spec.name.clone(),
            deadline: spec.deadline,
            supervisor: Mutex::new(supervisor),
        };
        Ok((isolated, descriptor))
    }

    /// Answers a batch of cases with a batch of scores, which nobody has looked at yet. The
    /// failure names the plugin.
    pub(crate) fn call(&self, cases: &RecordBatch) -> Result<RecordBatch, Failure> {
        let cases = protocol::batch(CASES, cases)?;
        let answer = {
            let mut supervisor = self.supervisor.lock().unwrap_or_else(PoisonError::into_inner);
            supervisor.call(|child| child.exchange(&cases, self.deadline))
        };
        let answer = answer.map_err(|error| failure(&error))?;
        protocol::read_batch(SCORES, answer).map_err(|failure| named(&self.plugin, &failure))
    }
}

/// Starts a child and waits for its first frame.
fn greet(
    command: &Command,
    patience: Duration,
    runtime: &Handle,
) -> Result<(Child, Hello), ProcessError> {
    let mut child = Child::start(command, runtime)?;
    let frame = child.receive(patience)?;
    let hello = protocol::read_hello(&frame).map_err(|error| protocol(&command.name, error))?;
    Ok((child, hello))
}

/// A library that is replaced during an evaluation must not go on under the old name.
fn check_unchanged(name: &str, library: &Path, sha256: &str) -> Result<(), ProcessError> {
    match find::digest(library) {
        Ok(digest) if digest == sha256 => Ok(()),
        Ok(_) => {
            let changed = format!("`{}` was changed since the evaluation began", library.display());
            Err(protocol(name, changed))
        }
        Err(error) => Err(protocol(name, error.to_string())),
    }
}

fn protocol(name: &str, message: String) -> ProcessError {
    ProcessError::Protocol { name: name.to_owned(), message, stderr: Vec::new() }
}

fn failure(error: &ProcessError) -> Failure {
    let kind = match error {
        ProcessError::Timeout { .. } => FailureKind::Timeout,
        ProcessError::Protocol { .. } | ProcessError::TooLarge { .. } => FailureKind::Protocol,
        ProcessError::Start { .. }
        | ProcessError::Ended { .. }
        | ProcessError::Stopped { .. }
        | ProcessError::GivenUp { .. } => FailureKind::Crash,
    };
    Failure::new(kind, error.to_string())
}
