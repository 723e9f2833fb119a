//! What the frames hold: a greeting, batches, failures.

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::{reader::StreamDecoder, writer::StreamWriter};
use arrow_schema::ArrowError;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::{Failure, FailureKind, INTERFACE, InterfaceVersion, PluginDescriptor};

/// How a program begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the interface that it speaks.
    pub interface: InterfaceVersion,
    /// A [`PluginDescriptor`], which is read only where the version fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<Box<RawValue>>,
    /// Why there is no plugin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The same as JSON of a child of our own, which no plugin writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
struct Refusal {
    kind: String,
    message: String,
}

impl Hello {
    /// Of a plugin that can be used.
    pub fn of(descriptor: &PluginDescriptor) -> Self {
        let descriptor = to_raw_value(descriptor).expect("a descriptor has only text keys");
        Self { interface: INTERFACE, descriptor: Some(descriptor), error: None, refused: None }
    }

    /// Of one that cannot.
    pub fn refusal(message: String) -> Self {
        Self { interface: INTERFACE, descriptor: None, error: Some(message), refused: None }
    }

    /// As it crosses.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a greeting has only text keys")
    }

    /// Reads what crossed, or says what is wrong with it.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(|error| format!("its greeting: {error}"))
    }
}

/// The content of a failure.
pub fn write_failure(failure: &Failure) -> Vec<u8> {
    let kind = failure.kind.at_boundary().name().to_owned();
    let refusal = Refusal { kind, message: failure.message.clone() };
    serde_json::to_vec(&refusal).expect("a failure has only text keys")
}

/// The failure in a content; what cannot be read is one, too.
pub fn read_failure(json: &[u8]) -> Failure {
    match serde_json::from_slice::<Refusal>(json) {
        Ok(Refusal { kind, message }) => {
            let kind = FailureKind::from_name(&kind).filter(|kind| kind.at_boundary() == *kind);
            let kind = kind.unwrap_or(FailureKind::Protocol);
            let given = !message.trim().is_empty();
            Failure::new(kind, if given { message } else { "it gave no reason".to_owned() })
        }
        Err(error) => Failure::protocol(format!("it sent a failure that cannot be read: {error}")),
    }
}

/// A batch as an Arrow stream.
pub fn write_batch(batch: &RecordBatch) -> Result<Vec<u8>, Failure> {
    let write = || {
        let room = batch.get_array_memory_size() + 4096;
        let mut writer = StreamWriter::try_new(Vec::with_capacity(room), batch.schema_ref())?;
        writer.write(batch)?;
        writer.into_inner()
    };
    write().map_err(|error| Failure::protocol(format!("a batch cannot be written: {error}")))
}

/// The only batch of an Arrow stream, in which no two columns have one name.
pub fn read_batch(stream: Vec<u8>) -> Result<RecordBatch, Failure> {
    let read = || {
        let mut stream = Buffer::from_vec(stream);
        let mut decoder = StreamDecoder::new();
        let mut batches = Vec::new();
        while !stream.is_empty() {
            match decoder.decode(&mut stream)? {
                Some(batch) => batches.push(batch),
                None => break,
            }
        }
        let whole = decoder.schema().is_some() && decoder.finish().is_ok();
        Ok::<_, ArrowError>((batches, whole))
    };
    // Arrow asserts some of what a stream promises; one that breaks it is no bug of ours.
    let (batches, whole) = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => {
            return Err(Failure::protocol(format!("its batch cannot be read: {error}")));
        }
        Err(_) => return Err(Failure::protocol("its batch cannot be read")),
    };
    let [batch] = <[RecordBatch; 1]>::try_from(batches).map_err(|batches| match batches.len() {
        0 if whole => Failure::protocol("its stream ends before its first batch"),
        0 => Failure::protocol("its bytes are no Arrow stream, or only a part of one"),
        more => Failure::protocol(format!("its stream has {more} batches, expected one")),
    })?;
    check_names(&batch)?;
    Ok(batch)
}

fn check_names(batch: &RecordBatch) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    match batch.schema_ref().fields().iter().find(|field| !seen.insert(field.name())) {
        None => Ok(()),
        Some(field) => Err(Failure::protocol(format!("it has two columns `{}`", field.name()))),
    }
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
        assert_eq!(read_batch(write_batch(&scores()).unwrap()), Ok(scores()));
        for kind in FailureKind::ALL {
            let said = read_failure(&write_failure(&Failure::new(kind, "no")));
            assert_eq!(said, Failure::new(kind.at_boundary(), "no"));
        }
        assert_eq!(read_failure(b"{}").kind, FailureKind::Protocol);
        let unknown = br#"{"kind": "rate limited", "message": "no"}"#;
        assert_eq!(read_failure(unknown).kind, FailureKind::Protocol);
    }

    #[test]
    fn a_stream_has_one_batch_with_columns_of_different_names() {
        let message = |stream: Vec<u8>| read_batch(stream).unwrap_err().to_string();
        let batch = scores();
        let mut two = StreamWriter::try_new(Vec::new(), batch.schema_ref()).unwrap();
        two.write(&batch).unwrap();
        two.write(&batch).unwrap();
        assert_eq!(
            message(two.into_inner().unwrap()),
            "protocol: its stream has 2 batches, expected one"
        );
        let column = batch.column(0);
        let twice = [("m", Arc::clone(column), true), ("m", Arc::clone(column), true)];
        let twice = RecordBatch::try_from_iter_with_nullable(twice).unwrap();
        assert_eq!(message(write_batch(&twice).unwrap()), "protocol: it has two columns `m`");
        let none = StreamWriter::try_new(Vec::new(), batch.schema_ref()).unwrap();
        assert_eq!(
            message(none.into_inner().unwrap()),
            "protocol: its stream ends before its first batch"
        );
        for bytes in [&[][..], &[0xA5; 1000]] {
            let said = message(bytes.to_vec());
            assert!(!said.contains("ends before its first batch"), "{said}");
        }
        assert_eq!(
            read_failure(&write_failure(&Failure::new(FailureKind::Refused, ""))).message,
            "it gave no reason"
        );
    }

    #[test]
    fn a_greeting_has_a_version_before_a_descriptor() {
        let json = br#"{"interface": {"major": 9, "minor": 1}, "descriptor": {"new": "shape"}}"#;
        let hello = Hello::from_json(json).unwrap();
        assert_eq!(hello.interface, InterfaceVersion { major: 9, minor: 1 });
        assert!(Hello::from_json(b"Traceback (most recent call last):").is_err());
    }

    proptest! {
        // Some of the cases panic inside of Arrow, and each panic prints its way there.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn broken_batches_are_failures(position in any::<prop::sample::Index>(), byte: u8, cut: bool) {
            let mut stream = write_batch(&scores()).unwrap();
            let position = position.index(stream.len());
            if cut {
                stream.truncate(position);
            } else {
                stream[position] = byte;
            }
            if let Ok(batch) = read_batch(stream) {
                prop_assert!(batch.num_rows() < 1 << 40);
            }
        }
    }
}
