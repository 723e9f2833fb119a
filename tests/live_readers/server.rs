//! A service on loopback that answers as the question tells it to.

use std::{
    io::{BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::request;

/// It runs on a free port and ends with the test.
pub(super) struct Server {
    /// Its address, without a path.
    pub(super) url: String,
    /// Each request: the id of the question, the head in lower case, the body.
    pub(super) requests: Arc<Mutex<Vec<(String, String, Value)>>>,
}

impl Server {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<_>>> = Arc::default();
        let server = Self { url, requests: Arc::clone(&requests) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, requests) = (stream.unwrap(), Arc::clone(&requests));
                thread::spawn(move || serve(stream, &requests));
            }
        });
        server
    }

    /// How often a question was asked.
    pub(super) fn asked(&self, id: &str) -> usize {
        self.requests.lock().unwrap().iter().filter(|(asked, ..)| asked == id).count()
    }

    /// How many requests there were.
    pub(super) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn serve(stream: TcpStream, requests: &Mutex<Vec<(String, String, Value)>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let Some((head, body)) = request::read(&mut reader) else { return };
        let chat = body["messages"].as_array().map(|messages| messages.last().unwrap());
        // A prompt of the tests begins with the question, which is the id.
        let question = match chat {
            Some(message) => message["content"].as_str().unwrap().lines().next().unwrap(),
            None => body["question"].as_str().unwrap(),
        };
        let id = question.trim_end_matches('?').to_owned();
        let before = {
            let mut requests = requests.lock().unwrap();
            requests.push((id.clone(), head, body.clone()));
            requests.iter().filter(|(asked, ..)| *asked == id).count() - 1
        };
        let stream = reader.get_mut();
        let (status, answer) = match id.as_str() {
            "die" => return,
            "broken" => ("500 x", "broken".to_owned()),
            "key" => ("401 x", "wrong key `header-secret`".to_owned()),
            "limited" if before == 0 => ("429 x\r\nretry-after: 1", "slowly".to_owned()),
            "never" => ("429 x\r\nretry-after: 3600", "not today".to_owned()),
            "page" => ("200 x", "<html>all is well</html>".to_owned()),
            "throttled" | "throttled2" => ("429 x", "slowly".to_owned()),
            "busy" if before == 0 => ("429 x", "slowly".to_owned()),
            "truncated" => ("200 x", "{\"prediction\": \"ri".to_owned()),
            "varies" if before % 2 == 1 && chat.is_some() => {
                ("200 x", chat_answer(&id).to_string().replace("right", "wrong"))
            }
            _ if chat.is_some() => ("200 x", chat_answer(&id).to_string()),
            say if say.starts_with("say") => {
                let text = &body["passages"][0]["text"];
                ("200 x", json!({"id": body["id"], "prediction": text}).to_string())
            }
            _ => ("200 x", answer(&id).to_string()),
        };
        let length = answer.len() * if id == "half" { 2 } else { 1 };
        let text = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{answer}");
        let (first, rest) = text.as_bytes().split_at(text.len() - 4);
        let mut sent = stream.write_all(first).and_then(|()| stream.flush());
        if id == "slow" {
            // The head and most of the body are there in time, the end is not.
            thread::sleep(Duration::from_mins(1));
        }
        sent = sent.and_then(|()| stream.write_all(rest)).and_then(|()| stream.flush());
        if sent.is_err() || id == "half" {
            return;
        }
    }
}

/// What the service of the reader `http` says.
fn answer(id: &str) -> Value {
    match id {
        "other" => json!({"id": "b", "prediction": "right"}),
        "form" => json!({"answer": "right"}),
        "list" => json!([1]),
        "none" => json!({"id": id, "prediction": null}),
        "itself" => json!({"id": id, "prediction": "right", "latency_ms": 7.5, "cost": 0.25}),
        "negative" => json!({"id": id, "prediction": "right", "cost": -1}),
        _ => json!({"id": id, "prediction": "right", "tokens_in": 12, "tokens_out": 3}),
    }
}

/// What a chat-completions endpoint says.
fn chat_answer(id: &str) -> Value {
    let message = json!({"role": "assistant", "content": "right"});
    let mut answer = json!({
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
    });
    let choice = &mut answer["choices"][0];
    match id {
        "length" => choice["finish_reason"] = "length".into(),
        "filter" => choice["finish_reason"] = "content_filter".into(),
        "refusal" => choice["message"]["refusal"] = "I can't help with that".into(),
        "empty" => choice["message"]["content"] = " \n".into(),
        "null" => choice["message"]["content"] = Value::Null,
        "tools" => {
            choice["message"]["content"] = Value::Null;
            choice["finish_reason"] = "tool_calls".into();
        }
        "blank" => choice["message"]["content"] = "\nright\n".into(),
        "form" => choice["message"] = json!("right"),
        "choices" => answer["choices"] = json!([]),
        "error" => answer = json!({"error": {"message": "no such model"}}),
        "bare" => answer["usage"] = Value::Null,
        _ => {}
    }
    answer
}
