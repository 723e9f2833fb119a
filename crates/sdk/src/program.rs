//! A plugin that is a program: frames on its stdin and stdout, as *Programs* in the specification.
//!
//! [`run`] is the whole `main` of a plugin in Rust. The frames and their contents are also what the
//! other side of the talk needs.

mod contents;
mod frame;
mod streams;

use std::{
    fs::File,
    sync::mpsc::{Receiver, sync_channel},
    thread,
};

use arrow_array::RecordBatch;

use crate::{Failure, Plugin, Setup, abi::caught, instance::Component};

pub use contents::{Hello, read_batch, read_failure, write_batch, write_failure};
pub use frame::{Frame, FrameError, LARGEST};

/// A [`Hello`] as JSON, from the program.
pub const HELLO: u8 = 1;
/// A batch as an Arrow stream, to the program.
pub const BATCH: u8 = 2;
/// The batch that answers one, as an Arrow stream.
pub const ANSWER: u8 = 3;
/// Why there is no answer, as JSON.
pub const FAILURE: u8 = 4;
/// A [`Setup`] as JSON, to the program.
pub const SETUP: u8 = 5;
/// The instance is made.
pub const READY: u8 = 6;
/// Merged statistics as an Arrow stream, to the program.
pub const FINISH: u8 = 7;

/// Why a program cannot do its work.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// Its standard streams cannot be set up.
    #[error("the standard streams cannot be set up: {0}")]
    Streams(std::io::Error),
    /// The other side cannot be spoken to.
    #[error("the parent process cannot be spoken to: {0}")]
    Parent(#[from] FrameError),
}

/// What answers the frames.
pub trait Worker {
    /// Makes the instance that is asked from now on. `setup` is a [`Setup`] as JSON.
    fn set_up(&mut self, setup: &[u8]) -> Result<(), Failure>;
    /// Answers a batch.
    fn answer(&self, batch: RecordBatch) -> Result<RecordBatch, Failure>;
    /// Makes numbers of merged statistics.
    fn finish(&self, batch: RecordBatch) -> Result<RecordBatch, Failure>;
}

/// Serves a plugin until stdin ends: the whole `main` of a program. Nothing else may use the
/// standard streams; what is printed on stdout goes to stderr.
pub fn run(plugin: impl FnOnce() -> Plugin) -> Result<(), ProgramError> {
    serve(|| match caught(|| Ok(plugin())) {
        Ok(plugin) => {
            let hello = Hello::of(&plugin.descriptor(""));
            (hello, Some(Own { plugin, component: None }))
        }
        Err(failure) => (Hello::refusal(failure.message), None),
    })
}

/// Says what `begin` gives and answers frames with its worker until stdin ends. `begin` is called
/// once the standard streams are safe from what it does.
pub fn serve<W: Worker>(begin: impl FnOnce() -> (Hello, Option<W>)) -> Result<(), ProgramError> {
    let (requests, answers) = streams::take().map_err(ProgramError::Streams)?;
    // The parent is watched from the beginning: `begin` may take for ever, too.
    let (sender, frames) = sync_channel(1);
    thread::spawn(move || streams::follow_parent(&requests, sender));
    let (hello, worker) = begin();
    Frame::new(HELLO, hello.to_json()).write(&answers)?;
    match worker {
        Some(worker) => answer_all(worker, &frames, &answers),
        None => Ok(()),
    }
}

fn answer_all(
    mut worker: impl Worker,
    frames: &Receiver<Frame>,
    answers: &File,
) -> Result<(), ProgramError> {
    for frame in frames {
        let number = frame.number;
        let answer = match frame.kind {
            SETUP => caught(|| worker.set_up(&frame.payload)).map(|()| Frame::new(READY, [])),
            BATCH => read_batch(frame.payload)
                .and_then(|batch| caught(|| worker.answer(batch)))
                .and_then(|batch| Ok(Frame::new(ANSWER, write_batch(&batch)?))),
            FINISH => read_batch(frame.payload)
                .and_then(|batch| caught(|| worker.finish(batch)))
                .and_then(|batch| Ok(Frame::new(ANSWER, write_batch(&batch)?))),
            kind => Err(Failure::protocol(format!("a frame of kind {kind} was not expected"))),
        };
        let failed = |failure: Failure| Frame::new(FAILURE, write_failure(&failure));
        answer.unwrap_or_else(failed).numbered(number).write(answers)?;
    }
    Ok(())
}

/// A plugin in Rust that is the program itself.
struct Own {
    plugin: Plugin,
    component: Option<Component>,
}

impl Own {
    fn component(&self) -> Result<&Component, Failure> {
        self.component.as_ref().ok_or_else(|| Failure::protocol("a batch came before a setup"))
    }
}

impl Worker for Own {
    fn set_up(&mut self, setup: &[u8]) -> Result<(), Failure> {
        let setup: Setup = serde_json::from_slice(setup)
            .map_err(|error| Failure::protocol(format!("its setup cannot be read: {error}")))?;
        self.component = Some(self.plugin.make(&setup)?);
        Ok(())
    }

    fn answer(&self, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        self.component()?.answer(&batch)
    }

    fn finish(&self, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        self.component()?.finish(&batch)
    }
}
