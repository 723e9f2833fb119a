//! What a child writes on stderr: to the log, and the last of it into messages.

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    runtime::Handle,
    task::JoinHandle,
    time::timeout,
};

/// How many of the last lines are kept.
const KEPT: usize = 20;

/// A longer line is cut into pieces of this many bytes.
const LONGEST_LINE: usize = 4096;

/// How long the last lines of a child that has ended are waited for: something that it started may
/// hold the pipe open.
const LAST_WAIT: Duration = Duration::from_millis(500);

/// The reader of one child's stderr.
#[derive(Debug)]
pub(crate) struct Stderr {
    lines: Arc<Mutex<VecDeque<String>>>,
    task: JoinHandle<()>,
}

impl Stderr {
    /// Begins to read.
    pub(crate) fn follow(
        name: String,
        pipe: impl AsyncRead + Send + Unpin + 'static,
        runtime: &Handle,
    ) -> Self {
        let lines = Arc::default();
        let task = runtime.spawn(read(name, pipe, Arc::clone(&lines)));
        Self { lines, task }
    }

    /// The last lines of a child that has ended.
    pub(crate) async fn last_lines(&mut self) -> Vec<String> {
        // Where time runs out, the lines that have come are all there is to say.
        let _ = timeout(LAST_WAIT, &mut self.task).await;
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read(
    name: String,
    pipe: impl AsyncRead + Send + Unpin,
    lines: Arc<Mutex<VecDeque<String>>>,
) {
    let mut pipe = BufReader::new(pipe);
    let mut line = Vec::new();
    // A pipe that cannot be read any more has ended, too.
    while let Ok(chunk) = pipe.fill_buf().await {
        if chunk.is_empty() {
            break;
        }
        let room = LONGEST_LINE - line.len();
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let (taken, complete) = match end {
            Some(end) if end < room => (end + 1, true),
            _ if chunk.len() >= room => (room, true),
            _ => (chunk.len(), false),
        };
        line.extend_from_slice(&chunk[..taken]);
        pipe.consume(taken);
        if complete {
            keep(&name, &mem::take(&mut line), &lines);
        }
    }
    keep(&name, &line, &lines);
}

fn keep(name: &str, line: &[u8], lines: &Mutex<VecDeque<String>>) {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end();
    if line.is_empty() {
        return;
    }
    tracing::info!(child = name, "{line}");
    let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.len() == KEPT {
        lines.pop_front();
    }
    lines.push_back(line.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let pipe = std::io::Cursor::new(text.to_owned());
        runtime.block_on(async {
            Stderr::follow("child".to_owned(), pipe, &Handle::current()).last_lines().await
        })
    }

    #[test]
    fn lines_are_kept_without_blanks() {
        assert_eq!(lines("one\n\n two \r\nthree"), ["one", " two", "three"]);
        assert_eq!(lines(""), [""; 0]);
    }

    #[test]
    fn only_the_last_lines_are_kept_and_long_ones_are_cut() {
        let numbers: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        let kept = lines(&numbers.join("\n"));
        assert_eq!((kept.len(), kept[0].as_str(), kept[19].as_str()), (KEPT, "30", "49"));
        let long = lines(&"x".repeat(2 * LONGEST_LINE + 10));
        let lengths: Vec<usize> = long.iter().map(String::len).collect();
        assert_eq!(lengths, [LONGEST_LINE, LONGEST_LINE, 10]);
    }
}
