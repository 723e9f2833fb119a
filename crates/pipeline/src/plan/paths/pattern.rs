//! Patterns of paths: `part-*.jsonl.gz`.

use std::{
    io::{self, ErrorKind},
    path::{Component, Path, PathBuf},
};

/// Whether a path as it is written is a pattern.
pub(super) fn is_pattern(written: &str) -> bool {
    written.contains(['*', '?'])
}

/// The files that a pattern matches, in no order. Names that begin with a point are matched by
/// patterns that do so too. The error is that of a folder which cannot be read.
pub(super) fn matching(pattern: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = match component {
            Component::Normal(name) => name.to_string_lossy(),
            other => {
                for path in &mut found {
                    path.push(other);
                }
                continue;
            }
        };
        let mut further = Vec::new();
        for path in found {
            match name.as_ref() {
                "**" => {
                    let mut waiting = vec![path];
                    while let Some(folder) = waiting.pop() {
                        for (name, entry) in entries(&folder)? {
                            // Not a link to a folder, which may lead back.
                            let below = entry.file_type().is_ok_and(|kind| kind.is_dir());
                            if below && !name.starts_with('.') {
                                waiting.push(entry.path());
                            }
                        }
                        further.push(folder);
                    }
                }
                name if is_pattern(name) => {
                    let there = entries(&path)?.into_iter();
                    let there = there.filter(|(entry, _)| matches(name, entry));
                    further.extend(there.map(|(_, entry)| entry.path()));
                }
                _ => further.push(path.join(component)),
            }
        }
        found = further;
    }
    found.retain(|path| path.metadata().is_ok_and(|about| !about.is_dir()));
    Ok(found)
}

/// What is in a folder, by name; nothing where there is no folder.
fn entries(folder: &Path) -> Result<Vec<(String, std::fs::DirEntry)>, (PathBuf, io::Error)> {
    let failed = |error| (folder.to_owned(), error);
    let listed = match folder.read_dir() {
        Ok(listed) => listed,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(failed(error)),
    };
    let named = listed.map(|entry| {
        let entry = entry?;
        Ok((entry.file_name().to_string_lossy().into_owned(), entry))
    });
    named.collect::<io::Result<_>>().map_err(failed)
}

/// Whether a name is one that a pattern describes.
fn matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut place) = (0, 0);
    // Behind the last star: where the pattern goes on, and how much of the name the star took.
    let mut star: Option<(usize, usize)> = None;
    while place < name.len() {
        match (pattern.get(at), star) {
            (Some('*'), _) => {
                at += 1;
                star = Some((at, place));
            }
            (Some(&wanted), _) if wanted == '?' || wanted == name[place] => {
                (at, place) = (at + 1, place + 1);
            }
            (_, Some((behind, taken))) => {
                (at, place) = (behind, taken + 1);
                star = Some((behind, taken + 1));
            }
            _ => return false,
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_are_any_characters_and_question_marks_are_one() {
        for (pattern, name) in [
            ("*", "a"),
            ("part-*.gz", "part-.gz"),
            ("part-*.gz", "part-1.gz.gz"),
            ("*a*b*", "xaybz"),
            ("*ab", "aab"),
            ("?", "ä"),
            ("p?rt*", "part"),
            (".*", ".a"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("part-*.gz", "part-1.gz.tmp"),
            ("?", ""),
            ("?", "ab"),
            ("*ab", "aba"),
            ("*", ".part.crc"),
            ("a", "b"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn patterns_go_through_folders() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for name in ["a/1/x.jsonl", "a/2/x.jsonl", "b/x.jsonl", "b/.hidden/x.jsonl", "x.jsonl"] {
            std::fs::create_dir_all(place(name).parent().unwrap()).unwrap();
            std::fs::write(place(name), "").unwrap();
        }
        std::fs::create_dir(place("folder.jsonl")).unwrap();
        std::os::unix::fs::symlink(folder.path(), place("b/back")).unwrap();
        let found = |pattern: &str| {
            let mut found = matching(&place(pattern)).unwrap();
            found.sort();
            let short = |path: PathBuf| path.strip_prefix(folder.path()).unwrap().to_owned();
            found.into_iter().map(short).collect::<Vec<_>>()
        };
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(found("*.jsonl"), paths(&["x.jsonl"]));
        assert_eq!(found("a/?/x.jsonl"), paths(&["a/1/x.jsonl", "a/2/x.jsonl"]));
        let all = ["a/1/x.jsonl", "a/2/x.jsonl", "b/x.jsonl", "x.jsonl"];
        assert_eq!(found("**/*.jsonl"), paths(&all));
        assert_eq!(found("nowhere/*/x.jsonl"), paths(&[]));
        assert_eq!(found("x.jsonl/*"), paths(&[]));
    }
}
