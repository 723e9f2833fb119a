//! What the tokens of an answer cost.

use std::sync::Arc;

use qeval_endpoint::{Charge, Meter};
use qeval_sdk::{
    Descriptor, Reader, Request,
    core::{Prediction, Usage},
};
use serde_json::Value;

use super::live::Answered;

/// Units of a budget that make one of the currency. Prices of single tokens are whole numbers of them,
/// or near enough.
const UNITS: f64 = 1e9;

/// A price list of two lines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Price {
    /// Of a million tokens that are sent.
    pub(crate) input: f64,
    /// Of a million tokens that are received.
    pub(crate) output: f64,
    /// What it is paid in.
    pub(crate) currency: String,
}

impl Price {
    /// Of one answer, in the currency.
    pub(crate) fn of(&self, tokens_in: u64, tokens_out: u64) -> f64 {
        (tokens_in as f64 * self.input + tokens_out as f64 * self.output) / 1e6
    }

    /// The same in units of a budget, never less than it is.
    pub(crate) fn units(&self, tokens_in: u64, tokens_out: u64) -> u64 {
        units(self.of(tokens_in, tokens_out)).0
    }
}

/// An amount of the currency in units of a budget: at least as many, and as near as possible.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is too large for the type, or below 0, becomes its end"
)]
pub(crate) fn units(amount: f64) -> (u64, u64) {
    let units = amount * UNITS;
    ((units - 1e-6).ceil() as u64, units.round() as u64)
}

/// Reads from an answer what it took.
pub(crate) type ReadUsage = fn(&Value) -> Usage;

/// Counts the tokens and the cost of answers that say how many tokens they took.
#[derive(Debug)]
pub(crate) struct TokenMeter {
    pub(crate) read: ReadUsage,
    pub(crate) price: Option<Price>,
    /// The most tokens of an answer, where that is asked for.
    pub(crate) max_tokens: Option<u64>,
}

impl TokenMeter {
    /// The most tokens that a request of so many bytes may take: none is shorter than a byte.
    fn most_tokens(&self, sent: usize) -> (u64, u64) {
        self.max_tokens.map_or((0, 0), |tokens| (sent as u64, tokens))
    }

    fn charged(&self, (tokens_in, tokens_out): (u64, u64)) -> Charge {
        Charge {
            tokens: tokens_in.saturating_add(tokens_out),
            cost: self.price.as_ref().map_or(0, |price| price.units(tokens_in, tokens_out)),
        }
    }
}

impl Meter for TokenMeter {
    fn charge(&self, answer: &Value, sent: usize) -> Charge {
        let Usage { tokens_in, tokens_out, cost, .. } = (self.read)(answer);
        // What an answer does not say counts as the most that it may be.
        let most = self.most_tokens(sent);
        let charge = self.charged((tokens_in.unwrap_or(most.0), tokens_out.unwrap_or(most.1)));
        Charge { cost: cost.map_or(charge.cost, |cost| units(cost).0), ..charge }
    }

    fn most(&self, sent: usize) -> Charge {
        self.charged(self.most_tokens(sent))
    }

    fn amount(&self, cost: u64) -> String {
        let amount = cost as f64 / UNITS;
        match &self.price {
            Some(price) => format!("{amount} {}", price.currency),
            None => format!("{amount} (cost)"),
        }
    }
}

/// A reader whose answers have a price: what they say of tokens becomes their cost, unless they name
/// one themselves.
pub(crate) struct Priced {
    pub(crate) reader: Arc<dyn Reader>,
    pub(crate) price: Price,
}

impl Reader for Priced {
    fn descriptor(&self) -> Descriptor {
        self.reader.descriptor()
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Answered> {
        let mut answers = self.reader.read(requests);
        for answer in &mut answers {
            if let Ok(Some(Prediction { usage, .. })) = answer
                && usage.cost.is_none()
                && let (Some(tokens_in), Some(tokens_out)) = (usage.tokens_in, usage.tokens_out)
            {
                usage.cost = Some(self.price.of(tokens_in, tokens_out));
            }
        }
        answers
    }

    fn asks_in_order(&self) -> bool {
        self.reader.asks_in_order()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(max_tokens: Option<u64>, price: Option<(f64, f64)>) -> TokenMeter {
        let read = |answer: &Value| Usage {
            tokens_in: answer["in"].as_u64(),
            tokens_out: answer["out"].as_u64(),
            cost: answer["cost"].as_f64(),
            ..Usage::default()
        };
        let currency = "EUR".to_owned();
        let price = price.map(|(input, output)| Price { input, output, currency });
        TokenMeter { read, price, max_tokens }
    }

    #[test]
    fn a_budget_counts_exactly_what_an_answer_costs() {
        let answer = serde_json::json!({"in": 12, "out": 3});
        for (price, cost) in [
            (None, 0),
            (Some((1.0, 2.0)), 18_000),
            (Some((0.15, 0.6)), 3600),
            (Some((0.0001, 0.0)), 2),
        ] {
            let charge = meter(None, price).charge(&answer, 100);
            assert_eq!(charge, Charge { tokens: 15, cost }, "{price:?}");
        }
        let own = serde_json::json!({"in": 12, "out": 3, "cost": 0.5});
        assert_eq!(meter(None, Some((1.0, 2.0))).charge(&own, 1).cost, 500_000_000);
        assert_eq!(units(1.5), (1_500_000_000, 1_500_000_000));
        assert_eq!(meter(None, Some((1.0, 1.0))).amount(units(1.5).1), "1.5 EUR");
    }

    #[test]
    fn what_an_answer_does_not_say_is_the_most() {
        let meter = meter(Some(10), Some((1.0, 2.0)));
        assert_eq!(meter.most(100), Charge { tokens: 110, cost: 120_000 });
        assert_eq!(meter.charge(&Value::Null, 100), meter.most(100));
        let unbounded = TokenMeter { max_tokens: None, ..meter };
        assert_eq!(unbounded.charge(&Value::Null, 100), Charge::default());
    }
}
