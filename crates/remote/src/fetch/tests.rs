//! Files of a real server on this machine, which fails in several ways.

use std::{
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    sync::{Arc, Mutex},
};

use super::*;

/// What the server answers, one request after the other: the answer as it is written.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(answers: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for answer in answers {
                let Ok((mut stream, _)) = listener.accept() else { return };
                let mut request = String::new();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                while reader.read_line(&mut request).unwrap_or(0) > 2 {}
                seen.lock().unwrap().push(request);
                let _ = stream.write_all(answer.as_bytes());
                let _ = stream.shutdown(std::net::Shutdown::Write);
                let _ = stream.read_to_end(&mut Vec::new());
            }
        });
        Self { address, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
    )
}

fn get(address: &str, settings: &[(&str, &str)]) -> Result<String, FetchError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("file");
    let settings: Vec<(String, String)> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let bytes = fetch(address, &settings, &to, runtime.handle(), &|| false)?;
    let text = std::fs::read_to_string(&to).unwrap();
    assert_eq!(text.len() as u64, bytes);
    Ok(text)
}

#[test]
fn a_file_is_copied_and_what_fails_is_tried_again() {
    let busy = answer("503 Service Unavailable", "", "");
    let server = Server::new(vec![busy.clone(), busy, answer("200 OK", "", "one\n")]);
    let address = format!("{}/data/a%20b.jsonl?signature=s3cr3t/x%2B", server.address);
    assert_eq!(get(&address, &[]).unwrap(), "one\n");
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    let line = requests[2].lines().next().unwrap();
    assert_eq!(line, "GET /data/a%20b.jsonl?signature=s3cr3t/x%2B HTTP/1.1");
}

#[test]
fn what_breaks_off_goes_on_where_it_ended() {
    let whole = answer(
        "200 OK",
        "ETag: \"e\"\r\nLast-Modified: Tue, 01 Dec 2026 00:00:00 GMT\r\n",
        "one two",
    );
    let rest = answer(
        "206 Partial Content",
        "ETag: \"e\"\r\nContent-Range: bytes 4-6/7\r\nLast-Modified: Tue, 01 Dec 2026 00:00:00 GMT\r\n",
        "two",
    );
    let server = Server::new(vec![whole[..whole.len() - 3].to_owned(), rest]);
    assert_eq!(get(&format!("{}/a", server.address), &[]).unwrap(), "one two");
    assert!(server.requests()[1].to_lowercase().contains("range: bytes=4-"));
    // Without a way to go on it is an error, not a short file.
    let cut = answer("200 OK", "", "one two");
    let server = Server::new(vec![cut[..cut.len() - 3].to_owned()]);
    let error = get(&format!("{}/a", server.address), &[]).unwrap_err();
    assert!(error.message.starts_with("cannot be read: "), "{error}");
}

#[test]
fn errors_have_a_hint_and_no_secret() {
    let refused = |status: &str, query: &str| {
        let server = Server::new(vec![answer(status, "", "secret-body-of-the-server")]);
        let address = format!("{}/a.jsonl", server.address);
        let error = get(&format!("{address}{query}"), &[]).unwrap_err();
        assert_eq!(error.address, address);
        assert!(!format!("{error} {:?}", error.hint).contains("s3cr3t"), "{error}");
        error.message
    };
    assert_eq!(refused("404 Not Found", "?sig=s3cr3t"), "there is no such file");
    assert_eq!(refused("403 Forbidden", "?sig=s3cr3t"), "access is refused");
    assert!(refused("410 Gone", "?sig=s3cr3t").starts_with("cannot be read: "));
    let error = get("https://user:s3cr3t@127.0.0.1/a", &[]).unwrap_err();
    assert_eq!(error.to_string(), "`https://...@127.0.0.1/a`: has a name or a password in it");
    assert!(get("s3:///x", &[]).is_err());
    let error = get("http://127.0.0.1:0:0/", &[]).unwrap_err();
    assert!(error.message.starts_with("is no address"), "{error}");
}

#[test]
fn a_store_is_asked_with_the_settings_of_its_kind() {
    let server = Server::new(vec![answer(
        "200 OK",
        "ETag: \"e\"\r\nLast-Modified: Tue, 01 Dec 2026 00:00:00 GMT\r\n",
        "one\n",
    )]);
    let settings = [
        ("AWS_ENDPOINT_URL", server.address.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "key-id"),
        ("AWS_SECRET_ACCESS_KEY", "s3cr3t-s3cr3t-s3cr3t"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_NO_SUCH_THING", "x"),
        ("GOOGLE_BUCKET", "other"),
    ];
    assert_eq!(get("s3://bucket/data/a.jsonl", &settings).unwrap(), "one\n");
    let request = server.requests()[0].clone();
    assert!(request.starts_with("GET /bucket/data/a.jsonl HTTP/1.1"), "{request}");
    let signed = request.lines().find(|line| line.to_lowercase().starts_with("authorization:"));
    assert!(signed.unwrap().contains("Credential=key-id/"), "{request}");
    assert!(!request.contains("s3cr3t"), "{request}");
    let server = Server::new(vec![answer("403 Forbidden", "", "")]);
    let settings = settings.map(|(name, value)| match name {
        "AWS_ENDPOINT_URL" => (name, server.address.as_str()),
        _ => (name, value),
    });
    let error = get("s3://bucket/a", &settings).unwrap_err();
    assert_eq!(error.to_string(), "`s3://bucket/a`: access is refused");
    assert!(error.hint.unwrap().contains("`AWS_ACCESS_KEY_ID`"));
}

#[test]
fn a_wish_to_stop_is_heard() {
    // Nobody answers here.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/a", listener.local_addr().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("file");
    let error = fetch(&address, &[], &to, runtime.handle(), &|| true).unwrap_err();
    assert_eq!(error.message, "was not copied: stopped");
}
