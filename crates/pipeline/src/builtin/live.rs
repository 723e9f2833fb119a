//! Readers whose answers cost something, each of which is told of as soon as it arrives.

use std::sync::Arc;

use qeval_endpoint::Spent;
use qeval_sdk::{
    Descriptor, Failure, Reader, Request,
    core::{Prediction, Usage},
};
use serde_json::Value;

use super::answer;

/// What a reader gave for one question.
pub(crate) type Answered = Result<Option<Prediction>, Failure>;

/// An answer that has come.
pub(crate) struct Arrival {
    /// Index of its request.
    pub(crate) index: usize,
    pub(crate) answer: Answered,
    /// What it has spent of a budget.
    pub(crate) spent: Spent,
}

/// Takes answers, and says whether to ask on.
pub(crate) type Arrived<'a> = dyn FnMut(Vec<Arrival>) -> bool + 'a;

/// A reader that says of each answer that it has come.
pub(crate) trait Live: Reader {
    /// All that the answer to a request depends on, beside the reader itself.
    fn question(&self, request: &Request<'_>) -> Value;

    /// Asks as [`Reader::read`] does. `arrived` is given each answer before another question takes
    /// its place; where it says so, the rest is not asked.
    fn ask_each(&self, requests: &[Request<'_>], arrived: &mut Arrived<'_>);

    /// Counts what an answer has spent that is used and was asked for by an earlier process.
    fn note_spent_before(&self, _spent: Spent, _usage: Usage) {}
}

/// A question that was asked so often before: it has another answer each time.
pub(super) fn repeated(mut question: Value, repeat: u32) -> Value {
    if repeat > 0 {
        question["repeat"] = repeat.into();
    }
    question
}

/// All answers of a live reader, in the order of the requests.
pub(super) fn read_all(reader: &impl Live, requests: &[Request<'_>]) -> Vec<Answered> {
    let mut arrivals: Vec<Arrival> = Vec::with_capacity(requests.len());
    reader.ask_each(requests, &mut |arrived| {
        arrivals.extend(arrived);
        true
    });
    arrivals.sort_by_key(|arrival| arrival.index);
    arrivals.into_iter().map(|arrival| arrival.answer).collect()
}

/// A reader of a plugin, which is asked a batch at a time.
pub(crate) struct Batched {
    pub(crate) reader: Arc<dyn Reader>,
    /// The most questions of a batch.
    pub(crate) batch: usize,
}

impl Reader for Batched {
    fn descriptor(&self) -> Descriptor {
        self.reader.descriptor()
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Answered> {
        self.reader.read(requests)
    }

    fn asks_in_order(&self) -> bool {
        self.reader.asks_in_order()
    }
}

impl Live for Batched {
    fn question(&self, request: &Request<'_>) -> Value {
        answer::question(request)
    }

    fn ask_each(&self, requests: &[Request<'_>], arrived: &mut Arrived<'_>) {
        let mut first = 0;
        for requests in requests.chunks(self.batch.max(1)) {
            let answers = self.reader.read(requests).into_iter().enumerate();
            let arrival =
                |(index, answer)| Arrival { index: first + index, answer, spent: Spent::default() };
            let go_on = arrived(answers.take(requests.len()).map(arrival).collect());
            if !go_on {
                return;
            }
            first += requests.len();
        }
    }
}
