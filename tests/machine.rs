//! A machine that is in the way: folders that cannot be written or are gone, too few open files, names
//! that are no text.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    process::{Command, Stdio},
};

use crate::{
    resume::{QUESTIONS, SLOTS, Setup, server::Server},
    support::{Folder, Qeval},
};

/// The same with results elsewhere.
fn with_results(setup: &Setup, results: &str) -> Qeval {
    setup.folder.qeval(["run", "e.toml", "--set", &format!("evaluation.results='{results}'")])
}

#[test]
fn a_folder_that_nobody_may_write() {
    let server = Server::start();
    let setup = Setup::new(&server.url);
    setup.folder.write("file", "");
    for (results, cause) in
        [("file/results", "Not a directory"), ("/proc/results", "No such file or directory")]
    {
        let output = with_results(&setup, results).run();
        assert!(matches!(output.code, Some(1 | 2)), "{}", output.stderr);
        let lines: Vec<&str> = output.stderr.lines().collect();
        assert!(lines[0].starts_with("error: "), "{}", output.stderr);
        assert!(
            output.stderr.contains(results) && output.stderr.contains(cause),
            "{}",
            output.stderr
        );
        assert_eq!(server.count(), 0, "answers that cannot be kept were paid for");
    }
}

#[test]
fn results_that_are_removed_while_a_run_goes_on() {
    let server = Server::start();
    server.answer_only(QUESTIONS);
    let setup = Setup::new(&server.url);
    let mut qeval = setup.folder.qeval(["run", "e.toml"]);
    let qeval = qeval.command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    server.wait_until_stuck(QUESTIONS + SLOTS);
    fs::remove_dir_all(setup.folder.path("results")).unwrap();
    server.answer_all();
    let output = qeval.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    // What was only in memory is written where the folder was, and is whole.
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    setup.folder.qeval(["verify", "e"]).succeed();
    assert_eq!(setup.files().len(), 3);
}

#[test]
fn too_few_files_may_be_open() {
    let server = Server::start();
    let setup = Setup::new(&server.url);
    let mut limits = (4..64).filter(|limit| {
        let run = setup.folder.qeval(["run", "e.toml"]);
        let output = run.after(&format!("ulimit -n {limit}")).run();
        let worked = output.code == Some(0);
        if !worked && output.code.is_some() && !output.stderr.contains("error while loading") {
            assert!(output.stderr.contains("os error 24"), "{limit}: {}", output.stderr);
            assert!(!output.stderr.contains("panicked"), "{limit}: {}", output.stderr);
            // What is left without files to spare is named as unfinished.
            assert!(setup.folder.evaluations("results").is_empty(), "{limit}");
        }
        worked
    });
    assert!(limits.next().is_some(), "it works with 64 open files");
}

#[test]
fn names_that_are_no_text() {
    let server = Server::start();
    let setup = Setup::new(&server.url);
    let odd = setup.folder.path(".").join(OsStr::from_bytes(b"odd-\xff"));
    fs::create_dir(&odd).unwrap();
    for file in ["e.toml", "golden.jsonl", "passages.jsonl", "run.txt"] {
        fs::copy(setup.folder.path(file), odd.join(file)).unwrap();
    }
    let qeval = |arguments: &[&OsStr]| {
        let mut qeval = Folder::new().qeval([""; 0]);
        let program = qeval.command.get_program().to_owned();
        qeval.command = Command::new(program);
        qeval.command.current_dir(setup.folder.path(".")).args(arguments);
        qeval.succeed()
    };
    let config = odd.join("e.toml");
    qeval(&["run".as_ref(), config.as_ref()]);
    let results = odd.join("results");
    let listed =
        qeval(&["list".as_ref(), "evaluations".as_ref(), "--results".as_ref(), results.as_ref()]);
    assert!(listed.stdout.contains("e-"), "{}", listed.stdout);
    qeval(&["report".as_ref(), "e".as_ref(), "--results".as_ref(), results.as_ref()]);
    qeval(&["verify".as_ref(), "e".as_ref(), "--results".as_ref(), results.as_ref()]);
}

#[test]
fn a_dataset_that_changes_meanwhile_is_not_stored_as_the_one_before() {
    let server = Server::start();
    server.answer_only(QUESTIONS);
    let setup = Setup::new(&server.url);
    let mut qeval = setup.folder.qeval(["run", "e.toml"]);
    let qeval = qeval.command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    server.wait_until_stuck(QUESTIONS + SLOTS);
    let golden = fs::read_to_string(setup.folder.path("golden.jsonl")).unwrap();
    setup.folder.write("golden.jsonl", golden.replace("right", "wrong"));
    server.answer_all();
    let output = qeval.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("golden.jsonl` was changed while it was evaluated"), "{stderr}");
    setup.folder.assert_no_evaluation("results");
    setup.folder.write("golden.jsonl", golden);
    server.take();
    setup.run();
    assert_eq!(server.count(), 0, "its answers are kept");
}
