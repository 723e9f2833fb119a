//! The tables of retrievers that ask others: programs, services, other retrievers.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// A program that answers JSON lines with JSON lines.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandRetrieverSection {
    /// `command`.
    pub r#type: String,
    /// Name of this retriever; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// The program and its arguments. A program with a slash in its name is relative to the file.
    #[schemars(with = "Vec<String>")]
    pub command: Spanned<Vec<String>>,
    /// Environment variables that the program may see; it sees no others but `PATH`.
    #[serde(default)]
    pub environment: Vec<String>,
    /// How many hits are requested for each query; default: 100.
    #[schemars(with = "Option<u32>")]
    pub depth: Option<Spanned<u32>>,
    /// How many queries it is sent at a time; default: 32.
    #[schemars(with = "Option<u32>")]
    pub batch: Option<Spanned<u32>>,
    /// Seconds after which an answer counts as failed; default: 60.
    #[schemars(with = "Option<f64>")]
    pub timeout_s: Option<Spanned<f64>>,
}

/// A service that answers JSON with JSON.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpRetrieverSection {
    /// `http`.
    pub r#type: String,
    /// Name of this retriever; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// Where the queries are posted.
    #[schemars(with = "String")]
    pub url: Spanned<String>,
    /// How many hits are requested for each query; default: 100.
    #[schemars(with = "Option<u32>")]
    pub depth: Option<Spanned<u32>>,
    /// How many queries it is sent at a time; default: 32.
    #[schemars(with = "Option<u32>")]
    pub batch: Option<Spanned<u32>>,
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
    pub budget: BudgetOptions,
    /// A file that keeps every answer for later runs.
    #[schemars(with = "Option<String>")]
    pub log: Option<Spanned<String>>,
    /// Address of a proxy.
    #[schemars(with = "Option<String>")]
    pub proxy: Option<Spanned<String>>,
    /// A file with certificates, in PEM, of authorities that are trusted besides the public ones.
    #[schemars(with = "Option<String>")]
    pub ca: Option<Spanned<String>>,
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

/// The rankings of several retrievers made one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FusionSection {
    /// `fusion`.
    pub r#type: String,
    /// Name of this retriever; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// Names of the retrievers, which stand before this one.
    #[schemars(with = "Vec<String>")]
    pub of: Spanned<Vec<Spanned<String>>>,
    /// `reciprocal-rank` or `weighted`; default: `reciprocal-rank`.
    #[schemars(with = "Option<String>")]
    pub method: Option<Spanned<String>>,
    /// The constant of `reciprocal-rank`, added to every rank; default: 60.
    #[schemars(with = "Option<f64>")]
    pub k: Option<Spanned<f64>>,
    /// A weight for each retriever; default: 1 for all.
    #[schemars(with = "Option<Vec<f64>>")]
    pub weights: Option<Spanned<Vec<f64>>>,
    /// How many hits are kept for each query; default: 100.
    #[schemars(with = "Option<u32>")]
    pub depth: Option<Spanned<u32>>,
}

// The keys of a service stand here again: a table with flattened parts could not refuse keys that it
// does not know.
/// The hits of another retriever, scored anew by a program or a service that reads their texts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RerankerSection {
    /// `reranker`.
    pub r#type: String,
    /// Name of this retriever; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// Name of the retriever, which stands before this one.
    #[schemars(with = "String")]
    pub of: Spanned<String>,
    /// How many hits of each query are scored and kept; default: all that the retriever is asked
    /// for.
    #[schemars(with = "Option<u32>")]
    pub depth: Option<Spanned<u32>>,
    /// How many queries it is sent at a time, with the texts of their hits; default: 1.
    #[schemars(with = "Option<u32>")]
    pub batch: Option<Spanned<u32>>,
    /// The program and its arguments; this or `url`.
    #[schemars(with = "Option<Vec<String>>")]
    pub command: Option<Spanned<Vec<String>>>,
    /// Environment variables that the program may see; it sees no others but `PATH`.
    #[serde(default)]
    pub environment: Vec<String>,
    /// Where the queries and texts are posted; this or `command`.
    #[schemars(with = "Option<String>")]
    pub url: Option<Spanned<String>>,
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
    pub budget: BudgetOptions,
    /// A file that keeps every answer for later runs.
    #[schemars(with = "Option<String>")]
    pub log: Option<Spanned<String>>,
    /// Address of a proxy.
    #[schemars(with = "Option<String>")]
    pub proxy: Option<Spanned<String>>,
    /// A file with certificates, in PEM, of authorities that are trusted besides the public ones.
    #[schemars(with = "Option<String>")]
    pub ca: Option<Spanned<String>>,
}
