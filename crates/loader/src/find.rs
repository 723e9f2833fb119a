//! From the path in the pipeline file to one library with a known digest.

use std::{
    env::consts::{DLL_EXTENSION, DLL_PREFIX, DLL_SUFFIX},
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

/// Why there is no library to open.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// There is nothing at the path.
    #[error("there is no plugin library at `{}`, looked for {}", path.display(), shown(tried))]
    NotFound {
        /// The path in the file.
        path: PathBuf,
        /// What was looked for.
        tried: Vec<PathBuf>,
    },
    /// A folder with several libraries, none of which has the plugin's name.
    #[error("the folder `{}` has several libraries, name one of {}", path.display(), shown(found))]
    Several {
        /// The folder.
        path: PathBuf,
        /// The libraries.
        found: Vec<PathBuf>,
    },
    /// It cannot be read.
    #[error("`{}` cannot be read: {source}", path.display())]
    Read {
        /// What was read.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not the file that was pinned.
    #[error(
        "`{}` has the SHA-256 {found}, but {pinned} is pinned: set `sha256` to the new value if \
         the file was changed on purpose", path.display()
    )]
    Pin {
        /// The library, or the program.
        path: PathBuf,
        /// Its digest.
        found: String,
        /// The digest in the pipeline file.
        pinned: String,
    },
}

fn shown(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    paths.join(", ")
}

/// Whether there is a file at a path that is no native library by its name: a plugin in it is a
/// program.
pub fn is_program(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let library = [".so", ".dylib", ".dll"].iter().any(|ending| name.ends_with(ending));
    // Such as `libacme.so.2`, but not `acme.so.py`.
    let is_version =
        |version: &str| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let versioned = name.rsplit_once(".so.").is_some_and(|(_, version)| is_version(version));
    path.is_file() && !library && !versioned
}

/// The library at a path: the file itself, the file by its stem, or the one in that folder.
pub(crate) fn library(path: &Path, plugin: &str) -> Result<PathBuf, FindError> {
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let mut tried = vec![path.to_owned()];
    if let (Some(folder), Some(stem)) = (path.parent(), path.file_name()) {
        tried.extend(file_names(stem).into_iter().map(|name| folder.join(name)));
    }
    if path.is_dir() {
        let inside = file_names(plugin.as_ref()).into_iter().map(|name| path.join(name));
        tried.splice(..1, inside);
    }
    if let Some(found) = tried.iter().find(|path| path.is_file()) {
        return Ok(found.clone());
    }
    if path.is_dir() {
        let mut found = libraries_in(path)?;
        match found.len() {
            0 => tried.push(path.join(format!("*{DLL_SUFFIX}"))),
            1 => return Ok(found.remove(0)),
            _ => return Err(FindError::Several { path: path.to_owned(), found }),
        }
    }
    Err(FindError::NotFound { path: path.to_owned(), tried })
}

/// What a library with this stem may be called. Cargo writes `_` for the `-` of a package.
fn file_names(stem: &OsStr) -> Vec<PathBuf> {
    let stem = stem.to_string_lossy();
    let mut names = Vec::new();
    for stem in [stem.to_string(), stem.replace('-', "_")] {
        for name in [format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}"), format!("{stem}{DLL_SUFFIX}")] {
            if !names.contains(&PathBuf::from(&name)) {
                names.push(name.into());
            }
        }
    }
    names
}

fn libraries_in(folder: &Path) -> Result<Vec<PathBuf>, FindError> {
    let unreadable = |source| FindError::Read { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension() == Some(OsStr::new(DLL_EXTENSION)) && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// SHA-256 of a file, in lower-case hexadecimal digits.
pub(crate) fn digest(path: &Path) -> Result<String, FindError> {
    let unreadable = |source| FindError::Read { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = file.read(&mut buffer).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    Ok(format!("{:x}", hasher.finalize()))
}

/// Whether a digest is the pinned one, if there is a pin.
pub(crate) fn check_pin(path: &Path, found: &str, pinned: Option<&str>) -> Result<(), FindError> {
    match pinned {
        Some(pinned) if !pinned.trim().eq_ignore_ascii_case(found) => {
            let (found, pinned) = (found.to_owned(), pinned.trim().to_owned());
            Err(FindError::Pin { path: path.to_owned(), found, pinned })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str], path: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().display().to_string();
        for file in files {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let short = |text: String| text.replace(&format!("{root}/"), "").replace(DLL_SUFFIX, ".so");
        library(&folder.path().join(path), "acme")
            .map(|path| short(path.display().to_string()))
            .map_err(|error| short(error.to_string()))
    }

    #[test]
    fn a_library_is_found_by_file_stem_or_folder() {
        let name = format!("{DLL_PREFIX}key_figures{DLL_SUFFIX}");
        let short = name.replace(DLL_SUFFIX, ".so");
        for path in ["key-figures", "key_figures", name.as_str(), ""] {
            assert_eq!(found(&[&name, "notes.txt"], path), Ok(short.clone()), "{path}");
        }
        let acme = format!("lib/{DLL_PREFIX}acme{DLL_SUFFIX}");
        assert_eq!(
            found(&[&acme, &format!("lib/a{DLL_SUFFIX}")], "lib"),
            Ok(acme.replace(DLL_SUFFIX, ".so"))
        );
    }

    #[test]
    fn a_file_with_another_name_is_a_program() {
        let folder = tempfile::tempdir().unwrap();
        for (name, program) in [
            ("plugin.py", true),
            ("plugin", true),
            ("plugin.sop", true),
            ("libacme.so", false),
            ("libacme.so.2", false),
            ("libacme.so.2.10", false),
            ("libacme.so.py", true),
            ("libacme.so.2.py", true),
            ("acme.dylib", false),
            ("ACME.DLL", false),
        ] {
            let path = folder.path().join(name);
            assert!(!is_program(&path), "{name} is not there yet");
            fs::write(&path, "").unwrap();
            assert_eq!(is_program(&path), program, "{name}");
        }
        assert!(!is_program(folder.path()));
    }

    #[test]
    fn what_was_looked_for_is_told() {
        assert_eq!(
            found(&[], "a-b"),
            Err(format!(
                "there is no plugin library at `a-b`, looked for `a-b`, `{DLL_PREFIX}a-b.so`, \
                 `a-b.so`, `{DLL_PREFIX}a_b.so`, `a_b.so`"
            ))
        );
        let (x, y) = (format!("lib/x{DLL_SUFFIX}"), format!("lib/y{DLL_SUFFIX}"));
        assert_eq!(
            found(&[&y, &x], "lib"),
            Err("the folder `lib` has several libraries, name one of `lib/x.so`, `lib/y.so`"
                .to_owned())
        );
        assert_eq!(
            found(&["lib/notes.txt"], "lib"),
            Err(format!(
                "there is no plugin library at `lib`, looked for `lib/{DLL_PREFIX}acme.so`, \
                 `lib/acme.so`, `{DLL_PREFIX}lib.so`, `lib.so`, `lib/*.so`"
            ))
        );
    }

    #[test]
    fn a_pin_is_compared_without_case() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "abc").unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(file.path()).unwrap(), abc);
        assert!(check_pin(file.path(), abc, None).is_ok());
        assert!(check_pin(file.path(), abc, Some(&abc.to_uppercase())).is_ok());
        assert!(matches!(check_pin(file.path(), abc, Some("ba78")), Err(FindError::Pin { .. })));
    }
}
