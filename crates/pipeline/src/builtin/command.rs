//! A reader that is a program: one JSON line in, one JSON line out, for each example.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use qeval_endpoint::Spent;
use qeval_process::{JsonLines, ProcessError, Stop, Supervisor};
use qeval_sdk::{Descriptor, Failure, Reader, Request, core::Prediction};
use serde_json::Value;

use super::{
    answer,
    live::{self, Answered, Arrival, Arrived, Live},
    peer::program::failure,
};

/// Starts in a row that may fail before the program is given up.
const RESTARTS: u32 = 3;

/// A program that answers questions.
///
/// It reads the line of [`answer::question`] and writes what [`answer::prediction`] reads. An answer
/// with the id of another question shows that the program is out of step, so it is started again.
pub(crate) struct CommandReader {
    child: Mutex<Supervisor<JsonLines>>,
    program: String,
    deadline: Duration,
    stop: Stop,
}

impl CommandReader {
    pub(crate) fn new(
        command: qeval_process::Command,
        deadline: Duration,
        runtime: tokio::runtime::Handle,
    ) -> Self {
        let (program, stop) = (command.name.clone(), command.stop.clone());
        let start = move || JsonLines::start(&command, &runtime);
        Self {
            child: Mutex::new(Supervisor::new(&program, RESTARTS, start)),
            program,
            deadline,
            stop,
        }
    }

    fn ask(&self, request: &Request<'_>) -> Result<Prediction, Failure> {
        if self.stop.is_set() {
            return Err(failure(&ProcessError::Stopped { name: self.program.clone() }));
        }
        let line = answer::question(request);
        // A panic while the lock was held left a child in an unknown state; the supervisor
        // restarts a child after any error, so the lock itself stays usable.
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = child
            .call(|child| {
                let reply = child.exchange(&line, self.deadline)?;
                self.check_id(&line, &reply)?;
                Ok(reply)
            })
            .map_err(|error| failure(&error))?;
        answer::prediction(&reply, &self.program)
    }

    fn check_id(&self, asked: &Value, reply: &Value) -> Result<(), ProcessError> {
        answer::check_id(asked, reply).map_err(|message| ProcessError::Protocol {
            name: self.program.clone(),
            message,
            stderr: Vec::new(),
        })
    }
}

impl Reader for CommandReader {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: self.program.clone(),
            version: "1".to_owned(),
            summary: "a program that answers JSON lines".to_owned(),
        }
    }

    /// A program may remember what it was asked.
    fn asks_in_order(&self) -> bool {
        true
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Answered> {
        live::read_all(self, requests)
    }
}

impl Live for CommandReader {
    fn question(&self, request: &Request<'_>) -> Value {
        answer::question(request)
    }

    fn ask_each(&self, requests: &[Request<'_>], arrived: &mut Arrived<'_>) {
        for (index, request) in requests.iter().enumerate() {
            let answer = self.ask(request).map(Some);
            let arrival = Arrival { index, answer, spent: Spent::default() };
            if !arrived(vec![arrival]) {
                return;
            }
        }
    }
}
