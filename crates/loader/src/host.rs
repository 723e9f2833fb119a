//! The other side of an isolated library: our own program as the child that opens it.

use std::path::Path;

use arrow_array::RecordBatch;
use qeval_sdk::{
    Failure, FailureKind,
    program::{self, Hello, Worker},
};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde_json::value::to_raw_value;

use crate::{
    OpenError,
    library::{Instance, Library},
};

pub use qeval_sdk::program::ProgramError as HostError;

/// Opens a library and speaks for it as a program does until stdin ends. This is all that
/// `qeval plugin-host` does; nothing else may use the standard streams.
///
/// A library that cannot be used is told to the parent, and is no error here.
pub fn serve(library: &Path) -> Result<(), HostError> {
    program::serve(|| {
        // A plugin that crashes is an expected thing here; where the system does not allow this, it
        // leaves a memory dump behind.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        match Library::open(library) {
            Ok(library) => {
                let mut hello = Hello::of(&library.descriptor);
                hello.interface = library.interface;
                (hello, Some(Opened { library, instance: None }))
            }
            Err(error) => (refusal(&error), None),
        }
    })
}

/// The parent gets the error as it is, and not only its text.
fn refusal(error: &OpenError) -> Hello {
    let mut hello = Hello::refusal(error.to_string());
    hello.refused = Some(to_raw_value(error).expect("an error has only text keys"));
    hello
}

struct Opened {
    library: Library,
    instance: Option<Instance>,
}

impl Opened {
    fn instance(&self) -> Result<&Instance, Failure> {
        let early = || Failure::new(FailureKind::Protocol, "a batch came before a setup");
        self.instance.as_ref().ok_or_else(early)
    }
}

impl Worker for Opened {
    fn set_up(&mut self, setup: &[u8]) -> Result<(), Failure> {
        self.instance = Some(self.library.instance(setup)?);
        Ok(())
    }

    fn answer(&self, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        self.instance()?.call(batch)
    }

    fn finish(&self, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        self.instance()?.finish(batch)
    }
}
