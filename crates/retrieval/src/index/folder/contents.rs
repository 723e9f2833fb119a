//! The list of the files of an index, with a digest of each.
//!
//! A list is compared as a text with the list of what is there now, so that a change of any byte
//! of the files or of the list itself is seen.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

use rayon::prelude::*;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::FORMAT;

/// The name of the list.
const LIST: &str = "index.json";

/// Writes the list of all files in a folder, and makes sure that it is on the disk.
pub(super) fn write(folder: &Path, fingerprint: &str, passages: usize) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // Lock files of tantivy come and go.
        let lock = Path::new(&name).extension().is_some_and(|extension| extension == "lock");
        if entry.file_type()?.is_file() && !lock {
            names.push(name);
        }
    }
    names.sort();
    let files = read(folder, &names)?;
    let mut file = File::create(folder.join(LIST))?;
    file.write_all(list(fingerprint, passages, &files).as_bytes())?;
    file.sync_all()
}

/// How many bytes the files of an index have; `None` where they are not those of its list, or the
/// list is of another index.
pub(super) fn check(folder: &Path, fingerprint: &str, passages: usize) -> Option<u64> {
    let written = fs::read_to_string(folder.join(LIST)).ok()?;
    let value: Value = serde_json::from_str(&written).ok()?;
    // An index of other passages is not worth reading.
    if value["fingerprint"] != fingerprint {
        return None;
    }
    let names: Vec<String> = value["files"].as_object()?.keys().cloned().collect();
    let files = read(folder, &names).ok()?;
    let whole = list(fingerprint, passages, &files) == written;
    whole.then(|| files.iter().map(|file| file.bytes).sum())
}

/// A file as it is now.
struct Listed<'n> {
    name: &'n str,
    bytes: u64,
    digest: String,
}

fn read<'n>(folder: &Path, names: &'n [String]) -> io::Result<Vec<Listed<'n>>> {
    let listed = |name: &'n String| {
        let mut digest = Sha256::new();
        let bytes = io::copy(&mut File::open(folder.join(name))?, &mut digest)?;
        Ok(Listed { name, bytes, digest: hexadecimal(&digest.finalize()) })
    };
    names.par_iter().map(listed).collect()
}

fn list(fingerprint: &str, passages: usize, files: &[Listed<'_>]) -> String {
    let file = |file: &Listed<'_>| {
        (file.name.to_owned(), json!({"bytes": file.bytes, "sha256": file.digest}))
    };
    let files: Map<String, Value> = files.iter().map(file).collect();
    let list = json!({
        "format": FORMAT,
        "fingerprint": fingerprint,
        "passages": passages,
        "files": files,
    });
    format!("{list:#}\n")
}

/// Bytes as two digits each.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
