//! Why a call gave no answer.

use std::fmt;

/// A call without an answer. The message names the endpoint, the address without its query, and how
/// many requests were sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {kind} at `{url}`{}: {message}", in_all(*attempts))]
pub struct CallError {
    /// What went wrong in the end.
    pub kind: CallErrorKind,
    /// What messages call the endpoint.
    pub name: String,
    /// Its address, without a query.
    pub url: String,
    /// Requests that were sent.
    pub attempts: u32,
    /// What the system or the server says.
    pub message: String,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallErrorKind {
    /// There is no connection.
    Connect,
    /// No whole answer in time.
    Timeout,
    /// The connection ended before the answer did.
    Interrupted,
    /// A status that is no success.
    Status(u16),
    /// The answer is not JSON.
    Form,
    /// The answer has more bytes than are taken.
    TooLarge,
    /// A limit of the budget is reached.
    Budget,
    /// Too many calls in a row failed for want of a working server.
    GivenUp,
    /// Nobody waits for the answer any more.
    Stopped,
    /// The call log cannot be read or written.
    Log,
}

impl CallErrorKind {
    /// Whether the next request may have an answer.
    pub(crate) fn may_pass(self) -> bool {
        match self {
            Self::Connect | Self::Timeout | Self::Interrupted => true,
            Self::Status(status) => crate::retry::may_pass(status),
            _ => false,
        }
    }
}

impl fmt::Display for CallErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "no connection",
            Self::Timeout => "no answer in time",
            Self::Interrupted => "the answer was cut off",
            Self::Status(status) => return write!(f, "status {status}"),
            Self::Form => "the answer is not JSON",
            Self::TooLarge => "the answer is too large",
            Self::Budget => "nothing is asked any more",
            Self::GivenUp => "given up",
            Self::Stopped => "stopped on request",
            Self::Log => "the answer cannot be kept",
        })
    }
}

fn in_all(attempts: u32) -> String {
    if attempts > 1 { format!(" after {attempts} requests") } else { String::new() }
}
