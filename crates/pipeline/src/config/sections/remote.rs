//! The tables of retrievers that ask others: programs, services, other retrievers.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::service::service_table;

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

service_table! {
    budget: BudgetOptions;
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
        /// A file that keeps every answer for later runs.
        #[schemars(with = "Option<String>")]
        pub log: Option<Spanned<String>>,
    }
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

service_table! {
    budget: BudgetOptions;
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
        /// A file that keeps every answer for later runs.
        #[schemars(with = "Option<String>")]
        pub log: Option<Spanned<String>>,
    }
}
