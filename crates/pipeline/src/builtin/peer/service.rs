//! A service as a peer: requests are posted, several at a time.

use qeval_endpoint::{CallError, CallErrorKind, Endpoint};
use qeval_sdk::{Failure, FailureKind};
use serde_json::Value;

use super::{Check, Peer};

/// An HTTP endpoint.
pub(crate) struct Service {
    endpoint: Endpoint,
}

impl Service {
    pub(crate) fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }

    fn checked(
        &self,
        request: &Value,
        answer: Value,
        check: impl Fn(&Value) -> Result<(), String>,
    ) -> Result<Value, Failure> {
        let Err(mut message) = check(&answer) else { return Ok(answer) };
        if let Err(error) = self.refuse(request) {
            message = format!("{message}; {error}");
        }
        let message = format!("{} does not speak as agreed: {message}", self.endpoint.name());
        Err(Failure::new(FailureKind::Protocol, message))
    }
}

impl Peer for Service {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn ask(&self, requests: &[Value], check: &Check<'_>) -> Vec<Result<Value, Failure>> {
        let answers = self.endpoint.call_all(requests).into_iter().zip(requests).enumerate();
        let checked = |(index, (answer, request))| {
            let answer: Result<qeval_endpoint::Answer, CallError> = answer;
            let answer = answer.map_err(|error| failure(&error))?;
            self.checked(request, answer.value, |answer| check(index, answer))
        };
        answers.map(checked).collect()
    }

    /// What is no answer must not be one in a later run.
    fn refuse(&self, request: &Value) -> Result<(), String> {
        self.endpoint.forget(request).map_err(|error| error.to_string())
    }

    fn asks_in_order(&self) -> bool {
        false
    }
}

fn failure(error: &CallError) -> Failure {
    let kind = match error.kind {
        CallErrorKind::Timeout => FailureKind::Timeout,
        CallErrorKind::Form | CallErrorKind::TooLarge => FailureKind::Protocol,
        CallErrorKind::Connect | CallErrorKind::Interrupted => FailureKind::Crash,
        CallErrorKind::Status(status) if status >= 500 => FailureKind::Crash,
        CallErrorKind::Status(_)
        | CallErrorKind::Budget
        | CallErrorKind::GivenUp
        | CallErrorKind::Stopped
        | CallErrorKind::Log => FailureKind::Refused,
    };
    Failure::new(kind, error.to_string())
}
