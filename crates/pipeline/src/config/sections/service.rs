//! The keys of a service, which the tables of several components have.

use std::sync::Arc;

use qeval_endpoint::{Budget, Meter};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::builtin::price;

/// What a table says of its service.
pub(crate) struct Service<'c> {
    pub(crate) url: &'c Spanned<String>,
    pub(crate) api_key_env: Option<&'c Spanned<String>>,
    pub(crate) max_concurrency: Option<&'c Spanned<u32>>,
    pub(crate) retries: Option<u32>,
    pub(crate) timeout_s: Option<&'c Spanned<f64>>,
    pub(crate) deadline_s: Option<&'c Spanned<f64>>,
    pub(crate) budget: Budget,
    pub(crate) meter: Arc<dyn Meter>,
    pub(crate) log: Option<&'c Spanned<String>>,
    pub(crate) proxy: Option<&'c Spanned<String>>,
    pub(crate) ca: Option<&'c Spanned<String>>,
}

/// What a service may be asked for in one run.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetOptions {
    /// Requests, repeated ones included; default: no limit.
    pub calls: Option<u64>,
    /// Bytes that are sent and received; default: no limit.
    pub bytes: Option<u64>,
}

impl BudgetOptions {
    pub(crate) fn limits(&self) -> Budget {
        Budget { requests: self.calls, bytes: self.bytes, ..Budget::default() }
    }
}

/// What a reader may be asked for in one evaluation, with the answers of earlier runs that it uses.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReaderBudgetOptions {
    /// Requests, repeated ones included; default: no limit.
    pub calls: Option<u64>,
    /// Bytes that are sent and received; default: no limit.
    pub bytes: Option<u64>,
    /// Tokens, sent and received; default: no limit.
    pub tokens: Option<u64>,
    /// Money, in the currency of `price`; default: no limit.
    #[schemars(with = "Option<f64>")]
    pub cost: Option<Spanned<f64>>,
}

impl ReaderBudgetOptions {
    pub(crate) fn limits(&self) -> Budget {
        let cost = self.cost.as_ref().map(|cost| price::units(*cost.get_ref()).1);
        Budget { requests: self.calls, bytes: self.bytes, tokens: self.tokens, cost }
    }
}

/// What tokens cost.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceOptions {
    /// A million tokens that are sent.
    pub input: f64,
    /// A million tokens that are received.
    pub output: f64,
    /// What they are paid in, for example `USD`.
    pub currency: String,
}

/// A table that has the keys of a service behind its own. Its own `url` may be optional. `budget` is the
/// type of that key.
///
/// This is a macro because serde cannot do it: a flattened part loses the places of its values, and its
/// table could not refuse unknown keys.
macro_rules! service_table {
    (
        budget: $budget:ident;
        $(#[$table:meta])*
        pub struct $name:ident {
            $($(#[$of_key:meta])* pub $key:ident: $value:ty,)*
        }
    ) => {
        $(#[$table])*
        pub struct $name {
            $($(#[$of_key])* pub $key: $value,)*
            /// Environment variable with the key that the service asks for, sent as a bearer token.
            #[schemars(with = "Option<String>")]
            pub api_key_env: Option<Spanned<String>>,
            /// How many requests may be under way at the same time; default: 4.
            #[schemars(with = "Option<u32>")]
            pub max_concurrency: Option<Spanned<u32>>,
            /// How often a request is sent again after a failure that may pass; default: 4.
            pub retries: Option<u32>,
            /// Seconds after which a request counts as failed; default: 60.
            #[schemars(with = "Option<f64>")]
            pub timeout_s: Option<Spanned<f64>>,
            /// Seconds for a request with all its repetitions and waits; default: 300.
            #[schemars(with = "Option<f64>")]
            pub deadline_s: Option<Spanned<f64>>,
            /// What may be spent in one run.
            #[serde(default)]
            pub budget: $crate::config::$budget,
            /// Address of a proxy.
            #[schemars(with = "Option<String>")]
            pub proxy: Option<Spanned<String>>,
            /// A file with certificates, in PEM, of authorities that are trusted besides the public ones.
            #[schemars(with = "Option<String>")]
            pub ca: Option<Spanned<String>>,
        }

        impl $name {
            /// Its service, which is at this address; without a log.
            pub(crate) fn service<'c>(
                &'c self,
                url: &'c Spanned<String>,
            ) -> $crate::config::Service<'c> {
                $crate::config::Service {
                    url,
                    api_key_env: self.api_key_env.as_ref(),
                    max_concurrency: self.max_concurrency.as_ref(),
                    retries: self.retries,
                    timeout_s: self.timeout_s.as_ref(),
                    deadline_s: self.deadline_s.as_ref(),
                    budget: self.budget.limits(),
                    meter: std::sync::Arc::new(qeval_endpoint::NoMeter),
                    log: None,
                    proxy: self.proxy.as_ref(),
                    ca: self.ca.as_ref(),
                }
            }
        }
    };
}

pub(super) use service_table;
