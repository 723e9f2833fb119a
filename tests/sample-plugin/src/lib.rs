//! A plugin with a component of every kind, for the tests of the whole.
//!
//! It works on small texts about laws. A question or a passage with a word such as `PANIC` makes a
//! component misbehave; see `retriever.rs` and `reader.rs`.

mod normalizer;
mod reader;
mod retriever;
mod scorer;

use qeval_sdk::{Failure, Input, Plugin, PluginNormalizer, ScorerOffer, Setup, WorkedExample};
use serde::Deserialize;

pub use normalizer::legal;

/// What users can tell the plugin.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// A file with a passage on each line: its id, a tab, its text.
    pub corpus: Option<String>,
    /// Words that the scorer does not count.
    pub stop_words: Vec<String>,
}

impl Options {
    fn of(setup: &Setup) -> Result<Self, Failure> {
        setup.options()
    }
}

/// The plugin.
pub fn plugin() -> Plugin {
    let offer = ScorerOffer {
        metrics: vec![scorer::descriptor()],
        inputs: vec![Input::Prediction],
        examples: vec![WorkedExample {
            prediction: Some("ten days".to_owned()),
            expected: vec![Some(0.2)],
            ..WorkedExample::default()
        }],
    };
    let legal = PluginNormalizer {
        name: "legal".to_owned(),
        summary: "writes citations of laws in one way".to_owned(),
        version: "1".to_owned(),
        examples: vec![("§ 5 Abs. 1 BGB".to_owned(), "5 1 bgb".to_owned())],
    };
    Plugin::new("sample", "0.1.0", "A component of every kind")
        .scorer(offer, |setup| Ok(Box::new(scorer::Brevity::new(setup)?)))
        .normalizer(legal, |setup| {
            Options::of(setup)?;
            Ok(Box::new(normalizer::Legal))
        })
        .retriever("passages with words of the question", |setup| {
            Ok(Box::new(retriever::Overlap::new(&Options::of(setup)?)?))
        })
        .reader("the first sentence of the best passage", |setup| {
            Options::of(setup)?;
            Ok(Box::new(reader::FirstSentence))
        })
}

qeval_sdk::export!(plugin);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_describes_itself() {
        assert!(plugin().descriptor("").check().is_ok());
        assert_eq!(legal("§ 5 Abs. 1 BGB"), "5 1 bgb");
    }
}
