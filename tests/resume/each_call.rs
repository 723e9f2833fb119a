//! Each call of the program to the file system, failing in turn: what is left is whole or goes on.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use super::{SLOTS, Setup, server::Server};
use crate::support::{Folder, Output, root};

/// The library that makes calls fail, built in a folder.
fn shim(folder: &Folder) -> PathBuf {
    let (source, library) = (root().join("tests/resume/shim.c"), folder.path("shim.so"));
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status();
    assert!(built.unwrap().success());
    library
}

/// Questions of a run: few, as there are many runs.
const FEW: usize = 6;

/// A folder with few questions.
fn small(server: &Server) -> Setup {
    let setup = Setup::new(&server.url);
    for name in ["golden.jsonl", "run.txt"] {
        let lines = fs::read_to_string(setup.folder.path(name)).unwrap();
        setup.folder.write(name, lines.split_inclusive('\n').take(FEW).collect::<String>());
    }
    setup
}

/// A run in which one call fails.
fn run_with(setup: &Setup, shim: &Path, kind: &str, at: usize) -> Output {
    setup
        .folder
        .qeval(["run", "e.toml"])
        .env("LD_PRELOAD", shim)
        .env("FAULT_FOLDER", setup.folder.path("results"))
        .env("FAULT_COUNT", setup.folder.path("count"))
        .env("FAULT_KIND", kind)
        .env("FAULT_AT", at.to_string())
        .run()
}

#[test]
fn whatever_fails_is_whole_or_goes_on() {
    let folder = Folder::new();
    let shim = shim(&folder);
    let next = AtomicUsize::new(0);
    let work = || {
        // The address is a part of the plan, and so of what is stored.
        let server = Server::start();
        let undisturbed = small(&server);
        let output = run_with(&undisturbed, &shim, "none", 0);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        server.take();
        let calls = fs::read_to_string(undisturbed.folder.path("count")).unwrap();
        let calls: usize = calls.parse().unwrap();
        assert!(calls > 50, "{calls} calls");
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let (kind, at) = (["kill", "full", "broken"][number % 3], number / 3 + 1);
            if at > calls {
                return;
            }
            fail_once(&undisturbed, &server, &shim, kind, at);
        }
    };
    thread::scope(|scope| {
        for worker in [scope.spawn(work), scope.spawn(work)] {
            worker.join().unwrap();
        }
    });
    eprintln!("{next:?} calls failed");
}

/// Lets one call fail, and runs again.
fn fail_once(undisturbed: &Setup, server: &Server, shim: &Path, kind: &str, at: usize) {
    let setup = small(server);
    let failed = run_with(&setup, shim, kind, at);
    let what = format!("{kind} at {at}: {}", failed.stderr);
    match failed.code {
        None => assert_eq!(kind, "kill", "{what}"),
        // What failed was of no use to anybody, or came after the end.
        Some(0) => setup.assert_equal(undisturbed, &what),
        Some(1 | 2) => {
            assert!(failed.stderr.lines().any(|line| line.starts_with("error: ")), "{what}");
        }
        Some(_) => panic!("{what}"),
    }
    let again = setup.folder.qeval(["run", "e.toml"]).run();
    assert_eq!(again.code, Some(0), "{what}\n{}", again.stderr);
    setup.assert_equal(undisturbed, &what);
    let asked = server.take();
    assert_eq!(asked.len(), 2 * FEW, "{what}");
    let twice: usize = asked.values().map(|count| count - 1).sum();
    assert!(twice <= SLOTS, "{twice} were asked twice; {what}");
}
