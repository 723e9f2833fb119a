//! Calls to real servers on loopback that misbehave in every way. Waits between requests pass at
//! once: the clock is ours.

mod budget;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use qeval_endpoint::{
    Budget, CallError, CallErrorKind, Charge, Clock, Endpoint, Meter, OpenError, Retry, Secret,
    Settings, Wait,
};
use serde_json::{Value, json};
use tokio::{runtime::Runtime, sync::watch};

/// What a server does with a request.
#[derive(Clone)]
enum Reply {
    /// Status, headers, body.
    Send(u16, &'static str, String),
    /// The body of the request comes back.
    Echo,
    /// Half of an answer.
    Half,
    /// The connection ends.
    Close,
    /// Nothing.
    Hang,
}

fn ok(value: &Value) -> Reply {
    Reply::Send(200, "", value.to_string())
}

/// A server that gives one reply after the other, and then the last one for ever. It ends with the
/// test.
struct Server {
    url: String,
    /// Heads of the requests, in lower case.
    heads: Arc<Mutex<Vec<String>>>,
    /// The most requests that were under way at the same time.
    busiest: Arc<AtomicUsize>,
}

impl Server {
    fn start(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/search?key=query-secret", listener.local_addr().unwrap());
        let (heads, busiest) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
        let server = Self { url, heads: Arc::clone(&heads), busiest: Arc::clone(&busiest) };
        let replies = replies.to_vec();
        let busy = Arc::new(AtomicUsize::new(0));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (heads, busy, busiest) =
                    (Arc::clone(&heads), Arc::clone(&busy), Arc::clone(&busiest));
                let replies = replies.clone();
                thread::spawn(move || {
                    serve(&stream.unwrap(), &replies, &heads, &busy, &busiest);
                });
            }
        });
        server
    }

    fn requests(&self) -> usize {
        self.heads.lock().unwrap().len()
    }
}

fn serve(
    stream: &TcpStream,
    replies: &[Reply],
    heads: &Mutex<Vec<String>>,
    busy: &AtomicUsize,
    busiest: &AtomicUsize,
) {
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
        busiest.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let number = {
            let mut heads = heads.lock().unwrap();
            heads.push(head);
            heads.len() - 1
        };
        let reply = replies.get(number).or(replies.last()).unwrap();
        let mut stream = stream;
        let written = match reply {
            Reply::Send(status, headers, body) => write!(
                stream,
                "HTTP/1.1 {status} x\r\n{headers}content-length: {}\r\n\r\n{body}",
                body.len()
            ),
            Reply::Echo => {
                // Others get the chance to come at the same time.
                thread::sleep(Duration::from_millis(5));
                let length = body.len();
                let head = format!("HTTP/1.1 200 x\r\ncontent-length: {length}\r\n\r\n");
                stream.write_all(&[head.as_bytes(), &body].concat())
            }
            Reply::Half => {
                write!(stream, "HTTP/1.1 200 x\r\ncontent-length: 100\r\n\r\n{{\"hits\"")
            }
            Reply::Close => Ok(()),
            Reply::Hang => {
                thread::park();
                Ok(())
            }
        };
        busy.fetch_sub(1, Ordering::SeqCst);
        if written.is_err() || matches!(reply, Reply::Half | Reply::Close) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

/// A clock on which every wait is over at once; it tells how long each was.
#[derive(Debug)]
struct Skipping {
    elapsed: Mutex<Duration>,
    waits: mpsc::Sender<Duration>,
}

impl Clock for Skipping {
    fn elapsed(&self) -> Duration {
        *self.elapsed.lock().unwrap()
    }

    fn now(&self) -> SystemTime {
        // Sunday, 6 November 1994, 08:49:00, and what has passed since.
        UNIX_EPOCH + Duration::from_mins(13_068_529) + self.elapsed()
    }

    fn sleep(&self, time: Duration) -> Wait<'_> {
        *self.elapsed.lock().unwrap() += time;
        self.waits.send(time).unwrap();
        Box::pin(async {})
    }
}

/// An endpoint with everything that belongs to it.
struct Setup {
    settings: Settings,
    runtime: Runtime,
    waits: mpsc::Receiver<Duration>,
    stop: watch::Sender<bool>,
}

impl Setup {
    fn new(url: &str) -> Self {
        let (sender, waits) = mpsc::channel();
        let (stop, stopped) = watch::channel(false);
        let settings = Settings {
            clock: Arc::new(Skipping { elapsed: Mutex::default(), waits: sender }),
            retry: Retry { times: 2, ..Retry::default() },
            seed: 1,
            ..Settings::new("retriever `r`", url, stopped)
        };
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
        Self { settings, runtime, waits, stop }
    }

    fn open(&self) -> Endpoint {
        Endpoint::open(self.settings.clone(), self.runtime.handle()).unwrap()
    }

    fn call(&self, request: &Value) -> Result<Value, CallError> {
        call(&self.open(), request)
    }

    fn waited(&self) -> Vec<Duration> {
        self.waits.try_iter().collect()
    }
}

fn call(endpoint: &Endpoint, request: &Value) -> Result<Value, CallError> {
    let mut answers = endpoint.call_all(std::slice::from_ref(request));
    answers.remove(0).map(|answer| answer.value)
}

#[track_caller]
fn fails(replies: &[Reply], kind: CallErrorKind, requests: usize, message: &str) {
    let server = Server::start(replies);
    let mut setup = Setup::new(&server.url);
    setup.settings.request_deadline = Duration::from_millis(200);
    setup.settings.largest_answer = 1000;
    let error = setup.call(&json!(1)).unwrap_err();
    assert_eq!((error.kind, server.requests()), (kind, requests), "{error}");
    assert_eq!(error.attempts as usize, requests);
    assert!(error.message.contains(message), "{error}");
    assert!(!format!("{error}{error:?}").contains("secret"), "{error:?}");
}

#[test]
fn a_failure_that_may_pass_is_tried_again() {
    let refused = Reply::Send(503, "", "later".to_owned());
    for first in [Reply::Close, Reply::Half, refused] {
        let server = Server::start(&[first.clone(), first, ok(&json!({"a": 1}))]);
        let setup = Setup::new(&server.url);
        assert_eq!(setup.call(&json!(1)), Ok(json!({"a": 1})));
        let waits = setup.waited();
        assert_eq!((server.requests(), waits.len()), (3, 2));
        assert!(waits[0] < Duration::from_millis(500) && waits[1] < Duration::from_secs(1));
    }
}

#[test]
fn failures_have_kinds() {
    let send = |status, body: &str| [Reply::Send(status, "", body.to_owned())];
    fails(&send(404, "no such index"), CallErrorKind::Status(404), 1, "`no such index`");
    fails(&send(400, ""), CallErrorKind::Status(400), 1, "``");
    fails(&send(301, ""), CallErrorKind::Status(301), 1, "``");
    fails(&send(500, "broken"), CallErrorKind::Status(500), 3, "`broken`");
    fails(&send(200, "<html>"), CallErrorKind::Form, 1, "`<html>`");
    fails(&send(200, "{\"score\": NaN}"), CallErrorKind::Form, 1, "NaN");
    fails(&send(200, &"x".repeat(1001)), CallErrorKind::TooLarge, 1, "more than 1000 bytes");
    fails(&[Reply::Close], CallErrorKind::Interrupted, 3, "");
    fails(&[Reply::Half], CallErrorKind::Interrupted, 3, "");
    fails(&[Reply::Hang], CallErrorKind::Timeout, 3, "");
}

#[test]
fn nobody_listens() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let setup = Setup::new(&format!("http://127.0.0.1:{port}/?key=secret"));
    let endpoint = setup.open();
    let error = call(&endpoint, &json!(1)).unwrap_err();
    assert_eq!((error.kind, error.attempts), (CallErrorKind::Connect, 3));
    let begin = format!(
        "retriever `r`: no connection at `http://127.0.0.1:{port}/?...` after 3 requests: "
    );
    assert!(error.to_string().starts_with(&begin), "{error}");
    // After some calls nobody tries any more.
    let errors: Vec<CallError> = (0..4).map(|_| call(&endpoint, &json!(1)).unwrap_err()).collect();
    let last = &errors[3];
    assert_eq!((last.kind, last.attempts), (CallErrorKind::GivenUp, 0));
    assert_eq!(last.message, "4 calls in a row failed");
}

#[test]
fn the_server_names_the_wait() {
    let later = |headers| Reply::Send(429, headers, String::new());
    for (headers, expected) in [
        ("retry-after: 7\r\n", 7),
        ("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 37),
        ("x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 12\r\n", 12),
    ] {
        let server = Server::start(&[later(headers), ok(&json!(2))]);
        let setup = Setup::new(&server.url);
        assert_eq!(setup.call(&json!(1)), Ok(json!(2)));
        assert_eq!(setup.waited(), [Duration::from_secs(expected)], "{headers}");
    }
    // Longer than the call may take: it is not waited for.
    let server = Server::start(&[later("retry-after: 3600\r\n")]);
    let setup = Setup::new(&server.url);
    let error = setup.call(&json!(1)).unwrap_err();
    assert_eq!((error.kind, error.attempts), (CallErrorKind::Status(429), 1));
    assert!(error.message.ends_with("would wait 3600 s, and the call has 300 s in all"), "{error}");
    assert_eq!(setup.waited(), []);
}

#[test]
fn a_limit_that_is_reached_holds_the_next_call() {
    let limit = "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 1m30s\r\n";
    let server = Server::start(&[Reply::Send(200, limit, "1".to_owned()), ok(&json!(2))]);
    let setup = Setup::new(&server.url);
    let endpoint = setup.open();
    assert_eq!(call(&endpoint, &json!(1)), Ok(json!(1)));
    assert_eq!(setup.waited(), []);
    assert_eq!(call(&endpoint, &json!(1)), Ok(json!(2)));
    assert_eq!(setup.waited(), [Duration::from_secs(90)]);
}

#[test]
fn no_more_requests_than_slots_and_answers_in_order() {
    let server = Server::start(&[Reply::Echo]);
    let mut setup = Setup::new(&server.url);
    setup.settings.slots = 3;
    let requests: Vec<Value> = (0..40).map(|number| json!(number)).collect();
    let answers = setup.open().call_all(&requests).into_iter();
    assert_eq!(answers.map(|answer| answer.unwrap().value).collect::<Vec<_>>(), requests);
    let busiest = server.busiest.load(Ordering::SeqCst);
    assert!((2..=3).contains(&busiest), "{busiest}");
}

#[test]
fn a_later_run_is_answered_from_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    let server = Server::start(&[Reply::Echo]);
    let mut setup = Setup::new(&server.url);
    setup.settings.log = Some(path.clone());
    setup.settings.secret = Some(Secret::new("header-secret"));
    setup.settings.slots = 1;
    let requests = [json!({"q": "a"}), json!({"q": "b"})];
    let endpoint = setup.open();
    let answers = endpoint.call_all(&requests);
    assert!(answers.iter().all(|answer| !answer.as_ref().unwrap().replayed));
    assert_eq!(lines(&path), 3);
    endpoint.forget(&requests[1]).unwrap();
    // Another one cannot write to it now.
    let second = Endpoint::open(setup.settings.clone(), setup.runtime.handle());
    assert!(matches!(second, Err(OpenError::Log(_))));
    drop(endpoint);

    let endpoint = setup.open();
    let answers = endpoint.call_all(&requests);
    let replayed: Vec<bool> = answers.iter().map(|a| a.as_ref().unwrap().replayed).collect();
    assert_eq!(replayed, [true, false]);
    assert_eq!((server.requests(), endpoint.spent().replayed), (3, 1));
    assert!(
        server
            .heads
            .lock()
            .unwrap()
            .iter()
            .all(|head| { head.contains("authorization: bearer header-secret\r\n") })
    );
    assert!(!fs::read_to_string(&path).unwrap().contains("secret"));
}

/// A server that finds the answer before its own in the log whenever it is asked for the next one.
#[test]
fn an_answer_is_on_the_disk_before_the_next_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let log = path.clone();
    let server = thread::spawn(move || {
        let mut found = Vec::new();
        for _ in 0..5 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut received = [0; 4096];
            assert!(stream.read(&mut received).unwrap() > 0);
            found.push(lines(&log));
            let head = "HTTP/1.1 200 x\r\nconnection: close\r\ncontent-length: 1\r\n\r\n";
            stream.write_all(format!("{head}7").as_bytes()).unwrap();
        }
        found
    });
    let mut setup = Setup::new(&url);
    setup.settings.log = Some(path);
    setup.settings.slots = 1;
    let requests: Vec<Value> = (0..5).map(|number| json!(number)).collect();
    assert!(setup.open().call_all(&requests).iter().all(Result::is_ok));
    assert_eq!(server.join().unwrap(), [1, 2, 3, 4, 5]);
}

#[test]
fn no_request_takes_the_place_of_an_answer_that_is_not_taken() {
    let server = Server::start(&[Reply::Echo]);
    let mut setup = Setup::new(&server.url);
    setup.settings.slots = 2;
    let endpoint = setup.open();
    let requests: Vec<Value> = (0..20).map(|number| json!(number)).collect();
    let mut taken = Vec::new();
    endpoint.call_each(&requests, &mut |arrived| {
        // Whoever takes its time keeps the slots.
        thread::sleep(Duration::from_millis(20));
        assert!(server.requests() <= taken.len() + 2);
        for (index, answer) in arrived {
            let answer = answer.unwrap();
            assert_eq!((answer.value, answer.spent.requests), (json!(index), 1));
            assert!(answer.spent.bytes >= 2);
            taken.push(index);
        }
        taken.len() < 6
    });
    // After a no, what is under way is still taken, and nothing else is sent.
    assert!((6..=8).contains(&taken.len()), "{taken:?}");
    assert_eq!(server.requests(), taken.len());
    assert_eq!(endpoint.spent().requests, taken.len() as u64);
}

/// A clock whose waits never end.
#[derive(Debug)]
struct Standing;

impl Clock for Standing {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }

    fn sleep(&self, _: Duration) -> Wait<'_> {
        Box::pin(std::future::pending())
    }
}

#[test]
fn an_answer_that_is_under_way_may_still_come() {
    let server = Server::start(&[Reply::Echo]);
    let mut setup = Setup::new(&server.url);
    setup.settings.clock = Arc::new(Standing);
    setup.settings.slots = 2;
    let endpoint = setup.open();
    let requests: Vec<Value> = (0..1000).map(|number| json!(number)).collect();
    let answers = thread::scope(|scope| {
        let answers = scope.spawn(|| endpoint.call_all(&requests));
        while server.requests() < 5 {
            thread::sleep(Duration::from_millis(1));
        }
        setup.stop.send(true).unwrap();
        answers.join().unwrap()
    });
    // All that were sent are answered; nothing else is sent.
    let (good, bad): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(good.len(), server.requests());
    assert!(!bad.is_empty());
    assert!(bad.into_iter().all(|answer| answer.unwrap_err().kind == CallErrorKind::Stopped));
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}

#[test]
fn a_secret_that_comes_back_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    let wrong = Reply::Send(401, "", "wrong key `s3cret`".to_owned());
    let server = Server::start(&[wrong, ok(&json!({"key": "s3cret"}))]);
    let mut setup = Setup::new(&server.url);
    setup.settings.secret = Some(Secret::new("s3cret"));
    setup.settings.log = Some(path.clone());
    let endpoint = setup.open();
    let error = call(&endpoint, &json!(1)).unwrap_err();
    assert_eq!(error.message, "`wrong key `[secret]``");
    assert_eq!(call(&endpoint, &json!(1)), Ok(json!({"key": "[secret]"})));
    assert!(!fs::read_to_string(&path).unwrap().contains("s3cret"));
    assert!(!format!("{endpoint:?}").contains("s3cret"));
}

#[test]
fn a_wish_to_stop_ends_the_wait() {
    let server = Server::start(&[Reply::Hang]);
    let setup = Setup::new(&server.url);
    let endpoint = setup.open();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| call(&endpoint, &json!(1)).unwrap_err().kind);
        setup.stop.send(true).unwrap();
        assert_eq!(waiting.join().unwrap(), CallErrorKind::Stopped);
    });
}
