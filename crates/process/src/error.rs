//! Why a child gave no answer.

use std::{io, time::Duration};

use crate::LARGEST_FRAME;

/// Why a child gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// It cannot be started.
    #[error("{name} cannot be started: `{program}`: {source}")]
    Start {
        /// What messages call it.
        name: String,
        /// The program.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// It ended.
    #[error("{name} {how}{}", last_words(stderr))]
    Ended {
        /// What messages call it.
        name: String,
        /// `ended with exit code 3`, `ended by signal 11 (SIGSEGV, a bad memory access)`.
        how: String,
        /// Its last lines on stderr.
        stderr: Vec<String>,
    },
    /// It did not answer in time, and was ended.
    #[error("{name} gave no answer within {} s and was ended{}", deadline.as_secs_f64(), last_words(stderr))]
    Timeout {
        /// What messages call it.
        name: String,
        /// The time that it had.
        deadline: Duration,
        /// Its last lines on stderr.
        stderr: Vec<String>,
    },
    /// It took more memory than it may, and was ended.
    #[error("{name} took more than {} MB of memory and was ended{}", limit / 1_000_000, last_words(stderr))]
    Memory {
        /// What messages call it.
        name: String,
        /// The bytes that it might take.
        limit: u64,
        /// Its last lines on stderr.
        stderr: Vec<String>,
    },
    /// Nobody waits for its answer any more, and it was ended.
    #[error("{name} was ended on request")]
    Stopped {
        /// What messages call it.
        name: String,
    },
    /// It answered something that is no answer, and was ended.
    #[error("{name} does not speak as agreed: {message}{}", last_words(stderr))]
    Protocol {
        /// What messages call it.
        name: String,
        /// What was wrong.
        message: String,
        /// Its last lines on stderr.
        stderr: Vec<String>,
    },
    /// What it was to be sent is too large; it lives on.
    #[error("{name} cannot be sent {bytes} bytes at once, the limit is {LARGEST_FRAME}")]
    TooLarge {
        /// What messages call it.
        name: String,
        /// Bytes of the frame.
        bytes: usize,
    },
    /// It failed too often in a row and is not started again.
    #[error("{name} failed {times} times in a row and is not started again; the last time: {last}")]
    GivenUp {
        /// What messages call it.
        name: String,
        /// How often.
        times: u32,
        /// The last failure.
        last: String,
    },
}

fn last_words(stderr: &[String]) -> String {
    stderr.last().map_or_else(String::new, |line| format!("; its last line on stderr: `{line}`"))
}
