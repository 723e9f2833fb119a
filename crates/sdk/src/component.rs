//! What every component says of itself, and how it fails.

use std::fmt;

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

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The component answered, but not in the way that was agreed.
    Protocol,
    /// A value is NaN, infinite or outside the declared range.
    Value,
    /// The component took longer than its limit.
    Timeout,
    /// The component ended: a panic, a signal, an exit.
    Crash,
    /// The component says itself that it could not.
    Refused,
    /// The component took more memory than its limit.
    Memory,
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

impl FailureKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Protocol, Self::Value, Self::Timeout, Self::Crash, Self::Refused, Self::Memory];

    /// The kind with that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The word for it in stored results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Value => "value",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Refused => "refused",
            Self::Memory => "memory",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for Failure {}
