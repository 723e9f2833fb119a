//! How a process ended, in words.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

use rustix::process::Signal;

const SIGNALS: [(Signal, &str); 12] = [
    (Signal::HUP, "SIGHUP"),
    (Signal::INT, "SIGINT"),
    (Signal::QUIT, "SIGQUIT"),
    (Signal::ILL, "SIGILL, a broken instruction"),
    (Signal::ABORT, "SIGABRT, it gave up"),
    (Signal::BUS, "SIGBUS, a bad memory access"),
    (Signal::FPE, "SIGFPE, a division by zero"),
    (Signal::KILL, "SIGKILL, often for lack of memory"),
    (Signal::SEGV, "SIGSEGV, a bad memory access"),
    (Signal::PIPE, "SIGPIPE"),
    (Signal::TERM, "SIGTERM"),
    (Signal::XCPU, "SIGXCPU, too much time"),
];

/// `ended with exit code 3`, `ended by signal 11 (SIGSEGV, a bad memory access)`.
pub(crate) fn in_words(status: ExitStatus) -> String {
    if let Some(code) = status.code() {
        return format!("ended with exit code {code}");
    }
    match status.signal() {
        Some(number) => match SIGNALS.iter().find(|(signal, _)| signal.as_raw() == number) {
            Some((_, name)) => format!("ended by signal {number} ({name})"),
            None => format!("ended by signal {number}"),
        },
        None => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_signals_have_words() {
        for (raw, words) in [
            (0, "ended with exit code 0"),
            (3 << 8, "ended with exit code 3"),
            (11, "ended by signal 11 (SIGSEGV, a bad memory access)"),
            (6 | 0x80, "ended by signal 6 (SIGABRT, it gave up)"),
            (40, "ended by signal 40"),
        ] {
            assert_eq!(in_words(ExitStatus::from_raw(raw)), words);
        }
    }
}
