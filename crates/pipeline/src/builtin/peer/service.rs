//! A service as a peer: requests are posted, several at a time.

use qeval_endpoint::{CallError, CallErrorKind, Endpoint};
use qeval_sdk::{Failure, FailureKind, core::Prediction};
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

    /// The predictions that are read from the answers, each with the time that its answer took.
    /// `check` is that of [`Peer::ask`]; an answer that cannot be read is refused, so that a later run
    /// asks for it again.
    pub(crate) fn read(
        &self,
        requests: &[Value],
        check: &Check<'_>,
        read: &dyn Fn(&Value) -> Result<Prediction, Failure>,
    ) -> Vec<Result<Option<Prediction>, Failure>> {
        let answers = self.ask_timed(requests, check).into_iter().zip(requests);
        let prediction = |(answer, request)| {
            let (value, latency_ms): (Value, Option<f64>) = answer?;
            let mut prediction = read(&value).map_err(|failure| self.refused(request, failure))?;
            prediction.usage.latency_ms = latency_ms;
            Ok(Some(prediction))
        };
        answers.map(prediction).collect()
    }

    /// A failure whose answer is not kept, with what went wrong with that.
    fn refused(&self, request: &Value, failure: Failure) -> Failure {
        match self.refuse(request) {
            Ok(()) => failure,
            Err(error) => Failure::new(failure.kind, format!("{}; {error}", failure.message)),
        }
    }

    /// The answers with the milliseconds that they took.
    fn ask_timed(
        &self,
        requests: &[Value],
        check: &Check<'_>,
    ) -> Vec<Result<(Value, Option<f64>), Failure>> {
        let answers = self.endpoint.call_all(requests).into_iter().zip(requests).enumerate();
        let checked = |(index, (answer, request))| {
            let answer: Result<qeval_endpoint::Answer, CallError> = answer;
            let answer = answer.map_err(|error| failure(&error))?;
            let took = answer.took.map(|took| took.as_secs_f64() * 1000.0);
            let value = self.checked(request, answer.value, |answer| check(index, answer))?;
            Ok((value, took))
        };
        answers.map(checked).collect()
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
        let answers = self.ask_timed(requests, check).into_iter();
        answers.map(|answer| answer.map(|(value, _)| value)).collect()
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
        CallErrorKind::Form => FailureKind::Protocol,
        CallErrorKind::TooLarge => FailureKind::TooLarge,
        CallErrorKind::Connect => FailureKind::Unreachable,
        CallErrorKind::Interrupted => FailureKind::CutOff,
        CallErrorKind::Status(429) => FailureKind::RateLimited,
        CallErrorKind::Status(500..) => FailureKind::ServerError,
        CallErrorKind::Status(_) => FailureKind::Refused,
        CallErrorKind::Budget => FailureKind::BudgetSpent,
        CallErrorKind::GivenUp => FailureKind::GivenUp,
        CallErrorKind::Stopped => FailureKind::Stopped,
        CallErrorKind::Log => FailureKind::NotKept,
    };
    Failure::new(kind, error.to_string())
}
