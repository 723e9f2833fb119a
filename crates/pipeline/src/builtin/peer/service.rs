//! A service as a peer: requests are posted, several at a time.

use qeval_endpoint::{CallError, CallErrorKind, Endpoint, Spent};
use qeval_sdk::{
    Failure, FailureKind,
    core::{Prediction, Usage},
};
use serde_json::Value;

use super::{Check, Peer};
use crate::builtin::{
    live::{Arrival, Arrived},
    price::Price,
};

/// An HTTP endpoint.
#[derive(Clone)]
pub(crate) struct Service {
    endpoint: Endpoint,
    price: Option<Price>,
}

impl Service {
    pub(crate) fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, price: None }
    }

    /// The same with a price list for tokens.
    pub(crate) fn priced(self, price: Option<Price>) -> Self {
        Self { price, ..self }
    }

    /// Asks for predictions, which are read from the answers, each with the time that its answer took.
    /// `check` is that of [`Peer::ask`]. `arrived` is as in [`Live`](crate::builtin::live::Live).
    pub(crate) fn read_each(
        &self,
        requests: &[Value],
        check: &Check<'_>,
        read: &dyn Fn(&Value) -> Result<Prediction, Failure>,
        arrived: &mut Arrived<'_>,
    ) {
        let prediction = |index: usize, answer: &qeval_endpoint::Answer| {
            check(index, &answer.value).map_err(|message| self.not_as_agreed(&message))?;
            let mut prediction = read(&answer.value)?;
            // A service may know better than the network how long it took.
            let took = answer.took.map(|took| took.as_secs_f64() * 1000.0);
            prediction.usage.latency_ms = prediction.usage.latency_ms.or(took);
            Ok(Some(prediction))
        };
        let arrival = |(index, answer): qeval_endpoint::Arrived| match answer {
            Ok(answer) => {
                Arrival { index, answer: prediction(index, &answer), spent: answer.spent }
            }
            Err(error) => Arrival { index, answer: Err(failure(&error)), spent: Spent::default() },
        };
        self.endpoint.call_each(requests, &mut |answers| {
            arrived(answers.into_iter().map(arrival).collect())
        });
    }

    /// Counts what an answer has spent that was asked for by an earlier process. One that was kept
    /// before there was a price costs what it would now.
    pub(crate) fn note_spent_before(&self, spent: Spent, usage: Usage) {
        let (tokens_in, tokens_out) =
            (usage.tokens_in.unwrap_or_default(), usage.tokens_out.unwrap_or_default());
        let cost = self.price.as_ref().map_or(0, |price| price.units(tokens_in, tokens_out));
        self.endpoint.note_spent_before(Spent {
            tokens: spent.tokens.max(tokens_in.saturating_add(tokens_out)),
            cost: spent.cost.max(cost),
            ..spent
        });
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
        Err(self.not_as_agreed(&message))
    }

    fn not_as_agreed(&self, message: &str) -> Failure {
        let message = format!("{} does not speak as agreed: {message}", self.endpoint.name());
        Failure::new(FailureKind::Protocol, message)
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
