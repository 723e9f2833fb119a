//! The programs that a file names: found, and with no more of the environment than it grants.

use std::path::{Path, PathBuf};

use toml::Spanned;

use super::{Surroundings, files};
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
