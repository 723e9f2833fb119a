//! Normalisation for languages other than English.
//!
//! SQuAD's rules are made for English: they delete ASCII punctuation and English articles, and cut
//! at blanks. The parameters here say it for other languages, in the same order of steps: Unicode
//! form, case, punctuation, articles, words. With all of them at their default the rules are
//! SQuAD's, and the answers that a case shares between its metrics are used. With `normalize` the
//! texts have been normalised already, by a component that core knows nothing of.

mod articles;
mod rules;

use std::borrow::Cow;

use unicode_general_category::get_general_category;

use super::{normalize::is_blank, squad::Answers, token::Token};
use crate::{Argument, Case, Kind, Metric, Parameter};
use rules::Rules;

pub(super) const LANGUAGE: Parameter = Parameter {
    name: "language",
    kind: Kind::Choice(rules::LANGUAGES),
    summary: "the language whose rules the parameters below take where they are `auto`",
};

pub(super) const UNICODE: Parameter = Parameter {
    name: "unicode",
    kind: Kind::Choice(&["auto", "none", "nfc", "nfd", "nfkc", "nfkd"]),
    summary: "the form of Unicode in which texts are compared",
};

pub(super) const CASE: Parameter = Parameter {
    name: "case",
    kind: Kind::Choice(&["auto", "lower", "fold", "turkish", "keep"]),
    summary: "how capitals become small letters; `fold` makes ß and SS the same",
};

pub(super) const PUNCTUATION: Parameter = Parameter {
    name: "punctuation",
    kind: Kind::Choice(&["auto", "ascii", "unicode"]),
    summary: "which signs are deleted; `unicode`: also all of the categories P",
};

pub(super) const ARTICLES: Parameter = Parameter {
    name: "articles",
    kind: Kind::Choice(articles::NAMES),
    summary: "the language whose articles are left out",
};

pub(super) const WORDS: Parameter = Parameter {
    name: "words",
    kind: Kind::Choice(&["auto", "blank", "character", "unicode"]),
    summary: "words end at blanks, or each sign of a script without blanks is one, or Unicode's rules",
};

pub(super) const NORMALIZE: Parameter = Parameter {
    name: "normalize",
    kind: Kind::Normalizer,
    summary: "the normalizer of a plugin that makes the words, in place of all these rules",
};

/// All of them.
pub(super) const PARAMETERS: &[Parameter] =
    &[LANGUAGE, UNICODE, CASE, PUNCTUATION, ARTICLES, WORDS, NORMALIZE];

/// Whether a parameter says a rule that a normalizer takes the place of.
pub(crate) fn is_rule(parameter: &Parameter) -> bool {
    parameter.name != NORMALIZE.name && PARAMETERS.iter().any(|rule| rule.name == parameter.name)
}

impl Metric {
    /// The normalizer, as `plugin.name`, whose texts it compares as they are: whoever scores with it
    /// has to have it normalise the texts of the cases first.
    pub fn normalizer(&self) -> Option<&str> {
        self.arguments().find_map(|(_, argument)| match argument {
            Argument::Normalizer(name) => name.as_deref(),
            _ => None,
        })
    }
}

/// The answers of a case by the rules of a metric that has [`PARAMETERS`].
pub(crate) fn with_answers<T>(
    metric: &Metric,
    case: &Case<'_>,
    then: impl FnOnce(&Answers) -> T,
) -> T {
    let own;
    // One call for both, so that it is compiled into the place where nothing else is to be done.
    then(if metric.is_plain() {
        case.squad_answers()
    } else {
        own = answers(metric, case.prediction_text(), case.example.reference_texts());
        &own
    })
}

/// Some texts by the rules of a metric that has [`PARAMETERS`].
pub(super) fn answers<'a>(
    metric: &Metric,
    prediction: &str,
    references: impl ExactSizeIterator<Item = &'a str> + Clone,
) -> Answers {
    if metric.normalizer().is_some() {
        return Answers::made_by(append_words, prediction, references);
    }
    let rules = Rules::of(metric);
    let append = |text: &str, bytes: &mut _, tokens: &mut _| rules.append(text, bytes, tokens);
    Answers::made_by(append, prediction, references)
}

/// The words of a text that is normalised already: they end at blanks.
fn append_words(text: &str, bytes: &mut Vec<u8>, tokens: &mut Vec<Token>) {
    for word in text.split(is_blank).filter(|word| !word.is_empty()) {
        let start = bytes.len();
        bytes.extend_from_slice(word.as_bytes());
        tokens.push(Token::new(start..bytes.len(), bytes));
    }
}

/// Whether this is punctuation for Unicode (the categories P) or for ASCII.
pub(super) fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    get_general_category(c).abbreviation().starts_with('P')
}

/// Lower case in Turkish and Azeri, where i and ı are two letters.
fn turkish_lower_case(text: &str) -> String {
    // The capital with its dot may be written as two characters.
    let text = if text.contains('\u{307}') {
        Cow::Owned(text.replace("I\u{307}", "i"))
    } else {
        Cow::Borrowed(text)
    };
    let dotted = text.chars().map(|c| match c {
        'I' => 'ı',
        'İ' => 'i',
        _ => c,
    });
    dotted.collect::<String>().to_lowercase()
}
