//! How the intervals of an evaluation were made.

use qeval_core::stats::{IntervalMethod, Intervals};
use serde::{Deserialize, Serialize};

use super::Manifest;

/// Raised when the same scores, seed and method give another interval.
const VERSION: u32 = 1;

/// How the intervals of means were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IntervalInfo {
    /// `auto`, `percentile` or `bca`.
    pub method: String,
    /// Resamples of a bootstrap.
    pub resamples: u32,
    /// Version of the computation.
    pub version: u32,
}

/// The dialogs or documents that the examples of an evaluation belong to, which are the independent
/// units of its intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClustersInfo {
    /// What says where an example belongs: the name of a field, or of a format.
    pub by: String,
    /// `declared`, by the file that was run; or `detected`, by the format.
    pub source: String,
    /// How many there are.
    pub groups: u64,
    /// How many examples belong to one.
    pub examples: u64,
}

impl From<Intervals> for IntervalInfo {
    fn from(Intervals { method, resamples, .. }: Intervals) -> Self {
        Self { method: method.name().to_owned(), resamples, version: VERSION }
    }
}

impl Manifest {
    /// How intervals are made of its scores: as they were made, where this version can.
    pub fn intervals(&self) -> Intervals {
        self.recomputed().unwrap_or_else(|| Intervals::auto(self.seed))
    }

    /// How its intervals were made; `None` where another version computed them in another way.
    pub(crate) fn recomputed(&self) -> Option<Intervals> {
        let info = self.interval.as_ref().filter(|info| info.version == VERSION)?;
        let method = IntervalMethod::ALL.into_iter().find(|method| method.name() == info.method)?;
        Some(Intervals { method, resamples: info.resamples, seed: self.seed })
    }
}
