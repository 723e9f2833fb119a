//! A key that nobody may see.

use std::fmt;

/// A key from the environment, sent as `Authorization: Bearer KEY`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A key. Blanks around it, such as the line end of a file, are no part of it.
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    pub(crate) fn header(&self) -> Option<reqwest::header::HeaderValue> {
        let header = reqwest::header::HeaderValue::from_str(&format!("Bearer {}", self.0));
        let mut header = header.ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    /// The text without the key.
    pub(crate) fn blank(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "[secret]") }
    }

    /// Whether the key is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_sees_it() {
        let secret = Secret::new(" s3cret\n");
        assert_eq!(format!("{secret:?} {:?}", secret.header()), "Secret Some(Sensitive)");
        assert_eq!(secret.blank("wrong key `s3cret`"), "wrong key `[secret]`");
        assert_eq!(Secret::new("").blank("text"), "text");
    }
}
