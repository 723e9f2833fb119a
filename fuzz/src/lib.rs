//! What the fuzz targets share: files to read from.

use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

thread_local! {
    static PLACE: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

/// A file with these bytes, which the next call overwrites.
pub fn file(bytes: &[u8]) -> PathBuf {
    let path = place();
    fs::write(&path, bytes).expect("the folder can be written");
    path
}

/// A folder with these files, which the next call overwrites.
pub fn folder<const N: usize>(files: [(&str, &[u8]); N]) -> PathBuf {
    let folder = place();
    for (name, bytes) in files {
        let path = folder.join(name);
        if fs::write(&path, bytes).is_err() {
            let above = path.parent().unwrap_or(Path::new(""));
            fs::create_dir_all(above).expect("the folder can be made");
            fs::write(&path, bytes).expect("the folder can be written");
        }
    }
    folder
}

/// A place of this process. Readers take paths: a folder in memory makes that cheap.
fn place() -> PathBuf {
    PLACE.with_borrow_mut(|place| {
        let place = place.get_or_insert_with(|| {
            let memory = PathBuf::from("/dev/shm");
            let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
            folder.join(format!("qeval-fuzz-{}", std::process::id()))
        });
        place.clone()
    })
}

/// One of the choices, by the first byte, and the bytes behind it. `QEVAL_FUZZ_ONLY` holds the place
/// of a choice, from 0, that is taken alone: a new format gets its share of executions that way.
pub fn choose<'b, T: Copy>(choices: &[T], bytes: &'b [u8]) -> Option<(T, &'b [u8])> {
    static ONLY: LazyLock<Option<usize>> =
        LazyLock::new(|| std::env::var("QEVAL_FUZZ_ONLY").ok()?.parse().ok());
    let (first, rest) = bytes.split_first()?;
    let place = ONLY.unwrap_or(usize::from(*first));
    Some((choices[place % choices.len()], rest))
}
