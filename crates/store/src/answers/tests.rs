//! Journals that are used, cut off, damaged and shared.

use std::{fs, sync::Barrier, thread};

use serde_json::json;

use super::*;

fn reader() -> Value {
    json!({"type": "http", "url": "http://localhost/"})
}

fn open(results: &Path) -> Result<AnswerJournal, JournalError> {
    AnswerJournal::open(results, &reader(), false)
}

fn key(text: &str) -> AnswerKey {
    AnswerKey::new(text.as_bytes())
}

/// A journal with these answers, each in a group of its own; its file.
fn journal(results: &Path, answers: &[&str]) -> PathBuf {
    let journal = open(results).unwrap();
    for answer in answers {
        journal.add(&[(key(answer), json!(answer))]).unwrap();
    }
    journal.path().to_owned()
}

fn found(journal: &AnswerJournal, answer: &str) -> bool {
    let found = journal.find(key(answer)).unwrap();
    assert_eq!(found.is_some(), journal.has(key(answer)));
    assert!(found.as_ref().is_none_or(|found| found.value == json!(answer)));
    found.is_some()
}

#[test]
fn answers_are_there_later() {
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path(), &["a", "b"]);
    let journal = open(folder.path()).unwrap();
    assert_eq!(journal.len(), 2);
    assert!(found(&journal, "a") && found(&journal, "b") && !found(&journal, "c"));
    journal.add(&[(key("a"), json!(1)), (key("c"), json!("c"))]).unwrap();
    let again = |earlier| Some(KeptAnswer { value: json!(1), earlier });
    assert_eq!(journal.find(key("a")).unwrap(), again(false));
    drop(journal);
    let journal = open(folder.path()).unwrap();
    assert_eq!(journal.find(key("a")).unwrap(), again(true));
    assert_eq!(journal.find(key("a")).unwrap(), again(false));
    // Another reader has others.
    let other = AnswerJournal::open(folder.path(), &json!({"type": "openai"}), false).unwrap();
    assert!(other.is_empty());
}

#[test]
fn a_second_one_is_told_who_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path()).unwrap();
    let Err(error) = open(folder.path()) else { panic!("two have it") };
    let owner = format!("process {}", std::process::id());
    assert!(error.to_string().starts_with(&owner), "{error}");
    drop(first);
    open(folder.path()).unwrap();
}

#[test]
fn a_journal_that_was_cut_anywhere_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path(), &["a"]);
    let first = fs::metadata(&path).unwrap().len();
    journal(folder.path(), &["b"]);
    let whole = fs::read(&path).unwrap();
    let header = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for length in header..=whole.len() {
        // What was being written is cut off, or the disk has its length and nothing more.
        for zeros in [0, 1, 700] {
            let mut bytes = whole[..length].to_vec();
            bytes.resize(length + zeros, 0);
            fs::write(&path, bytes).unwrap();
            let journal = open(folder.path()).unwrap();
            assert_eq!(found(&journal, "a"), length as u64 >= first);
            assert_eq!(found(&journal, "b"), length == whole.len());
            journal.add(&[(key("c"), json!("c"))]).unwrap();
            drop(journal);
            let journal = open(folder.path()).unwrap();
            assert!(found(&journal, "c"));
        }
    }
}

#[test]
fn a_hole_in_the_last_group_ends_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path(), &["a"]);
    let begin = usize::try_from(fs::metadata(&path).unwrap().len()).unwrap();
    let together = ["b", "c", "d"].map(|answer| (key(answer), json!(answer)));
    open(folder.path()).unwrap().add(&together).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    // Of three lines that were written together, the disk has the last one and not the second.
    let length = (bytes.len() - begin) / 3;
    bytes[begin + length..begin + 2 * length].fill(0);
    fs::write(&path, &bytes).unwrap();
    let journal = open(folder.path()).unwrap();
    let there = ["a", "b", "c", "d"].map(|answer| found(&journal, answer));
    assert_eq!(there, [true, true, false, false]);
    assert_eq!(fs::metadata(&path).unwrap().len(), (begin + length) as u64);
}

#[test]
fn damage_in_the_middle_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path(), &["a", "b", "c"]);
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    for at in ends[0] + 1..ends[2] {
        for wrong in [0, b'x', b'\n'] {
            let mut bytes = whole.clone();
            if std::mem::replace(&mut bytes[at], wrong) == wrong {
                continue;
            }
            fs::write(&path, &bytes).unwrap();
            let line = if at <= ends[1] { 2 } else { 3 };
            match open(folder.path()) {
                Err(JournalError::Damaged { line: found, .. }) => assert_eq!(found, line),
                other => panic!("{at}: {other:?}"),
            }
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }
    // Whoever wants fresh answers gets them.
    assert!(AnswerJournal::open(folder.path(), &reader(), true).unwrap().is_empty());
}

#[test]
fn another_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path(), &[]);
    for text in
        ["", "my notes", "my notes\n", "{\"qeval_answers\":2,\"fresh\":false,\"reader\":1}\n"]
    {
        fs::write(&path, text).unwrap();
        assert!(matches!(open(folder.path()), Err(JournalError::Foreign { .. })), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn fresh_answers_begin_a_generation_that_goes_on_until_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let fresh = || AnswerJournal::open(folder.path(), &reader(), true).unwrap();
    journal(folder.path(), &["a"]);
    let second = fresh();
    assert!(second.is_empty());
    second.add(&[(key("b"), json!("b"))]).unwrap();
    drop(second);
    // It was interrupted.
    let again = fresh();
    assert!(found(&again, "b"));
    again.note_whole().unwrap();
    drop(again);
    // What was not asked again is answered as before.
    let journal = open(folder.path()).unwrap();
    assert!(found(&journal, "b") && found(&journal, "a"));
    drop(journal);
    let third = fresh();
    assert!(third.is_empty());
    third.add(&[(key("a"), json!("another a"))]).unwrap();
    drop(third);
    let journal = open(folder.path()).unwrap();
    assert!(found(&journal, "b"));
    assert_eq!(journal.find(key("a")).unwrap().unwrap().value, "another a");
}

#[test]
fn many_threads_have_their_answers_kept() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path()).unwrap();
    let begin = Barrier::new(8);
    thread::scope(|scope| {
        for thread in 0..8 {
            let (journal, begin) = (&journal, &begin);
            scope.spawn(move || {
                begin.wait();
                for number in 0..50 {
                    let answer = format!("{thread}-{number}");
                    journal.add(&[(key(&answer), json!(answer))]).unwrap();
                    assert!(found(journal, &answer));
                }
            });
        }
    });
    drop(journal);
    let journal = open(folder.path()).unwrap();
    assert_eq!(journal.len(), 400);
    assert!((0..8).all(|thread| found(&journal, &format!("{thread}-49"))));
}
