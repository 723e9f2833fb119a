//! The reader of a plugin as an ordinary one, wherever it runs.

use qeval_core::Prediction;
use qeval_sdk::{Descriptor, Failure, Reader, Request, requests};

use crate::carrier::Carrier;

/// The reader of a plugin.
#[derive(Debug)]
pub(crate) struct PluginReader {
    pub(crate) descriptor: Descriptor,
    pub(crate) carrier: Carrier,
    /// The most questions of a batch.
    pub(crate) batch: usize,
}

impl PluginReader {
    fn ask(
        &self,
        requests: &[Request<'_>],
    ) -> Result<Vec<Result<Option<Prediction>, Failure>>, Failure> {
        let answer = self.carrier.call(requests::encode(requests)?)?;
        requests::decode_answer(&answer, requests.len())
            .map_err(|failure| self.carrier.named(&failure))
    }
}

impl Reader for PluginReader {
    fn descriptor(&self) -> Descriptor {
        self.descriptor.clone()
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>> {
        let mut all = Vec::with_capacity(requests.len());
        for requests in requests.chunks(self.batch) {
            match self.ask(requests) {
                Ok(answers) => all.extend(self.carrier.each_named(answers)),
                Err(failure) => all.extend(requests.iter().map(|_| Err(failure.clone()))),
            }
        }
        all
    }
}
