//! A child that speaks in lines of JSON: the easiest protocol for a script in any language.

use std::time::Duration;

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
    pub fn exchange(&mut self, request: &Value, deadline: Duration) -> Result<Value, ProcessError> {
        let mut line = request.to_string();
        line.push('\n');
        self.child.talk(&[line.as_bytes()], receive_line, deadline)
    }

    /// As [`Child::finish`].
    pub fn finish(self, patience: Duration) {
        self.child.finish(patience);
    }
}

async fn receive_line(stdout: &mut BufReader<ChildStdout>) -> Result<Value, Trouble> {
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
    serde_json::from_slice(&line).map_err(|error| {
        let text = String::from_utf8_lossy(&line);
        let shown: String = text.trim_end().chars().take(SHOWN).collect();
        Trouble::Message(format!(
            "its line is not JSON ({error}): `{shown}`; all but answers belongs on stderr"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: Duration = Duration::from_secs(30);

    fn answers(script: &str, requests: &[Value]) -> Vec<Result<Value, String>> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let command = Command::new("reader `r`", "/bin/sh")
            .arg("-c")
            .arg(script)
            .grant("PATH", "/usr/bin:/bin");
        let mut child = JsonLines::start(&command, runtime.handle()).unwrap();
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
            answers("echo Loading the model; sleep 1000", &[Value::Null, Value::Null]),
            [Err(message.to_owned()), Err("reader `r` was ended before".to_owned())]
        );
        assert_eq!(
            answers("printf 1; exit 2", &[Value::Null]),
            [Err("reader `r` ended with exit code 2".to_owned())]
        );
    }
}
