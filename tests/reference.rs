//! The folder of reference data that is not in the repository.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// The folder that `$QEVAL_REFERENCE` names, if it names one. Tests run in the folder of their
/// package, and people give paths as seen from the root of the workspace.
pub(crate) fn folder() -> Option<PathBuf> {
    let given = std::env::var_os("QEVAL_REFERENCE").filter(|path| !path.is_empty())?;
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    Some(package.parent().expect("the package lies in the workspace").join(given))
}

/// Prints a line also where the test harness keeps the output of tests that pass to itself: what
/// was not run must not go unseen.
pub(crate) fn say(what: &str, line: &str) {
    let line = format!("{what}: {line}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("stderr takes a line");
}
