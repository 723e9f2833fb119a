//! An index in a folder: taken when it fits, built when it doesn't.
//!
//! The folder holds one index for each *fingerprint*: a digest of the passages, of how text becomes
//! terms, and of the versions of what made it. An index is written under a name of its own and gets
//! its place by a rename, with the list of its files written last: what has its place is whole.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use qeval_core::Passage;
use serde_json::json;
use sha2::{Digest, Sha256};
use tantivy::directory::MmapDirectory;

use super::{IndexError, IndexOptions, Segment, write};

/// An index as it lies in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its own folder.
    pub path: PathBuf,
    /// What it was built from and how, as a SHA-256 in hexadecimal.
    pub fingerprint: String,
    /// The size of its files.
    pub bytes: u64,
    /// How it came about.
    pub state: StoredState,
}

/// How an index in a folder came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredState {
    /// It was built now.
    Built,
    /// It was built now, because what had its place was damaged.
    Rebuilt,
    /// It was there.
    Reused,
}

/// The version of what is in the folder, and of how texts become terms.
const FORMAT: u32 = 1;

/// The list of the files, which is written last.
const MANIFEST: &str = "index.json";

/// What the names of unfinished indexes begin with.
const UNFINISHED: &str = "_building-";

/// Takes an index from a folder, or builds it there.
pub(super) fn open_or_build(
    passages: &[Passage],
    places: &[u32],
    options: IndexOptions,
    folder: &Path,
) -> Result<(Segment, Stored), IndexError> {
    let fingerprint = fingerprint(passages, places, options);
    let path = folder.join(format!("bm25-{}", &fingerprint[..16]));
    let mut stored =
        Stored { path: path.clone(), fingerprint, bytes: 0, state: StoredState::Reused };
    if let Some(segment) = open(&mut stored) {
        return Ok((segment, stored));
    }
    stored.state = if path.exists() { StoredState::Rebuilt } else { StoredState::Built };
    build(passages, places, options, folder, &stored)?;
    match open(&mut stored) {
        Some(segment) => Ok((segment, stored)),
        None => Err(unusable(&path)(io::Error::other("it was written and cannot be read back"))),
    }
}

/// A digest of all that decides what is in the index. The order of the passages is not part of it.
fn fingerprint(passages: &[Passage], places: &[u32], options: IndexOptions) -> String {
    let IndexOptions { analyzer, separate, positions } = options;
    let mut digest = Sha256::new();
    let made_by = format!(
        "format {FORMAT}, qeval {}, {}\nanalyzer {analyzer}, separate {separate}, \
         positions {positions}\n",
        env!("CARGO_PKG_VERSION"),
        tantivy::version_string(),
    );
    digest.update(made_by);
    for &place in places {
        let Passage { id, title, text, .. } = &passages[place as usize];
        for part in [id, title, text] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    let mut hexadecimal = String::with_capacity(64);
    for byte in digest.finalize() {
        let _ = write!(hexadecimal, "{byte:02x}");
    }
    hexadecimal
}

/// Opens the index that has its place, if it is whole and the one that is wanted, and notes its
/// size.
fn open(stored: &mut Stored) -> Option<Segment> {
    let manifest = fs::read(stored.path.join(MANIFEST)).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).ok()?;
    if manifest["fingerprint"] != stored.fingerprint.as_str() {
        return None;
    }
    let mut bytes = 0;
    for (name, size) in manifest["files"].as_object()? {
        let size = size.as_u64()?;
        if fs::metadata(stored.path.join(name)).ok()?.len() != size {
            return None;
        }
        bytes += size;
    }
    let index = tantivy::Index::open(MmapDirectory::open(&stored.path).ok()?).ok()?;
    let segment = Segment::open(&index).ok()?;
    stored.bytes = bytes;
    Some(segment)
}

/// Builds an index beside its place, and puts it there.
fn build(
    passages: &[Passage],
    places: &[u32],
    options: IndexOptions,
    folder: &Path,
    stored: &Stored,
) -> Result<(), IndexError> {
    static BUILT: AtomicU32 = AtomicU32::new(0);
    fs::create_dir_all(folder).map_err(unusable(folder))?;
    sweep(folder).map_err(unusable(folder))?;

    let number = BUILT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{UNFINISHED}{}-{number}", std::process::id());
    let (work, lock_path) = (folder.join(&name), folder.join(name + ".lock"));
    let lock = File::create(&lock_path).map_err(unusable(&lock_path))?;
    lock.lock().map_err(unusable(&lock_path))?;
    let written = fs::create_dir(&work).map_err(unusable(&work)).and_then(|()| {
        write::in_folder(passages, places, options, &work).map_err(IndexError::Engine)?;
        finish(&work, stored, passages.len()).map_err(unusable(&work))?;
        put(&work, stored).map_err(unusable(&stored.path))
    });
    if written.is_err() || work.exists() {
        // That this fails too is not what went wrong; the next build sweeps it away.
        let _ = fs::remove_dir_all(&work);
    }
    let _ = fs::remove_file(&lock_path);
    written
}

/// Writes the list of the files, and makes sure that all is on the disk.
fn finish(work: &Path, stored: &Stored, passages: usize) -> io::Result<()> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(work)? {
        let entry = entry?;
        let name = entry.file_name();
        // Lock files come and go.
        let lock = Path::new(&name).extension().is_some_and(|extension| extension == "lock");
        if entry.file_type()?.is_file() && !lock {
            files.insert(name.to_string_lossy().into_owned(), entry.metadata()?.len());
        }
    }
    let manifest = json!({
        "format": FORMAT,
        "fingerprint": stored.fingerprint,
        "passages": passages,
        "files": files,
    });
    let mut file = File::create(work.join(MANIFEST))?;
    file.write_all(format!("{manifest:#}\n").as_bytes())?;
    file.sync_all()?;
    sync_folder(work)
}

/// Gives a finished index its place. Where somebody else was first, theirs stays.
fn put(work: &Path, stored: &Stored) -> io::Result<()> {
    let place = &stored.path;
    if place.exists() && open(&mut stored.clone()).is_none() {
        fs::remove_dir_all(place)?;
    }
    match fs::rename(work, place) {
        Err(_) if open(&mut stored.clone()).is_some() => Ok(()),
        result => result,
    }?;
    place.parent().map_or(Ok(()), sync_folder)
}

/// A rename is on the disk when the folder is.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Removes what builds that were killed have left: nobody holds their locks any more.
fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let Some(work) = name.strip_suffix(".lock").filter(|name| name.starts_with(UNFINISHED))
        else {
            continue;
        };
        let Ok(lock) = File::open(folder.join(&name)) else { continue };
        match lock.try_lock() {
            Ok(()) => {
                match fs::remove_dir_all(folder.join(work)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
                match fs::remove_file(folder.join(&name)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(())
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> IndexError + use<> {
    let path = path.to_owned();
    |source| IndexError::Folder { path, source }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tempfile::TempDir;

    use super::*;
    use crate::{
        Analyzer, Index,
        index::tests::{passage, with_term},
    };

    fn passages() -> Vec<Passage> {
        vec![passage("a", "Leave", "No leave without notice"), passage("b", "", "Travel")]
    }

    fn open(passages: Vec<Passage>, options: IndexOptions, folder: &TempDir) -> (Index, Stored) {
        Index::open_or_build(Arc::new(passages), options, folder.path()).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn an_index_is_reused_for_the_same_passages_in_any_order() {
        let folder = TempDir::new().unwrap();
        let (first, built) = open(passages(), IndexOptions::default(), &folder);
        assert_eq!(built.state, StoredState::Built);
        assert!(built.bytes > 0);
        let mut turned = passages();
        turned.reverse();
        let (second, reused) = open(turned, IndexOptions::default(), &folder);
        assert_eq!(reused, Stored { state: StoredState::Reused, ..built });
        assert_eq!(with_term(&first, 0, "leave"), with_term(&second, 0, "leave"));
        assert_eq!(with_term(&second, 0, "travel"), [("b".to_owned(), 1)]);
        assert_eq!(names(folder.path()).len(), 1);
    }

    #[test]
    fn other_passages_or_options_have_an_index_of_their_own() {
        let folder = TempDir::new().unwrap();
        let mut fingerprints = Vec::new();
        let mut build = |passages: Vec<Passage>, options: IndexOptions| {
            let stored = open(passages, options, &folder).1;
            assert_eq!(stored.state, StoredState::Built);
            fingerprints.push(stored.fingerprint);
        };
        let usual = IndexOptions::default();
        build(passages(), usual);
        build(passages()[..1].to_vec(), usual);
        // The border between two parts of a passage counts too.
        build(vec![passage("a", "LeaveNo", " leave without notice")], usual);
        build(passages(), IndexOptions { analyzer: Analyzer::ENGLISH, ..usual });
        build(passages(), IndexOptions { separate: true, ..usual });
        build(passages(), IndexOptions { positions: true, ..usual });
        fingerprints.sort();
        fingerprints.dedup();
        assert_eq!(fingerprints.len(), 6);
    }

    #[test]
    fn a_damaged_index_is_built_again() {
        let folder = TempDir::new().unwrap();
        let built = open(passages(), IndexOptions::default(), &folder).1;
        let damage: [&dyn Fn(); 3] = [
            &|| fs::remove_file(built.path.join(MANIFEST)).unwrap(),
            &|| fs::write(built.path.join(MANIFEST), "{").unwrap(),
            &|| fs::write(built.path.join("meta.json"), "").unwrap(),
        ];
        for damage in damage {
            damage();
            let (index, stored) = open(passages(), IndexOptions::default(), &folder);
            assert_eq!(stored.state, StoredState::Rebuilt);
            assert_eq!(with_term(&index, 0, "travel").len(), 1);
        }
        assert_eq!(open(passages(), IndexOptions::default(), &folder).1.state, StoredState::Reused);
    }

    #[test]
    fn what_a_killed_build_left_is_swept_away_and_a_living_one_is_left_alone() {
        let folder = TempDir::new().unwrap();
        for name in ["_building-1-0", "_building-2-0"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("meta.json"), "{}").unwrap();
            fs::write(folder.path().join(format!("{name}.lock")), "").unwrap();
        }
        let living = File::open(folder.path().join("_building-2-0.lock")).unwrap();
        living.lock().unwrap();
        let (_, built) = open(passages(), IndexOptions::default(), &folder);
        let own = built.path.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(names(folder.path()), ["_building-2-0", "_building-2-0.lock", own.as_str()]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_with_its_name() {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let result = Index::open_or_build(Arc::new(passages()), IndexOptions::default(), &file);
        let error = result.err().unwrap().to_string();
        assert!(error.starts_with("the folder of the index `"), "{error}");
    }
}
