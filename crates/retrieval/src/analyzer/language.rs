//! The languages that words can be prepared for.

use tantivy::tokenizer::Language as Engine;

/// A language with a stemmer of Snowball.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Language {
    Arabic,
    Danish,
    Dutch,
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 18] = [
        Self::Arabic,
        Self::Danish,
        Self::Dutch,
        Self::English,
        Self::Finnish,
        Self::French,
        Self::German,
        Self::Greek,
        Self::Hungarian,
        Self::Italian,
        Self::Norwegian,
        Self::Portuguese,
        Self::Romanian,
        Self::Russian,
        Self::Spanish,
        Self::Swedish,
        Self::Tamil,
        Self::Turkish,
    ];

    /// The English name of it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arabic => "arabic",
            Self::Danish => "danish",
            Self::Dutch => "dutch",
            Self::English => "english",
            Self::Finnish => "finnish",
            Self::French => "french",
            Self::German => "german",
            Self::Greek => "greek",
            Self::Hungarian => "hungarian",
            Self::Italian => "italian",
            Self::Norwegian => "norwegian",
            Self::Portuguese => "portuguese",
            Self::Romanian => "romanian",
            Self::Russian => "russian",
            Self::Spanish => "spanish",
            Self::Swedish => "swedish",
            Self::Tamil => "tamil",
            Self::Turkish => "turkish",
        }
    }

    /// Whether there is a list of its stop words.
    pub const fn has_stop_words(self) -> bool {
        !matches!(self, Self::Arabic | Self::Greek | Self::Romanian | Self::Tamil | Self::Turkish)
    }

    pub(super) fn engine(self) -> Engine {
        match self {
            Self::Arabic => Engine::Arabic,
            Self::Danish => Engine::Danish,
            Self::Dutch => Engine::Dutch,
            Self::English => Engine::English,
            Self::Finnish => Engine::Finnish,
            Self::French => Engine::French,
            Self::German => Engine::German,
            Self::Greek => Engine::Greek,
            Self::Hungarian => Engine::Hungarian,
            Self::Italian => Engine::Italian,
            Self::Norwegian => Engine::Norwegian,
            Self::Portuguese => Engine::Portuguese,
            Self::Romanian => Engine::Romanian,
            Self::Russian => Engine::Russian,
            Self::Spanish => Engine::Spanish,
            Self::Swedish => Engine::Swedish,
            Self::Tamil => Engine::Tamil,
            Self::Turkish => Engine::Turkish,
        }
    }
}

#[cfg(test)]
mod tests {
    use tantivy::tokenizer::StopWordFilter;

    use super::*;

    #[test]
    fn the_lists_are_those_of_the_engine() {
        for language in Language::ALL {
            let list = StopWordFilter::new(language.engine());
            assert_eq!(language.has_stop_words(), list.is_some(), "{language:?}");
        }
    }
}
