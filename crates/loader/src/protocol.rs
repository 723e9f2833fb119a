//! What the frames between us and the child process hold.
//!
//! The child begins with [`HELLO`]; then each [`CASES`] from us is answered by [`SCORES`] or
//! [`FAILURE`].

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::{reader::StreamDecoder, writer::StreamWriter};
use qeval_process::Frame;
use qeval_sdk::{Failure, FailureKind, PluginDescriptor};
use serde::{Deserialize, Serialize};

use crate::OpenError;

/// A [`Hello`] as JSON.
pub(crate) const HELLO: u8 = 1;
/// A batch of cases as an Arrow stream.
pub(crate) const CASES: u8 = 2;
/// A batch of scores as an Arrow stream.
pub(crate) const SCORES: u8 = 3;
/// A [`Refusal`] as JSON.
pub(crate) const FAILURE: u8 = 4;

/// How the child begins.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Hello {
    /// The library is open.
    Ready(Box<PluginDescriptor>),
    /// It cannot be used.
    Refused(OpenError),
}

/// A failure as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Refusal {
    kind: String,
    message: String,
}

pub(crate) fn hello(hello: &Hello) -> Frame {
    Frame::new(HELLO, serde_json::to_vec(hello).expect("a hello has only text keys"))
}

pub(crate) fn read_hello(frame: &Frame) -> Result<Hello, String> {
    match frame.kind {
        HELLO => serde_json::from_slice(&frame.payload).map_err(|error| error.to_string()),
        kind => Err(format!("it began with a frame of kind {kind}, expected {HELLO}")),
    }
}

pub(crate) fn failure(failure: Failure) -> Frame {
    let refusal = Refusal { kind: failure.kind.name().to_owned(), message: failure.message };
    Frame::new(FAILURE, serde_json::to_vec(&refusal).expect("a failure has only text keys"))
}

pub(crate) fn batch(kind: u8, batch: &RecordBatch) -> Result<Frame, Failure> {
    let write = || {
        let mut writer = StreamWriter::try_new(Vec::new(), batch.schema_ref())?;
        writer.write(batch)?;
        writer.into_inner()
    };
    match write() {
        Ok(bytes) => Ok(Frame::new(kind, bytes)),
        Err(error) => Err(protocol(format!("a batch cannot be written: {error}"))),
    }
}

/// The batch in a frame of this kind, or the failure in a frame of that kind.
pub(crate) fn read_batch(kind: u8, frame: Frame) -> Result<RecordBatch, Failure> {
    if frame.kind == FAILURE {
        return Err(read_failure(&frame.payload));
    }
    if frame.kind != kind {
        return Err(protocol(format!("it sent a frame of kind {}, expected {kind}", frame.kind)));
    }
    let mut stream = Buffer::from_vec(frame.payload);
    let read = || StreamDecoder::new().decode(&mut stream);
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(Some(batch))) => Ok(batch),
        Ok(Ok(None)) => Err(protocol("it sent an empty stream".to_owned())),
        Ok(Err(error)) => Err(protocol(format!("its batch cannot be read: {error}"))),
        Err(_) => Err(protocol("its batch cannot be read".to_owned())),
    }
}

fn read_failure(json: &[u8]) -> Failure {
    let refusal = match serde_json::from_slice::<Refusal>(json) {
        Ok(refusal) => refusal,
        Err(error) => return protocol(format!("it sent a failure that cannot be read: {error}")),
    };
    let kind = [
        FailureKind::Protocol,
        FailureKind::Value,
        FailureKind::Timeout,
        FailureKind::Crash,
        FailureKind::Refused,
    ]
    .into_iter()
    .find(|kind| kind.name() == refusal.kind)
    .unwrap_or(FailureKind::Protocol);
    Failure::new(kind, refusal.message)
}

fn protocol(message: String) -> Failure {
    Failure::new(FailureKind::Protocol, message)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array};
    use proptest::prelude::*;

    use super::*;

    fn scores() -> RecordBatch {
        let values: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.5), None]));
        RecordBatch::try_from_iter_with_nullable([("m", values, true)]).unwrap()
    }

    #[test]
    fn batches_and_failures_are_read_as_they_were_written() {
        let frame = batch(SCORES, &scores()).unwrap();
        assert_eq!(read_batch(SCORES, frame.clone()), Ok(scores()));
        let kinds = [FailureKind::Crash, FailureKind::Refused, FailureKind::Timeout];
        for failure in kinds.map(|kind| Failure::new(kind, "no")) {
            assert_eq!(read_batch(SCORES, super::failure(failure.clone())), Err(failure));
        }
        assert_eq!(
            read_batch(CASES, frame).unwrap_err().to_string(),
            "protocol: it sent a frame of kind 3, expected 2"
        );
    }

    proptest! {
        // Some of the cases panic inside of Arrow, and each panic prints its way there.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn broken_batches_are_failures(position in any::<prop::sample::Index>(), byte: u8, cut: bool) {
            let mut frame = batch(SCORES, &scores()).unwrap();
            let position = position.index(frame.payload.len());
            if cut {
                frame.payload.truncate(position);
            } else {
                frame.payload[position] = byte;
            }
            if let Ok(batch) = read_batch(SCORES, frame) {
                prop_assert!(batch.num_rows() < 1 << 40);
            }
        }
    }
}
