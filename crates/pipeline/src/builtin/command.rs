//! A reader that is a program: one JSON line in, one JSON line out, for each example.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use qeval_process::{JsonLines, ProcessError, Stop, Supervisor};
use qeval_sdk::{
    Descriptor, Failure, FailureKind, Reader, Request,
    core::{Candidate, Prediction},
};
use serde::Deserialize;
use serde_json::{Value, json};

/// Starts in a row that may fail before the program is given up.
const RESTARTS: u32 = 3;

/// A program that answers questions.
///
/// It reads `{"id", "question", "context", "history": [{"question", "answer"}], "passages":
/// [{"id", "title", "text"}]}` and writes `{"id", "prediction", "confidence", "citations",
/// "candidates": [{"text", "confidence", "start", "end", "passage_id"}]}`, where only the prediction
/// is required and null says that the program abstains. An answer with the id of another question
/// shows that the program is out of step, so it is started again.
pub(crate) struct CommandReader {
    child: Mutex<Supervisor<JsonLines>>,
    program: String,
    deadline: Duration,
    stop: Stop,
}

/// The line that the program writes.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(deserialize_with = "Option::deserialize")]
    prediction: Option<String>,
    confidence: Option<f64>,
    #[serde(default)]
    citations: Vec<String>,
    #[serde(default)]
    candidates: Vec<Offer>,
}

/// One of several answers that the program gives.
#[derive(Debug, Deserialize)]
struct Offer {
    #[serde(deserialize_with = "Option::deserialize")]
    text: Option<String>,
    confidence: Option<f64>,
    start: Option<usize>,
    end: Option<usize>,
    passage_id: Option<String>,
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
        let line = json!({
            "id": request.example.id,
            "question": request.example.question,
            "context": request.example.context,
            "history": request.example.history.iter().map(|exchange| json!({
                "question": exchange.question,
                "answer": exchange.answer,
            })).collect::<Vec<_>>(),
            "passages": request.passages.iter().map(|passage| json!({
                "id": passage.id,
                "title": passage.title,
                "text": passage.text,
            })).collect::<Vec<_>>(),
        });
        // A panic while the lock was held left a child in an unknown state; the supervisor
        // restarts a child after any error, so the lock itself stays usable.
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = child
            .call(|child| {
                let reply = child.exchange(&line, self.deadline)?;
                self.check_id(&line["id"], &reply)?;
                Ok(reply)
            })
            .map_err(|error| failure(&error))?;
        let answer = Answer::deserialize(&reply).map_err(|error| {
            Failure::new(
                FailureKind::Protocol,
                format!("{} answered `{reply}`: {error}", self.program),
            )
        })?;
        let Answer { prediction, confidence, citations, candidates } = answer;
        let prediction = prediction.map_or_else(Prediction::abstention, Prediction::answer);
        let candidates = candidates.into_iter().map(Offer::into_candidate);
        let candidates: Vec<Candidate> = candidates.collect::<Result<_, _>>()?;
        Ok(Prediction { candidates, confidence: finite(confidence)?, citations, ..prediction })
    }

    /// Compares the ids, where the answer has one: null is none, as in the other optional keys.
    fn check_id(&self, asked: &Value, reply: &Value) -> Result<(), ProcessError> {
        match reply.get("id") {
            Some(answered) if !answered.is_null() && answered != asked => {
                Err(ProcessError::Protocol {
                    name: self.program.clone(),
                    message: format!("it answered `{answered}` when asked `{asked}`"),
                    stderr: Vec::new(),
                })
            }
            _ => Ok(()),
        }
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

    fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>> {
        requests.iter().map(|request| self.ask(request).map(Some)).collect()
    }
}

impl Offer {
    fn into_candidate(self) -> Result<Candidate, Failure> {
        let Self { text, confidence, start, end, passage_id: passage } = self;
        let text = text.unwrap_or_default();
        let until = |start: usize| end.or_else(|| start.checked_add(text.chars().count()));
        let span = match start.map(|start| (start, until(start))) {
            Some((start, Some(end))) if start <= end => Some(start..end),
            None if end.is_none() => None,
            _ => {
                return Err(Failure::new(
                    FailureKind::Value,
                    "a candidate ends before its start, or has none",
                ));
            }
        };
        Ok(Candidate { text, confidence: finite(confidence)?, span, passage })
    }
}

fn finite(confidence: Option<f64>) -> Result<Option<f64>, Failure> {
    match confidence {
        Some(confidence) if !confidence.is_finite() => {
            Err(Failure::new(FailureKind::Value, "the confidence is not a number"))
        }
        confidence => Ok(confidence),
    }
}

fn failure(error: &ProcessError) -> Failure {
    let kind = match error {
        ProcessError::Timeout { .. } => FailureKind::Timeout,
        ProcessError::Protocol { .. } => FailureKind::Protocol,
        _ => FailureKind::Crash,
    };
    Failure::new(kind, error.to_string())
}
