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

    /// Clears the line, so that what follows begins on an empty one.
    pub(crate) fn finish(&self) {
        if self.open.swap(false, Ordering::Relaxed) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
