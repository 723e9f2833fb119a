//! Citations of laws in one way of writing.

use qeval_sdk::{Descriptor, Failure, FailureKind, Normalizer};

/// Words that say what a number counts, and not which one it is.
const UNITS: [&str; 7] = ["section", "paragraph", "sentence", "abs", "absatz", "satz", "of"];

/// The normalizer `legal`.
#[derive(Debug)]
pub(crate) struct Legal;

impl Normalizer for Legal {
    fn descriptor(&self) -> Descriptor {
        Descriptor::new("legal", "1", "writes citations of laws in one way")
    }

    fn normalize(&self, texts: &[&str]) -> Result<Vec<String>, Failure> {
        assert!(!texts.contains(&"PANIC"), "no text is normalised today");
        if texts.contains(&"REFUSE") {
            return Err(Failure::new(FailureKind::Refused, "not this text"));
        }
        Ok(texts.iter().map(|text| legal(text)).collect())
    }
}

/// `§ 5 Abs. 1 BGB` and `section 5 (1) BGB` are `5 1 bgb`.
pub fn legal(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let kept = words.filter(|word| !word.is_empty() && !UNITS.contains(word));
    kept.collect::<Vec<_>>().join(" ")
}
