//! A reader that is a service: one JSON object posted, one JSON object back, for each example.

use qeval_endpoint::Spent;
use qeval_sdk::{Descriptor, Reader, Request, core::Usage};
use serde_json::Value;

use super::{
    answer,
    live::{self, Answered, Arrived, Live},
    peer::{Peer, service::Service},
};

/// A service that answers questions with the objects of a program, several at the same time.
pub(crate) struct HttpReader {
    service: Service,
    /// How often each question was asked before, by its likes.
    repeat: u32,
}

impl HttpReader {
    pub(crate) fn new(service: Service, repeat: u32) -> Self {
        Self { service, repeat }
    }
}

impl Reader for HttpReader {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "http".to_owned(),
            version: "1".to_owned(),
            summary: "a service that answers JSON".to_owned(),
        }
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Answered> {
        live::read_all(self, requests)
    }
}

impl Live for HttpReader {
    fn question(&self, request: &Request<'_>) -> Value {
        live::repeated(answer::question(request), self.repeat)
    }

    fn ask_each(&self, requests: &[Request<'_>], arrived: &mut Arrived<'_>) {
        let questions: Vec<Value> = requests.iter().map(answer::question).collect();
        let read = |value: &Value| answer::prediction(value, self.service.name());
        let check = |index: usize, value: &Value| answer::check_id(&questions[index], value);
        self.service.read_each(&questions, &check, &read, arrived);
    }

    fn note_spent_before(&self, spent: Spent, usage: Usage) {
        self.service.note_spent_before(spent, usage);
    }
}
