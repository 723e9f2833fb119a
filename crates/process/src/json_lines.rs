//! A child that speaks in lines of JSON: the easiest protocol for a script in any language.

use std::time::Duration;

use rustix::io::ioctl_fionread;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::ChildStdout,
    runtime::Handle,
};

use crate::{Child, Command, ProcessError, child::Trouble};

/// The most bytes of one answer: 16 MiB.
const LONGEST_LINE: u64 = 16 << 20;

/// How much of a wrong answer is shown.
const SHOWN: usize = 200;

/// A running child that answers each line of JSON with one line of JSON.
///
/// What else it has to say belongs on stderr. As with a [`Child`], an error ends it, and so does
/// dropping this.
#[derive(Debug)]
pub struct JsonLines {
    child: Child,
}

impl JsonLines {
    /// Starts a child.
    pub fn start(command: &Command, runtime: &Handle) -> Result<Self, ProcessError> {
        Ok(Self { child: Child::start(command, runtime)? })
    }

    /// Sends one line and waits for the line that answers it.
    ///
    /// A line that is there before the question is sent answers nothing: a child that writes one
    /// is out of step and is ended, so that its next answers are not taken for those of other
    /// questions. A line too many that comes later cannot be told from an answer.
    pub fn exchange(&mut self, request: &Value, deadline: Duration) -> Result<Value, ProcessError> {
        self.exchange_with(request, |line| serde_json::from_slice(line), deadline)
    }

    /// The same, where `read` makes a value of the line.
    pub fn exchange_with(
        &mut self,
        request: &Value,
        read: impl FnOnce(&[u8]) -> serde_json::Result<Value>,
        deadline: Duration,
    ) -> Result<Value, ProcessError> {
        let mut line = request.to_string();
        line.push('\n');
        self.child.talk(&[], expect_silence, deadline)?;
        let receive = async |stdout: &mut BufReader<ChildStdout>| receive_line(stdout, read).await;
        self.child.talk(&[line.as_bytes()], receive, deadline)
    }

    /// As [`Child::finish`].
    pub fn finish(self, patience: Duration) {
        self.child.finish(patience);
    }
}

/// Looks at what is there by now, without waiting for more.
async fn expect_silence(stdout: &mut BufReader<ChildStdout>) -> Result<(), Trouble> {
    let waiting = ioctl_fionread(stdout.get_ref()).map_err(|_| Trouble::Pipe)?;
    if stdout.buffer().is_empty() && waiting == 0 {
        return Ok(());
    }
    let found = stdout.fill_buf().await.map_err(|_| Trouble::Pipe)?;
    let line = found.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Err(Trouble::Message(format!("it wrote a line that nobody asked for: `{}`", shown(line))))
}

async fn receive_line(
    stdout: &mut BufReader<ChildStdout>,
    parse: impl FnOnce(&[u8]) -> serde_json::Result<Value>,
) -> Result<Value, Trouble> {
    let mut line = Vec::new();
    let read = stdout.take(LONGEST_LINE).read_until(b'\n', &mut line).await;
    let read = read.map_err(|_| Trouble::Pipe)?;
    if line.last() != Some(&b'\n') {
        return Err(if read as u64 == LONGEST_LINE {
            Trouble::Message(format!("its line is longer than {LONGEST_LINE} bytes"))
        } else {
            Trouble::Pipe
        });
    }
    parse(&line).map_err(|error| {
        Trouble::Message(format!(
            "its line is not JSON ({error}): `{}`; all but answers belongs on stderr",
            shown(&line)
        ))
    })
}

/// The beginning of a line, for a message.
fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end().chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: Duration = Duration::from_secs(30);

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    }

    fn shell(script: &str) -> Command {
        Command::new("reader `r`", "/bin/sh").arg("-c").arg(script).grant("PATH", "/usr/bin:/bin")
    }

    fn answers(script: &str, requests: &[Value]) -> Vec<Result<Value, String>> {
        let runtime = runtime();
        let mut child = JsonLines::start(&shell(script), runtime.handle()).unwrap();
        requests
            .iter()
            .map(|request| child.exchange(request, LATE).map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn a_line_is_answered_by_a_line() {
        let requests = ["two\nlines".into(), serde_json::json!({"a": [1, 2.5, null]})];
        assert_eq!(answers("exec cat", &requests), requests.clone().map(Ok));
    }

    #[test]
    fn what_is_no_answer_is_shown() {
        let message = "reader `r` does not speak as agreed: its line is not JSON (expected value at \
                       line 1 column 1): `Loading the model`; all but answers belongs on stderr";
        assert_eq!(
            answers(
                "read -r line; echo Loading the model; sleep 1000",
                &[Value::Null, Value::Null]
            ),
            [Err(message.to_owned()), Err("reader `r` was ended before".to_owned())]
        );
        assert_eq!(
            answers("read -r line; printf 1; exit 2", &[Value::Null]),
            [Err("reader `r` ended with exit code 2".to_owned())]
        );
    }

    #[test]
    fn a_line_too_many_answers_nothing() {
        let message =
            "reader `r` does not speak as agreed: it wrote a line that nobody asked for: `2`";
        let after = || [Err(message.to_owned()), Err("reader `r` was ended before".to_owned())];
        let asked = [Value::Null, Value::Null, Value::Null];
        // Both lines come at once, so that the second one is read along with the first.
        let both = answers("while read -r line; do printf '1\\n2\\n'; done", &asked);
        assert_eq!(both[0], Ok(1.into()));
        assert_eq!(both[1..], after());
    }

    #[test]
    fn a_line_before_the_first_question_answers_nothing() {
        let runtime = runtime();
        let folder = tempfile::tempdir().unwrap();
        let done = folder.path().join("done");
        // Without a line break, and still in the pipe when the question is asked.
        let script = format!("printf 'é\\377'; : > '{}'; exec cat", done.display());
        let mut child = JsonLines::start(&shell(&script), runtime.handle()).unwrap();
        while !done.exists() {
            std::thread::yield_now();
        }
        assert_eq!(
            child.exchange(&Value::Null, LATE).unwrap_err().to_string(),
            "reader `r` does not speak as agreed: it wrote a line that nobody asked for: `é\u{fffd}`"
        );
    }
}
