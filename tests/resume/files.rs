//! Journals with files that a power cut or a disk has damaged.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Setup, server::Server};

/// The file of the only journal in a results folder.
fn journal(results: &Path) -> PathBuf {
    let folders: Vec<_> = fs::read_dir(results.join("_answers")).unwrap().collect();
    let [Ok(folder)] = &folders[..] else { panic!("{folders:?}") };
    folder.path().join("answers-1.jsonl")
}

/// Where the lines of a file begin, and where it ends.
fn starts(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect()
}

/// A folder in which all was answered once, and nothing else of it is left.
fn answered(server: &Server) -> (Setup, PathBuf, Vec<u8>) {
    let setup = Setup::new(&server.url);
    setup.run();
    server.take();
    setup.remove_evaluations();
    let path = journal(&setup.folder.path("results"));
    let bytes = fs::read(&path).unwrap();
    (setup, path, bytes)
}

#[test]
fn what_a_power_cut_leaves_at_the_end_is_asked_again() {
    let server = Server::start();
    let (setup, path, whole) = answered(&server);
    let starts = starts(&whole);
    let last = starts[starts.len() - 2];
    let cut = whole[..last + 20].to_vec();
    let mut zeros = whole[..last].to_vec();
    zeros.resize(whole.len() + 4096, 0);
    for damaged in [cut, zeros] {
        fs::write(&path, damaged).unwrap();
        setup.run();
        // The last line is that of the run's end, which nobody has asked for.
        assert_eq!(server.count(), 0);
        setup.remove_evaluations();
    }
    // In the line before the last one there is an answer.
    fs::write(&path, &whole[..last - 9]).unwrap();
    setup.run();
    assert_eq!(server.count(), 1);
}

#[test]
fn damage_in_the_middle_is_said_with_its_line() {
    let server = Server::start();
    let (setup, path, mut bytes) = answered(&server);
    let third = starts(&bytes)[2];
    bytes[third + 60] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let refused = setup.folder.qeval(["run", "e.toml"]).ends_with(1);
    let expected = format!("error: line 3 of `{}` is damaged (hint: ", path.display());
    assert!(refused.stderr.starts_with(&expected), "{}", refused.stderr);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(server.count(), 0);
    // Without the line its answer alone is asked for again.
    let starts = starts(&bytes);
    bytes.drain(starts[2]..starts[3]);
    fs::write(&path, &bytes).unwrap();
    setup.run();
    assert_eq!(server.count(), 1);
}
