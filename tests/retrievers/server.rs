//! A service on loopback that answers as the first query of the request tells it to.

use std::{
    io::{BufReader, Read, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::request;

/// It runs on a free port and ends with the test.
pub(super) struct Server {
    pub(super) url: String,
    /// Ids of the first queries of all requests, and the heads of the requests in lower case.
    pub(super) requests: Arc<Mutex<Vec<(String, String)>>>,
}

impl Server {
    pub(super) fn start() -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub(super) fn on(listener: TcpListener) -> Self {
        Self::with(listener, None)
    }

    /// The same over HTTPS.
    pub(super) fn secure(tls: ServerConfig) -> Self {
        Self::with(TcpListener::bind("127.0.0.1:0").unwrap(), Some(Arc::new(tls)))
    }

    fn with(listener: TcpListener, tls: Option<Arc<ServerConfig>>) -> Self {
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = listener.local_addr().unwrap();
        let url = format!("{scheme}://{address}/search?key=query-secret");
        let requests: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
        let server = Self { url, requests: Arc::clone(&requests) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, requests, tls) = (stream.unwrap(), Arc::clone(&requests), tls.clone());
                thread::spawn(move || match tls {
                    None => serve(stream, &requests),
                    Some(tls) => {
                        let connection = ServerConnection::new(tls).unwrap();
                        serve(StreamOwned::new(connection, stream), &requests);
                    }
                });
            }
        });
        server
    }

    /// How often a query was asked first.
    pub(super) fn asked(&self, id: &str) -> usize {
        self.requests.lock().unwrap().iter().filter(|(asked, _)| asked == id).count()
    }
}

fn serve(stream: impl Read + Write, requests: &Mutex<Vec<(String, String)>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let Some((head, body)) = request::read(&mut reader) else { return };
        let id = body["queries"][0]["id"].as_str().unwrap().to_owned();
        let before = {
            let mut requests = requests.lock().unwrap();
            requests.push((id.clone(), head));
            requests.iter().filter(|(asked, _)| *asked == id).count() - 1
        };
        let Reply::Says(status, answer) = reply(&id, before, &body) else { return };
        let half = id == "half";
        let length = answer.len() * if half { 2 } else { 1 };
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
        let text = format!("{head}{answer}");
        let stream = reader.get_mut();
        if stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).is_err() || half {
            return;
        }
    }
}

/// What the service does.
enum Reply {
    /// Status and headers, and the body.
    Says(&'static str, String),
    /// The connection ends.
    Ends,
}

fn reply(id: &str, before: usize, request: &Value) -> Reply {
    match id {
        "die" => return Reply::Ends,
        "hang" => loop {
            thread::park();
        },
        "lost" => return Reply::Says("404 x", "no such index".to_owned()),
        "broken" => return Reply::Says("500 x", "broken".to_owned()),
        "key" => return Reply::Says("401 x", "wrong key `header-secret`".to_owned()),
        "page" => return Reply::Says("200 x", "<html>".to_owned()),
        "moved" => return Reply::Says("302 x\r\nlocation: http://127.0.0.1:1/", String::new()),
        "limited" if before == 0 => {
            return Reply::Says("429 x\r\nretry-after: 1", "slowly".to_owned());
        }
        "flaky" if before == 0 => return Reply::Ends,
        _ => {}
    }
    let queries = request["queries"].as_array().unwrap();
    let (key, first) = match queries[0]["passages"].as_array() {
        None => ("hits", hits(id)),
        Some(passages) => ("scores", scores(id, passages.len())),
    };
    let others = queries[1..].iter().map(|_| json!([]));
    let lists: Vec<Value> = first.into_iter().chain(others).collect();
    Reply::Says("200 x", json!({key: lists}).to_string())
}

/// The hits of the first query.
fn hits(id: &str) -> Option<Value> {
    let right = json!({"id": format!("p-{id}"), "score": 1});
    Some(match id {
        "few" => return None,
        "nan" => json!([{"id": "p-nan", "score": "NaN"}]),
        "null" => json!([{"id": "p-null", "score": null}]),
        "twice" => json!([right, right]),
        "unknown" => json!([right, {"id": "nowhere", "score": 2}]),
        "slow" => {
            thread::sleep(Duration::from_millis(300));
            json!([right])
        }
        _ => json!([right]),
    })
}

/// The scores of the first query's passages, of which the last is the best.
fn scores(id: &str, passages: usize) -> Option<Value> {
    Some(match id {
        "few" => return None,
        "nan" => json!([1, "NaN"]),
        "null" => json!([1, null]),
        "short" => json!([1]),
        "long" => json!([1, 2, 3]),
        "number" => json!(2),
        _ => (0..passages).collect(),
    })
}
