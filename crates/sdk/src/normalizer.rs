//! Normalizers: texts to texts that can be compared.

use crate::{Descriptor, Failure};

/// Normalises texts, or cuts them into tokens, for metrics that compare words: `F1(normalize=NAME)`.
pub trait Normalizer: Send + Sync {
    /// Name and version.
    fn descriptor(&self) -> Descriptor;

    /// The normalised texts, in order, with a blank between two tokens. What becomes of a text must
    /// not depend on the others. A failure concerns all of them.
    fn normalize(&self, texts: &[&str]) -> Result<Vec<String>, Failure>;
}
