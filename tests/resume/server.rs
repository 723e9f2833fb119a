//! A slow reader on loopback that counts what it is asked, and can be stopped in the middle.

use std::{
    collections::BTreeMap,
    io::{BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::request;

/// How long an answer takes.
const DELAY: Duration = Duration::from_millis(5);

/// It runs on a free port and ends with the test.
pub(crate) struct Server {
    /// Its address, without a path.
    pub(crate) url: String,
    state: Arc<(Mutex<State>, Condvar)>,
}

struct State {
    /// How often each body came.
    asked: BTreeMap<String, usize>,
    /// So many requests are answered, and no more.
    answers: usize,
    answered: usize,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = State { asked: BTreeMap::new(), answers: usize::MAX, answered: 0 };
        let state = Arc::new((Mutex::new(state), Condvar::new()));
        let server = Self { url, state: Arc::clone(&state) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, state) = (stream.unwrap(), Arc::clone(&state));
                thread::spawn(move || serve(stream, &state));
            }
        });
        server
    }

    /// From now on answers so many requests, and lets the others wait for ever.
    pub(crate) fn answer_only(&self, answers: usize) {
        let mut state = self.state.0.lock().unwrap();
        state.answers = state.answered + answers;
        self.state.1.notify_all();
    }

    /// Answers all requests again.
    pub(crate) fn answer_all(&self) {
        self.state.0.lock().unwrap().answers = usize::MAX;
        self.state.1.notify_all();
    }

    /// Waits until a request waits for ever.
    pub(crate) fn wait_until_stuck(&self, requests: usize) {
        let asked = |state: &mut State| state.asked.values().sum::<usize>() < requests;
        drop(self.state.1.wait_while(self.state.0.lock().unwrap(), asked).unwrap());
    }

    /// How many requests there were.
    pub(crate) fn count(&self) -> usize {
        self.state.0.lock().unwrap().asked.values().sum()
    }

    /// How often each question was asked; forgets it.
    pub(crate) fn take(&self) -> BTreeMap<String, usize> {
        std::mem::take(&mut self.state.0.lock().unwrap().asked)
    }
}

fn serve(stream: TcpStream, (state, changed): &(Mutex<State>, Condvar)) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream);
    while let Some((_, body)) = request::read(&mut reader) {
        let mut locked = state.lock().unwrap();
        *locked.asked.entry(body.to_string()).or_default() += 1;
        changed.notify_all();
        let stuck = |state: &mut State| state.answered >= state.answers;
        locked = changed.wait_while(locked, stuck).unwrap();
        locked.answered += 1;
        drop(locked);
        thread::sleep(DELAY);
        let answer = answer(&body).to_string();
        let text = format!("HTTP/1.1 200 x\r\ncontent-length: {}\r\n\r\n{answer}", answer.len());
        if reader.get_mut().write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}

/// Every third answer is wrong; what a language model says is its prompt.
fn answer(body: &Value) -> Value {
    if let Some(messages) = body["messages"].as_array() {
        let message = json!({"role": "assistant", "content": messages[0]["content"]});
        return json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    }
    let id = body["id"].as_str().unwrap();
    let right = !id.trim_start_matches('q').parse::<usize>().is_ok_and(|id| id % 3 == 0);
    let prediction = if right { "right" } else { "wrong" };
    let long = if id.starts_with("long") { " and long".repeat(200) } else { String::new() };
    json!({"id": id, "prediction": format!("{prediction}{long}"), "confidence": 0.3, "tokens_out": 2})
}
