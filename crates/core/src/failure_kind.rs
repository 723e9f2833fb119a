//! The kinds of failure: what results are grouped by where something went wrong.

/// How a component failed. The word for each is [`FailureKind::name`], which stored results have and
/// which stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// Nobody says how: a metric that says itself that it failed, or an evaluation of an older
    /// version.
    Unnamed,
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
    /// There is no connection to the service.
    Unreachable,
    /// The connection ended before the answer did.
    CutOff,
    /// The service says that it is at fault itself: a status of 500 or above.
    ServerError,
    /// The service takes no more requests for now.
    RateLimited,
    /// The answer is only the beginning of one: it has as many tokens as it may have.
    Truncated,
    /// A question or an answer is larger than is taken.
    TooLarge,
    /// Nothing was asked, because a budget is spent.
    BudgetSpent,
    /// Nothing was asked, because too many calls before it failed.
    GivenUp,
    /// Nothing was asked, or waited for, because the evaluation was to stop.
    Stopped,
    /// There was an answer, and it could not be written down.
    NotKept,
}

impl FailureKind {
    /// All kinds.
    pub const ALL: [Self; 17] = [
        Self::Unnamed,
        Self::Protocol,
        Self::Value,
        Self::Timeout,
        Self::Crash,
        Self::Refused,
        Self::Memory,
        Self::Unreachable,
        Self::CutOff,
        Self::ServerError,
        Self::RateLimited,
        Self::Truncated,
        Self::TooLarge,
        Self::BudgetSpent,
        Self::GivenUp,
        Self::Stopped,
        Self::NotKept,
    ];

    /// The kind with that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The word for it in stored results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unnamed => "failed",
            Self::Protocol => "protocol",
            Self::Value => "value",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Refused => "refused",
            Self::Memory => "memory",
            Self::Unreachable => "unreachable",
            Self::CutOff => "cut off",
            Self::ServerError => "server error",
            Self::RateLimited => "rate limited",
            Self::Truncated => "truncated",
            Self::TooLarge => "too large",
            Self::BudgetSpent => "budget spent",
            Self::GivenUp => "given up",
            Self::Stopped => "stopped",
            Self::NotKept => "not kept",
        }
    }

    /// The kind as plugins say it: the boundary has six, and those that it lacks are the nearest.
    #[must_use]
    pub fn at_boundary(self) -> Self {
        match self {
            Self::Protocol
            | Self::Value
            | Self::Timeout
            | Self::Crash
            | Self::Refused
            | Self::Memory => self,
            Self::TooLarge => Self::Protocol,
            Self::Unreachable | Self::CutOff | Self::ServerError => Self::Crash,
            Self::Unnamed
            | Self::RateLimited
            | Self::Truncated
            | Self::BudgetSpent
            | Self::GivenUp
            | Self::Stopped
            | Self::NotKept => Self::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_place_and_a_word_of_its_own() {
        for (place, kind) in FailureKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            assert_eq!(FailureKind::from_name(kind.name()), Some(kind));
            assert_eq!(kind.at_boundary().at_boundary(), kind.at_boundary());
        }
        assert_eq!(FailureKind::from_name("no such kind"), None);
    }
}
