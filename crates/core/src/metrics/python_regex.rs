//! References that are regular expressions of Python.
//!
//! A pattern is rewritten for the engine that we have, so that it means here what it means there;
//! see `python_regex/translate.rs` for what differs.

mod class;
mod translate;

use fancy_regex::Regex;

use crate::Unscored;

/// The engine that a pattern was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Python's module `re`.
    Re,
    /// The package `regex`, which DPR uses.
    Regex,
}

/// A compiled pattern. Case does not matter, and `^` and `$` are the ends of lines.
#[derive(Debug)]
pub(crate) struct Pattern(Regex);

/// Why there is no answer from a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It is no pattern in Python either; the scripts take it for one that matches nothing.
    Invalid,
    /// It is one there and not here, or takes too long.
    Unsupported,
}

impl Pattern {
    /// A pattern that may match anywhere.
    pub(crate) fn anywhere(pattern: &str, dialect: Dialect) -> Result<Self, Refused> {
        Self::compile(&format!("(?im:{})", translate::translate(pattern, dialect)?))
    }

    /// A pattern that must match at the start of the text.
    pub(crate) fn at_start(pattern: &str, dialect: Dialect) -> Result<Self, Refused> {
        Self::compile(&format!("\\A(?im:{})", translate::translate(pattern, dialect)?))
    }

    fn compile(pattern: &str) -> Result<Self, Refused> {
        Regex::new(pattern).map(Self).map_err(|_| Refused::Unsupported)
    }

    /// Whether the pattern matches.
    pub(crate) fn matches(&self, text: &str) -> Result<bool, Refused> {
        self.0.is_match(text).map_err(|_| Refused::Unsupported)
    }
}

/// Whether any of the tests says yes. One that cannot be made matters only where none does.
pub(crate) fn any(
    tests: impl IntoIterator<Item = Result<bool, Refused>>,
) -> Result<bool, Unscored> {
    let mut unsupported = false;
    for test in tests {
        match test {
            Ok(true) => return Ok(true),
            Ok(false) | Err(Refused::Invalid) => {}
            Err(Refused::Unsupported) => unsupported = true,
        }
    }
    if unsupported {
        let message = "a reference is a regular expression that is not supported";
        return Err(Unscored::NotApplicable(message.to_owned()));
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(pattern: &str, text: &str, re: Result<bool, Refused>, regex: Result<bool, Refused>) {
        for (dialect, expected) in [(Dialect::Re, re), (Dialect::Regex, regex)] {
            let found = Pattern::anywhere(pattern, dialect).and_then(|found| found.matches(text));
            assert_eq!(found, expected, "{dialect:?}: `{pattern}` in `{text}`");
        }
    }

    #[test]
    fn patterns_mean_what_they_mean_in_python() {
        use Refused::{Invalid, Unsupported};
        let (yes, no) = (Ok(true), Ok(false));
        for (pattern, text, re, regex) in [
            ("Sn\\ěžka", "the SNĚŽKA", yes, yes),
            ("\\<b\\>", "a <b>", yes, yes),
            ("x{a", "X{a", yes, yes),
            ("^x{,2}$", "xx", yes, yes),
            ("^x{,2}$", "xxx", no, no),
            ("[[&&]", "&", yes, yes),
            ("[]-]", "-", yes, yes),
            ("^b$", "a\nb", yes, yes),
            ("b\\Z", "b\n", no, no),
            ("\\be\\b", "x e\u{301}", yes, no),
            ("^\\w$", "½", yes, no),
            ("^\\s$", "\u{1c}", yes, no),
            ("i", "İ", yes, yes),
            ("i", "ı", yes, no),
            ("[A-Z]", "ı", yes, yes),
            ("(a)x\\1", "AXa", yes, yes),
            ("a(?=b)", "ac", no, no),
            ("\\x41\\101\\u0041", "aaa", yes, yes),
            ("\\p{Lu}x", "Äx", Err(Invalid), yes),
            ("a**", "a", Err(Invalid), Err(Invalid)),
            ("a*+a", "aa", no, no),
            ("*", "a", Err(Invalid), Err(Invalid)),
            ("(*)", "a", Err(Invalid), Err(Invalid)),
            ("(", "a", Err(Invalid), Err(Invalid)),
            ("a)", "a", Err(Invalid), Err(Invalid)),
            ("[a", "a", Err(Invalid), Err(Invalid)),
            ("[b-a]", "a", Err(Invalid), Err(Invalid)),
            ("\\1", "a", Err(Invalid), Err(Invalid)),
            ("a\\", "a", Err(Invalid), Err(Invalid)),
            ("\\z", "", Err(Invalid), yes),
            ("a(?i)b", "ab", Err(Invalid), yes),
            ("(?x) a", "a", Err(Unsupported), Err(Unsupported)),
        ] {
            check(pattern, text, re, regex);
        }
    }

    proptest! {
        #[test]
        fn any_pattern_is_compiled_or_refused(
            pattern in "\\PC{0,20}|[\\]\\[(){}|*+?^$\\\\a-c0-9,.:=!<>-]{0,20}",
            text in "\\PC{0,9}",
        ) {
            for dialect in [Dialect::Re, Dialect::Regex] {
                if let Ok(pattern) = Pattern::at_start(&pattern, dialect) {
                    let _ = pattern.matches(&text);
                }
            }
        }
    }
}
