//! What the terminal can show.

use std::io::IsTerminal;

/// Whether text on this stream may be coloured: it is a terminal, and nobody objects
/// (<https://no-color.org>).
#[expect(clippy::disallowed_methods, reason = "the command line reads the environment")]
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    let objection = std::env::var("NO_COLOR").is_ok_and(|value| !value.is_empty());
    stream.is_terminal() && !objection
}

/// The value of an environment variable, where it is set and valid Unicode.
#[expect(clippy::disallowed_methods, reason = "the command line reads the environment")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Text from a file, with what a terminal would act on shown instead.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}
