//! One child process and the talk with it.

use std::{
    process::{ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    io::ioctl_fionread,
    process::{Pid, Signal, kill_process_group},
};
use tokio::{
    io::{AsyncWriteExt, BufReader},
    process::{ChildStdin, ChildStdout},
    runtime::Handle,
    time::{sleep, timeout},
};

use crate::{
    Command, Frame, FrameError, ProcessError, Stop, exit,
    memory::{self, Watch},
    stderr::Stderr,
};

/// How long a child that has closed its stdout may take to end by itself, so that its exit code
/// is seen.
const LAST_STEPS: Duration = Duration::from_secs(1);

/// How long what an ended child has written may take to be read, where something that it started
/// holds its stdout open.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

/// A running child that is spoken to in frames.
///
/// After an error it is ended, and every further call is an error. Dropping it kills it and its
/// whole process group.
#[derive(Debug)]
pub struct Child {
    name: String,
    runtime: Handle,
    process: tokio::process::Child,
    group: Option<Pid>,
    /// `None` once the child is ended.
    pipes: Option<(ChildStdin, BufReader<ChildStdout>)>,
    stderr: Stderr,
    stop: Stop,
    /// Where its memory has a limit.
    memory: Option<Watch>,
    /// How many questions it was asked in frames.
    asked: u32,
}

/// What went wrong in a talk, before anybody looked at the child.
pub(crate) enum Trouble {
    /// A pipe is closed.
    Pipe,
    /// The answer is no answer.
    Message(String),
    /// It is text: it may say more on stderr.
    Text(String),
    /// There is no answer.
    Late(Duration),
    /// It takes more than so many bytes.
    Memory(u64),
    /// Nobody wants an answer any more.
    Stopped,
}

impl Child {
    /// Starts a child.
    pub fn start(command: &Command, runtime: &Handle) -> Result<Self, ProcessError> {
        let mut builder = tokio::process::Command::new(&command.program);
        builder
            .args(&command.args)
            .env_clear()
            .envs(&command.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(folder) = &command.folder {
            builder.current_dir(folder);
        }
        // Pipes and signals are watched by the runtime of the handle.
        let _inside = runtime.enter();
        let mut process = builder.spawn().map_err(|source| ProcessError::Start {
            name: command.name.clone(),
            program: command.program.display().to_string(),
            source,
        })?;
        let group = process.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let stdin = process.stdin.take().expect("stdin is a pipe");
        let stdout = process.stdout.take().expect("stdout is a pipe");
        let stderr = process.stderr.take().expect("stderr is a pipe");
        widen(&stdin);
        widen(&stdout);
        Ok(Self {
            name: command.name.clone(),
            runtime: runtime.clone(),
            process,
            group,
            pipes: Some((stdin, BufReader::new(stdout))),
            stderr: Stderr::follow(command.name.clone(), stderr, runtime),
            stop: command.stop.clone(),
            memory: group.zip(command.memory).map(|(process, limit)| Watch::new(process, limit)),
            asked: 0,
        })
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends a frame and waits for the frame that answers it, which has the same number: questions are
    /// counted here, from 1. What is there before the frame is sent answers nothing: a child that wrote
    /// it is out of step.
    pub fn exchange(&mut self, frame: &Frame, deadline: Duration) -> Result<Frame, ProcessError> {
        // No child is asked as often as that this could begin anew while an old answer is under way.
        let number = self.asked.checked_add(1).unwrap_or(1);
        let Ok(header) = frame.header(number) else {
            let (name, bytes) = (self.name.clone(), frame.payload.len());
            return Err(ProcessError::TooLarge { name, bytes });
        };
        self.asked = number;
        self.expect_silence()?;
        let receive = async |stdout: &mut BufReader<ChildStdout>| receive(stdout, number).await;
        self.talk(&[&header, &frame.payload], receive, deadline)
    }

    /// Waits for a frame that the child sends by itself, which has no number.
    pub fn receive(&mut self, deadline: Duration) -> Result<Frame, ProcessError> {
        let receive = async |stdout: &mut BufReader<ChildStdout>| receive(stdout, 0).await;
        self.talk(&[], receive, deadline)
    }

    /// Looks at what is there by now, without waiting for more.
    fn expect_silence(&mut self) -> Result<(), ProcessError> {
        // One that has ended says so when it is asked.
        let Some((_, stdout)) = &self.pipes else { return Ok(()) };
        let waiting = ioctl_fionread(stdout.get_ref());
        if stdout.buffer().is_empty() && matches!(waiting, Ok(0) | Err(_)) {
            return Ok(());
        }
        self.pipes = None;
        let trouble = Trouble::Message("it wrote something that nobody asked for".to_owned());
        Err(self.runtime.clone().block_on(self.explain(trouble)))
    }

    /// Writes and reads at the same time, so that a child that answers before it has read all
    /// cannot block both sides.
    pub(crate) fn talk<T>(
        &mut self,
        parts: &[&[u8]],
        read: impl AsyncFnOnce(&mut BufReader<ChildStdout>) -> Result<T, Trouble>,
        deadline: Duration,
    ) -> Result<T, ProcessError> {
        let Some((mut stdin, mut stdout)) = self.pipes.take() else {
            let how = "was ended before".to_owned();
            return Err(ProcessError::Ended { name: self.name.clone(), how, stderr: Vec::new() });
        };
        let runtime = self.runtime.clone();
        runtime.block_on(async {
            // A pipe that is closed for writing may still hold what the child said last, which tells
            // more.
            let write = async {
                for part in parts {
                    stdin.write_all(part).await?;
                }
                stdin.flush().await
            };
            let write = async { Ok(write.await.is_ok()) };
            let talk = async { tokio::try_join!(write, read(&mut stdout)) };
            let stop = self.stop.clone();
            let (process, group) = (&mut self.process, &mut self.group);
            let memory = memory::exceeded(self.memory.as_mut());
            // What the child has started and left behind may hold stdout, which then has no end.
            let end = async {
                let _ = process.wait().await;
                kill_group(group);
                sleep(LAST_OUTPUT).await;
            };
            let result = tokio::select! {
                result = timeout(deadline, talk) => result,
                () = stop.wait() => Ok(Err(Trouble::Stopped)),
                () = end => Ok(Err(Trouble::Pipe)),
                limit = memory => Ok(Err(Trouble::Memory(limit))),
            };
            let trouble = match result {
                Ok(Ok((true, answer))) => {
                    self.pipes = Some((stdin, stdout));
                    return Ok(answer);
                }
                Ok(Ok((false, _))) => Trouble::Pipe,
                Ok(Err(trouble)) => trouble,
                Err(_) => Trouble::Late(deadline),
            };
            drop((stdin, stdout));
            Err(self.explain(trouble).await)
        })
    }

    /// Ends the child and says what happened.
    async fn explain(&mut self, trouble: Trouble) -> ProcessError {
        let patience = match trouble {
            Trouble::Pipe | Trouble::Text(_) => LAST_STEPS,
            Trouble::Message(_) | Trouble::Late(_) | Trouble::Memory(_) | Trouble::Stopped => {
                Duration::ZERO
            }
        };
        let status = self.end(patience).await;
        let name = self.name.clone();
        let stderr = self.stderr.last_lines().await;
        match trouble {
            Trouble::Pipe => {
                let how = status.map_or_else(|| "closed its pipes".to_owned(), exit::in_words);
                ProcessError::Ended { name, how, stderr }
            }
            Trouble::Message(message) | Trouble::Text(message) => {
                ProcessError::Protocol { name, message, stderr }
            }
            Trouble::Late(deadline) => ProcessError::Timeout { name, deadline, stderr },
            Trouble::Memory(limit) => ProcessError::Memory { name, limit, stderr },
            Trouble::Stopped => ProcessError::Stopped { name },
        }
    }

    /// Waits for the child to end by itself, then kills what is left of its group. The status is
    /// `None` where it had to be killed.
    async fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        let status = timeout(patience, self.process.wait()).await.ok().and_then(Result::ok);
        kill_group(&mut self.group);
        if status.is_none() {
            // A killed process ends at once; where it does not, there is nothing left to do.
            let _ = timeout(LAST_STEPS, self.process.wait()).await;
        }
        status
    }

    /// Closes the child's stdin and gives it this long to end by itself, for a child that has
    /// something to put in order. What is left then is killed.
    pub fn finish(mut self, patience: Duration) {
        self.pipes = None;
        self.runtime.clone().block_on(self.end(patience));
    }

    /// The same for several, which share the time.
    pub fn finish_all(mut children: Vec<Self>, patience: Duration) {
        for child in &mut children {
            child.pipes = None;
        }
        let begin = Instant::now();
        for child in children {
            child.finish(patience.saturating_sub(begin.elapsed()));
        }
    }
}

async fn receive(stdout: &mut BufReader<ChildStdout>, asked: u32) -> Result<Frame, Trouble> {
    match Frame::receive(stdout, asked).await {
        Ok(Some(frame)) => Ok(frame),
        Ok(None) | Err(FrameError::Io(_) | FrameError::Cut) => Err(Trouble::Pipe),
        Err(error @ FrameError::Text(_)) => Err(Trouble::Text(error.to_string())),
        Err(error) => Err(Trouble::Message(error.to_string())),
    }
}

/// A batch should fit into its pipe: each time that one is full or empty costs two turns of the
/// processes. Where the system gives less, it goes with less.
#[cfg(target_os = "linux")]
fn widen(pipe: impl std::os::fd::AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20);
}

#[cfg(not(target_os = "linux"))]
fn widen<P>(_: P) {}

impl Drop for Child {
    fn drop(&mut self) {
        kill_group(&mut self.group);
    }
}

/// Kills a child and all that it has started. Its number cannot belong to other processes: it
/// stays taken as long as any process of the group is there, and this is called at the latest
/// right after the child has been waited for.
fn kill_group(group: &mut Option<Pid>) {
    if let Some(group) = group.take() {
        // The only error is that nobody is left.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(test)]
mod tests;
