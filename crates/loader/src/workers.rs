//! The child processes of an instance of a plugin: kept alive, several side by side, started again
//! after a failure.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use arrow_array::RecordBatch;
use qeval_process::{Child, Command, Frame, ProcessError};
use qeval_sdk::{
    Failure, FailureKind, INTERFACE, PluginDescriptor,
    program::{ANSWER, FAILURE, HELLO, Hello, READY, SETUP, read_batch, read_failure, write_batch},
};
use tokio::runtime::Handle;

use crate::{LoadError, OpenError, find, named};

/// How many crashes in a row without an answer in between end the use of a plugin, for each child
/// that it may have: one example that kills it costs 15 in a row where a batch of 16384 is halved
/// down to it.
const PATIENCE: u32 = 16;

/// For how many crashes another failure counts: nothing is asked again after it, and it may have
/// taken all the time that there was for a batch.
const OTHER: u32 = 4;

/// How long children may take to end by themselves once they are not needed any more.
const LAST_STEPS: Duration = Duration::from_secs(2);

/// How long is waited for an idle child before the wish to stop is looked at again.
const NEXT_LOOK: Duration = Duration::from_millis(100);

/// How the children of a plugin are started.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The user's name of the plugin.
    pub(crate) plugin: String,
    pub(crate) command: Command,
    /// The file that must not change while the evaluation runs, and its SHA-256.
    pub(crate) file: PathBuf,
    pub(crate) sha256: String,
    /// The time for one batch.
    pub(crate) deadline: Duration,
    /// The time for a greeting, and for a setup.
    pub(crate) beginning: Duration,
    /// The most children at a time.
    pub(crate) most: usize,
    pub(crate) runtime: Handle,
}

impl Program {
    /// Starts a child and hears how it begins.
    pub(crate) fn greet(&self) -> Result<(Child, Hello), ProcessError> {
        let mut child = Child::start(&self.command, &self.runtime)?;
        let frame = child.receive(self.beginning)?;
        let hello = match frame.kind {
            HELLO => Hello::from_json(&frame.payload),
            kind => Err(format!("it began with a frame of kind {kind}, expected {HELLO}")),
        };
        Ok((child, hello.map_err(|message| self.protocol(message))?))
    }

    /// What a plugin says of itself.
    pub(crate) fn describe(&self, hello: &Hello) -> Result<PluginDescriptor, OpenError> {
        if let Some(refused) = hello.refused.as_ref().map(|json| serde_json::from_str(json.get())) {
            return Err(refused.unwrap_or_else(|error| self.unusable(error)));
        }
        if let Some(message) = &hello.error {
            return Err(self.unusable(message));
        }
        let path = self.file.display().to_string();
        if !INTERFACE.accepts(hello.interface) {
            return Err(OpenError::Version { path, plugin: hello.interface, host: INTERFACE });
        }
        let json = hello.descriptor.as_ref().map_or("null", |json| json.get());
        PluginDescriptor::from_json(json.as_bytes())
            .map_err(|error| OpenError::Descriptor { path, message: error.to_string() })
    }

    fn unusable(&self, message: impl fmt::Display) -> OpenError {
        OpenError::Unusable { path: self.file.display().to_string(), message: message.to_string() }
    }

    fn set_up(&self, child: &mut Child, setup: &[u8]) -> Result<(), SetUpError> {
        let answer = child.exchange(&Frame::new(SETUP, setup), self.beginning)?;
        match answer.kind {
            READY => Ok(()),
            FAILURE => Err(SetUpError::Refused(read_failure(&answer.payload))),
            kind => {
                let message = format!("it sent a frame of kind {kind}, expected {READY}");
                Err(SetUpError::Process(self.protocol(message)))
            }
        }
    }

    /// Starts one more child for an instance that there is already.
    fn start_again(&self, setup: &[u8]) -> Result<Child, ProcessError> {
        self.check_unchanged()?;
        let (mut child, hello) = self.greet()?;
        if let Err(error) = self.describe(&hello) {
            return Err(self.protocol(error.to_string()));
        }
        match self.set_up(&mut child, setup) {
            Ok(()) => Ok(child),
            Err(SetUpError::Process(error)) => Err(error),
            Err(SetUpError::Refused(failure)) => Err(self.protocol(failure.to_string())),
        }
    }

    /// A file that is replaced during an evaluation must not go on under the old name.
    fn check_unchanged(&self) -> Result<(), ProcessError> {
        match find::digest(&self.file) {
            Ok(digest) if digest == self.sha256 => Ok(()),
            Ok(_) => {
                let file = self.file.display();
                Err(self.protocol(format!("`{file}` was changed since the evaluation began")))
            }
            Err(error) => Err(self.protocol(error.to_string())),
        }
    }

    fn protocol(&self, message: String) -> ProcessError {
        ProcessError::Protocol { name: self.command.name.clone(), message, stderr: Vec::new() }
    }
}

/// Why a child did not become an instance.
enum SetUpError {
    Process(ProcessError),
    Refused(Failure),
}

impl From<ProcessError> for SetUpError {
    fn from(error: ProcessError) -> Self {
        Self::Process(error)
    }
}

/// The children that are one instance.
pub(crate) struct Workers {
    program: Arc<Program>,
    setup: Vec<u8>,
    state: Mutex<State>,
    /// A child is idle, or has ended, or none is started any more.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Child>,
    /// Children, idle or not, and those that are being started.
    children: usize,
    /// Failures in a row.
    failures: u32,
    /// What they count together; see [`PATIENCE`].
    weight: u32,
    last: String,
}

/// One of the places for children, which others get when it is dropped: with its child, or free for
/// another. Whoever speaks with the child takes it out, so that one is not used again after a panic.
struct Place<'a> {
    workers: &'a Workers,
    child: Option<Child>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.workers.state();
        match self.child.take() {
            Some(child) => state.idle.push(child),
            None => state.children -= 1,
        }
        drop(state);
        // All: where the plugin is given up, each that waits has to hear of it.
        self.workers.changed.notify_all();
    }
}

/// Why a question has no answer.
pub(crate) struct Lost {
    pub(crate) failure: Failure,
    /// Whether the child ended over the question, so that a part of it may have an answer.
    pub(crate) crashed: bool,
}

impl Workers {
    /// Makes an instance, whose first child is `child` where there is one.
    pub(crate) fn new(
        program: &Arc<Program>,
        setup: Vec<u8>,
        child: Option<Child>,
    ) -> Result<Self, LoadError> {
        let process = |source| LoadError::Process { path: program.file.clone(), source };
        let mut child = match child {
            Some(child) => child,
            None => program.greet().map_err(process)?.0,
        };
        program.set_up(&mut child, &setup).map_err(|error| match error {
            SetUpError::Process(source) => process(source),
            SetUpError::Refused(failure) => LoadError::Open(program.unusable(failure)),
        })?;
        let state = State { idle: vec![child], children: 1, ..State::default() };
        let (program, state) = (Arc::clone(program), Mutex::new(state));
        Ok(Self { program, setup, state, changed: Condvar::new() })
    }

    /// Sends a batch to an idle child and waits for its answer. The failure names the plugin.
    pub(crate) fn exchange(&self, kind: u8, batch: &RecordBatch) -> Result<RecordBatch, Lost> {
        let lost = |failure: Failure| Lost {
            failure: named(&self.program.plugin, &failure),
            crashed: false,
        };
        let question = Frame::new(kind, write_batch(batch).map_err(lost)?);
        let answer = self.ask(&question)?;
        match answer.kind {
            ANSWER => read_batch(answer.payload).map_err(lost),
            FAILURE => Err(lost(read_failure(&answer.payload))),
            kind => {
                let message = format!("it sent a frame of kind {kind}, expected {ANSWER}");
                Err(lost(Failure::new(FailureKind::Protocol, message)))
            }
        }
    }

    fn ask(&self, question: &Frame) -> Result<Frame, Lost> {
        let lost = |error: &ProcessError| Lost { failure: failure(error), crashed: false };
        let mut place = self.take().map_err(|error| lost(&error))?;
        let child = place.child.take();
        let child = child.map_or_else(|| self.program.start_again(&self.setup), Ok);
        let (answer, started) = match child {
            Ok(mut child) => {
                let answer = child.exchange(question, self.program.deadline);
                (answer.map(|answer| (answer, child)), true)
            }
            Err(error) => (Err(error), false),
        };
        let mut state = self.state();
        match answer {
            Ok((answer, child)) => {
                (state.failures, state.weight) = (0, 0);
                place.child = Some(child);
                Ok(answer)
            }
            Err(error) => {
                let crashed = started && matches!(error, ProcessError::Ended { .. });
                state.failures += 1;
                state.weight += if crashed { 1 } else { OTHER };
                state.last = error.to_string();
                Err(Lost { crashed, ..lost(&error) })
            }
        }
    }

    /// A place with an idle child, or one to start a child in.
    fn take(&self) -> Result<Place<'_>, ProcessError> {
        let most = u32::try_from(self.program.most).unwrap_or(u32::MAX);
        let name = || self.program.command.name.clone();
        let mut state = self.state();
        loop {
            if state.weight >= PATIENCE.saturating_mul(most) {
                let (times, last) = (state.failures, state.last.clone());
                return Err(ProcessError::GivenUp { name: name(), times, last });
            }
            if self.program.command.stop.is_set() {
                return Err(ProcessError::Stopped { name: name() });
            }
            if let Some(child) = state.idle.pop() {
                return Ok(Place { workers: self, child: Some(child) });
            }
            if state.children < self.program.most {
                state.children += 1;
                if state.failures > 0 {
                    tracing::info!(child = self.program.command.name, "started again");
                }
                return Ok(Place { workers: self, child: None });
            }
            let waited = self.changed.wait_timeout(state, NEXT_LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Children end by themselves when their stdin does, and are waited for: what they have to put in
/// order is done, and the time that they took is counted as this process's.
impl Drop for Workers {
    fn drop(&mut self) {
        let idle = std::mem::take(&mut self.state().idle);
        Child::finish_all(idle, LAST_STEPS);
    }
}

/// A child that has said its greeting and waits for the first instance.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<Option<Child>>);

impl Waiting {
    pub(crate) fn new(child: Child) -> Self {
        Self(Mutex::new(Some(child)))
    }

    /// The child, for the first who asks.
    pub(crate) fn take(&self) -> Option<Child> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        Child::finish_all(self.take().into_iter().collect(), LAST_STEPS);
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("program", &self.program).finish_non_exhaustive()
    }
}

fn failure(error: &ProcessError) -> Failure {
    let kind = match error {
        ProcessError::Timeout { .. } => FailureKind::Timeout,
        ProcessError::Memory { .. } => FailureKind::Memory,
        ProcessError::Protocol { .. } => FailureKind::Protocol,
        ProcessError::TooLarge { .. } => FailureKind::TooLarge,
        ProcessError::Stopped { .. } => FailureKind::Stopped,
        ProcessError::GivenUp { .. } => FailureKind::GivenUp,
        ProcessError::Start { .. } | ProcessError::Ended { .. } => FailureKind::Crash,
    };
    Failure::new(kind, error.to_string())
}
