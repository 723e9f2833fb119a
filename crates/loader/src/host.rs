//! The other side of an isolated plugin: our own program as the child that opens the library.

use std::{
    fs::File,
    io,
    path::Path,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::Duration,
};

use qeval_process::{Frame, FrameError};
use qeval_sdk::Failure;
use rustix::{
    io::fcntl_dupfd_cloexec,
    process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit},
    stdio::{dup2_stdin, dup2_stdout},
};

use crate::{
    library::Instance,
    open_here,
    protocol::{self, CASES, Hello, SCORES},
};

/// How long a call that is under way may go on after the parent has gone.
const LAST_STEPS: Duration = Duration::from_secs(1);

/// Why the child cannot do its work.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Its standard streams cannot be set up.
    #[error("the standard streams cannot be set up: {0}")]
    Streams(io::Error),
    /// The parent cannot be spoken to.
    #[error("the parent process cannot be spoken to: {0}")]
    Parent(#[from] FrameError),
}

/// Opens a library and answers batches on stdin with batches on stdout until stdin ends. This is
/// all that `qeval plugin-host` does; nothing else may use the standard streams.
///
/// A library that cannot be used is told to the parent, and is no error here.
pub fn serve(library: &Path) -> Result<(), HostError> {
    let (requests, answers) = take_streams().map_err(HostError::Streams)?;
    // A plugin that crashes is an expected thing here; where the system does not allow this, it
    // leaves a memory dump behind.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    // The parent is watched from the beginning: opening a library may take for ever, too.
    let (sender, requests_read) = sync_channel(1);
    thread::spawn(move || follow_parent(&requests, sender));
    match open_here(library) {
        Ok((instance, descriptor)) => {
            protocol::hello(&Hello::Ready(Box::new(descriptor))).write(&answers)?;
            answer_all(&instance, &requests_read, &answers)
        }
        Err(error) => Ok(protocol::hello(&Hello::Refused(error)).write(&answers)?),
    }
}

/// Takes stdin and stdout for the talk with the parent. What a plugin prints goes to stderr, and
/// when it reads, there is nothing: neither can disturb the talk.
fn take_streams() -> io::Result<(File, File)> {
    let requests = fcntl_dupfd_cloexec(io::stdin(), 3)?;
    let answers = fcntl_dupfd_cloexec(io::stdout(), 3)?;
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(io::stderr())?;
    Ok((requests.into(), answers.into()))
}

/// Passes requests on. When the parent closes the pipe or is no more, this process has to end,
/// even if the plugin never comes back from what it does.
fn follow_parent(requests: &File, sender: SyncSender<Frame>) {
    while let Ok(Some(frame)) = Frame::read(requests) {
        if sender.send(frame).is_err() {
            return;
        }
    }
    drop(sender);
    thread::sleep(LAST_STEPS);
    // Fails only where there is nothing left to end.
    let _ = kill_process(getpid(), Signal::KILL);
}

fn answer_all(
    instance: &Instance,
    requests: &Receiver<Frame>,
    answers: &File,
) -> Result<(), HostError> {
    for request in requests {
        answer(instance, request).unwrap_or_else(protocol::failure).write(answers)?;
    }
    Ok(())
}

fn answer(instance: &Instance, request: Frame) -> Result<Frame, Failure> {
    let scores = instance.call(protocol::read_batch(CASES, request)?)?;
    protocol::batch(SCORES, &scores)
}
