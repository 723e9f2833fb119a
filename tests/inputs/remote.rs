//! Files of an object store and of a web server, both on this machine.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{EXAMPLES, folder, lines, run};
use crate::support::{Folder, Qeval, root};

/// What nobody may see.
const SECRET: &str = "a-secret-key-that-nobody-may-see";

/// The interpreter that has moto: the one that `cargo xtask test` names, or that it has made before.
fn python() -> PathBuf {
    let named = std::env::var_os("QEVAL_MOTO").map(PathBuf::from);
    let test = std::env::current_exe().unwrap();
    let made = test.ancestors().find_map(|folder| {
        let python = folder.join("moto").join("bin").join("python");
        python.is_file().then_some(python)
    });
    named.or(made).unwrap_or_else(|| {
        panic!("the test of object stores needs moto: run it with `cargo xtask test`")
    })
}

/// A store with some files of a folder in the bucket `data`, below `sets/`.
struct Store {
    child: Child,
    address: String,
}

impl Store {
    fn new(folder: &Folder, files: &[&str]) -> Self {
        let script = root().join("tests").join("inputs").join("serve.py");
        let mut command = Command::new(python());
        command.current_dir(folder.path(".")).arg(script).args(files);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
        Self { child, address: address.trim().to_owned() }
    }

    /// The program with what it must know of the store.
    fn known_to(&self, program: Qeval) -> Qeval {
        program
            .env("NO_PROXY", "127.0.0.1")
            .env("AWS_ENDPOINT_URL", &self.address)
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "id")
            .env("AWS_SECRET_ACCESS_KEY", SECRET)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A server of the files of a folder, which is busy at first; and how many requests came.
fn serve(folder: &Path) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (folder, count) = (folder.to_owned(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let number = counted.fetch_add(1, Ordering::Relaxed);
            answer(stream, &folder, number == 0);
        }
    });
    (address, count)
}

fn answer(mut stream: TcpStream, folder: &Path, busy: bool) {
    let mut request = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while reader.read_line(&mut request).unwrap_or(0) > 2 {}
    let path = request.split(' ').nth(1).unwrap_or_default();
    let name = path.split('?').next().unwrap_or_default().trim_start_matches('/');
    let (status, body) = match fs::read(folder.join(name)) {
        _ if busy => ("503 Service Unavailable", Vec::new()),
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(&[head.as_bytes(), &body].concat());
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.read_to_end(&mut Vec::new());
}

/// All bytes below a folder.
fn bytes_below(folder: &Path) -> Vec<u8> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of_one =
        |path: PathBuf| if path.is_dir() { bytes_below(&path) } else { fs::read(&path).unwrap() };
    entries.flat_map(of_one).collect()
}

#[test]
fn data_may_lie_in_an_object_store() {
    let folder = folder();
    let (whole, id) = run(&folder, &[]);
    folder.write("half-1.jsonl", lines("given", 0..30));
    folder.write("half-2.jsonl", lines("given", 30..EXAMPLES));
    let files = ["golden.jsonl", "corpus.jsonl", "trec.run", "given.jsonl"];
    let store = Store::new(&folder, &[&files[..], &["half-1.jsonl", "half-2.jsonl"]].concat());
    let settings = [
        "--set",
        "dataset.path=s3://data/sets/golden.jsonl",
        "--set",
        "corpus.path=s3://data/sets/corpus.jsonl",
        "--set",
        "retriever.path=s3://data/sets/trec.run",
        "--set",
        "reader.path=s3://data/sets/given.jsonl",
    ];
    // Where the data lie is no part of an evaluation.
    let args = [&["run", "parts.toml", "--format", "json"], &settings[..]].concat();
    let output = store.known_to(folder.qeval(&args)).succeed();
    assert!(output.stderr.contains("1 of 1 evaluations are whole already"), "{}", output.stderr);
    assert_eq!(output.json()["evaluations"][0]["evaluation_id"], *id);
    assert_eq!(output.json()["evaluations"][0]["summaries"], whole);
    let halves = "reader.path=[\"s3://data/sets/half-1.jsonl\", \"s3://data/sets/half-2.jsonl\"]";
    let args = ["run", "parts.toml", "--format", "json", "--set", halves];
    let output = store.known_to(folder.qeval(args)).succeed();
    assert_eq!(output.json()["evaluations"][0]["summaries"], whole);
    assert!(!String::from_utf8_lossy(&bytes_below(&folder.path("results"))).contains(SECRET));

    let refused = |setting: &str, expected: &[&str]| {
        let args = ["check", "parts.toml", "--set", setting];
        let output = store.known_to(folder.qeval(args)).ends_with(2);
        for said in expected {
            assert!(output.stderr.contains(said), "no `{said}` in {}", output.stderr);
        }
        assert!(!output.stderr.contains(SECRET), "{}", output.stderr);
    };
    let missing = ["`s3://data/sets/no.jsonl`: there is no such file"];
    refused("reader.path=s3://data/sets/no.jsonl", &missing);
    refused(
        "reader.path=s3://nowhere/no.jsonl",
        &["`s3://nowhere/no.jsonl`: there is no such file"],
    );
    refused("reader.path=s3://data/*.jsonl", &["an address has no patterns"]);
    refused("evaluation.results=s3://data/results", &["the results folder is an address"]);
}

#[test]
fn data_may_lie_on_a_web_server() {
    let folder = folder();
    let (whole, id) = run(&folder, &[]);
    let (address, count) = serve(&folder.path("."));
    let near = |program: Qeval| program.env("NO_PROXY", "127.0.0.1");
    let dataset = format!("dataset.path={address}/golden.jsonl?signature={SECRET}");
    let reader = format!("reader.path={address}/given.jsonl");
    let args = ["run", "parts.toml", "--format", "json", "--set", &dataset, "--set", &reader];
    let output = near(folder.qeval(args)).succeed();
    assert!(output.stderr.contains("1 of 1 evaluations are whole already"), "{}", output.stderr);
    assert_eq!(output.json()["evaluations"][0]["evaluation_id"], *id);
    assert_eq!(output.json()["evaluations"][0]["summaries"], whole);
    assert_eq!(count.load(Ordering::Relaxed), 3);
    // All combinations of a sweep share a copy.
    let args = ["check", "parts.toml", "--set", &reader, "--set", "sweep.evaluation.seed=[0, 1]"];
    near(folder.qeval(args)).succeed();
    assert_eq!(count.load(Ordering::Relaxed), 4);
    assert!(!String::from_utf8_lossy(&bytes_below(&folder.path("results"))).contains(SECRET));
    // A fault in the file is found at a path that ends as the address does.
    folder.write("given.jsonl", "{\n");
    let output = near(folder.qeval(["check", "parts.toml", "--set", &reader])).ends_with(2);
    let host = address.trim_start_matches("http://");
    assert!(output.stderr.contains(&format!("{host}/given.jsonl`, line 2")), "{}", output.stderr);
    let gone = format!("reader.path={address}/no.jsonl?signature={SECRET}");
    let output = near(folder.qeval(["check", "parts.toml", "--set", &gone])).ends_with(2);
    let said = format!("`{address}/no.jsonl`: there is no such file");
    assert!(output.stderr.contains(&said), "{}", output.stderr);
    assert!(!output.stderr.contains(SECRET), "{}", output.stderr);
}
