//! What answers cost beside requests and bytes.

use std::fmt;

use serde_json::Value;

/// What an answer has cost, or may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// Tokens, sent and received.
    pub tokens: u64,
    /// Units of cost; what a unit is worth is known to the [`Meter`].
    pub cost: u64,
}

impl Charge {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost.saturating_add(other.cost),
        }
    }

    pub(crate) fn less(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            cost: self.cost.saturating_sub(other.cost),
        }
    }
}

/// Knows what the answers of an endpoint cost.
pub trait Meter: fmt::Debug + Send + Sync {
    /// What an answer has cost, to a request whose body has `sent` bytes.
    fn charge(&self, answer: &Value, sent: usize) -> Charge;

    /// The most that the answer to such a request may cost. It is kept free in the budget until the
    /// answer is there; where nobody knows it, it is nothing.
    fn most(&self, sent: usize) -> Charge;

    /// Units of cost in words.
    fn amount(&self, cost: u64) -> String {
        format!("{cost} units of cost")
    }
}

/// Answers that cost nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoMeter;

impl Meter for NoMeter {
    fn charge(&self, _answer: &Value, _sent: usize) -> Charge {
        Charge::default()
    }

    fn most(&self, _sent: usize) -> Charge {
        Charge::default()
    }
}
