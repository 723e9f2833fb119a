//! Why a request has no answer.

use std::time::Duration;

use crate::{CallErrorKind, LogError};

/// A request without an answer.
pub(crate) struct Trouble {
    pub(crate) kind: CallErrorKind,
    pub(crate) message: String,
    /// How long the server asks to wait.
    pub(crate) wait: Option<Duration>,
}

impl Trouble {
    pub(crate) fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), wait: None }
    }

    /// Nothing is asked any more.
    pub(crate) fn stopped() -> Self {
        Self::new(CallErrorKind::Stopped, "the evaluation ends")
    }

    pub(crate) fn of_log(error: &LogError) -> Self {
        Self::new(CallErrorKind::Log, error.to_string())
    }

    pub(crate) fn of_client(error: reqwest::Error) -> Self {
        let kind = if error.is_timeout() {
            CallErrorKind::Timeout
        } else if error.is_connect() {
            CallErrorKind::Connect
        } else {
            CallErrorKind::Interrupted
        };
        Self::new(kind, cause(&error.without_url()))
    }
}

/// The innermost cause, which says most; the outer ones may have the address.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
