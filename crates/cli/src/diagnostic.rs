//! Errors on stderr: the problems of a file with their lines, everything else with its causes.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use qeval_pipeline::{Problem, Problems};

use crate::{exit_code::BadRequest, terminal};

/// Prints an error. What cannot be printed is lost: there is nobody left to tell.
pub(crate) fn print(error: &anyhow::Error) {
    let _ = io::stderr().lock().write_all(render(error).as_bytes());
}

fn render(error: &anyhow::Error) -> String {
    let problems =
        error.downcast_ref::<Box<Problems>>().map(AsRef::as_ref).or_else(|| error.downcast_ref());
    if let Some(problems) = problems {
        return render_problems(problems);
    }
    let mut text = format!("error: {error}");
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Many messages end with their cause.
        if !text.ends_with(&cause) {
            let _ = write!(text, "\n  because: {cause}");
        }
    }
    if let Some(hint) = hint(error) {
        let _ = write!(text, "\n  hint: {hint}");
    }
    text.push('\n');
    text
}

fn hint(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| {
        if let Some(request) = cause.downcast_ref::<BadRequest>() {
            return request.hint.clone();
        }
        match cause.downcast_ref::<qeval_pipeline::RunError>() {
            Some(qeval_pipeline::RunError::Dataset(error)) => error.hint.clone(),
            Some(qeval_pipeline::RunError::Store(qeval_store::WriteError::Io { source, .. })) => {
                Some(format!("nothing of the evaluation is left; {}", remedy(source)))
            }
            Some(qeval_pipeline::RunError::Journal(qeval_store::JournalError::Io {
                source, ..
            })) => Some(format!("all answers before it are kept; {}", remedy(source))),
            Some(qeval_pipeline::RunError::Dialog(_)) => {
                Some("sort the turns of each dialog, or leave out the field of the turn".to_owned())
            }
            Some(qeval_pipeline::RunError::Changed(_)) => Some(
                "evaluate a copy that nobody writes to; answers of readers are kept and not asked for again"
                    .to_owned(),
            ),
            Some(qeval_pipeline::RunError::Plugin(_)) => Some(
                "nothing was stored; with `on_error = \"null\"` in its `[[plugin]]` these examples are unscored and the \
                 others go on"
                    .to_owned(),
            ),
            _ => {
                let error = cause.downcast_ref::<io::Error>();
                error.filter(|error| too_many_files(error)).map(|error| remedy(error).to_owned())
            }
        }
    })
}

/// What helps where results could not be written.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        _ if too_many_files(error) => {
            "too many files are open: raise the limit (`ulimit -n`), or close other programs"
        }
        io::ErrorKind::NotFound => {
            "the folder of the results was removed meanwhile: leave it in place and run again"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "give the right to write in the folder of the results, or choose another one"
        }
        io::ErrorKind::StorageFull
        | io::ErrorKind::QuotaExceeded
        | io::ErrorKind::FileTooLarge
        | io::ErrorKind::WriteZero => "its results need a folder with enough room",
        _ => "check the disk and the folder of the results",
    }
}

/// Whether no more files may be open.
fn too_many_files(error: &io::Error) -> bool {
    // The numbers that Linux and macOS have for it, for the process and for the system.
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

fn render_problems(problems: &Problems) -> String {
    let renderer =
        if terminal::color(&io::stderr()) { Renderer::styled() } else { Renderer::plain() };
    let path = problems.path.display().to_string();
    let mut text = String::new();
    for problem in &problems.list {
        text.push_str(&renderer.render(&[group(problems, problem)]));
        text.push_str("\n\n");
    }
    let count = problems.list.len();
    let what = if count == 1 { "problem" } else { "problems" };
    let _ = writeln!(text, "{path}: {count} {what}, nothing was evaluated");
    text
}

fn group<'a>(problems: &'a Problems, problem: &'a Problem) -> Group<'a> {
    let title = Level::ERROR.primary_title(problem.message.as_str());
    let found = problem.span.as_ref().and_then(|span| problems.sources.find(span));
    let mut group = match found {
        Some((source, span)) => {
            let annotation = AnnotationKind::Primary.span(first_line(&source.text, &span));
            let snippet = Snippet::source(source.text.as_str()).path(source.name());
            title.element(snippet.annotation(annotation))
        }
        None => Group::with_title(title),
    };
    if let Some(hint) = &problem.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    group
}

/// The part of a span on its first line: a whole table underlined helps nobody.
fn first_line(text: &str, span: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    let end = text[span.start..span.end.min(text.len())]
        .find('\n')
        .map_or(span.end.min(text.len()), |length| span.start + length);
    span.start..end.max(span.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_hint_follows_the_error_of_the_system() {
        for (number, part) in [
            (28, "enough room"),
            (27, "enough room"),
            (24, "ulimit -n"),
            (2, "was removed"),
            (13, "the right to write"),
            (30, "the right to write"),
            (5, "check the disk"),
        ] {
            let hint = remedy(&io::Error::from_raw_os_error(number));
            assert!(hint.contains(part), "{number}: {hint}");
        }
    }
}
