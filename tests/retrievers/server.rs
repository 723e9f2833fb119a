//! A service on loopback that answers as the first query of the request tells it to.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

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
        let url = format!("http://{}/search?key=query-secret", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
        let server = Self { url, requests: Arc::clone(&requests) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                let requests = Arc::clone(&requests);
                thread::spawn(move || serve(&stream.unwrap(), &requests));
            }
        });
        server
    }

    /// How often a query was asked first.
    pub(super) fn asked(&self, id: &str) -> usize {
        self.requests.lock().unwrap().iter().filter(|(asked, _)| asked == id).count()
    }
}

fn serve(mut stream: &TcpStream, requests: &Mutex<Vec<(String, String)>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let head = head.to_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let id = body["queries"][0]["id"].as_str().unwrap().to_owned();
        let before = {
            let mut requests = requests.lock().unwrap();
            requests.push((id.clone(), head));
            requests.iter().filter(|(asked, _)| *asked == id).count() - 1
        };
        let Some((status, answer)) = reply(&id, before, &body) else {
            let _ = stream.shutdown(Shutdown::Both);
            return;
        };
        let half = id == "half";
        let length = answer.len() * if half { 2 } else { 1 };
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
        if stream.write_all(format!("{head}{answer}").as_bytes()).is_err() || half {
            let _ = stream.shutdown(Shutdown::Both);
            return;
        }
    }
}

/// Status and headers, and the body; `None` where the connection ends instead.
fn reply(id: &str, before: usize, request: &Value) -> Option<(&'static str, String)> {
    let right = json!({"id": format!("p-{id}"), "score": 1});
    let hits = match id {
        "die" => return None,
        "hang" => loop {
            thread::park();
        },
        "lost" => return Some(("404 x", "no such index".to_owned())),
        "broken" => return Some(("500 x", "broken".to_owned())),
        "key" => return Some(("401 x", "wrong key `header-secret`".to_owned())),
        "page" => return Some(("200 x", "<html>".to_owned())),
        "moved" => return Some(("302 x\r\nlocation: http://127.0.0.1:1/", String::new())),
        "limited" if before == 0 => {
            return Some(("429 x\r\nretry-after: 1", "slowly".to_owned()));
        }
        "flaky" if before == 0 => return None,
        "few" => return Some(("200 x", json!({"hits": []}).to_string())),
        "nan" => json!([{"id": "p-nan", "score": "NaN"}]),
        "null" => json!([{"id": "p-null", "score": null}]),
        "twice" => json!([right, right]),
        "unknown" => json!([right, {"id": "nowhere", "score": 2}]),
        "slow" => {
            thread::sleep(Duration::from_millis(300));
            json!([right])
        }
        _ => json!([right]),
    };
    let others = request["queries"].as_array().unwrap().len() - 1;
    let hits: Vec<Value> = std::iter::once(hits).chain((0..others).map(|_| json!([]))).collect();
    Some(("200 x", json!({"hits": hits}).to_string()))
}
