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
mod tests {
    use super::*;

    use std::path::Path;

    const SOON: Duration = Duration::from_millis(300);
    const LATE: Duration = Duration::from_secs(30);

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    }

    fn shell(script: &str) -> Command {
        Command::new("`sh`", "/bin/sh").arg("-c").arg(script).grant("PATH", "/usr/bin:/bin")
    }

    fn failure(script: &str, deadline: Duration) -> String {
        let runtime = runtime();
        let mut child = Child::start(&shell(script), runtime.handle()).unwrap();
        child.exchange(&Frame::new(1, "hello"), deadline).unwrap_err().to_string()
    }

    #[test]
    fn a_frame_comes_back() {
        let runtime = runtime();
        let mut child = Child::start(&shell("exec cat"), runtime.handle()).unwrap();
        // More than a pipe holds, so both sides must move at once.
        for size in [0, 1, 3_000_000] {
            let frame = Frame::new(9, vec![b'x'; size]);
            let answer = child.exchange(&frame, LATE).unwrap();
            assert_eq!(answer.numbered(0), frame);
        }
    }

    #[test]
    fn an_answer_to_another_question_ends_the_child() {
        let runtime = runtime();
        // The first frame comes back for both questions, the second time too late to be seen before.
        let script =
            "f=$(mktemp); head -c 13 > $f; cat $f; head -c 13 > /dev/null; cat $f; rm $f; cat";
        let mut child = Child::start(&shell(script), runtime.handle()).unwrap();
        let frame = Frame::new(1, "x");
        assert_eq!(child.exchange(&frame, LATE).unwrap().number, 1);
        let error = child.exchange(&frame, LATE).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "`sh` does not speak as agreed: it answered question 1 when 2 was asked"
            ),
            "{error}"
        );
        assert_eq!(child.exchange(&frame, LATE).unwrap_err().to_string(), "`sh` was ended before");
    }

    #[test]
    fn the_end_of_a_child_is_told_in_words() {
        for (script, message) in [
            ("exit 3", "`sh` ended with exit code 3"),
            (
                "echo first >&2; echo broken >&2; exit 3",
                "`sh` ended with exit code 3; its last line on stderr: `broken`",
            ),
            ("kill -SEGV $$", "`sh` ended by signal 11 (SIGSEGV, a bad memory access)"),
            ("head -c 17 > /dev/null; printf abc", "`sh` ended with exit code 0"),
            (
                "head -c 17 > /dev/null; echo Hello, world; sleep 0.2; echo why >&2",
                "`sh` does not speak as agreed: it printed `Hello, world` on stdout, where only frames \
                 may be; its last line on stderr: `why`",
            ),
        ] {
            assert_eq!(failure(script, LATE), message, "{script}");
        }
    }

    #[test]
    fn a_child_has_ended_although_what_it_started_holds_its_pipes() {
        for (place, script) in [
            ("in its group", "sleep 1000 & echo hi >&2; exit 1"),
            ("in a group of its own", "setsid sleep 5 & echo hi >&2; exit 1"),
        ] {
            let start = Instant::now();
            let message = "`sh` ended with exit code 1; its last line on stderr: `hi`";
            assert_eq!(failure(script, LATE), message, "{place}");
            assert!(start.elapsed() < Duration::from_secs(4), "{place}");
        }
    }

    #[test]
    fn the_last_answer_of_a_child_is_read() {
        let runtime = runtime();
        // A frame with three bytes.
        let script = "setsid sleep 2 & head -c 15; exit 0";
        let mut child = Child::start(&shell(script), runtime.handle()).unwrap();
        let frame = Frame::new(7, "abc");
        assert_eq!(child.exchange(&frame, LATE).unwrap().payload, frame.payload);
        let error = child.exchange(&frame, LATE).unwrap_err().to_string();
        assert_eq!(error, "`sh` ended with exit code 0");
    }

    #[test]
    fn a_silent_child_is_ended() {
        assert_eq!(
            failure("echo loading >&2; sleep 1000", SOON),
            "`sh` gave no answer within 0.3 s and was ended; its last line on stderr: `loading`"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_that_takes_too_much_memory_is_ended() {
        let runtime = runtime();
        // The shell keeps in its own memory what the command in parentheses writes.
        let mut command = shell("read -r line; x=$(head -c 200000000 /dev/zero | tr '\\0' x)");
        command.memory = Some(50_000_000);
        let mut child = Child::start(&command, runtime.handle()).unwrap();
        let error = child.exchange(&Frame::new(1, "\n"), LATE).unwrap_err();
        assert!(matches!(error, ProcessError::Memory { .. }), "{error}");
        assert_eq!(error.to_string(), "`sh` took more than 50 MB of memory and was ended");
    }

    #[test]
    fn a_child_within_its_limit_answers() {
        let runtime = runtime();
        let mut command = shell("exec cat");
        command.memory = Some(100_000_000);
        let mut child = Child::start(&command, runtime.handle()).unwrap();
        for _ in 0..3 {
            let frame = Frame::new(1, "hello");
            assert_eq!(child.exchange(&frame, LATE).unwrap().payload, frame.payload);
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    #[test]
    fn a_child_is_ended_on_request() {
        let runtime = runtime();
        let command = shell("sleep 1000");
        let mut child = Child::start(&command, runtime.handle()).unwrap();
        let error = std::thread::scope(|scope| {
            let talk = scope.spawn(|| child.receive(LATE).unwrap_err().to_string());
            command.stop.set();
            talk.join().unwrap()
        });
        assert_eq!(error, "`sh` was ended on request");
    }

    #[test]
    fn after_an_error_a_child_is_gone() {
        let runtime = runtime();
        let mut child = Child::start(&shell("sleep 1000"), runtime.handle()).unwrap();
        assert!(matches!(child.receive(SOON), Err(ProcessError::Timeout { .. })));
        assert_eq!(child.receive(LATE).unwrap_err().to_string(), "`sh` was ended before");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let runtime = runtime();
        let command = Command::new("reader `x`", "/no/such/program");
        let error = Child::start(&command, runtime.handle()).unwrap_err().to_string();
        assert!(error.starts_with("reader `x` cannot be started: `/no/such/program`: "), "{error}");
    }

    #[test]
    fn a_child_sees_only_what_was_granted() {
        let runtime = runtime();
        let folder = tempfile::tempdir().unwrap();
        let script = format!("env > {}/env; exec cat", folder.path().display());
        let command = shell(&script).grant("GRANTED", "yes");
        let mut child = Child::start(&command, runtime.handle()).unwrap();
        child.exchange(&Frame::new(1, ""), LATE).unwrap();
        let text = std::fs::read_to_string(folder.path().join("env")).unwrap();
        // The shell itself adds these.
        let own = ["PWD", "OLDPWD", "SHLVL", "_"];
        let mut names: Vec<&str> =
            text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        names.retain(|name| !own.contains(name));
        names.sort_unstable();
        assert_eq!(names, ["GRANTED", "PATH"]);
    }

    /// Whether a process is there and not just waiting to be noticed as dead.
    fn is_alive(pid: &str) -> bool {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    }

    fn ends(pid: &str) -> bool {
        let begin = Instant::now();
        while is_alive(pid) {
            if begin.elapsed() > LATE {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }

    #[test]
    fn dropping_a_child_ends_all_that_it_started() {
        let runtime = runtime();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pid");
        let script = format!("sleep 1000 & echo $! > {}; exec cat", path.display());
        let mut child = Child::start(&shell(&script), runtime.handle()).unwrap();
        child.exchange(&Frame::new(1, ""), LATE).unwrap();
        let grandchild = std::fs::read_to_string(path).unwrap();
        let grandchild = grandchild.trim();
        assert!(is_alive(grandchild));
        drop(child);
        assert!(ends(grandchild));
    }

    #[test]
    fn a_child_may_put_things_in_order() {
        let runtime = runtime();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("done");
        let script = format!("cat > /dev/null; echo well > {}", path.display());
        let child = Child::start(&shell(&script), runtime.handle()).unwrap();
        child.finish(LATE);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "well\n");
    }

    #[test]
    fn several_children_share_the_time_and_are_waited_for() {
        let runtime = runtime();
        let start = |script: &str| Child::start(&shell(script), runtime.handle()).unwrap();
        let children = vec![start("exec sleep 1000"), start("exec cat"), start("exec sleep 1000")];
        let pids: Vec<String> =
            children.iter().map(|child| child.process.id().unwrap().to_string()).collect();
        let begin = Instant::now();
        Child::finish_all(children, SOON);
        assert!(begin.elapsed() < Duration::from_secs(3));
        // Not even as one that waits to be noticed.
        for pid in pids {
            assert!(!Path::new("/proc").join(&pid).exists(), "{pid}");
        }
    }
}
