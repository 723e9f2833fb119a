//! A reader that is a language model behind a chat-completions endpoint.

use qeval_endpoint::Spent;
use qeval_sdk::{
    Descriptor, Failure, FailureKind, Reader, Request,
    core::{Prediction, Usage},
};
use serde_json::{Map, Value, json};

use super::{
    live::{self, Answered, Arrived, Live},
    peer::{Peer, service::Service},
    remote::shown,
};
use crate::prompt::Prompt;

/// A model that is asked one question a request, several at the same time.
pub(crate) struct OpenAiReader {
    service: Service,
    prompt: Prompt,
    /// What each request says beside the messages: the model and how it is to answer.
    settings: Map<String, Value>,
    /// How often each question was asked before, by its likes.
    repeat: u32,
}

impl OpenAiReader {
    /// With a seed, each of its likes has one of its own.
    pub(crate) fn new(
        service: Service,
        prompt: Prompt,
        mut settings: Map<String, Value>,
        repeat: u32,
    ) -> Self {
        if let Some(seed) = settings.get_mut("seed") {
            *seed = seed.as_i64().map_or(0, |seed| seed.wrapping_add(repeat.into())).into();
        }
        Self { service, prompt, settings, repeat }
    }

    fn body(&self, request: &Request<'_>) -> Value {
        let mut messages = Vec::new();
        if let Some(system) = &self.prompt.system {
            let content = self.prompt.message(system, request);
            messages.push(json!({"role": "system", "content": content}));
        }
        let content = self.prompt.message(&self.prompt.user, request);
        messages.push(json!({"role": "user", "content": content}));
        let mut body = self.settings.clone();
        body.insert("messages".to_owned(), messages.into());
        body.into()
    }
}

impl Reader for OpenAiReader {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "openai".to_owned(),
            version: "1".to_owned(),
            summary: "a language model behind a chat-completions endpoint".to_owned(),
        }
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Answered> {
        live::read_all(self, requests)
    }
}

impl Live for OpenAiReader {
    /// The whole request. Where answers are drawn, two examples with the same one have two answers.
    fn question(&self, request: &Request<'_>) -> Value {
        let body = self.body(request);
        // Where nothing is said, the endpoint has a temperature of its own.
        let drawn = body["temperature"].as_f64() != Some(0.0);
        let example = drawn.then_some(&request.example.id);
        let dataset = request.example.dataset.as_ref().filter(|_| drawn);
        let question = json!({"body": body, "example": example, "dataset": dataset});
        live::repeated(question, self.repeat)
    }

    fn ask_each(&self, requests: &[Request<'_>], arrived: &mut Arrived<'_>) {
        let bodies: Vec<Value> = requests.iter().map(|request| self.body(request)).collect();
        let read = |answer: &Value| {
            prediction(answer).map_err(|(kind, message)| {
                Failure::new(kind, format!("{}: {message}", self.service.name()))
            })
        };
        self.service.read_each(&bodies, &|_, answer| check(answer), &read, arrived);
    }

    fn note_spent_before(&self, spent: Spent, usage: Usage) {
        self.service.note_spent_before(spent, usage);
    }
}

/// What is wrong with the form of an answer: the parts that every one has.
fn check(answer: &Value) -> Result<(), String> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(format!("it answered with the error {}", shown(error)));
    }
    let choice = &answer["choices"][0];
    if !choice["message"].is_object() {
        return Err(format!("{} has no `choices[0].message`", shown(answer)));
    }
    match &choice["message"]["content"] {
        Value::String(_) | Value::Null => Ok(()),
        other => Err(format!("`content` is {}, not a text", shown(other))),
    }
}

/// The answer in a response of the right form. One that is cut off or was refused is none.
fn prediction(answer: &Value) -> Result<Prediction, (FailureKind, String)> {
    let choice = &answer["choices"][0];
    let refused = |message: String| Err((FailureKind::Refused, message));
    let finish = choice["finish_reason"].as_str().unwrap_or("stop");
    match finish {
        "length" => {
            let message = "the answer has reached the most tokens".to_owned();
            return Err((FailureKind::Truncated, message));
        }
        "content_filter" => return refused("a content filter has withheld the answer".to_owned()),
        _ => {}
    }
    if let Some(refusal) = choice["message"]["refusal"].as_str().filter(|text| !text.is_empty()) {
        return refused(format!("the model refuses: {}", shown(&refusal.into())));
    }
    let text = choice["message"]["content"].as_str().unwrap_or_default().trim();
    if text.is_empty() {
        return refused(format!("the answer is empty; its `finish_reason` is `{finish}`"));
    }
    Ok(Prediction { usage: usage(answer), ..Prediction::answer(text) })
}

/// The tokens of a response.
pub(crate) fn usage(answer: &Value) -> Usage {
    let tokens = |key: &str| answer["usage"][key].as_u64();
    Usage {
        tokens_in: tokens("prompt_tokens"),
        tokens_out: tokens("completion_tokens"),
        ..Usage::default()
    }
}
