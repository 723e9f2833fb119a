//! The tables of components that plugins offer beside metrics.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// The retriever of a plugin.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginRetrieverSection {
    /// `plugin`.
    pub r#type: String,
    /// Name of this retriever; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// The plugin: the `name` of a `[[plugin]]`.
    #[schemars(with = "String")]
    pub plugin: Spanned<String>,
    /// How many hits are requested for each query; default: 100.
    #[schemars(with = "Option<u32>")]
    pub depth: Option<Spanned<u32>>,
    /// How many queries it is asked at a time; default: 32.
    #[schemars(with = "Option<u32>")]
    pub batch: Option<Spanned<u32>>,
}

/// The reader of a plugin.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginReaderSection {
    /// `plugin`.
    pub r#type: String,
    /// Name of this reader; default: its type.
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// The plugin: the `name` of a `[[plugin]]`.
    #[schemars(with = "String")]
    pub plugin: Spanned<String>,
    /// How many hits it sees; default: 5.
    #[schemars(with = "Option<u32>")]
    pub passages: Option<Spanned<u32>>,
    /// How many questions it is asked at a time; default: 32.
    #[schemars(with = "Option<u32>")]
    pub batch: Option<Spanned<u32>>,
    /// Whether its answers are kept in the results folder and used again; default: true.
    pub resume: Option<bool>,
}
