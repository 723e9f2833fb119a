//! An index in a folder: taken when it fits, built when it doesn't.
//!
//! The folder holds one index for each *fingerprint*: a digest of the passages, of how text becomes
//! terms, and of the versions of what made it. An index is written under a name of its own and gets
//! its place by a rename, with the list of its files written last: what has its place is whole. It
//! is read once when it is opened and compared with that list, so that a damaged file is never
//! searched.

mod contents;
mod place;

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use qeval_core::Passage;
use sha2::{Digest, Sha256};
use tantivy::directory::MmapDirectory;

use self::{contents::hexadecimal, place::Place};
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
const FORMAT: u32 = 2;

/// Takes an index from a folder, or builds it there.
pub(super) fn open_or_build(
    passages: &[Passage],
    places: &[u32],
    options: IndexOptions,
    folder: &Path,
) -> Result<(Segment, Stored), IndexError> {
    let fingerprint = fingerprint(passages, places, options);
    let path = folder.join(format!("bm25-{}", &fingerprint[..16]));
    // What is no folder was not made by us and is not ours to replace.
    for path in [folder, &path] {
        if path.exists() && !path.is_dir() {
            let file = io::Error::new(io::ErrorKind::NotADirectory, "it is a file, not a folder");
            return Err(unusable(path)(file));
        }
    }
    let mut stored =
        Stored { path: path.clone(), fingerprint, bytes: 0, state: StoredState::Reused };
    if let Some(segment) = open(&mut stored, passages.len()) {
        return Ok((segment, stored));
    }
    fs::create_dir_all(folder).map_err(unusable(folder))?;
    let place = Place::take(&path).map_err(unusable(&path))?;
    // Another process may have built it while this one waited for its turn.
    if let Some(segment) = open(&mut stored, passages.len()) {
        return Ok((segment, stored));
    }
    stored.state = if path.exists() { StoredState::Rebuilt } else { StoredState::Built };
    build(passages, places, options, &place, &stored)?;
    match open(&mut stored, passages.len()) {
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
    hexadecimal(&digest.finalize())
}

/// Opens the index that has its place, if it is whole and the one that is wanted, and notes its
/// size.
fn open(stored: &mut Stored, passages: usize) -> Option<Segment> {
    let bytes = contents::check(&stored.path, &stored.fingerprint, passages)?;
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
    place: &Place,
    stored: &Stored,
) -> Result<(), IndexError> {
    let work = place.work();
    let written = fs::create_dir(&work).map_err(unusable(&work)).and_then(|()| {
        write::in_folder(passages, places, options, &work).map_err(IndexError::Engine)?;
        contents::write(&work, &stored.fingerprint, passages.len()).map_err(unusable(&work))?;
        sync_folder(&work).map_err(unusable(&work))?;
        place.put(&work).map_err(unusable(&stored.path))
    });
    if written.is_err() {
        // That this fails too is not what went wrong; the next build sweeps it away.
        let _ = fs::remove_dir_all(&work);
    }
    written
}

/// A rename is on the disk when the folder is.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
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
        assert_eq!(reused, Stored { state: StoredState::Reused, ..built.clone() });
        assert_eq!(with_term(&first, 0, "leave"), with_term(&second, 0, "leave"));
        assert_eq!(with_term(&second, 0, "travel"), [("b".to_owned(), 1)]);
        let own = built.path.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(names(folder.path()), [own.clone(), own + ".lock"]);
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
        let file = |ending: &str| {
            let name = names(&built.path).into_iter().find(|name| name.ends_with(ending)).unwrap();
            built.path.join(name)
        };
        let damage: [&dyn Fn(); 6] = [
            &|| fs::remove_file(file("index.json")).unwrap(),
            &|| fs::write(file("index.json"), "{").unwrap(),
            &|| fs::write(file("meta.json"), "").unwrap(),
            &|| turn(&file(".fieldnorm"), 1),
            &|| turn(&file(".fast"), 6),
            &|| {
                fs::remove_dir_all(&built.path).unwrap();
                fs::create_dir(&built.path).unwrap();
            },
        ];
        for damage in damage {
            damage();
            let (index, stored) = open(passages(), IndexOptions::default(), &folder);
            assert_eq!(stored.state, StoredState::Rebuilt);
            assert_eq!(with_term(&index, 0, "travel").len(), 1);
        }
        assert_eq!(open(passages(), IndexOptions::default(), &folder).1.state, StoredState::Reused);
    }

    /// Changes a byte of a file.
    fn turn(path: &Path, place: usize) {
        let mut bytes = fs::read(path).unwrap();
        bytes[place] ^= 0x41;
        fs::write(path, bytes).unwrap();
    }

    #[test]
    fn a_change_of_any_byte_is_seen() {
        let folder = TempDir::new().unwrap();
        let options = IndexOptions { positions: true, separate: true, ..IndexOptions::default() };
        let mut built = open(passages(), options, &folder).1;
        for name in names(&built.path).into_iter().filter(|name| !name.contains(".lock")) {
            let path = built.path.join(&name);
            let length = fs::read(&path).unwrap().len();
            for place in (0..length).step_by(7) {
                turn(&path, place);
                assert!(super::open(&mut built, 2).is_none(), "{name}, byte {place}");
                turn(&path, place);
            }
            assert!(super::open(&mut built, 2).is_some());
        }
    }

    #[test]
    fn a_file_at_the_place_of_an_index_is_left_alone() {
        let folder = TempDir::new().unwrap();
        let built = open(passages(), IndexOptions::default(), &folder).1;
        fs::remove_dir_all(&built.path).unwrap();
        fs::write(&built.path, "mine").unwrap();
        let options = IndexOptions::default();
        let result = Index::open_or_build(Arc::new(passages()), options, folder.path());
        let path = built.path.display();
        assert_eq!(
            result.err().unwrap().to_string(),
            format!("the folder of the index `{path}` cannot be used: it is a file, not a folder")
        );
        assert_eq!(fs::read_to_string(&built.path).unwrap(), "mine");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_with_its_name() {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let result = Index::open_or_build(Arc::new(passages()), IndexOptions::default(), &file);
        let error = result.err().unwrap().to_string();
        assert!(error.starts_with("the folder of the index `"), "{error}");
        assert!(error.ends_with("/file` cannot be used: it is a file, not a folder"), "{error}");
    }
}
