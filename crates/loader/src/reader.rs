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

impl Reader for PluginReader {
    fn descriptor(&self) -> Descriptor {
        self.descriptor.clone()
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>> {
        let mut all = Vec::with_capacity(requests.len());
        for requests in requests.chunks(self.batch) {
            let ids: Vec<&str> =
                requests.iter().map(|request| request.example.id.as_str()).collect();
            let asked = requests::encode(requests);
            all.extend(self.carrier.each(asked, &ids, requests::decode_answer));
        }
        all
    }
}
