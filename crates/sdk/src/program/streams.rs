//! The standard streams of a program that is spoken to over them.

use std::{fs::File, io, sync::mpsc::SyncSender, thread, time::Duration};

use rustix::{
    io::fcntl_dupfd_cloexec,
    process::{Signal, getpid, kill_process},
    stdio::{dup2_stdin, dup2_stdout},
};

use super::Frame;

/// How long a call that is under way may go on after the parent has gone.
const LAST_STEPS: Duration = Duration::from_secs(1);

/// Takes stdin and stdout for the talk with the parent. What a plugin prints goes to stderr, and
/// when it reads, there is nothing: neither can disturb the talk.
pub(super) fn take() -> io::Result<(File, File)> {
    let requests = fcntl_dupfd_cloexec(io::stdin(), 3)?;
    let answers = fcntl_dupfd_cloexec(io::stdout(), 3)?;
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(io::stderr())?;
    Ok((requests.into(), answers.into()))
}

/// Passes frames on. When the parent closes the pipe or is no more, this process has to end, even
/// if the plugin never comes back from what it does.
pub(super) fn follow_parent(requests: &File, sender: SyncSender<Frame>) {
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
