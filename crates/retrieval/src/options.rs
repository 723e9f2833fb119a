//! The options of the BM25 retriever.

use std::{fmt, str::FromStr};

use crate::{Analyzer, IndexOptions};

/// How passages are indexed and how hits are scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How soon more occurrences of a term stop to count, from 0 (one is as good as many) to
    /// 1000. 1.2 unless said otherwise.
    pub k1: f64,
    /// How much a long passage is held back, from 0 (not at all) to 1. 0.75 unless said otherwise.
    pub b: f64,
    /// How text becomes terms. [`Analyzer::STANDARD`] unless said otherwise.
    pub analyzer: Analyzer,
    /// What title and text are worth. `None`, which is the default, takes them for one body.
    pub boosts: Option<Boosts>,
    /// What a query asks for. [`QueryMode::Terms`] unless said otherwise.
    pub query: QueryMode,
}

/// What the score of a field is multiplied with. A field with 0 is not searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boosts {
    /// For the title.
    pub title: f64,
    /// For the text.
    pub text: f64,
}

/// What a query asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueryMode {
    /// Passages with any of the terms. There is no syntax.
    #[default]
    Terms,
    /// Passages with all terms of the query one after the other. There is no syntax.
    Phrase,
    /// Passages for which an expression holds: `AND`, `OR`, `NOT`, parentheses, and phrases in
    /// quotation marks. Side by side means `AND`.
    Boolean,
}

/// A value that an option cannot have.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum InvalidOptions {
    /// `k1` is out of its range or not a number.
    #[error("`k1` is `{0}`, expected a number from 0 to 1000; hint: 1.2 is usual")]
    K1(f64),
    /// `b` is out of its range or not a number.
    #[error("`b` is `{0}`, expected a number from 0 to 1; hint: 0.75 is usual")]
    B(f64),
    /// A boost is out of its range or not a number.
    #[error("the boost of `{0}` is `{1}`, expected 0 or a number from 0.001 to 1000")]
    Boost(&'static str, f64),
    /// No field would be searched.
    #[error("the boosts of `title` and `text` are both 0: nothing would be searched")]
    NoField,
}

impl Options {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), InvalidOptions> {
        if !(0.0..=1000.0).contains(&self.k1) {
            return Err(InvalidOptions::K1(self.k1));
        }
        if !(0.0..=1.0).contains(&self.b) {
            return Err(InvalidOptions::B(self.b));
        }
        let Some(Boosts { title, text }) = self.boosts else { return Ok(()) };
        for (name, boost) in [("title", title), ("text", text)] {
            // Beyond that, 32-bit floats would not hold a score.
            if boost != 0.0 && !(0.001..=1000.0).contains(&boost) {
                return Err(InvalidOptions::Boost(name, boost));
            }
        }
        if title == 0.0 && text == 0.0 { Err(InvalidOptions::NoField) } else { Ok(()) }
    }

    /// What the index must hold.
    pub fn index(&self) -> IndexOptions {
        IndexOptions {
            analyzer: self.analyzer,
            separate: self.boosts.is_some(),
            positions: self.query != QueryMode::Terms,
        }
    }

    /// What each field of the index is worth.
    pub(crate) fn weights(&self) -> Vec<f64> {
        match self.boosts {
            None => vec![1.0],
            Some(Boosts { title, text }) => vec![title, text],
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            k1: 1.2,
            b: 0.75,
            analyzer: Analyzer::default(),
            boosts: None,
            query: QueryMode::default(),
        }
    }
}

/// A name that no query mode has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a way to query, expected `terms`, `phrase` or `boolean`")]
pub struct UnknownQueryMode(String);

impl QueryMode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Terms, Self::Phrase, Self::Boolean];

    /// Its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terms => "terms",
            Self::Phrase => "phrase",
            Self::Boolean => "boolean",
        }
    }
}

impl fmt::Display for QueryMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for QueryMode {
    type Err = UnknownQueryMode;

    fn from_str(name: &str) -> Result<Self, UnknownQueryMode> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.name() == name)
            .ok_or_else(|| UnknownQueryMode(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(k1: f64, b: f64, message: Option<&str>) {
        let options = Options { k1, b, ..Options::default() };
        let found = options.validate().err().map(|error| error.to_string());
        assert_eq!(found.as_deref(), message, "k1 = {k1}, b = {b}");
    }

    #[test]
    fn values_out_of_range_are_refused_with_the_range() {
        check(1.2, 0.75, None);
        check(0.9, 0.4, None);
        check(0.0, 0.0, None);
        check(1000.0, 1.0, None);
        check(
            -0.1,
            0.75,
            Some("`k1` is `-0.1`, expected a number from 0 to 1000; hint: 1.2 is usual"),
        );
        check(
            f64::NAN,
            0.75,
            Some("`k1` is `NaN`, expected a number from 0 to 1000; hint: 1.2 is usual"),
        );
        check(
            f64::INFINITY,
            0.75,
            Some("`k1` is `inf`, expected a number from 0 to 1000; hint: 1.2 is usual"),
        );
        check(1.2, 1.01, Some("`b` is `1.01`, expected a number from 0 to 1; hint: 0.75 is usual"));
        check(
            1.2,
            f64::NAN,
            Some("`b` is `NaN`, expected a number from 0 to 1; hint: 0.75 is usual"),
        );
    }

    #[test]
    fn boosts_are_0_or_within_what_a_score_can_hold() {
        let check = |title, text, expected| {
            let options = Options { boosts: Some(Boosts { title, text }), ..Options::default() };
            assert_eq!(options.validate().err(), expected);
        };
        check(2.0, 1.0, None);
        check(0.0, 1.0, None);
        check(0.0, 0.0, Some(InvalidOptions::NoField));
        check(-1.0, 1.0, Some(InvalidOptions::Boost("title", -1.0)));
        check(1.0, 1e9, Some(InvalidOptions::Boost("text", 1e9)));
    }

    #[test]
    fn parsing_undoes_display() {
        for mode in QueryMode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert!("bool".parse::<QueryMode>().is_err());
    }
}
