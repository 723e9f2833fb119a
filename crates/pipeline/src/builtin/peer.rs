//! The other side of a protocol of JSON objects: a program or a service, asked batch by batch.

pub(crate) mod json;
pub(crate) mod program;
pub(crate) mod service;

use qeval_sdk::Failure;
use serde_json::Value;

/// Answers requests, each with one JSON object.
pub(crate) trait Peer: Send + Sync {
    /// What messages call it, for example ``retriever `dense` ``.
    fn name(&self) -> &str;

    /// The answer to each request, in their order. `check` says what is wrong with the form of an
    /// answer to the request of that index; such an answer is a failure, and the peer may be out of
    /// step.
    fn ask(&self, requests: &[Value], check: &Check<'_>) -> Vec<Result<Value, Failure>>;

    /// Says that the answer to a request was no good in what it says, though not in its form: one that
    /// is kept for later runs must be asked for again. What went wrong with that is returned.
    fn refuse(&self, request: &Value) -> Result<(), String>;

    /// Whether it must be asked in the order of the dataset, because it may remember what it was
    /// asked.
    fn asks_in_order(&self) -> bool;
}

/// What is wrong with the form of an answer.
pub(crate) type Check<'c> = dyn Fn(usize, &Value) -> Result<(), String> + Sync + 'c;
