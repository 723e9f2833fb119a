//! Progress on stderr, on a terminal only: one line that is written over.

use std::{
    io::{IsTerminal, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use qeval_pipeline::Event;

/// Shows how far an evaluation is.
#[derive(Debug)]
pub(crate) struct Progress {
    terminal: bool,
    open: AtomicBool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { terminal: std::io::stderr().is_terminal(), open: AtomicBool::new(false) }
    }

    pub(crate) fn show(&self, event: &Event) {
        if let (true, Event::Progress { examples }) = (self.terminal, event) {
            let mut stderr = std::io::stderr().lock();
            // A progress line that cannot be written is no reason to stop.
            let _ = write!(stderr, "\r{examples} examples evaluated");
            let _ = stderr.flush();
            self.open.store(true, Ordering::Relaxed);
        }
    }

    /// Says where the answers of live readers came from, where that is no matter of course: some are
    /// of earlier runs, or this run has failed and the next one will use them.
    pub(crate) fn show_answers(events: &[Event], failed: bool) {
        for event in events {
            let Event::Answers { reader, asked, kept, earlier, path } = event else { continue };
            let mut stderr = std::io::stderr().lock();
            // What cannot be written is no reason to fail.
            let _ = match (failed, earlier, kept) {
                (true, _, 0) | (false, 0, _) => Ok(()),
                (true, ..) => writeln!(
                    stderr,
                    "reader `{reader}`: {kept} new answers are kept in `{}`; the next evaluation uses them",
                    path.display()
                ),
                (false, ..) => writeln!(
                    stderr,
                    "reader `{reader}`: {asked} questions were asked, {earlier} answers are of earlier \
                     evaluations (--fresh asks again)"
                ),
            };
        }
    }

    /// Clears the line, so that what follows begins on an empty one.
    pub(crate) fn finish(&self) {
        if self.open.swap(false, Ordering::Relaxed) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
