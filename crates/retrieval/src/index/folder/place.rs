//! The place of an index, which one process at a time may fill.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use super::sync_folder;

/// What the names of unfinished indexes begin with.
const UNFINISHED: &str = "_building-";

/// What the names of indexes begin with that a better one has replaced.
const REPLACED: &str = "_replaced-";

/// The place of an index, held by this process alone until it is dropped.
///
/// Who holds the lock file beside the place may write there. That file stays for ever: a process
/// that removed it could take it from under another one that has opened it and is about to lock it,
/// and then two would hold the place.
pub(super) struct Place {
    path: PathBuf,
    /// The lock ends with the file, also when the process is killed.
    _lock: File,
}

impl Place {
    /// Waits until no other process holds the place, and sweeps away what killed ones have left.
    pub(super) fn take(path: &Path) -> io::Result<Self> {
        let lock = open_lock(path)?;
        lock.lock()?;
        sweep(path)?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// The name under which what is to have the place is written, which is free.
    pub(super) fn work(&self) -> PathBuf {
        beside(&self.path, UNFINISHED)
    }

    /// Gives a finished folder the place. What has it now is damaged: it is moved aside first, for a
    /// folder that is being removed is neither whole nor gone.
    pub(super) fn put(&self, work: &Path) -> io::Result<()> {
        let old = beside(&self.path, REPLACED);
        if self.path.exists() {
            fs::rename(&self.path, &old)?;
        }
        fs::rename(work, &self.path)?;
        self.path.parent().map_or(Ok(()), sync_folder)?;
        remove(&old)
    }
}

/// Another name in the same folder.
fn beside(path: &Path, prefix: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{prefix}{name}"))
}

fn open_lock(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).open(path.with_extension("lock"))
}

/// Removes what builds that were killed have left: those of this place, which nobody else can hold
/// now, and those of other places that nobody holds.
fn sweep(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let place = name.strip_prefix(UNFINISHED).or_else(|| name.strip_prefix(REPLACED));
        let Some(place) = place.map(|place| folder.join(place)) else { continue };
        if !entry.file_type()?.is_dir() {
            continue;
        }
        if place == path {
            remove(&entry.path())?;
            continue;
        }
        let lock = open_lock(&place)?;
        match lock.try_lock() {
            Ok(()) => remove(&entry.path())?,
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(())
}

/// Removes a folder that may be gone.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn one_at_a_time_holds_a_place() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("bm25-0");
        let (inside, done) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let place = Place::take(&path).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        fs::create_dir(place.work()).unwrap();
                        place.put(&place.work()).unwrap();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 200);
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["bm25-0", "bm25-0.lock"]);
    }

    #[test]
    fn what_killed_builds_have_left_is_swept_away_and_a_living_one_is_left_alone() {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        let living = Place::take(&at("bm25-2")).unwrap();
        let left = ["_building-bm25-0", "_building-bm25-1", "_replaced-bm25-1", "_replaced-bm25-0"];
        for name in left.into_iter().chain(["_building-bm25-2"]) {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("meta.json"), "{}").unwrap();
        }
        let place = Place::take(&at("bm25-0")).unwrap();
        assert_eq!(left.map(|name| at(name).exists()), [false; 4]);
        assert!(living.work().exists());
        drop((place, living));
        drop(Place::take(&at("bm25-0")).unwrap());
        assert!(!at("_building-bm25-2").exists());
    }
}
