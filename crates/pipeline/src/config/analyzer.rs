//! How the file names an analyzer: by its name, or by a table of choices.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

/// An analyzer as the file names it.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum AnalyzerOption {
    /// Its name.
    Name(String),
    /// Its name, and how it departs from what the name says.
    Table(AnalyzerTable),
}

/// An analyzer with choices of one's own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyzerTable {
    /// `standard`, `whitespace`, `cjk`, or a language such as `english`.
    pub name: String,
    /// Whether stop words are removed; default: where the language has a list of them.
    pub stop_words: Option<bool>,
    /// Whether words are stemmed; default: where there is a language.
    pub stemming: Option<bool>,
    /// Whether `é` and `e`, `ß` and `ss`, wide and narrow letters are the same; default: with `cjk`
    /// only.
    pub folding: Option<bool>,
    /// Whether Chinese, Japanese and Korean text becomes pairs of characters; default: with `cjk`
    /// only.
    pub cjk: Option<bool>,
}

impl<'de> Deserialize<'de> for AnalyzerOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnalyzerVisitor)
    }
}

struct AnalyzerVisitor;

impl<'de> Visitor<'de> for AnalyzerVisitor {
    type Value = AnalyzerOption;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an analyzer or a table")
    }

    fn visit_str<E>(self, name: &str) -> Result<AnalyzerOption, E> {
        Ok(AnalyzerOption::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AnalyzerOption, A::Error> {
        AnalyzerTable::deserialize(MapAccessDeserializer::new(map)).map(AnalyzerOption::Table)
    }
}
