//! How the file says that a plugin is carried: a library in a child or not, or a program.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use qeval_loader::{Carriage, is_program};
use qeval_process::{Command, memory_of_the_machine};
use toml::Spanned;

use super::{Surroundings, files};
use crate::{Config, Problem, config::PluginSection, problem::suggest};

/// The carriage of a plugin with all that its children may have.
pub(super) fn carriage(
    config: &Config,
    section: &PluginSection,
    surroundings: &Surroundings,
    problems: &mut Vec<Problem>,
) -> Option<Carriage> {
    let before = problems.len();
    let path = files::resolve(config, &section.path);
    let is_program = is_program(&path);
    let isolation = section.isolation.as_ref();
    let carriage = match isolation.map(|isolation| isolation.get_ref().as_str()) {
        Some("in-process") if is_program => {
            let message = "a program always runs in a process of its own";
            let span = isolation.map_or(section.path.span(), Spanned::span);
            problems.push(Problem::at(span, message).hint("leave `isolation` out"));
            None
        }
        Some("in-process") => {
            for (name, span) in [
                ("memory_mb", section.memory_mb.as_ref().map(Spanned::span)),
                ("environment", section.environment.as_ref().map(Spanned::span)),
            ] {
                let Some(span) = span else { continue };
                let message =
                    format!("`{name}` says nothing of a library that is opened in-process");
                let hint = "leave it out, or set `isolation = \"process\"`";
                problems.push(Problem::at(span, message).hint(hint));
            }
            Some(Carriage::InProcess)
        }
        None | Some("process") if is_program => {
            program(config, section, &path, problems).map(Carriage::Program)
        }
        None | Some("process") => {
            let host = Command::new("plugin host", &surroundings.plugin_host).arg("plugin-host");
            Some(Carriage::Isolated(Command { folder: Some(folder(config, section)), ..host }))
        }
        Some(other) => {
            let span = isolation.map(Spanned::span);
            let hint = suggest(other, ["process", "in-process"]);
            problems.push(Problem { span, message: format!("`isolation` is `{other}`"), hint });
            None
        }
    };
    if !is_program {
        refuse_keys_of_programs(section, &path, problems);
    }
    let memory = memory(section, problems);
    let environment = granted(section, surroundings, problems);
    let equipped =
        |command| Command { environment, memory, stop: surroundings.stop.clone(), ..command };
    let carriage = match carriage? {
        Carriage::InProcess => Carriage::InProcess,
        Carriage::Isolated(host) => Carriage::Isolated(equipped(host)),
        Carriage::Program(command) => Carriage::Program(equipped(command)),
    };
    (problems.len() == before).then_some(carriage)
}

impl Surroundings {
    /// The carriage of a plugin that no file declares: a library, or a program with what runs it. Its
    /// children see no variable, and may take three quarters of the machine's memory.
    pub fn carriage(&self, path: &Path, interpreter: &[String], in_process: bool) -> Carriage {
        let equipped = |command| {
            let memory = usual_memory();
            Command { memory, stop: self.stop.clone(), ..command }
        };
        if is_program(path) {
            let mut command = match interpreter.split_first() {
                Some((first, arguments)) => {
                    let mut command = Command::new("plugin", first);
                    command.args = arguments.iter().map(OsString::from).collect();
                    command.arg(path)
                }
                None => Command::new("plugin", path),
            };
            command.folder = path.parent().map(Path::to_owned);
            return Carriage::Program(equipped(command));
        }
        if in_process {
            return Carriage::InProcess;
        }
        let host = Command::new("plugin host", &self.plugin_host).arg("plugin-host");
        Carriage::Isolated(equipped(host))
    }
}

/// What starts a program: the file at the path itself, or its interpreter.
fn program(
    config: &Config,
    section: &PluginSection,
    path: &Path,
    problems: &mut Vec<Problem>,
) -> Option<Command> {
    let name = section.name.get_ref();
    let mut command = match &section.interpreter {
        Some(interpreter) => interpreter_of(config, name, interpreter, problems)?.arg(path),
        None if is_executable(path) => Command::new(name, path),
        None => {
            let message = format!("`{}` is no executable file", path.display());
            let hint = "name what runs it, such as `interpreter = [\"/usr/bin/python3\"]`, or make \
                        it executable";
            problems.push(Problem::at(section.path.span(), message).hint(hint));
            return None;
        }
    };
    let args = section.args.iter().flat_map(Spanned::get_ref);
    command.args.extend(args.map(OsString::from));
    command.folder = Some(folder(config, section));
    Some(command)
}

/// Children are started in the folder of the file that names the plugin: relative paths among
/// arguments and options are relative to it, too.
fn folder(config: &Config, section: &PluginSection) -> PathBuf {
    let folder = config.sources.folder(&section.path.span());
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Only a path leads to an interpreter: what `PATH` finds first may be somebody else's.
fn interpreter_of(
    config: &Config,
    name: &str,
    interpreter: &Spanned<Vec<String>>,
    problems: &mut Vec<Problem>,
) -> Option<Command> {
    let Some((first, arguments)) = interpreter.get_ref().split_first() else {
        let message = "`interpreter` is empty, expected the path of a program";
        problems.push(Problem::at(interpreter.span(), message));
        return None;
    };
    let path = files::resolve_in(config.sources.folder(&interpreter.span()), first);
    if !path.is_file() {
        let message = format!("there is no program `{}`", path.display());
        let problem = Problem::at(interpreter.span(), message);
        let hint = format!(
            "nothing is searched in `PATH`: write its whole path, such as `/usr/bin/{first}`"
        );
        problems.push(problem.maybe_hint((!first.contains('/')).then_some(hint)));
        return None;
    }
    let mut command = Command::new(name, path);
    command.args = arguments.iter().map(OsString::from).collect();
    Some(command)
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

/// A library is not started, so nothing can be said of how.
fn refuse_keys_of_programs(section: &PluginSection, path: &Path, problems: &mut Vec<Problem>) {
    for (name, key) in [("interpreter", &section.interpreter), ("args", &section.args)] {
        let Some(key) = key else { continue };
        let problem = if path.is_file() {
            let message = format!("`{name}` belongs to a program, and `path` is a library");
            Problem::at(key.span(), message)
        } else {
            let message = format!("there is no program `{}`", path.display());
            Problem::at(section.path.span(), message)
        };
        if !problems.iter().any(|known| known.message == problem.message) {
            problems.push(problem);
        }
    }
}

/// Three quarters of the machine's memory.
fn usual_memory() -> Option<u64> {
    memory_of_the_machine().map(|bytes| bytes / 4 * 3)
}

/// The bytes that a child may take: what the file says, or three quarters of the machine's memory.
fn memory(section: &PluginSection, problems: &mut Vec<Problem>) -> Option<u64> {
    let Some(limit) = &section.memory_mb else {
        return usual_memory();
    };
    let bytes = limit.get_ref().checked_mul(1_000_000).filter(|&bytes| bytes > 0);
    if bytes.is_none() {
        let message = format!("`memory_mb` is `{}`, expected a number above 0", limit.get_ref());
        problems.push(Problem::at(limit.span(), message));
    }
    bytes
}

/// The variables that children see. One that is not set is not handed on, as with the programs of
/// other components.
fn granted(
    section: &PluginSection,
    surroundings: &Surroundings,
    problems: &mut Vec<Problem>,
) -> BTreeMap<OsString, OsString> {
    let is_name = |name: &&String| !name.is_empty() && !name.contains(['=', '\0']);
    if let Some(names) = &section.environment {
        for name in names.get_ref().iter().filter(|name| !is_name(name)) {
            let message =
                format!("`{}` is no name of an environment variable", name.escape_debug());
            let hint = "the name alone: the value is that of the environment of qeval";
            problems.push(Problem::at(names.span(), message).hint(hint));
        }
    }
    let names = section.environment.iter().flat_map(Spanned::get_ref).filter(is_name);
    let granted =
        names.filter_map(|name| Some((name.into(), (surroundings.variable)(name)?.into())));
    granted.collect()
}
