//! What every component says of itself, and how it fails.

use std::fmt;

use qeval_core::{FailureKind, Unscored};

/// Name and version of a component: what a stored result says it was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Its name, for example `bm25`.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// What it does, in one sentence.
    pub summary: String,
}

impl Descriptor {
    /// Name, version and one sentence.
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        summary: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), version: version.into(), summary: summary.into() }
    }
}

/// Why a component gave no result for one item or for a whole batch.
///
/// A failure is an ordinary value: the items it concerns are unscored with this reason, and the
/// evaluation goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind, which results can be grouped by.
    pub kind: FailureKind,
    /// What happened, as a fragment: lower case, no full stop.
    pub message: String,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// A failure of two sides that do not understand each other.
    pub(crate) fn protocol(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Protocol, message)
    }
}

/// The score of what the failure concerns.
impl From<&Failure> for Unscored {
    fn from(failure: &Failure) -> Self {
        Self::Failed(failure.kind, failure.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for Failure {}
