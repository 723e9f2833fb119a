//! Buffers on their way to disk: on this thread, or on another while the next one fills.

use std::{path::Path, thread::JoinHandle};

use super::{WriteError, buffer::Buffer, runs::Runs};

/// The sorted runs of one evaluation, one of which may be under way.
#[derive(Debug)]
pub(super) struct Spills {
    /// `None` while the thread has them, and after an error.
    runs: Option<Runs>,
    /// Gives back the runs and the buffer, which is empty.
    thread: Option<JoinHandle<Written>>,
}

type Written = Result<(Runs, Buffer), WriteError>;

impl Spills {
    pub(super) fn new(folder: &Path) -> Self {
        Self { runs: Some(Runs::new(folder)), thread: None }
    }

    /// Whether nothing went to disk.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.as_ref().is_some_and(Runs::is_empty)
    }

    /// Writes the records of the buffer as one run, and gives back an empty buffer. The error may be
    /// about an earlier buffer.
    pub(super) fn spill(&mut self, buffer: Buffer, threaded: bool) -> Result<Buffer, WriteError> {
        let (mut runs, spare) = self.take()?;
        let write = move || {
            runs.spill(&buffer)?;
            let mut buffer = buffer;
            buffer.clear();
            Ok((runs, buffer))
        };
        if threaded {
            self.thread = Some(std::thread::spawn(write));
            return Ok(spare);
        }
        let (runs, buffer) = write()?;
        self.runs = Some(runs);
        Ok(buffer)
    }

    /// The runs, when what is under way has arrived.
    pub(super) fn runs(&mut self) -> Result<&mut Runs, WriteError> {
        let (runs, _) = self.take()?;
        Ok(self.runs.insert(runs))
    }

    /// The runs, and a buffer to fill.
    fn take(&mut self) -> Written {
        if let Some(thread) = self.thread.take() {
            return thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        self.runs.take().map(|runs| (runs, Buffer::new())).ok_or(WriteError::DamagedRun)
    }
}

impl Drop for Spills {
    /// Nobody writes to a folder any more that goes.
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
