//! A Parquet file that is encoded on a thread of its own.

use std::{
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread::JoinHandle,
};

use arrow_array::RecordBatch;

use super::{WriteError, file::ParquetFile};
use crate::Part;

/// Batches that wait to be encoded at most.
const AHEAD: usize = 4;

/// A file, on this thread or on another. Its bytes are the same.
#[derive(Debug)]
pub(super) enum Encoded {
    Here(Box<ParquetFile>),
    There(Thread),
}

/// The thread of a file.
#[derive(Debug)]
pub(super) struct Thread {
    /// `None` once no more batches come.
    batches: Option<SyncSender<RecordBatch>>,
    /// `None` once it has ended.
    thread: Option<JoinHandle<Result<ParquetFile, WriteError>>>,
}

impl Encoded {
    /// On a thread of its own, if there is one.
    pub(super) fn new(file: ParquetFile, threaded: bool) -> Self {
        if !threaded {
            return Self::Here(Box::new(file));
        }
        let (batches, received) = sync_channel(AHEAD);
        let thread = std::thread::spawn(move || encode(file, &received));
        Self::There(Thread { batches: Some(batches), thread: Some(thread) })
    }

    /// Appends a batch. The error may be about an earlier one.
    pub(super) fn write(&mut self, batch: RecordBatch) -> Result<(), WriteError> {
        let thread = match self {
            Self::Here(file) => return file.write(&batch),
            Self::There(thread) => thread,
        };
        let sent = thread.batches.as_ref().is_some_and(|batches| batches.send(batch).is_ok());
        // A thread that takes no more has ended with an error.
        if sent { Ok(()) } else { thread.end().map(drop) }
    }

    /// Ends the file.
    pub(super) fn finish(self) -> Result<Part, WriteError> {
        match self {
            Self::Here(file) => file.finish(),
            Self::There(mut thread) => match thread.end()? {
                Some(file) => file.finish(),
                None => Err(WriteError::DamagedRun),
            },
        }
    }
}

fn encode(
    mut file: ParquetFile,
    batches: &Receiver<RecordBatch>,
) -> Result<ParquetFile, WriteError> {
    for batch in batches {
        file.write(&batch)?;
    }
    Ok(file)
}

impl Thread {
    /// Waits for the end; the file, the first time.
    fn end(&mut self) -> Result<Option<ParquetFile>, WriteError> {
        self.batches = None;
        let Some(thread) = self.thread.take() else { return Ok(None) };
        match thread.join() {
            Ok(file) => file.map(Some),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl Drop for Thread {
    /// Nobody writes to a file any more whose folder goes.
    fn drop(&mut self) {
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
