//! The id of an evaluation: what its folder is called.
//!
//! The id holds a prefix of the plan's digest, so that the same plan finds its own results again.
//! It is made of characters that need no escaping in a path, and it never looks like a number or
//! a date: readers of Parquet guess the type of a folder key from its value.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

/// How the folder of an evaluation begins: a partition key that Parquet readers understand.
pub(crate) const FOLDER_KEY: &str = "evaluation_id=";

/// How many hexadecimal digits of the plan's digest are in an id.
const DIGEST_DIGITS: usize = 12;

/// Longest label that is kept whole; names of files may be limited to 255 bytes.
const LONGEST_LABEL: usize = 80;

/// The id of an evaluation, for example `hr-assistant-3fa91c07d2be`.
///
/// ASCII letters, digits, `.`, `_` and `-`; begins with a letter or a digit, and holds a dash or
/// begins with a letter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvaluationId(String);

/// A text that cannot be an evaluation id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no evaluation id, expected ASCII letters, digits, `.`, `_` and `-`, beginning with \
     a letter, or with a digit if there is a dash"
)]
pub struct InvalidId(String);

impl EvaluationId {
    /// The id of a plan: its label, with every run of other characters as one dash, and the first
    /// twelve digits of the digest. A digest may begin with the name of its function, as in
    /// `sha256:3fa9...`.
    pub fn new(label: &str, digest: &str) -> Self {
        let digits = digest.rsplit(':').next().unwrap_or(digest);
        let prefix = digits.chars().filter(char::is_ascii_alphanumeric).take(DIGEST_DIGITS);
        let prefix: String = prefix.collect();
        Self(format!("{}-{prefix}", sanitized(label)))
    }

    /// The id for running a plan once more: this one while its folder is free in `results`, else
    /// the first free one of `<id>.2`, `<id>.3` and so on.
    #[must_use]
    pub fn fresh(&self, results: &Path) -> Self {
        let repeats = (2_u32..).map(|count| Self(format!("{self}.{count}")));
        let mut ids = std::iter::once(self.clone()).chain(repeats);
        ids.find(|id| !id.folder(results).exists()).expect("the counter does not end")
    }

    /// The folder of the evaluation with this id.
    pub fn folder(&self, results: &Path) -> PathBuf {
        results.join(format!("{FOLDER_KEY}{self}"))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EvaluationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for EvaluationId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let begins_well = match text.as_bytes().first() {
            Some(byte) if byte.is_ascii_alphabetic() => true,
            Some(byte) if byte.is_ascii_digit() => text.contains('-'),
            _ => false,
        };
        if begins_well && text.bytes().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidId(text.to_owned()))
        }
    }
}

/// A label in the characters of an id, without marks at its ends.
fn sanitized(label: &str) -> String {
    let mut clean = String::with_capacity(label.len());
    for c in label.chars() {
        if c.is_ascii_alphanumeric() || c == '.' || c == '_' {
            clean.push(c);
        } else if !clean.ends_with('-') {
            clean.push('-');
        }
    }
    clean.truncate(LONGEST_LABEL);
    match clean.trim_matches(['.', '_', '-']) {
        "" => "evaluation".to_owned(),
        clean => clean.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_label_becomes_part_of_a_folder_name() {
        let digest = "sha256:3fa91c07d2be55aa";
        for (label, id) in [
            ("hr-assistant", "hr-assistant-3fa91c07d2be"),
            ("HR: α/β, second try", "HR-second-try-3fa91c07d2be"),
            ("../../etc", "etc-3fa91c07d2be"),
            ("_hidden.", "hidden-3fa91c07d2be"),
            ("20261130", "20261130-3fa91c07d2be"),
            ("日本", "evaluation-3fa91c07d2be"),
        ] {
            assert_eq!(EvaluationId::new(label, digest).as_str(), id);
        }
    }

    #[test]
    fn an_id_is_no_path_and_no_number() {
        for text in ["", "20261130", "-a", ".a", "_a", "a/b", "a b", "ä", "a\0"] {
            assert!(text.parse::<EvaluationId>().is_err(), "{text}");
        }
        assert!("2026-a".parse::<EvaluationId>().is_ok());
    }

    #[test]
    fn a_fresh_id_counts_up() {
        let results = tempfile::tempdir().unwrap();
        let id = EvaluationId::new("a", "0123456789abcdef");
        assert_eq!(id.fresh(results.path()), id);
        std::fs::create_dir(id.folder(results.path())).unwrap();
        let second = id.fresh(results.path());
        assert_eq!(second.as_str(), "a-0123456789ab.2");
        std::fs::create_dir(second.folder(results.path())).unwrap();
        assert_eq!(id.fresh(results.path()).as_str(), "a-0123456789ab.3");
    }

    proptest! {
        #[test]
        fn every_label_makes_a_valid_id(label in ".{0,120}") {
            let id = EvaluationId::new(&label, "0123456789abcdef");
            prop_assert_eq!(id.as_str().parse(), Ok(id));
        }
    }
}
