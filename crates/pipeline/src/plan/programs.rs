//! The programs that a file names: found, and with no more of the environment than it grants.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use toml::Spanned;

use super::{Surroundings, files, identity};
use crate::{Config, Problem};

/// What to start for the key `command` of a component; `called` is what messages call it.
pub(super) fn command(
    config: &Config,
    surroundings: &Surroundings,
    called: String,
    written: &Spanned<Vec<String>>,
    granted: &[String],
    problems: &mut Vec<Problem>,
) -> Option<qeval_process::Command> {
    let Some((program, arguments)) = written.get_ref().split_first() else {
        problems.push(Problem::at(written.span(), "`command` is empty, expected a program"));
        return None;
    };
    let folder = config.sources.folder(&written.span());
    let path = (surroundings.variable)("PATH");
    let program = match find_program(folder, program, path.as_deref()) {
        Ok(program) => program,
        Err(message) => {
            problems.push(Problem::at(written.span(), message));
            return None;
        }
    };
    let mut command = qeval_process::Command::new(called, program);
    command.args = arguments.iter().map(Into::into).collect();
    command.folder = Some(folder.to_owned());
    command.stop = surroundings.stop.clone();
    for variable in granted.iter().map(String::as_str).chain(["PATH"]) {
        if let Some(value) = (surroundings.variable)(variable) {
            command.environment.insert(variable.into(), value.into());
        }
    }
    Some(command)
}

/// The largest file of a command that is read to tell whether it has changed.
const LARGEST: u64 = 64 << 20;

/// What a word of a command stands for, where it is a file: the digest of a program, a script or a
/// small model, and the size and time of what is larger. Null for any other word.
pub(super) fn content(folder: &Path, word: &str) -> Value {
    let path = folder.join(word);
    let Some(file) = fs::metadata(&path).ok().filter(fs::Metadata::is_file) else {
        return Value::Null;
    };
    if file.len() <= LARGEST
        && let Ok(bytes) = fs::read(&path)
    {
        return identity::digest_of(&bytes).into();
    }
    let changed = file.modified().ok();
    let changed = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    json!({"bytes": file.len(), "changed_ns": changed.map(|time| time.as_nanos().to_string())})
}

/// The digests of the files in a command line, by what is written: the program itself, where its path is
/// given, and each argument that is a file. What is only looked up in `PATH` is another one on each
/// machine.
pub(super) fn files(
    config: &Config,
    written: &Spanned<Vec<String>>,
    problems: &mut Vec<Problem>,
) -> Map<String, Value> {
    let folder = config.sources.folder(&written.span());
    let mut files = Map::new();
    for (place, argument) in written.get_ref().iter().enumerate() {
        let path = files::resolve_in(folder, argument);
        if !path.is_file() || (place == 0 && !argument.contains('/')) {
            continue;
        }
        match qeval_dataset::digest(&path) {
            Ok(digest) => drop(files.insert(argument.clone(), digest.into())),
            Err(error) => problems.push(Problem::at(written.span(), error.to_string())),
        }
    }
    files
}

/// The same in the options of a component, where there are such files: the ids of plans without them
/// stay as they were.
pub(super) fn record(
    config: &Config,
    written: &Spanned<Vec<String>>,
    options: &mut Value,
    problems: &mut Vec<Problem>,
) {
    let files = files(config, written, problems);
    if !files.is_empty() {
        options["files"] = files.into();
    }
}

/// A program with a slash in its name is relative to the file, as are paths; another one is looked
/// up in `PATH`, as a shell does.
fn find_program(folder: &Path, program: &str, path: Option<&str>) -> Result<PathBuf, String> {
    if program.contains('/') {
        let resolved = files::resolve_in(folder, program);
        let found = resolved.is_file();
        let missing = || format!("there is no program `{}`", resolved.display());
        return if found { Ok(resolved) } else { Err(missing()) };
    }
    let mut folders = std::env::split_paths(path.unwrap_or_default());
    if folders.any(|folder| folder.join(program).is_file()) {
        return Ok(PathBuf::from(program));
    }
    Err(format!("there is no program `{program}` in `PATH`"))
}
