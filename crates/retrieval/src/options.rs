//! The options of the BM25 retriever.

use crate::Analyzer;

/// How passages are indexed and how hits are scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How soon more occurrences of a term stop to count, from 0 (one is as good as many) to
    /// 1000. 1.2 unless said otherwise.
    pub k1: f64,
    /// How much a long passage is held back, from 0 (not at all) to 1. 0.75 unless said otherwise.
    pub b: f64,
    /// How text becomes terms. [`Analyzer::Standard`] unless said otherwise.
    pub analyzer: Analyzer,
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
}

impl Options {
    /// The values that tantivy has built in, and for which it can skip passages that cannot get
    /// among the best. Other values are as exact, but each matching passage is scored.
    const PRUNABLE: (f64, f64) = (1.2, 0.75);

    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), InvalidOptions> {
        if !(0.0..=1000.0).contains(&self.k1) {
            return Err(InvalidOptions::K1(self.k1));
        }
        if !(0.0..=1.0).contains(&self.b) {
            return Err(InvalidOptions::B(self.b));
        }
        Ok(())
    }

    /// Whether tantivy's own search finds the candidates for these options.
    pub(crate) fn prunable(&self) -> bool {
        (self.k1, self.b) == Self::PRUNABLE
    }
}

impl Default for Options {
    fn default() -> Self {
        let (k1, b) = Self::PRUNABLE;
        Self { k1, b, analyzer: Analyzer::default() }
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
}
