//! Other programs: shown as they are run, and never failing silently.

use std::{
    path::Path,
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, Result, bail};

/// Shows the command line on stderr and runs it; its output goes where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = show(command);
    note(&format!("$ {line}"));
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if status.success() { Ok(()) } else { bail!("`{line}` failed ({status})") }
}

/// Runs the command line and gives what it prints; its stderr is part of the error.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = show(command);
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` failed ({}):\n{}", output.status, stderr.trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` printed no UTF-8"))
}

/// The command line as one could type it.
pub(crate) fn show(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.to_string_lossy(), quote(&value?.to_string_lossy())))
    });
    let path = command.get_program();
    // Which Cargo it is follows from the toolchain; its path says nothing to the reader.
    let name = Path::new(path).file_name().filter(|name| *name == "cargo").unwrap_or(path);
    let program = std::iter::once(quote(&name.to_string_lossy()));
    let args = command.get_args().map(|arg| quote(&arg.to_string_lossy()));
    variables.chain(program).chain(args).collect::<Vec<_>>().join(" ")
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Whether this runs in continuous integration.
pub(crate) fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// The exit code of a task; an error is printed with its causes.
pub(crate) fn exit(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// A line for the person who watches.
#[expect(clippy::print_stderr, reason = "this is where all progress is printed")]
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// A line of the result.
#[expect(clippy::print_stdout, reason = "this is where all results are printed")]
pub(crate) fn print(text: &str) {
    println!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_could_type_it() {
        let mut command = Command::new("qeval");
        command.args(["score", "-m", "P(rel=2)@5", "it's", ""]).env("A", "b c");
        assert_eq!(show(&command), r"A='b c' qeval score -m 'P(rel=2)@5' 'it'\''s' ''");
    }

    #[test]
    fn a_failure_is_an_error_with_what_the_program_said() {
        let mut command = Command::new("sh");
        let error = output(command.args(["-c", "echo broken >&2; exit 3"])).unwrap_err();
        assert!(error.to_string().ends_with("broken"), "{error}");
        assert!(run(Command::new("sh").args(["-c", "exit 1"])).is_err());
    }
}
