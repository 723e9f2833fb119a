//! A normalizer of a plugin as an ordinary one, wherever it runs.

use qeval_sdk::{Descriptor, Failure, Normalizer, texts};

use crate::carrier::Carrier;

/// A normalizer of a plugin.
#[derive(Debug)]
pub(crate) struct PluginNormalizer {
    pub(crate) descriptor: Descriptor,
    pub(crate) carrier: Carrier,
}

impl Normalizer for PluginNormalizer {
    fn descriptor(&self) -> Descriptor {
        self.descriptor.clone()
    }

    fn normalize(&self, texts: &[&str]) -> Result<Vec<String>, Failure> {
        let about = |failure: Failure| {
            let message = format!("{} (a batch of {} texts)", failure.message, texts.len());
            Failure { message, ..failure }
        };
        let asked = texts::encode(texts.iter().copied())?;
        let answer = self.carrier.call(asked).map_err(about)?;
        let normalised = texts::decode_answer(&answer, texts.len())
            .map_err(|failure| about(self.carrier.named(&failure)))?;
        Ok(normalised.into_iter().map(str::to_owned).collect())
    }
}
