//! The tables of readers that are asked live.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::service::{PriceOptions, service_table};

/// A program that answers JSON lines with JSON lines.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandSection {
    /// `command`.
    pub r#type: String,
    /// Name of this reader; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// The program and its arguments. A program with a slash in its name is relative to the file.
    #[schemars(with = "Vec<String>")]
    pub command: Spanned<Vec<String>>,
    /// Environment variables that the program may see; it sees no others but `PATH`.
    #[serde(default)]
    pub environment: Vec<String>,
    /// How many hits the program sees; default: 5.
    #[schemars(with = "Option<u32>")]
    pub passages: Option<Spanned<u32>>,
    /// Seconds after which an answer counts as failed; default: 60.
    #[schemars(with = "Option<f64>")]
    pub timeout_s: Option<Spanned<f64>>,
    /// Which answers to earlier turns of a dialog it is told: `gold`, those of the dataset, or `own`, those
    /// that it has given itself; default: `gold`.
    #[schemars(with = "Option<String>")]
    pub history: Option<Spanned<String>>,
    /// What tokens cost; default: nothing is said of cost but by the answers.
    #[schemars(with = "Option<PriceOptions>")]
    pub price: Option<Spanned<PriceOptions>>,
    /// Whether its answers are kept in the results folder and used again; default: true. A program
    /// whose answers depend on the questions before needs `false`.
    pub resume: Option<bool>,
}

service_table! {
    budget: ReaderBudgetOptions;
    /// A service that answers one question a request, as a program does.
    #[derive(Clone, Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    pub struct HttpReaderSection {
        /// `http`.
        pub r#type: String,
        /// Name of this reader; default: its type.
        #[schemars(with = "Option<String>")]
        pub name: Option<Spanned<String>>,
        /// Where the questions are posted.
        #[schemars(with = "String")]
        pub url: Spanned<String>,
        /// How many hits the service sees; default: 5.
        #[schemars(with = "Option<u32>")]
        pub passages: Option<Spanned<u32>>,
        /// How often every question is asked, up to 100; default: once.
        #[schemars(with = "Option<u32>")]
        pub repeats: Option<Spanned<u32>>,
        /// Which answers to earlier turns of a dialog it is told: `gold`, those of the dataset, or `own`, those
        /// that it has given itself; default: `gold`.
        #[schemars(with = "Option<String>")]
        pub history: Option<Spanned<String>>,
        /// What tokens cost; default: nothing is said of cost but by the answers.
        #[schemars(with = "Option<PriceOptions>")]
        pub price: Option<Spanned<PriceOptions>>,
        /// Whether its answers are kept in the results folder and used again; default: true.
        pub resume: Option<bool>,
    }
}

service_table! {
    budget: ReaderBudgetOptions;
    /// A language model behind a chat-completions endpoint.
    #[derive(Clone, Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    pub struct OpenAiSection {
        /// `openai`.
        pub r#type: String,
        /// Name of this reader; default: its type.
        #[schemars(with = "Option<String>")]
        pub name: Option<Spanned<String>>,
        /// The address up to `/chat/completions`, for example `http://127.0.0.1:8080/v1`.
        #[schemars(with = "String")]
        pub url: Spanned<String>,
        /// The model, as the endpoint calls it.
        #[schemars(with = "String")]
        pub model: Spanned<String>,
        /// What the model is asked, with the places `{question}`, `{passages}`, `{context}` and
        /// `{history}`; braces are written `{{` and `}}`.
        #[schemars(with = "String")]
        pub prompt: Spanned<String>,
        /// The system message, with the same places; default: none.
        #[schemars(with = "Option<String>")]
        pub system: Option<Spanned<String>>,
        /// How a passage is written, with the places `{number}`, `{id}`, `{title}` and `{text}`; default:
        /// `[{number}] {title}`, and `{text}` on the next line.
        #[schemars(with = "Option<String>")]
        pub passage: Option<Spanned<String>>,
        /// How an earlier question of the dialog is written, with the places `{question}` and `{answer}`;
        /// default: `Question: {question}`, and `Answer: {answer}` on the next line.
        #[schemars(with = "Option<String>")]
        pub exchange: Option<Spanned<String>>,
        /// How many hits the model sees; default: 5.
        #[schemars(with = "Option<u32>")]
        pub passages: Option<Spanned<u32>>,
        /// Randomness of the answer, from 0 to 2; default: none is sent.
        #[schemars(with = "Option<f64>")]
        pub temperature: Option<Spanned<f64>>,
        /// The most likely tokens alone that have this probability together, above 0 and up to 1;
        /// default: none is sent.
        #[schemars(with = "Option<f64>")]
        pub top_p: Option<Spanned<f64>>,
        /// The most tokens of an answer; default: what the endpoint takes.
        #[schemars(with = "Option<u32>")]
        pub max_tokens: Option<Spanned<u32>>,
        /// Seed of the randomness, for endpoints that know one; default: none is sent.
        pub seed: Option<i64>,
        /// Texts before which the answer ends; default: none.
        #[serde(default)]
        pub stop: Vec<String>,
        /// Further keys of the request, as the endpoint knows them; default: none.
        #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
        pub extra: Option<Spanned<toml::Table>>,
        /// How often every question is asked, up to 100; default: once.
        #[schemars(with = "Option<u32>")]
        pub repeats: Option<Spanned<u32>>,
        /// Which answers to earlier turns of a dialog it is told: `gold`, those of the dataset, or `own`, those
        /// that it has given itself; default: `gold`.
        #[schemars(with = "Option<String>")]
        pub history: Option<Spanned<String>>,
        /// What tokens cost; default: nothing is said of cost but by the answers.
        #[schemars(with = "Option<PriceOptions>")]
        pub price: Option<Spanned<PriceOptions>>,
        /// Whether its answers are kept in the results folder and used again; default: true.
        pub resume: Option<bool>,
    }
}

/// The lexical baseline: the passage window with the highest weighted word overlap.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlidingWindowSection {
    /// `sliding-window`.
    pub r#type: String,
    /// Name of this reader; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// How many hits it sees; default: 5.
    #[schemars(with = "Option<u32>")]
    pub passages: Option<Spanned<u32>>,
}
