//! A program as a peer: one JSON line in, one JSON line out.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use qeval_process::{Command, JsonLines, ProcessError, Stop, Supervisor};
use qeval_sdk::{Failure, FailureKind};
use serde_json::Value;

use super::{Check, Peer, json};

/// Starts in a row that may fail before the program is given up.
const RESTARTS: u32 = 3;

/// A child process that is asked one line at a time.
///
/// Each request gets a number `batch`. An answer with another number shows that the program is out
/// of step, so it is started again.
pub(crate) struct Program {
    name: String,
    child: Mutex<Talk>,
    deadline: Duration,
    stop: Stop,
}

struct Talk {
    supervisor: Supervisor<JsonLines>,
    /// Requests so far.
    asked: u64,
}

impl Program {
    pub(crate) fn new(
        command: Command,
        deadline: Duration,
        runtime: tokio::runtime::Handle,
    ) -> Self {
        let (name, stop) = (command.name.clone(), command.stop.clone());
        let start = move || JsonLines::start(&command, &runtime);
        let supervisor = Supervisor::new(&name, RESTARTS, start);
        Self { name, child: Mutex::new(Talk { supervisor, asked: 0 }), deadline, stop }
    }

    fn ask_one(
        &self,
        request: &Value,
        check: impl Fn(&Value) -> Result<(), String>,
    ) -> Result<Value, ProcessError> {
        if self.stop.is_set() {
            return Err(ProcessError::Stopped { name: self.name.clone() });
        }
        // The supervisor starts a child again after any error, so a panic leaves nothing unusable.
        let mut talk = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let number = talk.asked;
        talk.asked += 1;
        let mut line = request.clone();
        line["batch"] = number.into();
        talk.supervisor.call(|child| {
            let answer = child.exchange_with(&line, json::read, self.deadline)?;
            in_step(number, &answer).and_then(|()| check(&answer)).map_err(|message| {
                ProcessError::Protocol { name: self.name.clone(), message, stderr: Vec::new() }
            })?;
            Ok(answer)
        })
    }
}

impl Peer for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask(&self, requests: &[Value], check: &Check<'_>) -> Vec<Result<Value, Failure>> {
        let requests = requests.iter().enumerate();
        let ask = |(index, request)| self.ask_one(request, |answer| check(index, answer));
        requests.map(|request| ask(request).map_err(|error| failure(&error))).collect()
    }

    /// Nothing of a program is kept.
    fn refuse(&self, _: &Value) -> Result<(), String> {
        Ok(())
    }

    fn asks_in_order(&self) -> bool {
        true
    }
}

/// Compares the numbers, where the answer has one.
fn in_step(asked: u64, answer: &Value) -> Result<(), String> {
    match answer.get("batch") {
        Some(answered) if !answered.is_null() && answered.as_u64() != Some(asked) => {
            Err(format!("it answered batch {answered} when asked batch {asked}"))
        }
        _ => Ok(()),
    }
}

pub(crate) fn failure(error: &ProcessError) -> Failure {
    let kind = match error {
        ProcessError::Timeout { .. } => FailureKind::Timeout,
        ProcessError::Memory { .. } => FailureKind::Memory,
        ProcessError::Protocol { .. } => FailureKind::Protocol,
        ProcessError::TooLarge { .. } => FailureKind::TooLarge,
        ProcessError::Stopped { .. } => FailureKind::Stopped,
        ProcessError::GivenUp { .. } => FailureKind::GivenUp,
        ProcessError::Start { .. } | ProcessError::Ended { .. } => FailureKind::Crash,
    };
    Failure::new(kind, error.to_string())
}
