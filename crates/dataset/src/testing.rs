//! One door for the tests: a folder with files in it.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};

use crate::Error;

/// A folder that lives as long as the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    /// The error as it is shown, with the file's name in place of its path, and the hint.
    pub(crate) fn show(&self, error: &Error) -> String {
        let folder = format!("{}{}", self.0.path().display(), std::path::MAIN_SEPARATOR);
        match &error.hint {
            Some(hint) => format!("{error}\nhint: {hint}").replace(&folder, ""),
            None => error.to_string().replace(&folder, ""),
        }
    }
}

/// The content, packed.
pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// What the reader gives for a file of these bytes, plain and packed alike; the error as text.
pub(crate) fn read<T: PartialEq + std::fmt::Debug>(
    content: &[u8],
    reader: impl Fn(&Path) -> Result<T, Error>,
) -> Result<T, String> {
    let folder = Folder::new();
    let plain = reader(&folder.write("file", content)).map_err(|error| folder.show(&error));
    let packed = reader(&folder.write("file", gzip(content)));
    assert_eq!(packed.map_err(|error| folder.show(&error)), plain);
    plain
}
